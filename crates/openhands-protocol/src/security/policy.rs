//! Which actions wait for the user.

use crate::event::SecurityRisk;
use crate::schema::Telling;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// No action waits.
    pub struct NeverConfirm ["kind" = "NeverConfirm"] (default) {
    }

    /// Every action waits.
    pub struct AlwaysConfirm ["kind" = "AlwaysConfirm"] (default) {
    }

    /// Actions from a risk upward wait.
    pub struct ConfirmRisky ["kind" = "ConfirmRisky"] (default) {
        threshold: SecurityRisk = SecurityRisk::High,
        confirm_unknown: bool = true,
    }
}

union! {
    /// Which actions wait.
    pub enum ConfirmationPolicy by "kind" {
        Always(AlwaysConfirm),
        Risky(ConfirmRisky),
        Never(NeverConfirm),
    }
    told Telling::Class {
        path: "openhands.sdk.security.confirmation_policy.ConfirmationPolicyBase",
        default: None,
    }
}

impl Default for ConfirmationPolicy {
    fn default() -> Self {
        Self::Never(NeverConfirm::default())
    }
}
