//! What a webhook got while `63_capacity_429` was recorded: `64_webhooks`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::compare::Comparison;
use crate::http::DEADLINE;
use crate::play::Player;
use crate::recording::{self, is_stats, name_of};
use crate::{differences, part};

const NAME: &str = "core/64_webhooks";

/// What was posted: what was said about conversations, and the events of each.
#[derive(Debug, Default)]
struct Posted {
    conversations: Vec<Value>,
    events: BTreeMap<String, Vec<Value>>,
}

impl Posted {
    fn of(posts: impl Iterator<Item = (String, Value)>) -> Self {
        let mut posted = Self::default();
        for (path, body) in posts {
            match path.strip_prefix("/hook/events/") {
                None => {
                    assert_eq!(path, "/hook/conversations");
                    posted.conversations.push(body);
                }
                Some(id) => posted
                    .events
                    .entry(id.to_owned())
                    .or_default()
                    .extend(body.as_array().unwrap().iter().cloned()),
            }
        }
        posted
    }

    fn names(&self, id: &str) -> Vec<String> {
        let events = self.events.get(id).map(Vec::as_slice).unwrap_or_default();
        let ordered = events.iter().filter(|event| !is_stats(event));
        ordered.map(name_of).collect()
    }
}

pub(crate) async fn replay() {
    let mut player = Player::new("core/63_capacity_429").await;
    for entry in recording::read("core/63_capacity_429") {
        player.play(entry).await;
    }
    let stage = &mut player.stage;
    stage.comparison.take_found();
    stage.found.clear();
    let mut comparison = stage.comparison.clone();
    comparison.expect(part::of(NAME).part, differences::of(NAME));
    let raw = recording::raw(NAME);
    let recorded = Posted::of(raw["posts"].as_array().unwrap().iter().map(|post| {
        (
            post["path"].as_str().unwrap().to_owned(),
            post["body"].clone(),
        )
    }));
    let began = Instant::now();
    loop {
        let mut attempt = comparison.clone();
        compare(
            &mut attempt,
            &recorded,
            &Posted::of(stage.hooks.posts().into_iter()),
        );
        if !attempt.has_found() || began.elapsed() > DEADLINE / 4 {
            stage.comparison = attempt;
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    NAME.clone_into(&mut stage.name);
    player.end().await;
}

fn compare(comparison: &mut Comparison, recorded: &Posted, ours: &Posted) {
    let (wanted, found) = (json!(recorded.conversations), json!(ours.conversations));
    comparison.value("conversations", &wanted, &found);
    for (id, events) in &recorded.events {
        let our_id = comparison.our(id);
        let (wanted, found) = (recorded.names(id), ours.names(&our_id));
        if wanted != found {
            comparison.differs(
                &format!("events {id}"),
                &format!("recorded {wanted:?}, ours {found:?}"),
            );
            continue;
        }
        let empty = Vec::new();
        let our_events = ours.events.get(&our_id).unwrap_or(&empty);
        let ordered = |events: &[Value]| -> Vec<Value> {
            events
                .iter()
                .filter(|event| !is_stats(event))
                .cloned()
                .collect()
        };
        for (recorded, ours) in ordered(events).iter().zip(&ordered(our_events)) {
            comparison.value(&format!("event {}", name_of(recorded)), recorded, ours);
        }
        let stats = |events: &[Value]| events.iter().filter(|event| is_stats(event)).count();
        let counts = (json!(stats(events)), json!(stats(our_events)));
        comparison.value(&format!("events {id} S(stats).count"), &counts.0, &counts.1);
    }
}
