//! The `switch_llm` tool: the agent goes on with another saved model.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{
    Action, Observation, SwitchLlmAction, SwitchLlmObservation, ToolSpec,
};
use openhands_tools::arguments::{Arguments, InvalidArguments, text};
use openhands_tools::{
    CallContext, Hints, Registration, ToolDefinition, ToolError, ToolExecutor, spec,
};
use serde_json::{Map, Value, json};

use crate::builtin::seat::Seat;
use crate::builtin::stated::{Stated, only};
use crate::conversation::{Conversation, ConversationError, ProfileError};

/// The tool's name.
pub(crate) const NAME: &str = "switch_llm";

const DESCRIPTION: &str = "\
Lets this conversation go on with another saved LLM profile. Use it when one of them suits what comes next better than the \
present model does. The switch takes effect with your next step.

The saved profiles:
{profiles}

Give the name exactly as it is listed, and a short reason.";

fn tool_spec(profiles: &[String]) -> ToolSpec {
    let hints = Hints {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: false,
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "profile_name": {
                "type": "string",
                "description": "The saved LLM profile to go on with.",
            },
            "reason": {
                "type": "string",
                "description": "Why it suits the next steps better, in one sentence.",
            },
        },
        "required": ["profile_name", "reason"],
    });
    let profiles = if profiles.is_empty() {
        "- None is saved at the moment.".to_owned()
    } else {
        profiles.join("\n")
    };
    let description = DESCRIPTION.replace("{profiles}", &profiles);
    // The class is written with capitals that the naming rule of the others does not have.
    spec(NAME, "SwitchLLM", description, hints, schema)
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    let mut arguments = Arguments::new(arguments);
    let profile_name = arguments.required("profile_name", text);
    let reason = arguments.required("reason", text);
    arguments.finish()?;
    Ok(Action::SwitchLlm(SwitchLlmAction {
        profile_name,
        reason,
        ..SwitchLlmAction::default()
    }))
}

/// Switches to a saved model. Gives the model's name, or prose for the model that failed.
pub(super) async fn switch(conversation: &Conversation, profile: &str) -> Result<String, String> {
    match conversation.switch_profile(profile).await {
        Ok(()) => Ok(active_model(conversation)),
        Err(ConversationError::Profile(ProfileError::NotFound(_))) => {
            Err(format!("LLM profile '{profile}' was not found."))
        }
        Err(error) => Err(format!(
            "The conversation cannot go on with LLM profile '{profile}': {error}"
        )),
    }
}

/// The model that the agent asks from its next step on.
pub(super) fn active_model(conversation: &Conversation) -> String {
    let agent = conversation.inner.agent();
    agent.map(|agent| agent.llm.model).unwrap_or_default()
}

#[derive(Debug)]
struct Switch(Arc<Seat>);

impl ToolExecutor for Switch {
    fn execute(
        &self,
        action: Action,
        _: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::SwitchLlm(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let conversation = self.0.conversation()?;
            let name = &action.profile_name;
            let observation = match switch(&conversation, name).await {
                Ok(model) => SwitchLlmObservation {
                    active_model: Some(model.clone()),
                    ..SwitchLlmObservation::with_text(format!(
                        "From the next step on, the LLM profile is '{name}' with model '{model}'. Reason: {}",
                        action.reason
                    ))
                },
                Err(text) => SwitchLlmObservation::with_error(text),
            };
            Ok(Observation::SwitchLlm(SwitchLlmObservation {
                profile_name: action.profile_name,
                reason: Some(action.reason),
                ..observation
            }))
        })
    }
}

/// The tool is there only where models can be saved.
pub(crate) fn registration(seat: &Arc<Seat>) -> Registration {
    let told = Arc::clone(seat);
    let seat = Arc::clone(seat);
    Registration::new(
        move |_, params| {
            only(NAME, params, &[])?;
            let saved = told.saved.as_ref().map(|saved| {
                let names: Vec<String> = saved.iter().map(|it| format!("- {}", it.name)).collect();
                Arc::new(Stated::new(tool_spec(&names), decode)) as Arc<dyn ToolDefinition>
            });
            Ok(saved.into_iter().collect())
        },
        move |_, _| {
            let executor: Arc<dyn ToolExecutor> = Arc::new(Switch(Arc::clone(&seat)));
            Ok(vec![(NAME.to_owned(), executor)])
        },
    )
}
