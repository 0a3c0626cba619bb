//! What a conversation may do next: status and cause in, status out. The only place that decides on a status.

use openhands_protocol::conversation::ExecutionStatus as Status;

/// What happens to a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Somebody wants it to run, or accepts the actions that wait.
    Run,
    /// A user says something.
    UserMessage,
    /// The agent gave its answer.
    Finish,
    /// Actions wait for the user.
    Confirm,
    /// The user rejects the actions that wait.
    Reject,
    /// There is more to do after all: a message that came late, a hook that does not let it stop.
    GoOn,
    /// The run is over without an answer, for a message that came at its last permitted step.
    Leave,
    /// Somebody wants it to stop after the present step.
    Pause,
    /// Somebody cut it off.
    Interrupt,
    /// The agent goes in circles.
    Stuck,
    /// The run failed, or reached a limit.
    Fail,
    /// It is loaded after the process that ran it is gone.
    Recover,
    /// It is the copy of another.
    Fork,
    /// It is being deleted.
    Delete,
}

/// Why something cannot happen now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// One run at a time.
    #[error("Conversation already running. Wait for completion or pause first.")]
    AlreadyRunning,
    /// Nothing happens to it any more.
    #[error("the conversation is being deleted")]
    Deleting,
}

/// The status after a cause. One that means nothing in a status leaves it as it is.
pub fn next(status: Status, cause: Cause) -> Result<Status, Refused> {
    if status == Status::Deleting && cause != Cause::Delete {
        return Err(Refused::Deleting);
    }
    Ok(match cause {
        Cause::Run => match status {
            Status::Running => return Err(Refused::AlreadyRunning),
            // There is nothing to do before the user says something.
            Status::Finished => Status::Finished,
            Status::Idle
            | Status::Paused
            | Status::Error
            | Status::Stuck
            | Status::WaitingForConfirmation => Status::Running,
            Status::Deleting => return Err(Refused::Deleting),
        },
        Cause::UserMessage => match status {
            Status::Finished | Status::Stuck => Status::Idle,
            other => other,
        },
        // The step in which a pause falls is completed, and its end counts.
        Cause::Finish => match status {
            Status::Running | Status::Paused => Status::Finished,
            other => other,
        },
        Cause::Confirm => match status {
            Status::Running | Status::Paused => Status::WaitingForConfirmation,
            other => other,
        },
        Cause::Reject => match status {
            Status::WaitingForConfirmation => Status::Idle,
            other => other,
        },
        Cause::GoOn => match status {
            Status::Finished | Status::WaitingForConfirmation => Status::Running,
            other => other,
        },
        Cause::Leave => match status {
            Status::Finished | Status::WaitingForConfirmation | Status::Running => Status::Idle,
            other => other,
        },
        Cause::Pause => match status {
            Status::Idle | Status::Running => Status::Paused,
            other => other,
        },
        Cause::Interrupt => match status {
            Status::Running => Status::Paused,
            other => other,
        },
        Cause::Stuck => match status {
            Status::Running => Status::Stuck,
            other => other,
        },
        Cause::Fail => Status::Error,
        Cause::Recover => match status {
            Status::Running => Status::Error,
            other => other,
        },
        Cause::Fork => Status::Idle,
        Cause::Delete => Status::Deleting,
    })
}

#[cfg(test)]
#[path = "transition_tests.rs"]
mod tests;
