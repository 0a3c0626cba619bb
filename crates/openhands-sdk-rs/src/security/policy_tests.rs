use super::*;
use crate::security::tests::shell;
use SecurityRisk::{High, Low, Medium, Unknown};
use openhands_protocol::RawUnion;
use openhands_protocol::security::{AlwaysConfirm, NeverConfirm};
use openhands_protocol::tool::{FinishAction, ThinkAction};

fn risky(threshold: SecurityRisk, confirm_unknown: bool) -> ConfirmationPolicy {
    ConfirmationPolicy::Risky(ConfirmRisky {
        threshold,
        confirm_unknown,
        ..ConfirmRisky::default()
    })
}

#[test]
fn policies_decide_by_risk() {
    let always = ConfirmationPolicy::Always(AlwaysConfirm::default());
    let never = ConfirmationPolicy::Never(NeverConfirm::default());
    let newer = ConfirmationPolicy::Unknown(RawUnion::new("kind", "Newer", serde_json::Map::new()));
    for (policy, expected) in [
        (always, [true, true, true, true]),
        (never, [false, false, false, false]),
        (newer, [true, true, true, true]),
        (risky(High, true), [true, false, false, true]),
        (risky(High, false), [false, false, false, true]),
        (risky(Medium, false), [false, false, true, true]),
        (risky(Low, true), [true, true, true, true]),
    ] {
        let decided = [Unknown, Low, Medium, High].map(|risk| should_confirm(&policy, risk));
        assert_eq!(decided, expected, "{policy:?}");
    }
}

#[test]
fn one_risky_action_stops_the_batch_and_a_single_finish_or_think_never_waits() {
    let plain = shell("ls");
    let mut finish = shell("");
    finish.action = Some(Action::Finish(FinishAction::default()));
    let mut think = shell("");
    think.action = Some(Action::Think(ThinkAction::default()));
    let always = ConfirmationPolicy::Always(AlwaysConfirm::default());
    assert!(!batch_waits(&always, [(&finish, High)]));
    assert!(!batch_waits(&always, [(&think, High)]));
    assert!(batch_waits(&always, [(&think, High), (&finish, High)]));
    assert!(batch_waits(&always, [(&plain, Low)]));
    assert!(!batch_waits(&always, []));
    let policy = risky(High, false);
    assert!(batch_waits(&policy, [(&plain, Low), (&plain, High)]));
    assert!(!batch_waits(&policy, [(&plain, Low), (&plain, Unknown)]));
}
