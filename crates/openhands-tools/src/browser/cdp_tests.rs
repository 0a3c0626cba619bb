use super::{Cdp, Reader, Shared, Told, write};
use crate::browser::BrowserError;
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const SOON: Duration = Duration::from_secs(30);

/// A connection that takes messages of a megabyte, and its other end.
struct Line {
    cdp: Cdp,
    events: Arc<Mutex<Vec<String>>>,
    asked: pipe::Receiver,
    answers: pipe::Sender,
    _tasks: JoinSet<()>,
}

fn line() -> Line {
    let (sender, asked) = pipe::pipe().unwrap();
    let (answers, receiver) = pipe::pipe().unwrap();
    let (outgoing, queue) = mpsc::unbounded_channel();
    let cdp = Cdp(Arc::new(Shared {
        next: AtomicU64::new(1),
        outgoing,
        waiting: Mutex::default(),
    }));
    let events = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&events);
    let reader = Reader {
        cdp: cdp.clone(),
        on_event: Box::new(move |_, told| {
            heard.lock().push(match told {
                Told::Event(event) => event.method.to_owned(),
                Told::End => "end".to_owned(),
            });
        }),
        longest: 1 << 20,
    };
    let mut tasks = JoinSet::new();
    tasks.spawn(write(sender, queue));
    tasks.spawn(reader.read(receiver));
    Line {
        cdp,
        events,
        asked,
        answers,
        _tasks: tasks,
    }
}

/// Waits for as many calls, and writes these messages then.
async fn answer(
    asked: &mut pipe::Receiver,
    answers: &mut pipe::Sender,
    calls: usize,
    messages: &[String],
) {
    for _ in 0..calls {
        while asked.read_u8().await.unwrap() != 0 {}
    }
    for message in messages {
        answers.write_all(message.as_bytes()).await.unwrap();
        answers.write_u8(0).await.unwrap();
    }
}

#[tokio::test]
async fn an_answer_that_is_too_long_fails_its_call_and_no_other() {
    let Line {
        cdp,
        events,
        mut asked,
        mut answers,
        _tasks,
    } = line();
    let long = "x".repeat(3 << 20);
    let messages = [
        format!(r#"{{"id":1,"result":{{"value":"{long}"}}}}"#),
        format!(r#"{{"method":"Long.event","params":{{"value":"{long}"}}}}"#),
        r#"{"method":"Short.event","params":{}}"#.to_owned(),
        r#"{"id":2,"result":{"value":2}}"#.to_owned(),
    ];
    let call = |method: &'static str| cdp.call(None, method, json!({}), SOON);
    let (first, second, ()) = tokio::join!(
        call("First"),
        call("Second"),
        answer(&mut asked, &mut answers, 2, &messages)
    );
    let refused = first.unwrap_err().to_string();
    assert_eq!(refused, "First: the answer is longer than 1 MB");
    assert_eq!(second.unwrap(), json!({"value": 2}));
    assert_eq!(*events.lock(), ["Short.event"]);
}

#[tokio::test]
async fn a_connection_whose_message_says_nothing_ends() {
    let Line {
        cdp,
        events,
        mut asked,
        mut answers,
        _tasks,
    } = line();
    let call = cdp.call(None, "First", json!({}), SOON);
    let noise = async {
        while asked.read_u8().await.unwrap() != 0 {}
        // The pipe closes in the middle of it.
        let _ = answers.write_all(&vec![b' '; 3 << 20]).await;
    };
    let (answer, ()): (Result<Value, BrowserError>, ()) = tokio::join!(call, noise);
    assert!(matches!(answer, Err(BrowserError::Gone)), "{answer:?}");
    assert!(cdp.is_closed());
    assert_eq!(*events.lock(), ["end"]);
}
