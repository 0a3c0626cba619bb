//! The `inspect_image_with_vision` tool: a saved model that sees answers a question about an image.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_llm::ModelFeatures;
use openhands_protocol::Event;
use openhands_protocol::event::Source;
use openhands_protocol::message::{Content, Message, Role};
use openhands_protocol::tool::{
    Action, Observation, ToolSpec, VisionInspectAction, VisionInspectObservation,
};
use openhands_tools::arguments::{
    Arguments, InvalidArguments, Read, Refused, integer_at_least, text,
};
use openhands_tools::{
    CallContext, Hints, Registration, ToolDefinition, ToolError, ToolExecutor, spec,
};
use serde_json::{Map, Value, json};

use crate::builtin::aside::{ask, saved_model, told};
use crate::builtin::seat::Seat;
use crate::builtin::stated::{Stated, only};
use crate::conversation::Conversation;

/// The tool's name.
pub(crate) const NAME: &str = "inspect_image_with_vision";

/// The names by which it can be asked for: that of the class is another one.
pub(crate) const NAMES: [&str; 2] = [NAME, "vision_inspect"];

const DESCRIPTION: &str = "\
Lets a model that can see answer a question about an image of the user's last message with images. Use it when you cannot see \
images yourself and need to know what one shows. Give the index that stands in the user's message, and ask for exactly what you \
need to know.

The saved LLM profiles that can see:
{profiles}";

const INSTRUCTIONS: &str =
    "Answer the question about the image, in plain text and in as few words as it takes.";

fn tool_spec(profiles: &[String]) -> ToolSpec {
    let hints = Hints {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: true,
    };
    let schema = json!({
        "type": "object",
        "properties": {
            "image_index": {
                "type": "integer",
                "description": "Which image of the user's message, counted from 0.",
            },
            "question": {
                "type": "string",
                "description": "What you want to know about the image.",
            },
            "profile_name": {
                "type": "string",
                "description": "The saved LLM profile that looks; the first of the list unless you say otherwise.",
            },
        },
        "required": ["image_index", "question"],
    });
    let profiles: Vec<String> = profiles.iter().map(|name| format!("- {name}")).collect();
    let description = DESCRIPTION.replace("{profiles}", &profiles.join("\n"));
    spec(NAME, "VisionInspect", description, hints, schema)
}

fn decode(arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
    let mut arguments = Arguments::new(arguments);
    let image_index = arguments.required("image_index", integer_at_least(0));
    let question = arguments.required("question", some_text);
    let profile_name = arguments.optional("profile_name", text);
    arguments.finish()?;
    Ok(Action::VisionInspect(VisionInspectAction {
        image_index,
        question,
        profile_name,
        ..VisionInspectAction::default()
    }))
}

fn some_text(value: &Value) -> Read<String> {
    let read = text(value)?;
    if read.is_empty() {
        return Err(vec![Refused::new(
            "string_too_short",
            "String should have at least 1 character",
        )]);
    }
    Ok(read)
}

#[derive(Debug)]
struct Eyes(Arc<Seat>);

impl Eyes {
    async fn look(
        &self,
        conversation: &Conversation,
        action: VisionInspectAction,
        cx: &CallContext,
    ) -> Result<VisionInspectObservation, ToolError> {
        let seeing = self.0.seeing();
        let name = action.profile_name.clone();
        let name = name.filter(|name| !name.is_empty());
        let name = name.or_else(|| seeing.first().cloned());
        let about = |observation| VisionInspectObservation {
            image_index: action.image_index,
            question: action.question.clone(),
            profile_name: name.clone(),
            ..observation
        };
        let refused = |text: String| Ok(about(VisionInspectObservation::with_error(text)));
        let Some(profile) = name.as_ref() else {
            return refused("No saved LLM profile can see.".to_owned());
        };
        if !seeing.contains(profile) {
            return refused(format!(
                "Profile '{profile}' is not one of those that can see."
            ));
        }
        let images = last_images(conversation).await;
        let image = usize::try_from(action.image_index).ok();
        let Some(image) = image.and_then(|at| images.get(at)) else {
            return refused(format!(
                "Image index {} is out of range. The latest user message has {} image(s).",
                action.image_index,
                images.len()
            ));
        };
        let usage_id = format!("vision-profile:{profile}");
        let llm = match saved_model(conversation, profile, usage_id).await {
            Ok(llm) => llm,
            Err(error) => {
                return refused(format!("Profile '{profile}' cannot be used: {error}"));
            }
        };
        let used = |observation| VisionInspectObservation {
            model: Some(llm.model.clone()),
            base_url: llm.base_url.clone(),
            ..about(observation)
        };
        if !ModelFeatures::of(&llm).vision {
            let text = format!(
                "Profile '{profile}' has model '{}', which cannot see.",
                llm.model
            );
            return Ok(used(VisionInspectObservation::with_error(text)));
        }
        let mut question = Message::text(Role::User, action.question.as_str());
        question.content.push(Content::image(image.as_str()));
        let messages = vec![Message::text(Role::System, INSTRUCTIONS), question];
        Ok(match ask(conversation, &llm, messages, &cx.cancel).await? {
            Ok(answer) if answer.is_empty() => used(VisionInspectObservation::with_error(
                "The model that looked said nothing.",
            )),
            Ok(answer) => VisionInspectObservation {
                answer: Some(answer.clone()),
                ..used(VisionInspectObservation::with_text(answer))
            },
            Err(error) => used(VisionInspectObservation::with_error(format!(
                "The model that looked failed: {}",
                told(&error)
            ))),
        })
    }
}

impl ToolExecutor for Eyes {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::VisionInspect(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let conversation = self.0.conversation()?;
            let observation = self.look(&conversation, action, &cx).await?;
            Ok(Observation::VisionInspect(observation))
        })
    }
}

/// The images of the user's last message that has any.
async fn last_images(conversation: &Conversation) -> Vec<String> {
    let log = conversation.events();
    for index in (0..log.len()).rev() {
        if log.kind_at(index).as_deref() != Some("MessageEvent") {
            continue;
        }
        let Ok(events) = log.range(index..index + 1).await else {
            break;
        };
        for stored in events {
            if let Event::Message(message) = stored.event()
                && message.header.source == Source::User
            {
                let images = images(&message.llm_message);
                if !images.is_empty() {
                    return images;
                }
            }
        }
    }
    Vec::new()
}

fn images(message: &Message) -> Vec<String> {
    let parts = message.content.iter();
    parts
        .filter_map(|part| match part {
            Content::Image(image) => Some(image.image_urls.clone()),
            _ => None,
        })
        .flatten()
        .collect()
}

/// Puts words in the place of the images that the tool can look at: those of the user's last message that has any.
pub(crate) fn refer_to_images(messages: &mut [Arc<Message>]) {
    let last = messages
        .iter_mut()
        .rev()
        .find(|message| message.role == Role::User && !images(message).is_empty());
    let Some(message) = last else { return };
    let mut index = 0;
    let mut content = Vec::with_capacity(message.content.len());
    for part in &message.content {
        match part {
            Content::Image(image) => {
                for _ in &image.image_urls {
                    content.push(Content::text(format!(
                        "[Image {index} of this message. {NAME} with image_index={index} tells you what it shows.]"
                    )));
                    index += 1;
                }
            }
            other => content.push(other.clone()),
        }
    }
    Arc::make_mut(message).content = content;
}

/// The tool is there only where a saved model can see.
pub(crate) fn registration(seat: &Arc<Seat>) -> Registration {
    let told = Arc::clone(seat);
    let seat = Arc::clone(seat);
    Registration::new(
        move |_, params| {
            only(NAME, params, &[])?;
            let seeing = told.seeing();
            if seeing.is_empty() {
                return Ok(Vec::new());
            }
            let tool = Stated::new(tool_spec(&seeing), decode);
            Ok(vec![Arc::new(tool) as Arc<dyn ToolDefinition>])
        },
        move |_, _| {
            let executor: Arc<dyn ToolExecutor> = Arc::new(Eyes(Arc::clone(&seat)));
            Ok(vec![(NAME.to_owned(), executor)])
        },
    )
}

#[cfg(test)]
#[path = "vision_tests.rs"]
mod tests;
