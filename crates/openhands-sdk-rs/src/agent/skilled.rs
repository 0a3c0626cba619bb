//! Skills and the prompt at work: what the model is told at the start, with messages, and with results.

use std::path::Path;
use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use openhands_protocol::event::{
    ActionEvent, EventHeader, MessageEvent, ObservationEvent, Source, SystemPromptEvent,
};
use openhands_protocol::message::TextContent;
use openhands_protocol::skills::Skill;
use openhands_protocol::tool::{Action, Observation};
use openhands_protocol::{Event, Extra};
use openhands_runtime::Runtime;
use openhands_tools::{CallContext, ToolError, ToolExecutor};
use tokio_util::sync::CancellationToken;

use crate::agent::step::{Step, StepError};
use crate::conversation::{ConversationError, Equipment, Inner, Writer, update};
use crate::memory::{self, UserMemory};
use crate::prompt::{self, PromptFiles, PromptInput, SystemPrompt};
use crate::skills::activate;
use crate::skills::invoke::{self, NAME as INVOKE_SKILL};

/// How the model should call the user's directory.
const USER_DIRECTORY: &str = "~/.openhands";

impl Inner {
    /// Tells the model what it is, if it was not told yet.
    pub(crate) async fn introduce(&self, equipment: &Equipment) -> Result<(), ConversationError> {
        if self.writer().await.branch().await?.has_system_prompt() {
            return Ok(());
        }
        let prompt = self.system_prompt(equipment).await?;
        let event = SystemPromptEvent {
            header: EventHeader::now(Source::Agent),
            system_prompt: TextContent::new(prompt.static_text),
            tools: equipment.tools.listed(),
            dynamic_context: prompt.dynamic.map(TextContent::new),
            extra: Extra::default(),
        };
        {
            let mut writer = self.writer().await;
            if writer.branch().await?.has_system_prompt() {
                return Ok(());
            }
            writer.tell_hooks().await?;
            writer.emit(event).await?;
        }
        let cancel = CancellationToken::new();
        let outcome = equipment.hooks.session_start(&cancel).await;
        self.book_hooks(equipment, &outcome).await?;
        let mut writer = self.writer().await;
        let before = writer.emit_hooks(&outcome).await?;
        if let Some(context) = outcome.context {
            writer
                .say_beside(before, Source::Environment, context)
                .await?;
        }
        Ok(())
    }

    async fn system_prompt(
        &self,
        equipment: &Equipment,
    ) -> Result<SystemPrompt, ConversationError> {
        let agent = self.agent()?;
        let failed = |error: prompt::PromptError| ConversationError::Prompt(error.to_string());
        let files = PromptFiles::read(&agent).await.map_err(failed)?;
        let user = self
            .host
            .user_directory
            .as_ref()
            .map(|directory| UserMemory {
                persistence: directory.clone(),
                shown_as: USER_DIRECTORY.to_owned(),
            });
        let context = agent.agent_context.as_ref();
        let memory = match context {
            Some(context) if context.load_memory => {
                memory::load(user.as_ref(), equipment.runtime.workspace()).await
            }
            Some(_) | None => None,
        };
        let tools: Vec<String> = equipment
            .tools
            .definitions
            .iter()
            .map(|tool| tool.spec().name.clone())
            .collect();
        let user_memory = user.as_ref().map(UserMemory::directory).unwrap_or_default();
        let soul = match &self.host.user_directory {
            Some(directory) => prompt::read_soul(directory).await,
            None => None,
        };
        let now = context.map(|context| match &context.current_datetime {
            Some(now) => now.clone(),
            None => jiff::Zoned::now().datetime().to_string(),
        });
        prompt::system(&PromptInput {
            agent: &agent,
            files: &files,
            tools: &tools,
            soul: soul.as_deref(),
            user_memory: &user_memory,
            skills: &equipment.skills,
            memory: memory.as_deref(),
            secrets: &prompt::secret_infos(context, &self.secrets.export()),
            now: now.as_deref(),
        })
        .map_err(failed)
    }
}

impl Writer<'_> {
    /// Adds to a message what its words bring up. If that is new, the event that tells so is still to be appended.
    pub(crate) fn activate_skills(
        &self,
        equipment: &Equipment,
        event: &mut MessageEvent,
    ) -> Result<Option<Event>, ConversationError> {
        let known = self.inner().state.read().activated_knowledge_skills.clone();
        let found = activate::for_message(
            &equipment.skills,
            &event.llm_message,
            &known,
            equipment.user_message_suffix.as_deref(),
        );
        let Some(found) = found else {
            return Ok(None);
        };
        event.extended_content.push(TextContent::new(found.text));
        if found.names.is_empty() {
            return Ok(None);
        }
        event.activated_skills.clone_from(&found.names);
        let all = {
            let mut state = self.inner().state.write();
            state.activated_knowledge_skills.extend(found.names);
            state.activated_knowledge_skills.clone()
        };
        update("activated_knowledge_skills", &all).map(Some)
    }
}

impl Step<'_> {
    /// Adds to a result the rules for the file that was touched.
    pub(crate) async fn apply_path_rules(
        self,
        action: &ActionEvent,
        event: &mut ObservationEvent,
    ) -> Result<(), StepError> {
        let Some(called) = &action.action else {
            return Ok(());
        };
        let roots: Vec<&Path> = self.equipment.roots.iter().map(AsRef::as_ref).collect();
        let Some(path) = activate::touched_path(called, &roots) else {
            return Ok(());
        };
        let known = self.conversation.state.read().activated_path_rules.clone();
        let Some(found) = activate::for_path(&self.equipment.skills, &path, &known) else {
            return Ok(());
        };
        event.extended_content.push(TextContent::new(found.text));
        let all = {
            let mut state = self.conversation.state.write();
            state.activated_path_rules.extend(found.names);
            state.activated_path_rules.clone()
        };
        let mut writer = self.conversation.writer().await;
        writer.tell("activated_path_rules", &all).await?;
        Ok(())
    }
}

/// Loads skills when the model asks for them, and remembers which.
pub(crate) struct SkillInvoker {
    pub(crate) conversation: Weak<Inner>,
    pub(crate) skills: Arc<[Skill]>,
    pub(crate) runtime: Arc<dyn Runtime>,
}

impl ToolExecutor for SkillInvoker {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::InvokeSkill(action) = action else {
                return Err(ToolError::wrong_action(INVOKE_SKILL, &action));
            };
            let workspace = self.runtime.workspace();
            let done = invoke::invoke(&self.skills, &action, workspace, &cx.cancel).await?;
            if let (Some(name), Some(inner)) = (done.invoked, self.conversation.upgrade()) {
                let told = inner.remember_invoked(name).await;
                told.map_err(|error| ToolError::Fatal(error.into()))?;
            }
            Ok(Observation::InvokeSkill(done.observation))
        })
    }
}

impl Inner {
    async fn remember_invoked(&self, name: String) -> Result<(), ConversationError> {
        let all = {
            let mut state = self.state.write();
            if state.invoked_skills.contains(&name) {
                return Ok(());
            }
            state.invoked_skills.push(name);
            state.invoked_skills.clone()
        };
        self.writer().await.tell("invoked_skills", &all).await
    }
}
