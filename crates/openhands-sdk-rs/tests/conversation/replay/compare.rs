//! Whether ours is what was recorded: ids by their relations, times by their form, texts of our own as free.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::recording::name_of;
use super::table::Difference;

/// Answers of the recorded model when it had no script, and of ours.
const NO_SCRIPT: &str = "mock: nothing more to say";
const OUR_NO_SCRIPT: [&str; 2] = ["(end)", "mock default reply"];

/// Members that tell about the machine, or were left to chance.
const FREE: [&str; 6] = [
    "username",
    "hostname",
    "py_interpreter_path",
    "openrouter_site_url",
    "openrouter_app_name",
    "latency",
];

/// Members that count tokens: the recorded model counted letters, ours does not.
const TOKENS: [&str; 4] = [
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "per_turn_token",
];

/// What our model says that it read, each time.
const TOKENS_READ: u64 = 100;

/// Which of our ids stands for which recorded one, and what may differ.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    ours: HashMap<String, String>,
    recorded: HashMap<String, String>,
    /// What our texts hold in the place of what the recorder put there.
    pub(crate) places: Vec<(String, String)>,
    differences: &'static [Difference],
    used: BTreeSet<&'static str>,
}

impl Comparison {
    pub(crate) fn new(differences: &'static [Difference]) -> Self {
        Self {
            differences,
            ..Self::default()
        }
    }

    /// Our id for a recorded one.
    pub(crate) fn our(&self, recorded: &str) -> &str {
        self.ours
            .get(recorded)
            .unwrap_or_else(|| panic!("{recorded} has not been seen"))
    }

    /// Notes that two ids stand for each other.
    pub(crate) fn pair(&mut self, recorded: &str, ours: &str) -> Result<(), String> {
        let known = self
            .ours
            .entry(recorded.to_owned())
            .or_insert(ours.to_owned());
        let back = self
            .recorded
            .entry(ours.to_owned())
            .or_insert(recorded.to_owned());
        if known == ours && back == recorded {
            Ok(())
        } else {
            Err(format!(
                "{recorded} is {known}, not {ours} (which is {back})"
            ))
        }
    }

    /// Differences that were expected and did not show.
    pub(crate) fn unused(&self) -> Vec<&'static str> {
        self.differences
            .iter()
            .map(|difference| difference.at)
            .filter(|at| !self.used.contains(at))
            .collect()
    }

    /// Compares a whole frame.
    pub(crate) fn frame(&mut self, recorded: &Value, ours: &Value) -> Result<(), String> {
        let name = name_of(recorded);
        if name != name_of(ours) {
            return Err(format!("expected {name}, got {}: {ours}", name_of(ours)));
        }
        if name == "StreamingDeltaEvent" {
            // It has no id of its own here: it is not an event.
            let words =
                |frame: &Value| (frame["content"].clone(), frame["reasoning_content"].clone());
            return if words(recorded) == words(ours) {
                Ok(())
            } else {
                Err(format!("expected {recorded}, got {ours}"))
            };
        }
        // Of the agent, the recorder kept little.
        let is_part = name == "S(agent)";
        self.value(&name, recorded, ours, is_part)
            .map_err(|error| format!("{error}\nrecorded: {recorded:#}\nours: {ours:#}"))
    }

    /// Compares the members that the recording has.
    pub(crate) fn members(
        &mut self,
        name: &str,
        recorded: &Value,
        ours: &Value,
    ) -> Result<(), String> {
        self.value(name, recorded, ours, true)
            .map_err(|error| format!("{error}\nrecorded: {recorded:#}\nours: {ours:#}"))
    }

    fn value(
        &mut self,
        at: &str,
        recorded: &Value,
        ours: &Value,
        is_part: bool,
    ) -> Result<(), String> {
        if let Some(known) = self.differences.iter().find(|known| known.at == at) {
            self.used.insert(known.at);
            return Ok(());
        }
        match (recorded, ours) {
            (Value::Object(recorded), Value::Object(ours)) => {
                self.object(at, recorded, ours, is_part)
            }
            (Value::Array(recorded), Value::Array(ours)) => self.array(at, recorded, ours),
            (Value::String(recorded), Value::String(ours)) => self.text(at, recorded, ours),
            (Value::Number(recorded), Value::Number(ours))
                if recorded.as_f64() == ours.as_f64() =>
            {
                Ok(())
            }
            (recorded, ours) if recorded == ours => Ok(()),
            (recorded, ours) => Err(format!("{at}: recorded {recorded}, ours {ours}")),
        }
    }

    fn object(
        &mut self,
        at: &str,
        recorded: &Map<String, Value>,
        ours: &Map<String, Value>,
        is_part: bool,
    ) -> Result<(), String> {
        let is_part = is_part || recorded.contains_key("...");
        let mut seen = BTreeSet::new();
        for (key, value) in recorded {
            if key == "..." {
                continue;
            }
            let path = format!("{at}.{key}");
            let our_key = self.ours.get(key).cloned().unwrap_or_else(|| key.clone());
            // A key may be an id that is seen here for the first time.
            let our_key = if ours.contains_key(&our_key) || !is_id(key) || ours.len() != 1 {
                our_key
            } else {
                let only = ours.keys().next().unwrap().clone();
                self.pair(key, &only)
                    .map_err(|error| format!("{path}: {error}"))?;
                only
            };
            let Some(our_value) = ours.get(&our_key) else {
                if self.differences.iter().any(|known| known.at == path) {
                    self.value(&path, value, &Value::Null, false)?;
                    continue;
                }
                return Err(format!("{path} is missing"));
            };
            seen.insert(our_key);
            if FREE.contains(&key.as_str()) {
                continue;
            }
            if TOKENS.contains(&key.as_str()) && our_value.is_u64() {
                continue;
            }
            if key == "timestamp" {
                if !is_time(our_value) {
                    return Err(format!("{path}: {our_value} is not a time"));
                }
                continue;
            }
            self.value(&path, value, our_value, is_part && at == "S(agent)")?;
        }
        for key in ours.keys().filter(|key| !is_part && !seen.contains(*key)) {
            let path = format!("{at}.{key}");
            match self.differences.iter().find(|known| known.at == path) {
                Some(known) => {
                    self.used.insert(known.at);
                }
                None => return Err(format!("{path} is too much: {}", ours[key])),
            }
        }
        Ok(())
    }

    fn array(&mut self, at: &str, recorded: &[Value], ours: &[Value]) -> Result<(), String> {
        if at.ends_with(".forgotten_event_ids") {
            return self.set(at, recorded, ours);
        }
        let (listed, more) = match recorded.split_last() {
            Some((Value::String(last), rest))
                if last.starts_with('<') && last.contains(" more ") =>
            {
                let count = last.trim_start_matches('<').split(' ').next().unwrap();
                (rest, count.parse().unwrap())
            }
            _ => (recorded, 0_usize),
        };
        if listed.len() + more != ours.len() {
            return Err(format!(
                "{at}: {} items recorded, {} ours",
                listed.len() + more,
                ours.len()
            ));
        }
        for (index, (recorded, ours)) in listed.iter().zip(ours).enumerate() {
            self.value(&format!("{at}[{index}]"), recorded, ours, false)?;
        }
        Ok(())
    }

    /// Ids in any order. All of them were seen before.
    fn set(&mut self, at: &str, recorded: &[Value], ours: &[Value]) -> Result<(), String> {
        let wanted: BTreeSet<&str> = recorded
            .iter()
            .map(|id| self.our(id.as_str().unwrap()))
            .collect();
        let found: BTreeSet<&str> = ours.iter().map(|id| id.as_str().unwrap()).collect();
        if wanted == found {
            Ok(())
        } else {
            Err(format!("{at}: expected {wanted:?}, got {found:?}"))
        }
    }

    fn text(&mut self, at: &str, recorded: &str, ours: &str) -> Result<(), String> {
        if matches!(recorded, "<text>" | "<url>") {
            return Ok(());
        }
        if is_id(recorded) && is_id(ours) {
            return self
                .pair(recorded, ours)
                .map_err(|error| format!("{at}: {error}"));
        }
        if recorded == NO_SCRIPT && OUR_NO_SCRIPT.contains(&ours) {
            return Ok(());
        }
        // The library in front of the recorded model wrapped what the provider said.
        if recorded.starts_with("litellm.") {
            let said = recorded.rsplit(" - ").next().unwrap();
            return if ours.contains(said) && !ours.contains("litellm") {
                Ok(())
            } else {
                Err(format!("{at}: {ours:?} does not say {said:?}"))
            };
        }
        let mut ours = ours.to_owned();
        for (place, mask) in &self.places {
            ours = ours.replace(place, mask);
        }
        if recorded == ours || recorded == "<host>" || recorded == "<python>" {
            Ok(())
        } else {
            Err(format!("{at}: recorded {recorded:?}, ours {ours:?}"))
        }
    }
}

/// Whether a text is the id of a conversation, an event, a call or an answer.
fn is_id(text: &str) -> bool {
    let is_uuid = text.len() == 36
        && text.chars().enumerate().all(|(at, c)| {
            if [8, 13, 18, 23].contains(&at) {
                c == '-'
            } else {
                c.is_ascii_hexdigit()
            }
        });
    let is_call = text.strip_prefix("call_").is_some_and(|rest| {
        rest.split('_')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    });
    is_uuid || is_call || text.starts_with("chatcmpl-")
}

/// Whether a value is a local time with fraction and without zone.
fn is_time(value: &Value) -> bool {
    let Some(text) = value.as_str() else {
        return false;
    };
    text.parse::<jiff::civil::DateTime>().is_ok() && !text.ends_with('Z')
}

/// Compares what was used in the end: the same models were asked as often.
pub(crate) fn used(recorded: &[Value], ours: &[Value]) -> Result<(), String> {
    if recorded.len() != ours.len() {
        return Err(format!(
            "{} calls of models were booked in the recording, {} in ours",
            recorded.len(),
            ours.len()
        ));
    }
    let (Some(recorded), Some(last)) = (recorded.last(), ours.last()) else {
        return Ok(());
    };
    let usage = |frame: &Value| {
        frame["value"]["usage_to_metrics"]
            .as_object()
            .unwrap()
            .clone()
    };
    let (recorded, ours_by_id) = (usage(recorded), usage(last));
    let read = |frame: &Value| -> u64 {
        usage(frame)
            .values()
            .map(|metrics| {
                metrics["accumulated_token_usage"]["prompt_tokens"]
                    .as_u64()
                    .unwrap()
            })
            .sum()
    };
    let sums: Vec<u64> = ours.iter().map(read).collect();
    if sums.windows(2).any(|pair| pair[1] != pair[0] + TOKENS_READ) {
        return Err(format!(
            "each call reads {TOKENS_READ} tokens, but the sums are {sums:?}"
        ));
    }
    let mut comparison = Comparison::default();
    comparison.value(
        "S(stats)",
        &Value::Object(recorded),
        &Value::Object(ours_by_id),
        false,
    )
}
