//! Plays a recording of a service: one request after the other, with headers and bodies as they were.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::http::{Answer, Request, encoded};
use crate::part::{self, Part, View};
use crate::play::PATIENCE;
use crate::recording;
use crate::stage::Stage;

/// Plays a recording and compares everything.
pub(crate) async fn replay(name: &str) {
    let mut stage = Stage::new(name).await;
    for earlier in stage.part.after {
        leave_traces(&mut stage, earlier).await;
    }
    make_before(&mut stage).await;
    match recording::raw(name) {
        Value::Array(entries) => {
            for (number, entry) in entries.iter().enumerate() {
                play(&mut stage, number, entry).await;
                stage.note_found();
            }
        }
        // Bodies by what was asked.
        Value::Object(bodies) => {
            for (asked, body) in &bodies {
                let (method, path) = asked.split_once(' ').unwrap();
                let entry = json!({"request": {"method": method, "path": path}, "response": {"status": 200, "headers": {}, "body": body}});
                play(&mut stage, 0, &entry).await;
            }
        }
        _ => panic!("{name} is neither a list nor an object"),
    }
    stage.end();
}

/// Plays an earlier recording for what it leaves behind; its own test compares it.
async fn leave_traces(stage: &mut Stage, name: &str) {
    let (own, earlier) = (stage.part, part::of(name));
    stage.part = earlier;
    make_before(stage).await;
    let entries = recording::raw(name);
    for (number, entry) in entries.as_array().unwrap().iter().enumerate() {
        stage.set_scene(number);
        if entry.get("request").is_some() {
            let request = request(stage, number, &entry["request"]);
            let answer = stage.send(&request).await;
            let body = seen(earlier, number, &answer);
            let comparison = &mut stage.comparison;
            comparison.value("", &entry["response"]["body"], &body);
            comparison.take_found();
        }
    }
    stage.part = own;
}

async fn make_before(stage: &mut Stage) {
    let entries: Value = serde_json::from_str(stage.part.before).unwrap();
    for entry in entries.as_array().unwrap() {
        let request = request(stage, usize::MAX, &entry["request"]);
        let answer = stage.send(&request).await;
        assert!(answer.status < 300, "{}: {}", request.path, answer.value());
    }
}

async fn play(stage: &mut Stage, number: usize, entry: &Value) {
    stage.set_scene(number);
    if stage.part.left_out.iter().any(|(left, _)| *left == number) {
        return;
    }
    if entry.get("request").is_none() {
        crate::look::compare(stage, number, entry).await;
        return;
    }
    let recorded = &entry["request"];
    let request = request(stage, number, recorded);
    let at = format!(
        "#{number} {} {}",
        request.method,
        recorded["path"].as_str().unwrap()
    );
    let began = Instant::now();
    loop {
        let before = stage.comparison.clone();
        let answer = stage.send(&request).await;
        compare(stage, number, &at, &entry["response"], &answer);
        let is_same = !stage.comparison.has_found();
        if is_same || request.method != "GET" || began.elapsed() > PATIENCE / 4 {
            return;
        }
        stage.comparison = before;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The recorded request for our server.
pub(crate) fn request(stage: &Stage, number: usize, recorded: &Value) -> Request {
    let path = recorded["path"].as_str().unwrap();
    let mut path = stage.to_ours(path).replace(' ', "%20");
    let params = recorded["params"].as_object().cloned().unwrap_or_default();
    for (name, value) in &params {
        let several = match value {
            Value::Array(values) => values.clone(),
            one => vec![one.clone()],
        };
        for value in several {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            path.push(if path.contains('?') { '&' } else { '?' });
            path.push_str(&format!("{name}={}", encoded(&stage.to_ours(&value))));
        }
    }
    let mut request = Request::new(recorded["method"].as_str().unwrap(), &path);
    for (name, value) in recorded["headers"].as_object().into_iter().flatten() {
        request = request.header(name, &stage.to_ours(value.as_str().unwrap()));
    }
    for (at, name, value) in stage.part.headers {
        if *at == number {
            request = request.header(name, value);
        }
    }
    if let Some(body) = recorded.get("json") {
        return request.json(&stage.value_to_ours(body));
    }
    if let Some(raw) = recorded["raw_body"].as_str() {
        request.body = raw.as_bytes().to_vec();
    }
    if let Some(parts) = recorded["multipart"].as_object() {
        return multipart(request, parts);
    }
    if let Some(fields) = recorded["data"].as_object() {
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(value.as_str().unwrap())))
            .collect();
        request = request.header("Content-Type", "application/x-www-form-urlencoded");
        request.body = fields.join("&").into_bytes();
    }
    request
}

fn multipart(request: Request, parts: &Map<String, Value>) -> Request {
    let border = "----replay";
    let mut request = request.header(
        "Content-Type",
        &format!("multipart/form-data; boundary={border}"),
    );
    for (name, part) in parts {
        let (file, content) = (part[0].as_str().unwrap(), part[1].as_str().unwrap());
        request.body.extend_from_slice(
            format!("--{border}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\nContent-Type: application/octet-stream\r\n\r\n{content}\r\n").as_bytes(),
        );
    }
    request
        .body
        .extend_from_slice(format!("--{border}--\r\n").as_bytes());
    request
}

fn compare(stage: &mut Stage, number: usize, at: &str, recorded: &Value, answer: &Answer) {
    if !stage.comparison.is_status(at, &recorded["status"], answer) {
        return;
    }
    headers(stage, at, &recorded["headers"], answer);
    let at = format!("{at}.body");
    let body = &recorded["body"];
    let is_free = |view: &&(usize, View)| view.0 == number && matches!(view.1, View::Free);
    if stage.part.views.iter().any(|view| is_free(&view)) {
        return;
    }
    if let Some(size) = body.as_str().and_then(size_of) {
        bytes(stage, &at, size, answer);
        return;
    }
    let body = match body {
        Value::String(text) if text.is_empty() => Value::Null,
        body => body.clone(),
    };
    let ours = seen(stage.part, number, answer);
    stage.comparison.value(&at, &body, &ours);
}

/// The number in `<11 bytes>`.
fn size_of(text: &str) -> Option<usize> {
    text.strip_prefix('<')?
        .strip_suffix(" bytes>")?
        .parse()
        .ok()
}

/// An archive is as long as it is; another body has the recorded length.
fn bytes(stage: &mut Stage, at: &str, size: usize, answer: &Answer) {
    let name = answer.header("content-disposition").unwrap_or_default();
    let is_archive = name.contains(".gz\"") || name.contains(".zip\"");
    if is_archive && !answer.body.is_empty() {
        return;
    }
    // The border of several ranges is as long as it is.
    let is_several = answer
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("multipart/"));
    if !is_several || answer.body.is_empty() {
        let (recorded, ours) = (json!(size), json!(answer.body.len()));
        stage
            .comparison
            .value(&format!("{at}.length"), &recorded, &ours);
    }
}

/// What the recorder kept of an answer.
fn seen(part: &Part, number: usize, answer: &Answer) -> Value {
    let body = answer.value();
    let view = part.views.iter().find(|(at, _)| *at == number);
    match view {
        Some((_, View::Keys)) => {
            let keys: Vec<&String> = body.as_object().into_iter().flat_map(Map::keys).collect();
            // One recording puts them under a name.
            if number == 12 {
                json!({"keys": keys})
            } else {
                json!(keys)
            }
        }
        Some((_, View::Count)) => json!(body.as_array().map(Vec::len)),
        Some((_, View::At(path))) => at_path(&body, path),
        Some((_, View::Named(names))) => names
            .iter()
            .map(|(name, path)| ((*name).to_owned(), at_path(&body, path)))
            .collect(),
        Some((_, View::Free)) | None => body,
    }
}

pub(crate) fn at_path(body: &Value, path: &str) -> Value {
    path.split('.')
        .try_fold(body, |value, key| value.get(key))
        .cloned()
        .unwrap_or_default()
}

fn headers(stage: &mut Stage, at: &str, recorded: &Value, answer: &Answer) {
    for (name, recorded) in recorded.as_object().into_iter().flatten() {
        let at = format!("{at}.headers.{name}");
        let recorded = recorded.as_str().unwrap();
        match (name.as_str(), answer.header(name)) {
            ("content-length", _) => {}
            (_, None) => stage
                .comparison
                .differs(&at, &format!("missing, recorded {recorded:?}")),
            ("last-modified", Some(_)) => {}
            ("etag", Some(ours)) => {
                let bare = |tag: &str| tag.trim_matches('"').to_owned();
                if !ours.starts_with('"') || !stage.comparison.pair(&bare(recorded), &bare(ours)) {
                    stage
                        .comparison
                        .differs(&at, &format!("recorded {recorded:?}, ours {ours:?}"));
                }
            }
            (_, Some(ours)) => stage.comparison.value(&at, &json!(recorded), &json!(ours)),
        }
    }
    let allowed = "access-control-allow-origin";
    if recorded.get(allowed).is_none()
        && let Some(origin) = answer.header(allowed)
    {
        stage
            .comparison
            .differs(&format!("{at}.headers.{allowed}"), origin);
    }
}
