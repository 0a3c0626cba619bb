use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use openhands_protocol::secrets::{LookupSecret, SecretInput, SecretRegistry};
use openhands_protocol::tool::{Action, TerminalAction, ThinkAction, Tool};
use openhands_protocol::{ConversationId, Form, Reading, Secret, ToolCallId};
use openhands_runtime::{LocalRuntime, Runtime as _};
use openhands_tools::{CallContext, Machine, Place};
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Registry, SecretInfo};
use crate::secrets::HIDDEN;
use crate::secrets::lookup::{Lookup, LookupError};

/// Answers from a table by address, and counts.
#[derive(Default)]
struct Table {
    values: Mutex<IndexMap<String, String>>,
    asked: Mutex<Vec<String>>,
}

impl Table {
    fn set(&self, url: &str, value: &str) {
        self.values.lock().insert(url.to_owned(), value.to_owned());
    }
}

impl Lookup for Table {
    fn fetch<'a>(&'a self, secret: &'a LookupSecret) -> BoxFuture<'a, Result<Secret, LookupError>> {
        Box::pin(async {
            // Other tasks may run meanwhile, as with a real request.
            tokio::task::yield_now().await;
            self.asked.lock().push(secret.url.clone());
            let value = self.values.lock().get(&secret.url).cloned();
            value.map(Secret::new).ok_or(LookupError::Unavailable)
        })
    }
}

fn inputs(json: serde_json::Value) -> IndexMap<String, SecretInput> {
    Reading::strict().from_value(json).unwrap()
}

fn registry(json: serde_json::Value) -> (Registry, Arc<Table>) {
    let table = Arc::new(Table::default());
    let registry = Registry::new(SecretRegistry::default(), Some(table.clone()));
    registry.merge(inputs(json));
    (registry, table)
}

fn shown(env: &[(String, Secret)]) -> Vec<(&str, &str)> {
    env.iter()
        .map(|(name, value)| (name.as_str(), value.expose().unwrap()))
        .collect()
}

#[tokio::test]
async fn all_forms_of_input_are_taken_and_given_back_for_the_state() {
    let (registry, table) = registry(json!({
        "A": "plain",
        "B": {"value": "with value", "description": "for b"},
        "C": {"kind": "LookupSecret", "url": "u", "headers": {"Authorization": "x"}, "description": "for c"},
        "D": {"kind": "StaticSecret", "value": null},
    }));
    table.set("u", "looked up");
    let info = |name: &str, description: Option<&str>| SecretInfo {
        name: name.to_owned(),
        description: description.map(str::to_owned),
    };
    assert_eq!(
        registry.infos(),
        [
            info("A", None),
            info("B", Some("for b")),
            info("C", Some("for c")),
            info("D", None)
        ]
    );
    assert_eq!(
        shown(&registry.all_values().await),
        [("A", "plain"), ("B", "with value"), ("C", "looked up")]
    );
    assert_eq!(
        Form::REST.to_value(&registry.export()).unwrap()["secret_sources"],
        json!({
            "A": {"description": null, "value": null, "kind": "StaticSecret"},
            "B": {"description": "for b", "value": null, "kind": "StaticSecret"},
            "C": {"description": "for c", "url": "u", "headers": {"Authorization": null}, "kind": "LookupSecret"},
            "D": {"description": null, "value": null, "kind": "StaticSecret"},
        })
    );
    let again = Registry::new(registry.export(), Some(table));
    assert_eq!(again.all_values().await, registry.all_values().await);
    assert!(!format!("{registry:?}").contains("plain"));
}

#[tokio::test]
async fn a_command_gets_the_secrets_that_it_names() {
    let (registry, _) = registry(json!({
        "GITHUB_TOKEN": "g", "MyTok": "m", "not-a-name": "n", "EMPTY": "", "Ü_TOKEN": "u",
    }));
    let env = registry
        .env_for_command("curl -H $github_token; echo xMYTOKx not-a-name $EMPTY")
        .await;
    assert_eq!(shown(&env), [("GITHUB_TOKEN", "g"), ("MyTok", "m")]);
    assert_eq!(registry.env_for_command("ls").await, []);

    let command = |is_input| {
        Action::Terminal(TerminalAction {
            command: "echo $MyTok".to_owned(),
            is_input,
            ..TerminalAction::default()
        })
    };
    assert_eq!(
        shown(&registry.env_for_action(&command(false)).await),
        [("MyTok", "m")]
    );
    assert_eq!(registry.env_for_action(&command(true)).await, []);
    let think = Action::Think(ThinkAction {
        thought: "MyTok".to_owned(),
        ..ThinkAction::default()
    });
    assert_eq!(registry.env_for_action(&think).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_value_is_fetched_when_it_is_needed_and_again_when_it_is_old() {
    let (registry, table) = registry(json!({"T": {"kind": "LookupSecret", "url": "u"}}));
    table.set("u", "first");
    assert!(registry.known_masker().is_empty());
    assert_eq!(table.asked.lock().len(), 0);
    assert_eq!(
        shown(&registry.env_for_command("$T").await),
        [("T", "first")]
    );
    assert_eq!(
        shown(&registry.env_for_command("$T").await),
        [("T", "first")]
    );
    assert_eq!(table.asked.lock().len(), 1);

    table.set("u", "second");
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(
        shown(&registry.env_for_command("$T").await),
        [("T", "second")]
    );
    // The old value may still be in a file: both are hidden.
    let masker = registry.masker().await;
    assert_eq!(masker.mask("first second"), format!("{HIDDEN} {HIDDEN}"));

    table.values.lock().clear();
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(
        registry.value("T").await.unwrap().expose(),
        Some("second"),
        "the last known value stands in"
    );
    assert_eq!(table.asked.lock().len(), 3);
    assert_eq!(registry.value("unknown").await, None);
}

#[tokio::test(start_paused = true)]
async fn a_failed_fetch_is_tried_again_after_a_minute_or_with_another_source() {
    let (registry, table) = registry(json!({"T": {"kind": "LookupSecret", "url": "u"}}));
    assert!(registry.masker().await.is_empty());
    table.set("u", "late");
    assert!(registry.masker().await.is_empty());
    assert_eq!(registry.env_for_command("$T").await, []);
    assert_eq!(table.asked.lock().len(), 1);

    tokio::time::advance(Duration::from_mins(1)).await;
    assert_eq!(registry.masker().await.mask("late"), HIDDEN);

    registry.merge(inputs(json!({"T": {"kind": "LookupSecret", "url": "v"}})));
    assert_eq!(registry.env_for_command("$T").await, []);
    table.set("w", "new");
    registry.merge(inputs(json!({"T": {"kind": "LookupSecret", "url": "w"}})));
    assert_eq!(shown(&registry.env_for_command("$T").await), [("T", "new")]);
}

#[tokio::test]
async fn a_replaced_secret_stays_hidden() {
    let (registry, _) = registry(json!({"T": "old value"}));
    assert_eq!(registry.masker().await.mask("old value"), HIDDEN);
    registry.merge(inputs(json!({"T": {"value": "new value"}})));
    assert_eq!(
        registry.known_masker().mask("old value, new value"),
        format!("{HIDDEN}, {HIDDEN}")
    );
    for number in 0..40 {
        registry.merge(inputs(json!({"T": format!("value {number:03}")})));
    }
    assert_eq!(registry.known_masker().value_count(), 17);
}

#[tokio::test]
async fn a_value_that_comes_too_late_for_its_source_is_not_taken() {
    let (registry, table) = registry(json!({"T": {"kind": "LookupSecret", "url": "u"}}));
    table.set("u", "of the old source");
    let asking = registry.value("T");
    let mut asking = std::pin::pin!(asking);
    assert!(futures_util::poll!(&mut asking).is_pending());
    registry.merge(inputs(json!({"T": "static"})));
    assert_eq!(asking.await.unwrap().expose(), Some("static"));
}

#[tokio::test]
async fn values_are_fetched_side_by_side_and_can_be_asked_from_tasks() {
    let sources: serde_json::Map<_, _> = (0..100)
        .map(|number| {
            let source = json!({"kind": "LookupSecret", "url": number.to_string()});
            (format!("S{number}"), source)
        })
        .collect();
    let (registry, table) = registry(sources.into());
    for number in 0..100 {
        table.set(&number.to_string(), &format!("value-{number:03}"));
    }
    let shared = registry.clone();
    let masker = tokio::spawn(async move { shared.masker().await })
        .await
        .unwrap();
    assert_eq!(masker.value_count(), 100);
    assert_eq!(masker.mask("value-042"), HIDDEN);
    assert_eq!(registry.all_values().await.len(), 100);
    assert_eq!(table.asked.lock().len(), 100);
}

#[tokio::test]
async fn a_real_shell_gets_the_value_and_nobody_sees_it() {
    let dir = tempfile::tempdir().unwrap();
    let machine = Machine {
        place: Place {
            working_dir: dir.path().to_path_buf(),
            persistence_dir: None,
        },
        env: vec![("PATH".to_owned(), std::env::var("PATH").unwrap())],
        ..Machine::default()
    };
    let tools = openhands_tools::Registry::standard();
    let runtime = LocalRuntime::new(&tools, &[Tool::new("terminal")], &machine).unwrap();
    let (registry, _) = registry(json!({"MYTOK": "s3cr3tvalue"}));
    let action = Action::Terminal(TerminalAction {
        command: "echo $MYTOK; printf %s $MYTOK | wc -c".to_owned(),
        ..TerminalAction::default()
    });
    let mut cx = CallContext::detached(ToolCallId::new("c1"), ConversationId::random());
    cx.env = registry.env_for_action(&action).await;
    let mut observation = runtime.execute("terminal", action, cx).await.unwrap();
    assert_eq!(observation.text(), "s3cr3tvalue\n11");
    registry.masker().await.mask_observation(&mut observation);
    assert_eq!(observation.text(), format!("{HIDDEN}\n11"));
    runtime.close().await;
}

#[tokio::test]
async fn no_secrets_cost_nothing() {
    let registry = Registry::default();
    assert!(registry.is_empty() && registry.masker().await.is_empty());
    assert_eq!(registry.env_for_command("anything").await, []);
    assert_eq!(registry.export(), SecretRegistry::default());
}
