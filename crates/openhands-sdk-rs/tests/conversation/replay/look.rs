//! Requests that only look, answered from the SDK.

use openhands_sdk_rs::conversation::{Conversation, ConversationError};
use openhands_sdk_rs::protocol::{EventId, Form};
use serde_json::{Value, json};

use super::perform::{Server, unhurried_event};
use super::recording::{Call, is_stats, name_of};

impl Server {
    /// Looks, and compares what is not compared as an answer.
    pub(crate) async fn look(
        &mut self,
        conversation: &Conversation,
        call: &Call,
        verb: &str,
    ) -> Result<Value, ConversationError> {
        match verb {
            "GET" => Ok(info(conversation)),
            "GET agent_final_response" => {
                let response = conversation.final_response().await?;
                Ok(
                    json!({"response": if response == "(end)" { "mock: nothing more to say".to_owned() } else { response }}),
                )
            }
            "GET events/search" => {
                self.search(conversation, call).await;
                Ok(json!({}))
            }
            "GET events" => {
                let ids = call.request.as_array().unwrap().clone();
                self.batch(conversation, call, &ids).await;
                Ok(json!({}))
            }
            _ => {
                let id = verb.strip_prefix("GET events/").unwrap();
                let id = EventId::from(self.comparison.our(id));
                let stored = conversation.events().get(&id).await?.unwrap();
                Ok(Form::REST.to_value(stored.event()).unwrap())
            }
        }
    }

    /// Events by their ids; those that do not exist are null.
    async fn batch(&mut self, conversation: &Conversation, call: &Call, ids: &[Value]) {
        let recorded = call.response.as_array().unwrap();
        for (id, recorded) in ids.iter().zip(recorded) {
            if recorded.is_null() {
                continue;
            }
            let id = EventId::from(self.comparison.our(id.as_str().unwrap()));
            let stored = conversation.events().get(&id).await.unwrap().unwrap();
            let ours = Form::REST.to_value(stored.event()).unwrap();
            self.comparison.frame(recorded, &ours).unwrap();
        }
    }

    /// The events of the log, without those whose place is free.
    async fn search(&mut self, conversation: &Conversation, call: &Call) {
        let items: Vec<Value> = call.response["items"].as_array().unwrap().clone();
        let events = conversation.events().range(0..u64::MAX).await.unwrap();
        let mut ours: Vec<Value> = events
            .iter()
            .map(|stored| serde_json::from_slice(stored.json()).unwrap())
            .collect();
        ours.retain(|event: &Value| !is_stats(event));
        if let Some(kind) = call.parameter("kind") {
            ours.retain(|event| event["kind"] == kind);
        }
        if call.parameter("sort_order") == Some("TIMESTAMP_DESC") {
            ours.reverse();
        }
        let items = items.iter().filter(|item| {
            !is_stats(item) && !self.stats_ids.contains(item["id"].as_str().unwrap())
        });
        let items: Vec<&Value> = items.collect();
        if call.parameter("limit") == Some("4") {
            ours.truncate(items.len());
        }
        assert_eq!(kinds(items.iter().copied()), kinds(ours.iter()), "search");
        for (recorded, ours) in items.iter().zip(&ours) {
            let name = name_of(ours);
            self.comparison
                .members(&name, &unhurried_event(recorded), ours)
                .unwrap_or_else(|error| panic!("search: {error}"));
        }
    }
}

fn kinds<'a>(events: impl Iterator<Item = &'a Value>) -> Vec<&'a str> {
    events
        .map(|event| event["kind"].as_str().unwrap())
        .collect()
}

/// What a request for a conversation shows of it.
pub(crate) fn info(conversation: &Conversation) -> Value {
    conversation.state(|state| {
        json!({
            "id": state.id,
            "execution_status": state.execution_status,
            "tags": state.tags,
            "leaf_event_id": state.leaf_event_id,
            "last_user_message_id": state.last_user_message_id,
            "confirmation_policy": Form::REST.to_value(&state.confirmation_policy).unwrap(),
            "security_analyzer": Form::REST.to_value(&state.security_analyzer).unwrap(),
            "blocked_actions": Form::REST.to_value(&state.blocked_actions).unwrap(),
            "max_iterations": state.max_iterations,
        })
    })
}
