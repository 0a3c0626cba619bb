//! Logs of calls, and keys that are renewed.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_llm::{
    CompletionLog, CompletionSink, Connector, CredentialSource, Credentials, Http, LlmError,
    LlmErrorKind,
};
use openhands_protocol::Secret;
use openhands_protocol::llm::Llm;
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::{Server, answer, ask, hello, llm};

const SECRET: &str = "sk-very-secret-key";

fn reply(text: &str) -> Value {
    json!({
        "id": "chatcmpl-9", "model": "gpt-4o",
        "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 20}},
    })
}

#[derive(Default)]
struct Logs(Mutex<Vec<CompletionLog>>);

impl CompletionSink for Logs {
    fn take(&self, log: CompletionLog) -> BoxFuture<'_, ()> {
        self.0.lock().push(log);
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn calls_are_logged_with_what_was_asked_and_answered_and_without_keys() {
    let said = format!("Your key is {SECRET}.");
    let server = Server::start(vec![
        answer(
            500,
            "",
            &json!({"error": {"message": format!("no {SECRET}")}}),
        ),
        answer(200, "", &reply(&said)),
    ])
    .await;
    let logs = Arc::new(Logs::default());
    let llm = Llm {
        api_key: Some(Secret::new(SECRET)),
        log_completions: true,
        usage_id: "agent".to_owned(),
        litellm_extra_body: json!({"metadata": {"password": "hunter2"}})
            .as_object()
            .cloned()
            .unwrap()
            .into(),
        ..llm("openai/gpt-4o", &server)
    };
    let connector = Connector::new(Http::new().unwrap()).with_log(logs.clone());
    let model = connector.connect(&llm).unwrap();
    let answer = model.complete(hello(), CancellationToken::new()).await;
    assert_eq!(answer.unwrap().message.content, [said.as_str().into()]);
    let logs = logs.0.lock();
    let read = |log: &CompletionLog| serde_json::from_str::<Value>(&log.log_data).unwrap();
    let [failed, fine] = logs.as_slice() else {
        panic!("{logs:?}");
    };
    assert_eq!(
        (fine.model_name.as_str(), fine.usage_id.as_str()),
        ("openai/gpt-4o", "agent")
    );
    let parts: Vec<_> = fine.filename.split('-').collect();
    assert_eq!(parts[..2], ["openai__gpt", "4o"]);
    let (seconds, thousandths) = parts[2].split_once('.').unwrap();
    assert!(seconds.parse::<u64>().unwrap() > 1_700_000_000 && thousandths.len() == 3);
    assert_eq!((parts[3].len(), parts.len()), ("1234.json".len(), 4));
    assert!(failed.filename.ends_with("-error.json"));

    let log = read(fine);
    let messages = json!([{"role": "user", "content": [{"type": "text", "text": "hello"}]}]);
    assert_eq!(log["messages"], messages);
    assert_eq!(log["kwargs"]["metadata"]["password"], "**********");
    assert_eq!(log["kwargs"]["model"], "gpt-4o");
    let choice = &log["response"]["choices"][0];
    assert_eq!(choice["message"]["content"], "Your key is **********.");
    assert_eq!(log["usage_summary"]["cache_read_tokens"], 20);
    assert_eq!(log["context_window"], 128_000);
    assert!(log["cost"].as_f64().unwrap() > 0.0 && log["latency_sec"].is_number());
    let error = &read(failed)["error"];
    assert_eq!(error["type"], "LLMServiceUnavailableError");
    assert_eq!(error["message"], "no **********");
}

#[tokio::test]
async fn without_another_place_logs_go_to_the_folder_of_the_settings() {
    let server = Server::start(vec![answer(200, "", &reply("fine"))]).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep").join("logs");
    let llm = Llm {
        log_completions: true,
        log_completions_folder: path.to_str().unwrap().to_owned(),
        ..llm("openai/gpt-4o", &server)
    };
    ask(&llm, hello()).await.unwrap();
    let files: Vec<_> = std::fs::read_dir(&path).unwrap().collect();
    assert_eq!(files.len(), 1);
    // One that cannot be written does not cost the answer.
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let llm = Llm {
        log_completions_folder: blocked.to_str().unwrap().to_owned(),
        ..llm
    };
    ask(&llm, hello()).await.unwrap();
}

/// Gives keys from a list.
struct Keys(Mutex<Vec<Option<&'static str>>>);

impl CredentialSource for Keys {
    fn renew(&self) -> BoxFuture<'_, Result<Option<Credentials>, LlmError>> {
        let key = self.0.lock().remove(0);
        Box::pin(std::future::ready(Ok(key.map(|key| Credentials {
            api_key: Secret::new(key),
            headers: vec![("x-account".to_owned(), format!("of {key}"))],
        }))))
    }
}

fn keys(keys: &[Option<&'static str>]) -> Connector {
    let source = Arc::new(Keys(Mutex::new(keys.to_vec())));
    Connector::new(Http::new().unwrap()).with_credentials(source)
}

#[tokio::test]
async fn a_refused_key_is_renewed_once_and_kept() {
    let refused = answer(401, "", &json!({"error": {"message": "expired"}}));
    let server = Server::start(vec![
        refused.clone(),
        answer(200, "", &reply("fine")),
        answer(200, "", &reply("fine")),
        refused,
    ])
    .await;
    let connector = keys(&[Some("second"), Some("third"), None]);
    let model = connector.connect(&llm("openai/gpt-4o", &server)).unwrap();
    let ask = || model.complete(hello(), CancellationToken::new());
    ask().await.unwrap();
    ask().await.unwrap();
    let refused = ask().await.unwrap_err();
    assert_eq!(refused.kind, LlmErrorKind::Authentication);
    let used: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.headers["authorization"].clone())
        .collect();
    let bearer = ["sk-test", "second", "second", "second", "third"];
    assert_eq!(used, bearer.map(|key| format!("Bearer {key}")));
    assert_eq!(server.requests()[1].headers["x-account"], "of second");
}

#[tokio::test]
async fn without_another_key_the_refusal_is_the_error() {
    let body = json!({"error": {"message": "expired"}});
    let server = Server::start(vec![answer(401, "", &body)]).await;
    let model = keys(&[None])
        .connect(&llm("openai/gpt-4o", &server))
        .unwrap();
    let error = model.complete(hello(), CancellationToken::new()).await;
    assert_eq!(error.unwrap_err().message, "expired");
    assert_eq!(server.requests().len(), 1);
}
