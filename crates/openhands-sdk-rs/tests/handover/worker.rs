//! A process of ours that works on a conversation until it is killed, and says what it has stored.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use openhands_sdk_rs::conversation::{Conversation, Decision, Update};
use openhands_sdk_rs::llm::ScriptedModel;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::protocol::{ConversationId, EventId};
use serde_json::{Value, json};

use crate::world::{host, say};

const ORDERS: &str = "OPENHANDS_TEST_ORDERS";
/// Carried by the process and all that it starts, so that they can be found.
pub(crate) const TREE: &str = "OPENHANDS_TEST_TREE";
/// More answers than it lives to give.
const MANY: usize = 1000;
/// What it complains about, in the directory of the conversations.
pub(crate) const LOG: &str = "worker.log";
/// Longer than any test waits; the parent kills it long before.
const LIFE: Duration = Duration::from_mins(5);

/// Not a check of its own: this is what the killed process runs. Without orders it has nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_process_that_works() {
    let Some(orders) = std::env::var_os(ORDERS) else {
        return;
    };
    let orders: Value = serde_json::from_str(orders.to_str().unwrap()).unwrap();
    tokio::time::timeout(LIFE, work(&orders)).await.unwrap();
}

async fn work(orders: &Value) {
    let directory = Path::new(orders["directory"].as_str().unwrap());
    let host = host(directory, EventId::random().as_ref());
    let host = Arc::new(host.with_model(Arc::new(model(&orders["answers"]))));
    let id: ConversationId = orders["id"].as_str().unwrap().parse().unwrap();
    let conversation = Conversation::open(&host, id).await.unwrap();
    let mut subscription = conversation.subscribe(conversation.events().len());
    let acknowledging = async {
        let mut out = std::io::stdout();
        while let Some(update) = subscription.next().await.unwrap() {
            if let Update::Event(stored) = update {
                let (index, id, kind) = (stored.index(), stored.id(), stored.event().kind());
                writeln!(out, "\nacknowledged {index} {id} {kind}").unwrap();
                out.flush().unwrap();
            }
        }
    };
    let working = async {
        loop {
            if conversation.status() == ExecutionStatus::WaitingForConfirmation {
                conversation.respond(Decision::Accept).await.unwrap();
                conversation.wait().await;
            }
            say(&conversation, "go on").await;
            if orders["decides"] == false {
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        () = acknowledging => {}
        () = working => {}
    }
}

/// A model that plays the answers over and over, with calls whose ids are used once. It does not look at messages: a
/// process that died may have left one without an answer.
fn model(answers: &Value) -> ScriptedModel {
    let answers = answers.as_array().unwrap().iter().cycle();
    let script: Vec<Value> = answers.take(MANY).cloned().map(with_new_ids).collect();
    ScriptedModel::from_value(&json!(script)).unwrap()
}

fn with_new_ids(mut answer: Value) -> Value {
    let calls = answer.get_mut("tools").and_then(Value::as_array_mut);
    for call in calls.into_iter().flatten() {
        call["id"] = json!(EventId::random());
    }
    answer
}

/// What the process acknowledged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Acknowledged {
    pub(crate) index: u64,
    pub(crate) id: EventId,
    pub(crate) kind: String,
}

/// The process. It is killed when this is dropped.
pub(crate) struct Worker {
    child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) acknowledged: Vec<Acknowledged>,
}

impl Worker {
    /// Starts a process that opens the conversation and plays these answers over and over. It accepts what waits.
    pub(crate) fn start(directory: &Path, id: ConversationId, answers: &Value, tree: &str) -> Self {
        let orders = json!({"directory": directory, "id": id.hex(), "answers": answers});
        Self::with_orders(directory, &orders, tree)
    }

    /// The same, but it accepts only what waits when it begins. After one run it does nothing.
    pub(crate) fn start_once(
        directory: &Path,
        id: ConversationId,
        answers: &Value,
        tree: &str,
    ) -> Self {
        let orders =
            json!({"directory": directory, "id": id.hex(), "answers": answers, "decides": false});
        Self::with_orders(directory, &orders, tree)
    }

    fn with_orders(directory: &Path, orders: &Value, tree: &str) -> Self {
        let log = std::fs::File::create(directory.join(LOG)).unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "worker::the_process_that_works",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(ORDERS, orders.to_string())
            .env(TREE, tree)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        Self {
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            acknowledged: Vec::new(),
        }
    }

    /// Takes in one line; says whether there was one. A line that was cut off was not said.
    pub(crate) fn hear(&mut self) -> bool {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let said = line
            .strip_suffix('\n')
            .and_then(|line| line.strip_prefix("acknowledged "));
        if let Some([index, id, kind]) = said
            .map(|said| said.split(' ').collect::<Vec<_>>())
            .as_deref()
        {
            self.acknowledged.push(Acknowledged {
                index: index.parse().unwrap(),
                id: EventId::from(*id),
                kind: (*kind).to_owned(),
            });
        }
        line.ends_with('\n')
    }

    /// Kills it with SIGKILL. What it had said before counts too.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        while self.hear() {}
        self.child.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
