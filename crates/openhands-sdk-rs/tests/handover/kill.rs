//! A process that runs a conversation is killed at random moments. Every acknowledged event is there, the
//! conversation opens, every action gets exactly one result, and nothing that it started lives on.
//!
//! `just kill 1000` is the long run.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig, Host};
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::protocol::security::ConfirmationPolicy;
use openhands_sdk_rs::protocol::{ConversationId, Event, EventId};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::survivors::{is_any_left, wait_for_none};
use crate::worker::{Acknowledged, LOG, Worker};
use crate::world::{host, results_of};

/// How many deaths a conversation goes through before another is begun: its log is read whole after each.
const DEATHS_PER_CONVERSATION: u64 = 25;

/// What the process does until it dies.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Work {
    /// Calls that end at once.
    Short,
    /// Several calls in one answer.
    Batch,
    /// A command that does not end, with a child in the background.
    Endless,
    /// Calls that wait for the user, who always accepts.
    Confirmed,
    /// Calls that wait for the user, who is away.
    Asked,
}

impl Work {
    fn answers(self) -> Value {
        let shell = |command: &str| json!({"name": "terminal", "args": {"command": command}});
        let think = json!({"name": "think", "args": {"thought": "hm"}});
        match self {
            Self::Short => json!([{"tools": [think]}, {"tools": [think]}, "done"]),
            Self::Batch => json!([{"tools": [think, shell("echo a"), think]}, "done"]),
            Self::Endless => {
                json!([{"tools": [think]}, {"tools": [shell("sleep 900 & sleep 900")]}])
            }
            Self::Confirmed | Self::Asked => json!([{"tools": [think, shell("echo b")]}, "done"]),
        }
    }

    fn policy(self) -> ConfirmationPolicy {
        let kind = if matches!(self, Self::Confirmed | Self::Asked) {
            "AlwaysConfirm"
        } else {
            "NeverConfirm"
        };
        serde_json::from_value(json!({"kind": kind})).unwrap()
    }
}

/// xorshift: any moment will do, but a failure must be repeatable by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// What was seen over all kills.
#[derive(Debug, Default)]
struct Tally {
    acknowledged: usize,
    recovered: usize,
    waiting: usize,
    trees: usize,
}

struct Place {
    dir: TempDir,
    host: Arc<Host>,
    id: ConversationId,
    expected: Vec<Acknowledged>,
    tally: Tally,
}

impl Place {
    async fn new(tally: Tally) -> Self {
        let dir = TempDir::new().unwrap();
        let host = Arc::new(host(dir.path(), "the one who looks"));
        let agent = json!({
            "llm": {"model": "openai/mock", "usage_id": "agent"}, "tools": [{"name": "terminal"}],
        });
        let config = ConversationConfig::new(serde_json::from_value(agent).unwrap(), dir.path());
        let id = config.id;
        let conversation = Conversation::create(&host, config).await.unwrap();
        conversation.close().await.unwrap();
        Self {
            dir,
            host,
            id,
            expected: Vec::new(),
            tally,
        }
    }

    /// Lets a process work and kills it at a moment.
    fn work_and_kill(&mut self, work: Work, random: &mut Random) {
        let tree = EventId::random().to_string();
        let path: &Path = self.dir.path();
        let start = if work == Work::Asked {
            Worker::start_once
        } else {
            Worker::start
        };
        let mut worker = start(path, self.id, &work.answers(), &tree);
        let (kind, count, moment) = match work {
            Work::Short | Work::Batch | Work::Confirmed => ("", random.below(24), 2_500),
            // Into the command: it is the second action.
            Work::Endless | Work::Asked => ("ActionEvent", 2, 40_000),
        };
        let moment = random.below(moment);
        let is_reached = |worker: &Worker| {
            let heard = worker.acknowledged.iter();
            heard.filter(|it| it.kind.contains(kind)).count() as u64 >= count
        };
        while !is_reached(&worker) && worker.hear() {}
        let complaints = std::fs::read_to_string(path.join(LOG)).unwrap();
        assert!(is_reached(&worker), "it ended by itself: {complaints}");
        let until = Instant::now() + Duration::from_micros(moment);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        // One that has said nothing yet may not have begun.
        assert!(worker.acknowledged.is_empty() || is_any_left(&tree));
        worker.kill();
        wait_for_none(&tree);
        self.tally.trees += 1;
        self.tally.acknowledged += worker.acknowledged.len();
        self.expected.append(&mut worker.acknowledged);
    }

    /// Opens the conversation as the next owner and checks all that was promised.
    async fn check(&mut self, kill: u64, next: Work) {
        let conversation = Conversation::open(&self.host, self.id).await.unwrap();
        let log = conversation.events();
        assert_eq!(log.problems(), [], "kill {kill}");
        for event in &self.expected {
            assert_eq!(
                log.id_at(event.index).as_ref(),
                Some(&event.id),
                "kill {kill}"
            );
        }
        let events = log.range(0..u64::MAX).await.unwrap();
        assert_eq!(
            events.len() as u64,
            log.len(),
            "kill {kill}: every body is whole"
        );
        let status = conversation.status();
        assert_ne!(status, ExecutionStatus::Running, "kill {kill}");
        let waits = status == ExecutionStatus::WaitingForConfirmation;
        let branch = log.active_branch(None).await.unwrap();
        let mut open = 0;
        for stored in &events {
            match results_of(stored.event(), &events) {
                None | Some(1) => {}
                Some(0) if waits && branch.iter().any(|on| on.id() == stored.id()) => open += 1,
                other => panic!(
                    "kill {kill}: {other:?} results of {} ({status:?})",
                    stored.id()
                ),
            }
        }
        assert_eq!(
            waits,
            open > 0,
            "kill {kill}: {open} open actions, {status:?}"
        );
        self.tally.waiting += usize::from(waits);
        let is_recovered = matches!(
            branch.last().map(|last| last.event()),
            Some(Event::AgentError(_))
        );
        self.tally.recovered += usize::from(is_recovered);
        conversation
            .set_confirmation_policy(next.policy())
            .await
            .unwrap();
        conversation.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_survives_the_death_of_its_process_at_any_moment() {
    let kills: u64 = std::env::var("OPENHANDS_KILLS").map_or(60, |count| count.parse().unwrap());
    let seed = u64::from(std::process::id()) | 1;
    println!("{kills} kills, seed {seed}");
    let mut random = Random(seed);
    let mut place = Place::new(Tally::default()).await;
    let works = [
        Work::Short,
        Work::Batch,
        Work::Endless,
        Work::Confirmed,
        Work::Asked,
    ];
    for kill in 0..kills {
        if kill % DEATHS_PER_CONVERSATION == 0 {
            place = Place::new(std::mem::take(&mut place.tally)).await;
        }
        let nth = |kill: u64| works[usize::try_from(kill % 5).unwrap()];
        place.work_and_kill(nth(kill), &mut random);
        place.check(kill, nth(kill + 1)).await;
    }
    let tally = &place.tally;
    println!("{kills} kills: {tally:?}");
    assert_eq!(tally.trees as u64, kills);
    assert!(
        tally.acknowledged as u64 >= kills,
        "the processes got to work"
    );
    assert!(tally.recovered > 0, "some died in a tool");
    assert!(tally.waiting > 0, "some died while the user was away");
}
