use openhands_protocol::ConversationId;
use rmcp::model::ContentBlock;

use super::*;

fn owner() -> Owner {
    Owner::Conversation(ConversationId::random())
}

fn answer(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn state(entry: &Entry) -> CallState {
    match entry {
        Entry::New(call) | Entry::Known(call) => call.state.borrow().clone(),
    }
}

#[test]
fn a_call_is_new_once_for_each_owner() {
    let (calls, stop) = (Calls::default(), CancellationToken::new());
    let (one, other) = (owner(), owner());
    let enter = |owner| calls.enter(owner, "1", "terminal", &stop);
    assert!(matches!(enter(one), Entry::New(_)));
    assert!(matches!(enter(one), Entry::Known(_)));
    assert!(matches!(enter(other), Entry::New(_)));
}

#[test]
fn an_answer_is_there_for_all_who_ask_again() {
    let (calls, stop, owner) = (Calls::default(), CancellationToken::new(), owner());
    let Entry::New(call) = calls.enter(owner, "1", "terminal", &stop) else {
        panic!("it is new");
    };
    calls.end(owner, "1", &call, answer("done"));
    for _ in 0..2 {
        let CallState::Answered(answer) = state(&calls.enter(owner, "1", "terminal", &stop)) else {
            panic!("it was answered");
        };
        assert_eq!(answer.content.len(), 1);
    }
}

#[test]
fn a_call_that_is_cancelled_before_it_comes_does_not_run() {
    let (calls, stop, owner) = (Calls::default(), CancellationToken::new(), owner());
    calls.cancel(owner, "1", &stop);
    let entry = calls.enter(owner, "1", "terminal", &stop);
    assert!(matches!(entry, Entry::Known(_)));
    assert!(matches!(state(&entry), CallState::Answered(_)));
}

#[test]
fn of_answers_that_are_too_much_only_the_newest_are_kept() {
    let (calls, stop, owner) = (Calls::default(), CancellationToken::new(), owner());
    for id in ["1", "2", "3"] {
        let Entry::New(call) = calls.enter(owner, id, "terminal", &stop) else {
            panic!("it is new");
        };
        calls.end(owner, id, &call, answer("x".repeat(KEPT_BYTES / 5 * 2)));
    }
    let states = ["1", "2", "3"].map(|id| state(&calls.enter(owner, id, "terminal", &stop)));
    assert!(matches!(
        states,
        [
            CallState::Forgotten,
            CallState::Answered(_),
            CallState::Answered(_)
        ]
    ));
}
