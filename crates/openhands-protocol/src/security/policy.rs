//! Which actions wait for the user.

use crate::event::SecurityRisk;
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
        Never(NeverConfirm),
        Always(AlwaysConfirm),
        Risky(ConfirmRisky),
    }
}

impl Default for ConfirmationPolicy {
    fn default() -> Self {
        Self::Never(NeverConfirm::default())
    }
}
