//! Whether an answer is the recorded one, apart from what differs from machine to machine.

use regex::Regex;
use serde_json::Value;

/// What the recordings write for the sentence about a command that still runs.
const HINT: &str = "You may wait longer to see additional output by sending empty command '', \
    send other commands to interact with the current process, \
    send keys (\"C-c\", \"C-z\", \"C-d\") to interrupt/kill the previous command before sending your new command, \
    or use the timeout parameter in execute_bash for future commands.";

/// What stands for any text in recordings.
const MASKS: &[&str] = &["<text>", "<hostname>", "<venv>/bin/python"];

/// The members that differ, with what was recorded and what came.
pub(crate) fn differences(recorded: &Value, came: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", recorded, came, &mut found);
    found
}

fn compare(at: &str, recorded: &Value, came: &Value, found: &mut Vec<String>) {
    match (recorded, came) {
        (Value::Object(recorded), Value::Object(came)) => {
            for (name, value) in recorded {
                let at = format!("{at}.{name}");
                match came.get(name) {
                    Some(came) => compare(&at, value, came, found),
                    None => found.push(format!("{at} is missing")),
                }
            }
            for name in came.keys().filter(|name| !recorded.contains_key(*name)) {
                found.push(format!("{at}.{name} was not recorded"));
            }
        }
        (Value::Array(recorded), Value::Array(came)) if recorded.len() == came.len() => {
            for (number, (recorded, came)) in recorded.iter().zip(came).enumerate() {
                compare(&format!("{at}[{number}]"), recorded, came, found);
            }
        }
        (Value::String(recorded), Value::String(came)) => {
            if !fits(recorded, came) {
                found.push(format!("{at}: recorded {recorded:?}, came {came:?}"));
            }
        }
        // A process id is another one each time; that there is none is not.
        (Value::Number(recorded), Value::Number(came)) if at.rsplit('.').next() == Some("pid") => {
            if (recorded.as_i64() == Some(-1)) != (came.as_i64() == Some(-1)) {
                found.push(format!("{at}: recorded {recorded}, came {came}"));
            }
        }
        (Value::Number(_), Value::Number(_))
            if at.contains(".resources") || at.ends_with("time") => {}
        (recorded, came) => {
            if recorded != came {
                found.push(format!("{at}: recorded {recorded}, came {came}"));
            }
        }
    }
}

/// Whether a text is the recorded one, with the masks for what they stand for.
fn fits(recorded: &str, came: &str) -> bool {
    let recorded = recorded.replace("<timeout-hint>", HINT);
    let long = Regex::new(r"<text:(\d+) chars in all>").unwrap();
    if let Some(all) = long.captures(&recorded) {
        let size: usize = all[1].parse().unwrap();
        let (head, tail) = recorded.split_once(&all[0]).unwrap();
        return came.chars().count() == size && came.starts_with(head) && came.ends_with(tail);
    }
    let mut pattern = regex::escape(&recorded);
    for mask in MASKS {
        pattern = pattern.replace(&regex::escape(mask), "[^\u{0}]*");
    }
    // Process ids of background jobs, ids of output blocks.
    let numbers = Regex::new(r"\\\[1\\\] \d+").unwrap();
    let pattern = numbers.replace(&pattern, r"\[1\] \d+");
    let ids = Regex::new(r"oh_aci_output_[0-9a-f]{32}").unwrap();
    let pattern = ids.replace_all(&pattern, "oh_aci_output_[0-9a-f]{32}");
    Regex::new(&format!("(?s)^{pattern}$"))
        .unwrap()
        .is_match(came)
}
