//! Requests of a recording as calls of the SDK.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use openhands_sdk_rs::conversation::{
    Conversation, ConversationConfig, ConversationError, Decision, Fork, Host, Unsaved,
};
use openhands_sdk_rs::protocol::agent::{Agent, AgentSpec};
use openhands_sdk_rs::protocol::conversation::{
    ConfirmationResponseRequest, ExecutionStatus, SendMessageRequest, SetConfirmationPolicyRequest,
    SetSecurityAnalyzerRequest, StartConversationRequest, SwitchLlmRequest, UpdateSecretsRequest,
};
use openhands_sdk_rs::protocol::message::Message;
use openhands_sdk_rs::protocol::{ConversationId, EventId, Form};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::compare::Comparison;
use super::look::info;
use super::recording::Call;
use super::stage::Stage;
use super::table::Part;

/// What a request meets: the conversations of the server.
pub(crate) struct Server {
    pub(crate) host: Arc<Host>,
    pub(crate) stage: Stage,
    pub(crate) part: &'static Part,
    pub(crate) project: PathBuf,
    /// By the id in the recording.
    pub(crate) conversations: HashMap<String, Conversation>,
    pub(crate) comparison: Comparison,
    /// Recorded events about what was used, whose place is free.
    pub(crate) stats_ids: HashSet<String>,
}

/// What a call gave: members to compare with the recorded answer.
type Answer = Result<Value, ConversationError>;

impl Server {
    /// Does what a request asks and compares the answer.
    pub(crate) async fn perform(&mut self, call: &Call) {
        let verb = call.verb();
        if self.part.left_out.iter().any(|left| left.at == verb) {
            return;
        }
        let answer = match call.conversation() {
            None => self.create(call).await,
            Some(id) => {
                let conversation = self.conversation(id);
                self.settle(&conversation, call).await;
                self.ask(&conversation, call, &verb).await
            }
        };
        self.check(call, &verb, answer);
    }

    /// A conversation by its recorded id. One recording writes a placeholder for the only one it has.
    fn conversation(&self, id: &str) -> Conversation {
        let only = || self.conversations.values().next().filter(|_| id == "{id}");
        self.conversations.get(id).or_else(only).unwrap().clone()
    }

    /// Waits until the conversation is where it was when the request came.
    async fn settle(&self, conversation: &Conversation, call: &Call) {
        if call.method == "GET" {
            if call.response["execution_status"] != "running" {
                conversation.wait().await;
            }
        } else if conversation.status() == ExecutionStatus::Running {
            self.stage.busy().await;
        }
    }

    fn check(&mut self, call: &Call, verb: &str, answer: Answer) {
        match answer {
            Ok(value) => {
                assert!(call.status < 300, "{verb}: {} was expected", call.response);
                if value.is_null() {
                    assert_eq!(call.response, json!({"success": true}), "{verb}");
                    return;
                }
                let recorded = expected(&call.response, &value);
                self.comparison
                    .members(verb, &recorded, &value)
                    .unwrap_or_else(|error| panic!("{verb}: {error}"));
            }
            Err(error) => {
                assert!(call.status >= 400, "{verb}: {error}");
                let said = call
                    .response
                    .get("exception")
                    .or(call.response.get("detail"));
                let said = said.unwrap().as_str().unwrap().trim_matches('"');
                assert_eq!(error.to_string(), said, "{verb}");
            }
        }
    }

    async fn create(&mut self, call: &Call) -> Answer {
        let recorded = call.response["id"].as_str().unwrap();
        if let Some(conversation) = self.conversations.get(recorded) {
            conversation.wait().await;
            return Ok(info(conversation));
        }
        let config = self.config(read(&call.request));
        let conversation = Conversation::create(&self.host, config).await?;
        self.know(recorded, &conversation);
        let initial = &call.request["initial_message"];
        if initial.is_null() {
            return Ok(info(&conversation));
        }
        let message: SendMessageRequest = read(initial);
        conversation.send_message(self.message(&message)).await?;
        // The server answers when the message is there, before the run that it starts shows.
        let answer = info(&conversation);
        conversation.run().await?;
        Ok(answer)
    }

    /// What a request wants a conversation to be.
    fn config(&self, request: StartConversationRequest) -> ConversationConfig {
        let Some(AgentSpec::Agent(mut agent)) = request.agent else {
            panic!("an agent was expected");
        };
        complete_llm(&mut agent);
        let mut config = ConversationConfig::new(agent, &self.project);
        if let Some(id) = request.conversation_id {
            config.id = id;
        }
        config.max_iterations = request.max_iterations;
        config.stuck_detection = request.stuck_detection;
        config.confirmation_policy = request.confirmation_policy;
        config.security_analyzer = request.security_analyzer.map(|analyzer| *analyzer);
        config.secrets = request.secrets;
        config.hook_config = request.hook_config.map(|hooks| *hooks);
        config.tags = request.tags;
        config.unsaved = Unsaved {
            client_tools: request.client_tools,
            agent_definitions: request.agent_definitions,
            ..Unsaved::default()
        };
        config
    }

    /// Takes a conversation in under its recorded id.
    pub(crate) fn know(&mut self, recorded: &str, conversation: &Conversation) {
        let ours = conversation.id();
        self.comparison.pair(recorded, &ours.to_string()).unwrap();
        let recorded_id: ConversationId = recorded.parse().unwrap();
        self.comparison.places.push((ours.hex(), recorded_id.hex()));
        self.conversations
            .insert(recorded.to_owned(), conversation.clone());
    }

    /// The message of a request. Scripts that were cut out of the recording are put in, and without their pauses.
    fn message(&self, request: &SendMessageRequest) -> Message {
        let mut content = Form::PEER.to_value(&request.content).unwrap();
        for part in content.as_array_mut().unwrap() {
            if let Some(text) = part["text"].as_str() {
                part["text"] = json!(if text == "<text>" {
                    self.part.said.to_owned()
                } else {
                    unhurried(text)
                });
            }
        }
        read(&json!({"role": request.role, "content": content}))
    }

    async fn ask(&mut self, conversation: &Conversation, call: &Call, verb: &str) -> Answer {
        let done = |()| Value::Null;
        match verb {
            "POST events" => {
                let request: SendMessageRequest = read(&call.request);
                let run = request.run;
                let message = self.message(&request);
                let sent = if run {
                    conversation.send_and_run(message).await
                } else {
                    conversation.send_message(message).await
                };
                sent.map(|_| Value::Null)
            }
            "POST run" => conversation.run().await.map(done),
            "POST pause" => conversation.pause().await.map(done),
            "POST interrupt" => conversation.interrupt().await.map(done),
            "DELETE" => conversation.close().await.map(done),
            "POST events/respond_to_confirmation" => {
                let request: ConfirmationResponseRequest = read(&call.request);
                let decision = if request.accept {
                    Decision::Accept
                } else {
                    Decision::Reject(request.reason)
                };
                conversation.respond(decision).await.map(done)
            }
            "POST goal" => {
                let request = &call.request;
                let rounds = request["max_iterations"].as_i64().unwrap_or(10);
                let objective = request["objective"].as_str().unwrap();
                conversation.start_goal(objective, rounds).await.map(done)
            }
            "POST goal/resume" => conversation.resume_goal().await.map(done),
            "POST condense" => conversation.condense().await.map(done),
            "POST children" => self.child(call).await,
            "POST fork" => self.fork(conversation, call).await,
            "POST navigate" => {
                let to = call.request["event_id"].as_str();
                let to = to.map(|id| EventId::from(self.comparison.our(id)));
                conversation.navigate(to).await?;
                Ok(info(conversation))
            }
            _ if call.method == "GET" => self.look(conversation, call, verb).await,
            _ => change(conversation, call, verb).await,
        }
    }

    /// A child is a conversation of its own that begins with its task.
    async fn child(&mut self, call: &Call) -> Answer {
        let parent = &self.conversations[call.conversation().unwrap()];
        let agent = parent.state(|state| state.agent.clone());
        let AgentSpec::Agent(agent) = agent else {
            panic!("an agent was expected");
        };
        let child =
            Conversation::create(&self.host, ConversationConfig::new(agent, &self.project)).await?;
        self.know(call.response["conversation_id"].as_str().unwrap(), &child);
        let status = child.status();
        let task = call.request["task"].as_str().unwrap();
        child.send_and_run(crate::world::user(task)).await?;
        Ok(json!({"conversation_id": child.id(), "status": status}))
    }

    async fn fork(&mut self, conversation: &Conversation, call: &Call) -> Answer {
        let from = call.request["from_event_id"].as_str();
        let fork = Fork {
            from_event: from.map(|id| EventId::from(self.comparison.our(id))),
            tags: read(&call.request["tags"]),
            ..Fork::default()
        };
        let copy = conversation.fork(fork).await?;
        self.know(call.response["id"].as_str().unwrap(), &copy);
        Ok(info(&copy))
    }
}

/// Changes of settings.
async fn change(conversation: &Conversation, call: &Call, verb: &str) -> Answer {
    let request = &call.request;
    match verb {
        "POST secrets" => {
            let request: UpdateSecretsRequest = read(request);
            conversation.update_secrets(request.secrets).await?;
        }
        "POST confirmation_policy" => {
            let request: SetConfirmationPolicyRequest = read(request);
            conversation.set_confirmation_policy(request.policy).await?;
        }
        "POST security_analyzer" => {
            let request: SetSecurityAnalyzerRequest = read(request);
            conversation
                .set_security_analyzer(request.security_analyzer)
                .await?;
        }
        "POST switch_llm" => {
            let request: SwitchLlmRequest = read(request);
            conversation.switch_llm(request.llm).await?;
        }
        "PATCH" => {
            conversation.set_tags(read(&request["tags"])).await?;
        }
        other => panic!("{other} is not known"),
    }
    Ok(Value::Null)
}

/// What the recorder shortened without a mark is as in the first recording.
fn complete_llm(agent: &mut Agent) {
    "agent".clone_into(&mut agent.llm.usage_id);
    agent.llm.num_retries = 0;
    agent.llm.base_url = Some("http://127.0.0.1:8812/v1".to_owned());
    agent.llm.api_key = Some("sk-x".into());
}

/// Of a recorded answer, the members that are the SDK's.
fn expected(recorded: &Value, ours: &Value) -> Value {
    match (recorded, ours) {
        (Value::Object(recorded), Value::Object(ours)) => recorded
            .iter()
            .filter(|(key, _)| ours.contains_key(*key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
        (_, Value::Object(_)) => json!({}),
        _ => recorded.clone(),
    }
}

/// A script without its pauses: whoever plays it decides when the model answers.
fn unhurried(text: &str) -> String {
    let Some((before, script)) = text.split_once("MOCK:") else {
        return text.to_owned();
    };
    if !script.contains("delay\"") {
        return text.to_owned();
    }
    let mut script: Value = serde_json::from_str(script).unwrap();
    for step in script.as_array_mut().unwrap() {
        if let Some(step) = step.as_object_mut() {
            step.remove("delay");
            step.remove("chunk_delay");
        }
    }
    format!("{before}MOCK:{script}")
}

/// An event whose script is without its pauses.
pub(crate) fn unhurried_event(event: &Value) -> Value {
    let mut event = event.clone();
    if let Some(text) = event["llm_message"]["content"][0]["text"].as_str() {
        event["llm_message"]["content"][0]["text"] = json!(unhurried(text));
    }
    event
}

pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}
