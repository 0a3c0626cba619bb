//! The `ask_oracle` tool: a second opinion from a stronger model.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::message::{Message, Role};
use openhands_protocol::tool::{
    Action, AskOracleAction, AskOracleObservation, Observation, ToolSpec,
};
use openhands_tools::arguments::{Arguments, InvalidArguments, text};
use openhands_tools::{CallContext, Hints, Registration, ToolError, ToolExecutor, spec};
use serde_json::{Map, Value, json};

use crate::builtin::aside::{ask, saved_model, told};
use crate::builtin::seat::Seat;
use crate::builtin::stated::{Stated, only};
use crate::conversation::{Conversation, ProfileError};

/// The tool's name.
pub(crate) const NAME: &str = "ask_oracle";

/// The name of the saved model that is asked.
const PROFILE: &str = "oracle";

const DESCRIPTION: &str = "\
Asks the oracle, a model that reasons better than you do, for its opinion. Use it when you are stuck, when you cannot decide \
between ways to go on, or before a step that is hard to undo. The oracle sees nothing but your question and the context that \
you give, so give it all that matters. Follow its advice unless you know of something that it did not.";

const INSTRUCTIONS: &str = "\
You are the oracle: a software agent asks you for a second opinion. You have no tools and do none of its work. Answer the \
question itself, recommend one way to go on, concretely enough to be followed, and name the risks that the agent must watch.";

fn tool_spec() -> ToolSpec {
    let hints = Hints {
        read_only: true,
        destructive: false,
        idempotent: false,
        open_world: true,
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "question": {
                "type": "string",
                "description": "What you want to know or have decided.",
            },
            "context": {
                "type": "string",
                "description": "What the oracle must know: what was tried, what is given, what you would do.",
            },
        },
        "required": ["question"],
    });
    spec(NAME, "AskOracle", DESCRIPTION, hints, schema)
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    let mut arguments = Arguments::new(arguments);
    let question = arguments.required("question", text);
    let context = arguments.optional("context", text);
    arguments.finish()?;
    Ok(Action::AskOracle(AskOracleAction {
        question,
        context,
        ..AskOracleAction::default()
    }))
}

#[derive(Debug)]
struct Oracle(Arc<Seat>);

async fn consult(
    conversation: &Conversation,
    action: &AskOracleAction,
    cx: &CallContext,
) -> Result<Result<String, String>, ToolError> {
    let usage_id = format!("oracle:{PROFILE}");
    let llm = match saved_model(conversation, PROFILE, usage_id).await {
        Ok(llm) => llm,
        Err(ProfileError::NotFound(_)) => {
            return Ok(Err(format!(
                "There is no oracle here: no LLM profile is saved under the name '{PROFILE}'."
            )));
        }
        Err(ProfileError::Invalid(reason)) => {
            return Ok(Err(format!("The oracle cannot be asked: {reason}")));
        }
    };
    let mut question = format!("Question:\n{}\n", action.question);
    if let Some(context) = action.context.as_ref().filter(|text| !text.is_empty()) {
        question.push_str("\nContext from the agent:\n");
        question.push_str(context);
        question.push('\n');
    }
    let messages = vec![
        Message::text(Role::System, INSTRUCTIONS),
        Message::text(Role::User, question),
    ];
    Ok(match ask(conversation, &llm, messages, &cx.cancel).await? {
        Ok(answer) if answer.trim().is_empty() => Err("The oracle gave no answer.".to_owned()),
        Ok(answer) => Ok(answer.trim().to_owned()),
        Err(error) => Err(format!("The oracle could not answer: {}", told(&error))),
    })
}

impl ToolExecutor for Oracle {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::AskOracle(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let conversation = self.0.conversation()?;
            let answer = consult(&conversation, &action, &cx).await?;
            Ok(Observation::AskOracle(match answer {
                Ok(text) => AskOracleObservation::with_text(text),
                Err(text) => AskOracleObservation::with_error(text),
            }))
        })
    }
}

pub(crate) fn registration(seat: &Arc<Seat>) -> Registration {
    let seat = Arc::clone(seat);
    Registration::single(
        |_, params| {
            only(NAME, params, &[])?;
            Ok(Stated::new(tool_spec(), decode))
        },
        move |_, _| Ok(Oracle(Arc::clone(&seat))),
        NAME,
    )
}
