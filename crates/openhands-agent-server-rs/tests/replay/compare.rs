//! Whether an answer or a frame is what was recorded: ids by their relations, times by their form, long texts as free.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use crate::differences::Difference;
use crate::http::Answer;

/// Members that tell about the machine, the moment, or how the recorded model counted letters.
const FREE: [&str; 14] = [
    "username",
    "hostname",
    "py_interpreter_path",
    "python_version",
    "latency",
    "uptime",
    "idle_time",
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "per_turn_token",
    "content-length",
    "last-modified",
    "error_id",
];

/// What is paired between a recording and a replay: ids of every form, tokens of the cipher, names of event files.
static PAIRED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        r"|\b[0-9a-f]{40}\b",
        r"|[0-9a-f]{32}",
        r"|\bcall_[0-9]+_[0-9]+",
        r"|\bchatcmpl-[A-Za-z0-9-]+",
        r"|\bgAAAAA[A-Za-z0-9_=-]+",
        r"|\b20[0-9]{18}",
        r"|boundary=[0-9a-f-]+",
        r"|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})?",
    ))
    .unwrap()
});

/// What the recorder wrote in the place of a text that is not contract.
static MASK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"<(?:text|url|host|python|version|package|long|html)>").unwrap());

/// Which of our ids stands for which recorded one, and what may differ.
#[derive(Debug, Clone, Default)]
pub(crate) struct Comparison {
    ours: HashMap<String, String>,
    recorded: HashMap<String, String>,
    /// What our texts hold in the place of what the recorder put there.
    places: Vec<(String, String)>,
    /// Objects of which the recorder kept some members.
    part: &'static [&'static str],
    differences: Vec<&'static Difference>,
    used: BTreeSet<usize>,
    found: Vec<String>,
}

impl Comparison {
    pub(crate) fn new(
        part: &'static [&'static str],
        differences: Vec<&'static Difference>,
    ) -> Self {
        Self {
            part,
            differences,
            ..Self::default()
        }
    }

    /// Goes on with another recording: the ids stay.
    pub(crate) fn expect(
        &mut self,
        part: &'static [&'static str],
        differences: Vec<&'static Difference>,
    ) {
        self.part = part;
        self.differences = differences;
        self.used.clear();
    }

    /// Our texts hold `real` where the recording holds `mask`. The first that fits counts.
    pub(crate) fn place(&mut self, real: &str, mask: &str) {
        self.places.push((real.to_owned(), mask.to_owned()));
        let encode = |text: &str| text.replace('/', "%2F");
        self.places.push((encode(real), encode(mask)));
    }

    /// A recorded text as it has to be sent to our server.
    pub(crate) fn to_ours(&self, recorded: &str) -> String {
        let mut text = String::new();
        let mut end = 0;
        for paired in PAIRED.find_iter(recorded) {
            text.push_str(&recorded[end..paired.start()]);
            text.push_str(&self.our(paired.as_str()));
            end = paired.end();
        }
        text.push_str(&recorded[end..]);
        // A commit has a short name, too.
        for (recorded, ours) in self.ours.iter().filter(|(recorded, _)| recorded.len() == 7) {
            text = text.replace(recorded, ours);
        }
        text
    }

    /// Our id for a recorded one; an id that was never seen stays.
    pub(crate) fn our(&self, recorded: &str) -> String {
        let Some(ours) = self.ours.get(&canonical(recorded)) else {
            return recorded.to_owned();
        };
        // The same id has a form with dashes and one without.
        match (recorded.contains('-'), ours.contains('-')) {
            (true, false) if ours.len() == 32 => dashed(ours),
            (false, true) if ours.len() == 36 => ours.replace('-', ""),
            _ => ours.clone(),
        }
    }

    /// Differences that were found and are not in the table, since the last call.
    pub(crate) fn take_found(&mut self) -> Vec<String> {
        std::mem::take(&mut self.found)
    }

    pub(crate) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Differences of the table that did not show.
    pub(crate) fn stale(&self) -> Vec<&'static Difference> {
        let of_this = |difference: &&Difference| difference.is_of_this_server();
        self.differences
            .iter()
            .copied()
            .enumerate()
            .filter(|(at, difference)| of_this(difference) && !self.used.contains(at))
            .map(|(_, difference)| difference)
            .collect()
    }

    /// Notes a difference, unless the table knows it.
    pub(crate) fn differs(&mut self, at: &str, what: &str) {
        let known = self
            .differences
            .iter()
            .position(|known| known.is_of_this_server() && glob(known.at, at));
        match known {
            Some(known) => {
                self.used.insert(known);
            }
            None => self.found.push(format!("{at}: {what}")),
        }
    }

    /// Compares a status. An answer with another one is not looked at any further.
    pub(crate) fn is_status(&mut self, at: &str, recorded: &Value, answer: &Answer) -> bool {
        let is_same = *recorded == json!(answer.status);
        if !is_same {
            let what = format!(
                "recorded {recorded}, ours {} {}",
                answer.status,
                short(&answer.value())
            );
            self.differs(&format!("{at}.status"), &what);
        }
        is_same
    }

    /// Compares a value at a place where a difference is known, and forgets the ids in it.
    fn known(&mut self, known: usize, at: &str, recorded: &Value, ours: &Value) {
        let mut attempt = self.clone();
        attempt.differences.clear();
        attempt.value(at, recorded, ours);
        let is_id = recorded.as_str().is_some_and(|text| PAIRED.is_match(text));
        if is_id || attempt.found.len() > self.found.len() {
            self.used.insert(known);
        }
    }

    pub(crate) fn value(&mut self, at: &str, recorded: &Value, ours: &Value) {
        let known = self
            .differences
            .iter()
            .position(|known| known.is_of_this_server() && glob(known.at, at));
        if let Some(known) = known {
            self.known(known, at, recorded, ours);
            return;
        }
        match (recorded, ours) {
            (Value::String(skipped), _) if skipped == "..." || skipped == "<long>" => {}
            (Value::Object(recorded), Value::Object(ours)) => self.object(at, recorded, ours),
            (Value::Array(recorded), Value::Array(ours)) => self.array(at, recorded, ours),
            (Value::String(recorded), Value::String(ours)) => self.text(at, recorded, ours),
            (Value::Number(recorded), Value::Number(ours))
                if recorded.as_f64() == ours.as_f64() => {}
            (recorded, ours) if recorded == ours => {}
            (recorded, ours) => {
                self.differs(
                    at,
                    &format!("recorded {}, ours {}", short(recorded), short(ours)),
                );
            }
        }
    }

    fn object(&mut self, at: &str, recorded: &Map<String, Value>, ours: &Map<String, Value>) {
        let is_summary = recorded.contains_key("kind")
            && recorded.contains_key("source")
            && !recorded.contains_key("timestamp");
        let is_part = is_summary
            || recorded.contains_key("...")
            || self.part.iter().any(|part| glob(part, at));
        let mut seen = BTreeSet::new();
        for (key, value) in recorded {
            if key == "..." {
                continue;
            }
            let path = format!("{at}.{key}");
            let our_key = self.key(key, ours);
            let Some(our_value) = ours.get(&our_key) else {
                self.differs(&path, &format!("missing, recorded {}", short(value)));
                continue;
            };
            seen.insert(our_key);
            let is_moment = key.ends_with("ed_at") && value.is_number();
            if (FREE.contains(&key.as_str()) || is_moment) && same_kind(value, our_value) {
                continue;
            }
            self.value(&path, value, our_value);
        }
        for key in ours.keys().filter(|key| !is_part && !seen.contains(*key)) {
            self.differs(
                &format!("{at}.{key}"),
                &format!("not recorded, ours {}", short(&ours[key])),
            );
        }
    }

    /// Our key for a recorded one. A key may be an id that is seen here for the first time.
    fn key(&mut self, recorded: &str, ours: &Map<String, Value>) -> String {
        let our_key = self.to_ours(recorded);
        if ours.contains_key(&our_key) || !PAIRED.is_match(recorded) || ours.len() != 1 {
            return our_key;
        }
        let only = ours.keys().next().unwrap().clone();
        self.pair(recorded, &only);
        only
    }

    fn array(&mut self, at: &str, recorded: &[Value], ours: &[Value]) {
        if at.ends_with(".forgotten_event_ids") {
            let wanted: BTreeSet<String> = recorded
                .iter()
                .map(|id| self.our(id.as_str().unwrap_or_default()))
                .collect();
            let found: BTreeSet<String> = ours
                .iter()
                .map(|id| id.as_str().unwrap_or_default().to_owned())
                .collect();
            if wanted != found {
                self.differs(at, &format!("recorded {wanted:?}, ours {found:?}"));
            }
            return;
        }
        let (listed, count) = cut(recorded);
        if count != ours.len() {
            self.differs(at, &format!("{count} items recorded, {} ours", ours.len()));
        }
        for (index, (recorded, ours)) in listed.iter().zip(ours).enumerate() {
            self.value(&format!("{at}[{index}]"), recorded, ours);
        }
    }

    fn text(&mut self, at: &str, recorded: &str, ours: &str) {
        let ours = self.masked(ours);
        let is_cut_token = recorded.starts_with("gAAAAA") && recorded.ends_with("...");
        let fits = if is_cut_token {
            ours.starts_with("gAAAAA")
        } else if MASK.is_match(recorded) {
            let pattern = regex::escape(recorded);
            let pattern = MASK.replace_all(&pattern, "(?s:.*)");
            Regex::new(&format!("^{pattern}$")).unwrap().is_match(&ours)
        } else if at.ends_with(".short_sha") && recorded.len() == ours.len() {
            self.pair(recorded, &ours)
        } else {
            self.is_same_text(recorded, &ours)
        };
        if !fits {
            self.differs(at, &format!("recorded {recorded:?}, ours {ours:?}"));
        }
    }

    /// Our text with the places of the recording.
    pub(crate) fn masked(&self, ours: &str) -> String {
        let mut text = ours.to_owned();
        for (real, mask) in &self.places {
            text = text.replace(real, mask);
        }
        text
    }

    /// Whether two texts are the same but for ids and times that stand for each other.
    fn is_same_text(&mut self, recorded: &str, ours: &str) -> bool {
        let between =
            |text: &str| -> Vec<String> { PAIRED.split(text).map(str::to_owned).collect() };
        if between(recorded) != between(ours) {
            return false;
        }
        let pairs: Vec<(String, String)> = PAIRED
            .find_iter(recorded)
            .zip(PAIRED.find_iter(ours))
            .map(|(recorded, ours)| (recorded.as_str().to_owned(), ours.as_str().to_owned()))
            .collect();
        pairs
            .iter()
            .all(|(recorded, ours)| self.pair(recorded, ours))
    }

    /// Notes that two ids stand for each other; false if another one does.
    pub(crate) fn pair(&mut self, recorded: &str, ours: &str) -> bool {
        let is_time =
            |text: &str| text.len() > 18 && text.as_bytes()[4] == b'-' && text.contains('T');
        if is_time(recorded) || is_time(ours) {
            // Times are what they are, but their zone is written in the same way.
            let zone = |text: &str| {
                text.get(19..)
                    .unwrap_or_default()
                    .trim_start_matches(['.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
                    .to_owned()
            };
            self.ours.insert(canonical(recorded), ours.to_owned());
            return is_time(recorded) && is_time(ours) && zone(recorded) == zone(ours);
        }
        if recorded.starts_with("boundary=") || recorded.starts_with("gAAAAA") {
            // Each is new, each time.
            self.ours.insert(recorded.to_owned(), ours.to_owned());
            return ours.starts_with(&recorded[..6]);
        }
        let known = self
            .ours
            .entry(canonical(recorded))
            .or_insert_with(|| ours.to_owned());
        let back = self
            .recorded
            .entry(canonical(ours))
            .or_insert_with(|| recorded.to_owned());
        canonical(known) == canonical(ours) && canonical(back) == canonical(recorded)
    }
}

/// One form for ids with and without dashes.
fn canonical(id: &str) -> String {
    let is_uuid = id.len() == 36 && id.matches('-').count() == 4;
    if is_uuid {
        id.replace('-', "")
    } else {
        id.to_owned()
    }
}

fn dashed(hex: &str) -> String {
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}

/// A recorded list: what is listed, and how many items there were. Its end may say "...(165 total)" or "<3 more tools>".
fn cut(recorded: &[Value]) -> (&[Value], usize) {
    let Some((Value::String(last), rest)) = recorded.split_last() else {
        return (recorded, recorded.len());
    };
    let number = |text: &str| -> Option<usize> {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    if let Some(total) = last.strip_prefix("...(").and_then(number) {
        (rest, total)
    } else if let Some(more) = last
        .strip_prefix('<')
        .filter(|text| text.contains(" more "))
        .and_then(number)
    {
        (rest, rest.len() + more)
    } else {
        (recorded, recorded.len())
    }
}

/// Whether a path fits a pattern in which `*` stands for anything.
pub(crate) fn glob(pattern: &str, path: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in middle {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

fn same_kind(recorded: &Value, ours: &Value) -> bool {
    std::mem::discriminant(recorded) == std::mem::discriminant(ours)
}

pub(crate) fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 300 {
        text.chars().take(300).chain("…".chars()).collect()
    } else {
        text
    }
}
