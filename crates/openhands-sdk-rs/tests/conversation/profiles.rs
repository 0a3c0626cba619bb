//! Tools that use saved models, and those that need a server.

use std::sync::Arc;

use openhands_sdk_rs::conversation::{
    Conversation, ConversationConfig, HeldProfiles, Host, RunEnd,
};
use openhands_sdk_rs::llm::{ChatModel, ModelFeatures, ScriptedModel};
use openhands_sdk_rs::protocol::agent::Agent;
use openhands_sdk_rs::protocol::conversation::{Isolation, StartChildConversationResponse};
use openhands_sdk_rs::protocol::llm::Llm;
use openhands_sdk_rs::protocol::message::Content;
use openhands_sdk_rs::protocol::tool::{Observation, Tool};
use openhands_sdk_rs::protocol::{ConversationId, Event, Extra, Form};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::world::{World, agent, kinds, script};

/// The name of the model of the agent: all others answer from a list of their own.
const AGENT_MODEL: &str = "openai/mock";

fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        ..Llm::default()
    }
}

/// A host whose saved models give these answers, one per call.
fn host(world: &World, models: &[(&str, &str)], answers: &Value, rules: &Value) -> Arc<Host> {
    let mut host = Host::clone(&world.host);
    let blind = ModelFeatures {
        native_tools: true,
        ..ModelFeatures::default()
    };
    let of_agent: Arc<dyn ChatModel> =
        Arc::new(ScriptedModel::from_messages().with_features(blind));
    let saved: Arc<dyn ChatModel> = Arc::new(ScriptedModel::from_value(answers).unwrap());
    host.models = Arc::new(move |llm| {
        Ok(Arc::clone(if llm.model == AGENT_MODEL {
            &of_agent
        } else {
            &saved
        }))
    });
    host.profiles = Some(Arc::new(HeldProfiles {
        models: models
            .iter()
            .map(|(name, model)| ((*name).to_owned(), llm(model)))
            .collect(),
        rules: serde_json::from_value(rules.clone()).unwrap(),
    }));
    Arc::new(host)
}

fn with_tools(tools: &[Value]) -> Agent {
    let tools: Vec<Tool> = serde_json::from_value(Value::Array(tools.to_vec())).unwrap();
    Agent { tools, ..agent() }
}

async fn begin(world: &World, host: &Arc<Host>, tools: &[Value]) -> Conversation {
    let config = ConversationConfig::new(with_tools(tools), world.dir.path().join("project"));
    Conversation::create(host, config).await.unwrap()
}

fn call(name: &str, args: &Value) -> Value {
    json!({"tools": [{"name": name, "args": args}]})
}

async fn play(conversation: &Conversation, answers: Vec<Value>) -> Vec<Observation> {
    let before = conversation.events().len();
    let mut answers = answers;
    answers.push(json!({"tools": [{"name": "finish", "args": {"message": "done"}}]}));
    conversation
        .send_message(script(Value::Array(answers)))
        .await
        .unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    let events = conversation.events().range(before..u64::MAX).await.unwrap();
    events
        .iter()
        .filter_map(|stored| match stored.event() {
            Event::Observation(event) => Some(event.observation.clone()),
            _ => None,
        })
        .filter(|it| !matches!(it, Observation::Finish(_)))
        .collect()
}

async fn offered(conversation: &Conversation) -> Vec<(String, String)> {
    let events = conversation.events().range(0..1).await.unwrap();
    let Event::SystemPrompt(prompt) = events[0].event() else {
        panic!("{:?}", events[0]);
    };
    let tools = prompt.tools.iter();
    tools
        .map(|tool| (tool.title.clone(), tool.description.clone()))
        .collect()
}

fn used(conversation: &Conversation) -> Vec<String> {
    conversation.state(|state| state.stats.usage_to_metrics.keys().cloned().collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_oracle_answers_and_is_booked_apart() {
    let world = World::new();
    let answers = json!([" Do the first. ", "", {"status": 401, "error": {"message": "bad key"}}]);
    let host = host(&world, &[("oracle", "openai/wise")], &answers, &json!({}));
    let conversation = begin(&world, &host, &[json!({"name": "ask_oracle"})]).await;
    let ask = call(
        "ask_oracle",
        &json!({"question": "Which?", "context": "two ways"}),
    );
    let given = play(&conversation, vec![ask.clone(), ask.clone(), ask]).await;
    let texts: Vec<_> = given.iter().map(|it| (it.is_error(), it.text())).collect();
    assert_eq!(texts[0], (false, "Do the first.".to_owned()));
    assert_eq!(texts[1], (true, "The oracle gave no answer.".to_owned()));
    assert!(
        texts[2].0 && texts[2].1.contains("LLMAuthenticationError"),
        "{texts:?}"
    );
    assert_eq!(used(&conversation), ["agent", "oracle:oracle"]);
    conversation.close().await.unwrap();

    // Without an oracle, and without any saved models.
    for profiles in [
        host.profiles
            .clone()
            .map(|_| Arc::new(HeldProfiles::default()) as _),
        None,
    ] {
        let mut host = Host::clone(&world.host);
        host.profiles = profiles;
        let host = Arc::new(host);
        let conversation = begin(&world, &host, &[json!({"name": "ask_oracle"})]).await;
        let ask = call("ask_oracle", &json!({"question": "Which?"}));
        let given = play(&conversation, vec![ask]).await;
        assert!(given[0].is_error());
        assert!(given[0].text().contains("'oracle'"), "{}", given[0].text());
        conversation.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_goes_on_with_another_model() {
    let world = World::new();
    let answers = json!([{"tools": [{"name": "finish", "args": {"message": "by another"}}]}]);
    let host = host(&world, &[("fast", "openai/fast")], &answers, &json!({}));
    let conversation = begin(&world, &host, &[json!({"name": "SwitchLLMTool"})]).await;
    let unknown = call(
        "switch_llm",
        &json!({"profile_name": "slow", "reason": "why not"}),
    );
    let known = call(
        "switch_llm",
        &json!({"profile_name": "fast", "reason": "it is easy"}),
    );
    let given = play(&conversation, vec![unknown, known]).await;
    let written = Form::SOCKET.to_value(&given[0]).unwrap();
    assert_eq!(
        (
            &written["is_error"],
            &written["profile_name"],
            &written["active_model"]
        ),
        (&json!(true), &json!("slow"), &json!(null))
    );
    assert_eq!(given[0].text(), "LLM profile 'slow' was not found.");
    let written = Form::SOCKET.to_value(&given[1]).unwrap();
    assert_eq!(
        (
            &written["kind"],
            &written["profile_name"],
            &written["reason"],
            &written["active_model"]
        ),
        (
            &json!("SwitchLLMObservation"),
            &json!("fast"),
            &json!("it is easy"),
            &json!("openai/fast")
        )
    );
    assert_eq!(used(&conversation), ["agent", "profile:fast"]);
    assert_eq!(conversation.final_response().await.unwrap(), "by another");
    assert!(kinds(&conversation).await.contains(&"S(agent)".to_owned()));
    let offered = offered(&conversation).await;
    assert!(offered[0].1.contains("\n- fast\n"), "{}", offered[0].1);
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_for_saved_models_are_not_offered_where_none_can_be_saved() {
    let world = World::new();
    let tools = ["switch_llm", "route_task_to_model", "VisionInspectTool"];
    let tools = tools.map(|name| json!({"name": name}));
    let conversation = begin(&world, &world.host, &tools).await;
    play(&conversation, Vec::new()).await;
    let names: Vec<_> = offered(&conversation)
        .await
        .into_iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(names, ["finish", "think"]);
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn saved_rules_choose_the_model() {
    let world = World::new();
    let answers = json!([
        "none of them", "2",
        {"tools": [{"name": "finish", "args": {"message": "by the strong one"}}]},
    ]);
    let models = [("small", "openai/small"), ("strong", "openai/strong")];
    let rules = json!({"mine": {"classifier_model": "small", "classes": [
        {"description": "easy", "model": "small"}, {"description": "hard", "model": "strong"},
    ]}});
    let host = host(&world, &models, &answers, &rules);
    let tool =
        json!({"name": "ClassifyAndSwitchLLMTool", "params": {"active_meta_profile": "mine"}});
    let conversation = begin(&world, &host, &[tool]).await;
    let route = call("route_task_to_model", &json!({}));
    let given = play(&conversation, vec![route.clone(), route]).await;
    assert!(given[0].is_error());
    let written = Form::SOCKET.to_value(&given[1]).unwrap();
    assert_eq!(
        (
            &written["kind"],
            &written["chosen_class"],
            &written["model"],
            &written["active_model"]
        ),
        (
            &json!("ClassifyAndSwitchLLMObservation"),
            &json!("hard"),
            &json!("strong"),
            &json!("openai/strong")
        )
    );
    assert_eq!(
        used(&conversation),
        ["agent", "classifier:small", "profile:strong"]
    );
    assert_eq!(
        conversation.final_response().await.unwrap(),
        "by the strong one"
    );
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_and_models_may_come_with_the_tool() {
    let world = World::new();
    let answers = json!([
        "{\"model\": \"Mine\"}",
        {"tools": [{"name": "finish", "args": {"message": "by mine"}}]},
    ]);
    let host = host(&world, &[("small", "openai/small")], &answers, &json!({}));
    let tool = json!({"name": "route_task_to_model", "params": {
        "active_meta_profile": "elsewhere",
        "meta_profile": {"classifier_model": "small", "prompt_template": "{{ instance_text }}"},
        "meta_profile_llms": {"mine": {"model": "openai/mine"}},
    }});
    let conversation = begin(&world, &host, &[tool]).await;
    let given = play(&conversation, vec![call("route_task_to_model", &json!({}))]).await;
    let written = Form::SOCKET.to_value(&given[0]).unwrap();
    assert_eq!(
        (&written["chosen_class"], &written["active_model"]),
        (&json!("model: mine"), &json!("openai/mine"))
    );
    conversation.close().await.unwrap();

    let bare = begin(&world, &host, &[json!({"name": "route_task_to_model"})]).await;
    let given = play(&bare, vec![call("route_task_to_model", &json!({}))]).await;
    assert!(given[0].is_error());
    assert!(
        given[0].text().contains("none is saved"),
        "{}",
        given[0].text()
    );
    bare.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_sees_looks_for_one_that_does_not() {
    let world = World::new();
    let host = host(
        &world,
        &[("blind", "openai/gpt-3.5-turbo"), ("eyes", "openai/gpt-4o")],
        &json!(["a cat"]),
        &json!({}),
    );
    let conversation = begin(&world, &host, &[]).await;
    let look = |index: u64, profile: Value| {
        call(
            "inspect_image_with_vision",
            &json!({"image_index": index, "question": "What?", "profile_name": profile}),
        )
    };
    let mut message = script(json!([
        look(0, json!(null)),
        look(1, json!("eyes")),
        look(0, json!("blind")),
        call("finish", &json!({"message": "done"})),
    ]));
    message
        .content
        .push(Content::image("data:image/png;base64,AAAA"));
    conversation.send_message(message).await.unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    let given: Vec<_> = events
        .iter()
        .filter_map(|stored| match stored.event() {
            Event::Observation(event) => Form::SOCKET.to_value(&event.observation).ok(),
            _ => None,
        })
        .collect();
    assert_eq!(
        given[0],
        json!({
            "content": [{"cache_prompt": false, "type": "text", "text": "a cat"}],
            "is_error": false,
            "image_index": 0,
            "question": "What?",
            "profile_name": "eyes",
            "model": "openai/gpt-4o",
            "answer": "a cat",
            "kind": "VisionInspectObservation",
        })
    );
    assert_eq!(
        given[1]["content"][0]["text"],
        "Image index 1 is out of range. The latest user message has 1 image(s)."
    );
    assert_eq!(given[2]["is_error"], json!(true));
    assert_eq!(used(&conversation), ["agent", "vision-profile:eyes"]);
    let offered = offered(&conversation).await;
    let tool = offered
        .iter()
        .find(|it| it.0 == "inspect_image_with_vision");
    assert!(tool.unwrap().1.ends_with("\n- eyes"));
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_conversation_is_started_by_the_server() {
    let world = World::new();
    let mut host = Host::clone(&world.host);
    let child = ConversationId::random();
    host.children = Some(Arc::new(move |asked| {
        Box::pin(async move {
            if asked.request.task == "refuse" {
                return Err("(409): too many".to_owned());
            }
            assert_eq!(asked.launch_url.as_deref(), Some("http://elsewhere"));
            Ok(StartChildConversationResponse {
                conversation_id: child,
                parent_conversation_id: asked.parent,
                status: "running".to_owned(),
                title: asked.request.title,
                url: None,
                workspace: Some("ws".to_owned()),
                isolation: Some(asked.request.isolation),
                extra: Extra::default(),
            })
        })
    }));
    let tool =
        json!({"name": "start_child_conversation", "params": {"launch_url": "http://elsewhere"}});
    let conversation = begin(&world, &Arc::new(host), std::slice::from_ref(&tool)).await;
    let start = |args: Value| call("start_child_conversation", &args);
    let given = play(
        &conversation,
        vec![
            start(json!({"task": "go", "title": "T", "isolation": "shared"})),
            start(json!({"task": "refuse"})),
            start(json!({"task": ""})),
        ],
    )
    .await;
    let Observation::StartChildConversation(started) = &given[0] else {
        panic!("{:?}", given[0]);
    };
    assert_eq!(started.conversation_id, Some(child.to_string()));
    assert_eq!(
        started.parent_conversation_id,
        Some(conversation.id().to_string())
    );
    assert_eq!(started.isolation, Some(Isolation::Shared));
    let text = given[0].text();
    assert!(
        text.starts_with(&format!(
            "Started child conversation {child} (status: running).\n{{\n  \"conversation_id\": \"{child}\",\n"
        )),
        "{text}"
    );
    assert_eq!(
        given[1].text(),
        "Child conversation launch failed: (409): too many"
    );
    assert_eq!(
        given[2].text(),
        "Child conversation launch failed: the task must not be empty"
    );
    conversation.close().await.unwrap();

    let alone = begin(&world, &world.host, &[tool]).await;
    let given = play(&alone, vec![start(json!({"task": "go"}))]).await;
    assert!(given[0].is_error());
    assert_eq!(
        given[0].text(),
        "Child conversation launch failed: this conversation has no server that could start it"
    );
    alone.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_says_that_it_cannot_be_run() {
    let world = World::new();
    let conversation = begin(&world, &world.host, &[json!({"name": "workflow_tool_set"})]).await;
    let run = call(
        "workflow",
        &json!({"name": "w", "script": "async def main(wf):\n    return 1"}),
    );
    let given = play(&conversation, vec![run]).await;
    let written = Form::SOCKET.to_value(&given[0]).unwrap();
    assert_eq!(
        (&written["name"], &written["status"], &written["is_error"]),
        (&json!("w"), &json!("error"), &json!(true))
    );
    assert!(given[0].text().contains("Python"));
    conversation.close().await.unwrap();
}
