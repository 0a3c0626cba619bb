//! The `route_task_to_model` tool: saved rules choose the saved model that suits the task.

mod choice;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use openhands_protocol::agent::MetaProfile;
use openhands_protocol::llm::Llm;
use openhands_protocol::message::Content;
use openhands_protocol::tool::{
    Action, ClassifyAndSwitchLlmAction, ClassifyAndSwitchLlmObservation, Observation, ToolSpec,
};
use openhands_protocol::{Event, JsonObject, Reading};
use openhands_tools::arguments::{Arguments, InvalidArguments};
use openhands_tools::{
    CallContext, CreateError, Hints, Registration, ToolDefinition, ToolError, ToolExecutor, spec,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::builtin::aside::{ask, saved_model, told};
use crate::builtin::seat::Seat;
use crate::builtin::stated::{Stated, only};
use crate::builtin::switch_llm::{active_model, switch};
use crate::conversation::{Conversation, ProfileError, Profiles};

/// The tool's name.
pub(crate) const NAME: &str = "route_task_to_model";

/// How many of the last messages the classifier sees.
const RECENT_MESSAGES: usize = 6;

const DESCRIPTION: &str = "\
Chooses the saved LLM profile that suits the present task and lets this conversation go on with it. A classifier looks at the \
last messages and picks a class of the active rules; each class has its profile. Use it at the beginning of a task, and again \
when the task becomes another one. The switch takes effect with your next step.";

fn tool_spec() -> ToolSpec {
    let hints = Hints {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: false,
    };
    let schema = json!({"type": "object", "properties": {}});
    spec(NAME, "ClassifyAndSwitchLLM", DESCRIPTION, hints, schema)
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    Arguments::new(arguments).finish()?;
    Ok(Action::ClassifyAndSwitchLlm(
        ClassifyAndSwitchLlmAction::default(),
    ))
}

/// What the tool's parameters say.
#[derive(Debug, Clone, Default)]
struct Rules {
    active: Option<String>,
    inline: Option<MetaProfile>,
    /// Models that come with the rules.
    models: IndexMap<String, Llm>,
}

impl Rules {
    fn of(params: &JsonObject) -> Result<Self, CreateError> {
        const KNOWN: [&str; 3] = ["active_meta_profile", "meta_profile", "meta_profile_llms"];
        only(NAME, params, &KNOWN)?;
        Ok(Self {
            active: read(params, "active_meta_profile")?,
            inline: read(params, "meta_profile")?,
            models: read(params, "meta_profile_llms")?.unwrap_or_default(),
        })
    }

    /// The rules that hold: those that are saved under the active name, else those of the parameters, else the first
    /// that are saved.
    async fn resolve(&self, profiles: &dyn Profiles) -> Result<MetaProfile, String> {
        let active = self.active.as_deref().filter(|name| !name.is_empty());
        if let Some(name) = active {
            match profiles.load_rules(name).await {
                Ok(rules) => return Ok(rules),
                Err(ProfileError::Invalid(reason)) => return Err(reason),
                Err(ProfileError::NotFound(_)) => {}
            }
        }
        if let Some(inline) = &self.inline {
            return Ok(inline.clone());
        }
        let saved = profiles.rule_names().await;
        if let Some(name) = active {
            let saved = if saved.is_empty() {
                "none".to_owned()
            } else {
                saved.join(", ")
            };
            return Err(format!("'{name}' is not saved; saved are: {saved}"));
        }
        match saved.first() {
            Some(first) => profiles
                .load_rules(first)
                .await
                .map_err(|error| error.to_string()),
            None => Err("none is active and none is saved".to_owned()),
        }
    }
}

fn read<T: DeserializeOwned>(params: &JsonObject, key: &str) -> Result<Option<T>, CreateError> {
    let given = params.0.get(key).filter(|value| !value.is_null());
    let read = given.map(|value| Reading::lenient().from_value(value.clone()));
    read.transpose().map_err(|error| CreateError::BadParameter {
        tool: NAME.to_owned(),
        parameter: key.to_owned(),
        problem: error.to_string(),
    })
}

/// Which model was chosen, and for which class.
struct Chosen {
    class: String,
    profile: String,
}

#[derive(Debug)]
struct Router {
    seat: Arc<Seat>,
    rules: Rules,
}

impl Router {
    async fn classify(
        &self,
        conversation: &Conversation,
        profiles: &dyn Profiles,
        cx: &CallContext,
    ) -> Result<Result<Chosen, String>, ToolError> {
        let rules = match self.rules.resolve(profiles).await {
            Ok(rules) => rules,
            Err(reason) => return Ok(Err(format!("There are no rules to choose by: {reason}."))),
        };
        let name = &rules.classifier_model;
        let usage_id = format!("classifier:{name}");
        let classifier = match self.rules.models.get(name) {
            Some(model) => Ok(Llm {
                usage_id,
                ..model.clone()
            }),
            None => saved_model(conversation, name, usage_id).await,
        };
        let classifier = match classifier {
            Ok(classifier) => classifier,
            Err(error) => {
                return Ok(Err(format!(
                    "The classifier '{name}' cannot be used: {error}"
                )));
            }
        };
        let transcript = recent_messages(conversation).await;
        let messages = choice::question(&rules, &transcript);
        let reply = match ask(conversation, &classifier, messages, &cx.cancel).await? {
            Ok(reply) => reply,
            Err(error) => {
                return Ok(Err(format!(
                    "The classifier could not answer: {}",
                    told(&error)
                )));
            }
        };
        let mut names = profiles.names().await;
        names.extend(self.rules.models.keys().cloned());
        Ok(choice::read(&rules, &reply, &names)
            .map(|(class, profile)| Chosen { class, profile })
            .ok_or_else(|| {
                format!(
                    "The classifier chose nothing that there is (it said: {reply:?}), so the model stays. Try again, or mend the rules."
                )
            }))
    }

    async fn go_on_with(&self, conversation: &Conversation, name: &str) -> Result<String, String> {
        let Some(model) = self.rules.models.get(name) else {
            return switch(conversation, name).await;
        };
        let llm = Llm {
            usage_id: format!("profile:{name}"),
            ..model.clone()
        };
        let switched = conversation.switch_llm(llm).await;
        switched
            .map(|()| active_model(conversation))
            .map_err(|error| {
                format!("The conversation cannot go on with LLM profile '{name}': {error}")
            })
    }
}

impl ToolExecutor for Router {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::ClassifyAndSwitchLlm(_) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let conversation = self.seat.conversation()?;
            let profiles = conversation.inner.host.profiles.clone();
            let Some(profiles) = profiles else {
                return Err(ToolError::Failed("There are no saved models.".to_owned()));
            };
            let chosen = self.classify(&conversation, &*profiles, &cx).await?;
            let observation = match chosen {
                Err(text) => ClassifyAndSwitchLlmObservation::with_error(text),
                Ok(Chosen { class, profile }) => {
                    let observation = match self.go_on_with(&conversation, &profile).await {
                        Ok(model) => ClassifyAndSwitchLlmObservation {
                            active_model: Some(model.clone()),
                            ..ClassifyAndSwitchLlmObservation::with_text(format!(
                                "The task is of the class '{class}'. From the next step on, the LLM profile is '{profile}' with model '{model}'."
                            ))
                        },
                        Err(text) => ClassifyAndSwitchLlmObservation::with_error(text),
                    };
                    ClassifyAndSwitchLlmObservation {
                        chosen_class: Some(class),
                        model: Some(profile),
                        ..observation
                    }
                }
            };
            Ok(Observation::ClassifyAndSwitchLlm(observation))
        })
    }
}

/// What was said last, by whom. Calls and their answers are left out: they are long, and the task is not in them.
async fn recent_messages(conversation: &Conversation) -> String {
    let log = conversation.events();
    let mut lines: Vec<String> = Vec::new();
    for index in (0..log.len()).rev() {
        if lines.len() == RECENT_MESSAGES {
            break;
        }
        if log.kind_at(index).as_deref() != Some("MessageEvent") {
            continue;
        }
        let Ok(events) = log.range(index..index + 1).await else {
            break;
        };
        for stored in events {
            if let Event::Message(message) = stored.event() {
                let text = Content::join_text(&message.llm_message.content);
                if !text.trim().is_empty() {
                    lines.push(format!("{}: {}", message.header.source, text.trim()));
                }
            }
        }
    }
    if lines.is_empty() {
        return "(no messages yet)".to_owned();
    }
    lines.reverse();
    lines.join("\n")
}

/// The tool is there only where models can be saved.
pub(crate) fn registration(seat: &Arc<Seat>) -> Registration {
    let told = Arc::clone(seat);
    let seat = Arc::clone(seat);
    Registration::new(
        move |_, params| {
            Rules::of(params)?;
            let tool = told
                .saved
                .as_ref()
                .map(|_| Arc::new(Stated::new(tool_spec(), decode)) as Arc<dyn ToolDefinition>);
            Ok(tool.into_iter().collect())
        },
        move |_, params| {
            let executor: Arc<dyn ToolExecutor> = Arc::new(Router {
                seat: Arc::clone(&seat),
                rules: Rules::of(params)?,
            });
            Ok(vec![(NAME.to_owned(), executor)])
        },
    )
}
