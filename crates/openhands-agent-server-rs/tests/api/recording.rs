//! Recorded answers of the Python server, with which ours are compared.

use reqwest::Method;
use serde_json::Value;

use crate::harness::{World, answer};

/// The exchanges of a recording.
pub(crate) fn recorded(name: &str) -> Vec<Exchange> {
    let path = format!(
        "{}/../openhands-protocol/tests/fixtures/transcripts/services/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let exchanges: Vec<Value> = serde_json::from_str(&text).unwrap();
    exchanges.into_iter().map(Exchange).collect()
}

/// One recorded request and its answer.
pub(crate) struct Exchange(pub(crate) Value);

impl Exchange {
    /// The recorded answer.
    pub(crate) fn expected(&self) -> (u16, Value) {
        let response = &self.0["response"];
        let status = u16::try_from(response["status"].as_u64().unwrap()).unwrap();
        (status, response["body"].clone())
    }

    /// Sends the recorded request, with texts replaced by those of this run, and gives our answer with the recorded
    /// texts in their place.
    pub(crate) async fn repeat(&self, world: &World, texts: &[(&str, &str)]) -> (u16, Value) {
        let there = |value: &Value| replaced(value, texts.iter().map(|(old, new)| (*old, *new)));
        let request = there(&self.0["request"]);
        let method: Method = request["method"].as_str().unwrap().parse().unwrap();
        let mut sent = world.request(method, request["path"].as_str().unwrap());
        if let Some(params) = request["params"].as_object() {
            let params: Vec<(&str, String)> = params
                .iter()
                .flat_map(|(name, value)| {
                    let values = value.as_array().cloned();
                    let values = values.unwrap_or_else(|| vec![value.clone()]);
                    values
                        .into_iter()
                        .map(move |value| (name.as_str(), text(&value)))
                })
                .collect();
            sent = sent.query(&params);
        }
        for (name, value) in request["headers"].as_object().into_iter().flatten() {
            sent = sent.header(name, value.as_str().unwrap());
        }
        if let Some(parts) = request["multipart"].as_object() {
            sent = sent.multipart(form(parts));
        }
        if let Some(raw) = request["raw_body"].as_str() {
            sent = sent.body(raw.to_owned());
        }
        let body = ["json", "body"].iter().find_map(|key| request.get(*key));
        if let Some(body) = body {
            sent = sent.json(body);
        }
        let (status, body) = answer(sent).await;
        let back = replaced(&body, texts.iter().map(|(old, new)| (*new, *old)));
        (status.as_u16(), back)
    }

    /// Fails unless our answer is the recorded one.
    pub(crate) async fn check(&self, world: &World, texts: &[(&str, &str)]) {
        pretty_assertions::assert_eq!(
            self.repeat(world, texts).await,
            self.expected(),
            "{}",
            self.0["request"]
        );
    }
}

/// Files as `name: [file name, content]`.
fn form(parts: &serde_json::Map<String, Value>) -> reqwest::multipart::Form {
    parts
        .iter()
        .fold(reqwest::multipart::Form::new(), |form, (name, file)| {
            let content = reqwest::multipart::Part::text(text(&file[1])).file_name(text(&file[0]));
            form.part(name.clone(), content)
        })
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn replaced<'a>(value: &Value, texts: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let mut json = value.to_string();
    for (old, new) in texts {
        json = json.replace(old, new);
    }
    serde_json::from_str(&json).unwrap()
}
