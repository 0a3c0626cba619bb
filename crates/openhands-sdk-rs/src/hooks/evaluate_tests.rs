use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use openhands_llm::{ChatModel, ChatRequest, LlmError, ModelFeatures, PartStream, ScriptedModel};
use openhands_protocol::llm::Metrics;
use openhands_protocol::message::{Content, Role};
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::hooks::scene::{Scene, message};
use crate::hooks::{AgentHookAnswer, AgentHookTask, HookMind, HookOutcome, HookUsage};
use crate::secrets::HIDDEN;

/// Keeps what a scripted model is asked.
struct Asked {
    model: ScriptedModel,
    requests: Mutex<Vec<ChatRequest>>,
}

impl ChatModel for Asked {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        self.requests.lock().push(request.clone());
        self.model.stream(request, cancel)
    }

    fn features(&self) -> &ModelFeatures {
        self.model.features()
    }
}

/// A model, and an agent that answers or never does.
struct Mind {
    model: Option<Arc<Asked>>,
    agent: Option<AgentHookAnswer>,
    tasks: Mutex<Vec<(AgentHookTask, CancellationToken)>>,
}

impl Mind {
    fn with_model(script: &Value) -> Arc<Self> {
        let model = Asked {
            model: ScriptedModel::from_value(script).unwrap(),
            requests: Mutex::default(),
        };
        Arc::new(Self {
            model: Some(Arc::new(model)),
            agent: None,
            tasks: Mutex::default(),
        })
    }

    fn with_agent(agent: Option<AgentHookAnswer>) -> Arc<Self> {
        let mut mind = Arc::into_inner(Self::with_model(&json!([]))).unwrap();
        mind.agent = agent;
        Arc::new(mind)
    }
}

impl HookMind for Mind {
    fn model(&self) -> Option<Arc<dyn ChatModel>> {
        self.model.clone().map(|model| model as Arc<dyn ChatModel>)
    }

    fn run_agent(
        &self,
        task: AgentHookTask,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, AgentHookAnswer> {
        self.tasks.lock().push((task, cancel));
        Box::pin(async {
            match &self.agent {
                Some(answer) => answer.clone(),
                None => std::future::pending().await,
            }
        })
    }
}

fn prompt_hook(more: &Value) -> Value {
    let mut hook = json!({"type": "prompt", "prompt": "Nothing rude.", "name": "manners"});
    for (name, value) in more.as_object().unwrap() {
        hook[name] = value.clone();
    }
    json!({"user_prompt_submit": [{"hooks": [hook]}], "stop": [{"hooks": [{"type": "agent", "name": "tester",
        "system_prompt": "Check the tests.", "tools": ["terminal"], "max_iterations": 4, "timeout": 20}]}]})
}

async fn submit(mind: &Arc<Mind>) -> HookOutcome {
    let scene = Scene::with_mind(prompt_hook(&json!({})), Some(mind.clone()));
    scene.hide("s3cr3t");
    scene
        .hooks
        .user_prompt_submit(&message("user", "you s3cr3t fool"), &scene.cancel)
        .await
}

#[tokio::test]
async fn a_prompt_hook_asks_the_model_and_its_use_is_told() {
    let reply = json!({"text": "{\"decision\": \"deny\", \"reason\": \"rude\"}",
        "usage": {"prompt_tokens": 7, "completion_tokens": 3}});
    let mind = Mind::with_model(&json!([reply]));
    let outcome = submit(&mind).await;
    assert_eq!(outcome.blocked.as_deref(), Some("rude"));
    let event = &outcome.events[0];
    assert_eq!(event.hook_command, "prompt-hook:manners");
    assert_eq!(
        (event.success, event.blocked, event.exit_code),
        (true, true, 0)
    );
    assert_eq!(event.reason.as_deref(), Some("rude"));
    assert_eq!(outcome.usage.len(), 1);
    assert_eq!(outcome.usage[0].usage_id(), "prompt-hook:manners");
    let HookUsage::Call { completion, .. } = &outcome.usage[0] else {
        panic!("{:?}", outcome.usage);
    };
    assert_eq!(completion.usage.prompt_tokens, 7);

    let requests = mind.model.as_ref().unwrap().requests.lock().clone();
    let texts: Vec<(Role, String)> = requests[0]
        .messages
        .iter()
        .map(|message| (message.role, Content::join_text(&message.content)))
        .collect();
    assert_eq!(
        (texts.len(), texts[0].0, texts[1].0),
        (2, Role::System, Role::User)
    );
    assert!(texts[0].1.ends_with("\nNothing rude."), "{}", texts[0].1);
    assert!(
        texts[1]
            .1
            .contains(&format!("\"message\": \"you {HIDDEN} fool\"")),
        "{}",
        texts[1].1
    );
    assert_eq!(requests[0].options.stream, Some(false));
}

#[tokio::test]
async fn a_prompt_hook_that_cannot_decide_allows_and_says_so() {
    for script in [
        json!(["I do not know"]),
        json!([""]),
        json!(["{\"decision\": \"perhaps\"}"]),
        json!([{"status": 500, "error": {"message": "down"}}]),
    ] {
        let outcome = submit(&Mind::with_model(&script)).await;
        assert!(outcome.allows(), "{script}");
        let event = &outcome.events[0];
        assert_eq!(
            (event.success, event.blocked, event.exit_code),
            (false, false, 0)
        );
        assert!(event.error.is_some() && event.reason.is_some(), "{script}");
    }
    let outcome = submit(&Mind::with_model(&json!([
        "```json\n{\"decision\": \"ALLOW\"}\n```"
    ])))
    .await;
    assert!(outcome.allows() && outcome.events[0].success);
}

#[tokio::test]
async fn without_a_model_hooks_that_need_one_allow() {
    let mut nobody = Arc::into_inner(Mind::with_model(&json!([]))).unwrap();
    nobody.model = None;
    let minds: [Option<Arc<dyn HookMind>>; 2] = [None, Some(Arc::new(nobody))];
    for mind in minds {
        let scene = Scene::with_mind(prompt_hook(&json!({})), mind);
        let asked = scene
            .hooks
            .user_prompt_submit(&message("user", "hi"), &scene.cancel)
            .await;
        let stopped = scene.hooks.stop(None, &scene.cancel).await;
        for outcome in [asked, stopped] {
            assert!(outcome.allows() && outcome.usage.is_empty());
            assert!(!outcome.events[0].success && outcome.events[0].error.is_some());
        }
    }
}

#[tokio::test]
async fn a_slow_model_is_not_waited_for() {
    let mind = Mind::with_model(&json!([{"text": "{\"decision\": \"deny\"}", "delay": 600}]));
    let scene = Scene::with_mind(prompt_hook(&json!({"timeout": 1})), Some(mind.clone()));
    let begun = Instant::now();
    let asked = message("user", "hi");
    let outcome = scene.hooks.user_prompt_submit(&asked, &scene.cancel).await;
    assert!(outcome.allows());
    assert_eq!(
        outcome.events[0].error.as_deref(),
        Some("Hook timed out after 1 seconds")
    );

    let scene = Scene::with_mind(
        prompt_hook(&json!({})),
        Some(Mind::with_model(&json!([{"text": "", "delay": 600}]))),
    );
    let cancel = async {
        tokio::task::yield_now().await;
        scene.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(
        scene.hooks.user_prompt_submit(&asked, &scene.cancel),
        cancel
    );
    assert!(outcome.cancelled && !outcome.allows());
    assert!(begun.elapsed() < Duration::from_mins(5));
}

#[tokio::test]
async fn an_agent_hook_gives_its_task_to_the_conversation() {
    let metrics = Metrics {
        accumulated_cost: 0.5,
        ..Metrics::default()
    };
    let mind = Mind::with_agent(Some(AgentHookAnswer {
        answer: Ok("Done.\n{\"decision\": \"deny\", \"reason\": \"2 tests fail\"}".to_owned()),
        usage: vec![("agent-hook:tester".to_owned(), metrics.clone())],
    }));
    let scene = Scene::with_mind(prompt_hook(&json!({})), Some(mind.clone()));
    let outcome = scene
        .hooks
        .stop(Some("agent_finished"), &scene.cancel)
        .await;
    assert_eq!(outcome.stop_feedback(), Some("2 tests fail"));
    assert_eq!(outcome.events[0].hook_command, "agent-hook:tester");
    assert_eq!(
        outcome.usage,
        [HookUsage::Agent {
            usage_id: "agent-hook:tester".to_owned(),
            metrics: Box::new(metrics),
        }]
    );
    let (task, cancel) = mind.tasks.lock().pop().unwrap();
    assert_eq!(task.usage_id, "agent-hook:tester");
    assert_eq!(task.system_prompt.as_deref(), Some("Check the tests."));
    assert_eq!(
        (task.tools, task.max_iterations),
        (vec!["terminal".to_owned()], 4)
    );
    assert_eq!(task.call_timeout, Duration::from_secs(20));
    assert!(
        task.message.contains("\"reason\": \"agent_finished\""),
        "{}",
        task.message
    );
    assert!(cancel.is_cancelled(), "nothing of the agent goes on");
}

#[tokio::test]
async fn an_agent_hook_that_fails_or_never_ends_allows() {
    let failed = AgentHookAnswer {
        answer: Err("no such tool".to_owned()),
        usage: Vec::new(),
    };
    let scene = Scene::with_mind(
        prompt_hook(&json!({})),
        Some(Mind::with_agent(Some(failed))),
    );
    let outcome = scene.hooks.stop(None, &scene.cancel).await;
    assert!(outcome.allows());
    assert_eq!(outcome.events[0].error.as_deref(), Some("no such tool"));

    let mind = Mind::with_agent(None);
    let hook = json!({"stop": [{"hooks": [{"type": "agent", "max_iterations": 1, "timeout": 1}]}]});
    let scene = Scene::with_mind(hook, Some(mind.clone()));
    let outcome = scene.hooks.stop(None, &scene.cancel).await;
    assert!(outcome.allows());
    assert_eq!(outcome.events[0].hook_command, "agent-hook:agent");
    assert!(mind.tasks.lock()[0].1.is_cancelled());
}
