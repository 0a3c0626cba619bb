use super::{Cause, Refused, next};
use openhands_protocol::conversation::ExecutionStatus as Status;
use pretty_assertions::assert_eq;

const STATUSES: [Status; 8] = [
    Status::Idle,
    Status::Running,
    Status::Paused,
    Status::WaitingForConfirmation,
    Status::Finished,
    Status::Error,
    Status::Stuck,
    Status::Deleting,
];

/// One line per cause; one column per status, in the order of `STATUSES`.
/// `.` stays, `!` is refused, else the first letter of the new status.
const TABLE: [(Cause, &str); 14] = [
    //                    i r p w f e s d
    (Cause::Run, "r ! r r . r r !"),
    (Cause::UserMessage, ". . . . i . i !"),
    (Cause::Finish, ". f f . . . . !"),
    (Cause::Confirm, ". w w . . . . !"),
    (Cause::Reject, ". . . i . . . !"),
    (Cause::GoOn, ". . . r r . . !"),
    (Cause::Leave, ". i . i i . . !"),
    (Cause::Pause, "p p . . . . . !"),
    (Cause::Interrupt, ". p . . . . . !"),
    (Cause::Stuck, ". s . . . . . !"),
    (Cause::Fail, "e e e e e . e !"),
    (Cause::Recover, ". e . . . . . !"),
    (Cause::Fork, ". i i i i i i !"),
    (Cause::Delete, "d d d d d d d ."),
];

fn letter(status: Status) -> char {
    match status {
        Status::Idle => 'i',
        Status::Running => 'r',
        Status::Paused => 'p',
        Status::WaitingForConfirmation => 'w',
        Status::Finished => 'f',
        Status::Error => 'e',
        Status::Stuck => 's',
        Status::Deleting => 'd',
    }
}

#[test]
fn every_status_and_cause() {
    for (cause, row) in TABLE {
        let found: Vec<String> = STATUSES
            .iter()
            .map(|status| match next(*status, cause) {
                Err(_) => "!".to_owned(),
                Ok(same) if same == *status => ".".to_owned(),
                Ok(other) => letter(other).to_string(),
            })
            .collect();
        assert_eq!(found.join(" "), row, "{cause:?}");
    }
}

#[test]
fn refusals_say_why() {
    assert_eq!(
        next(Status::Running, Cause::Run),
        Err(Refused::AlreadyRunning)
    );
    assert_eq!(next(Status::Deleting, Cause::Run), Err(Refused::Deleting));
    assert_eq!(
        Refused::AlreadyRunning.to_string(),
        "Conversation already running. Wait for completion or pause first."
    );
}
