use super::*;
use jupyter_protocol::{ErrorOutput, ExecuteResult, Status, StreamContent};
use jupyter_protocol::{ExecutionCount, MediaType};

fn from(parent: &str, content: impl Into<Content>) -> Received {
    Received {
        parent: parent.to_owned(),
        content: content.into(),
    }
}

fn begun(id: &str) -> Desk {
    let desk = Desk::new();
    desk.set_started();
    desk.begin_cell(id, Limits::default(), OutputSink::none());
    desk
}

fn is_finished(desk: &Desk) -> bool {
    desk.state.lock().outcome().is_some()
}

#[test]
fn a_cell_ends_with_reply_and_idle_in_any_order() {
    let desk = begun("a");
    desk.replied(from("a", ExecuteReply::default()));
    assert!(!is_finished(&desk), "output may still come");
    desk.published(from("a", StreamContent::stdout("late but in time")));
    desk.published(from("a", Status::idle()));
    assert!(is_finished(&desk));
    assert_eq!(desk.end().text, "late but in time");

    let desk = begun("b");
    desk.published(from("b", Status::busy()));
    desk.published(from("b", Status::idle()));
    assert!(!is_finished(&desk));
    desk.replied(from("another", ExecuteReply::default()));
    assert!(!is_finished(&desk));
    desk.replied(from("b", ExecuteReply::default()));
    assert!(is_finished(&desk));
}

#[test]
fn every_kind_of_output_is_shown() {
    let desk = begun("a");
    desk.published(from("a", StreamContent::stderr("warned\n")));
    desk.published(from(
        "a",
        ExecuteResult::new(
            ExecutionCount::new(1),
            MediaType::Plain("42".to_owned()).into(),
        ),
    ));
    desk.published(from(
        "a",
        ErrorOutput {
            traceback: vec!["one".to_owned(), "two".to_owned()],
            ..ErrorOutput::default()
        },
    ));
    assert_eq!(desk.end().text, "warned\n42one\ntwo");
}

#[test]
fn what_a_thread_prints_between_cells_comes_with_the_next() {
    let desk = begun("a");
    desk.published(from("a", Status::idle()));
    desk.replied(from("a", ExecuteReply::default()));
    desk.end();
    desk.published(from("a", StreamContent::stdout("from a thread\n")));
    desk.begin_quietly("our own");
    desk.published(from("our own", StreamContent::stdout("ours\n")));
    desk.published(from("a", StreamContent::stdout("again\n")));
    assert_eq!(desk.end().text, "ours");
    desk.begin_cell("b", Limits::default(), OutputSink::none());
    desk.published(from("b", StreamContent::stdout("own\n")));
    desk.published(from("a", StreamContent::stdout("and while it runs\n")));
    assert_eq!(
        desk.end().text,
        "from a thread\nagain\nown\nand while it runs"
    );
}

#[test]
fn what_a_cell_that_was_given_up_still_prints_is_dropped() {
    let desk = begun("a");
    desk.end();
    desk.published(from("a", StreamContent::stdout("too late\n")));
    desk.begin_cell("b", Limits::default(), OutputSink::none());
    assert_eq!(desk.end().text, "");
}

#[test]
fn what_a_kernel_prints_while_it_starts_is_dropped() {
    let desk = Desk::new();
    desk.begin_quietly("setup");
    desk.published(from(
        "",
        StreamContent::stderr("a warning of the debugger\n"),
    ));
    desk.end();
    desk.set_started();
    desk.begin_cell("a", Limits::default(), OutputSink::none());
    assert_eq!(desk.end().text, "");
}

#[tokio::test]
async fn output_is_handed_out_while_the_cell_runs() {
    let (sink, mut pieces) = OutputSink::channel(8);
    let desk = Desk::new();
    desk.begin_cell("a", Limits::default(), sink);
    desk.published(from("a", StreamContent::stdout("piece")));
    assert_eq!(pieces.recv().await.unwrap(), "piece");
}

#[test]
fn errors_and_the_wish_to_end_are_read_from_the_reply() {
    let desk = begun("a");
    let reply = ExecuteReply {
        status: ReplyStatus::Error,
        payload: vec![Payload::AskExit { keepkernel: false }],
        ..ExecuteReply::default()
    };
    desk.published(from("a", Status::idle()));
    desk.replied(from("a", reply));
    let outcome = desk.state.lock().outcome();
    assert_eq!(
        outcome,
        Some(Reply {
            error: Some("Error".to_owned()),
            exits: true
        })
    );
}
