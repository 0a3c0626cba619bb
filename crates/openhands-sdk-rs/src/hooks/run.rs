//! Asking the hooks of a conversation at each of the six moments.

use std::sync::Arc;

use openhands_protocol::ConversationId;
use openhands_protocol::event::{
    ActionEvent, HookEventType, MessageEvent, ObservationEvent, Source,
};
use openhands_protocol::hooks::{HookConfig, HookDefinition, HookType};
use openhands_runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::hooks::command::{self, Background};
use crate::hooks::evaluate::{self, HookMind, HookUsage};
use crate::hooks::input::{HookInput, Session};
use crate::hooks::outcome::{self, HookOutcome};
use crate::hooks::verdict::Verdict;
use crate::hooks::{config, matches};
use crate::secrets::{Masker, Registry};

/// The hooks of one conversation. With none configured, asking costs a comparison. Clones share what runs in the
/// background; when the last one is dropped, that ends.
#[derive(Clone, Default)]
pub struct Hooks(Option<Arc<Inner>>);

/// What hooks need.
pub struct HookSetup {
    /// Which hooks there are.
    pub config: HookConfig,
    /// Where commands run.
    pub runtime: Arc<dyn Runtime>,
    /// Which conversation it is.
    pub conversation: ConversationId,
    /// What must not be seen in what hooks say.
    pub secrets: Registry,
    /// Models and agents, for the hooks that need one.
    pub mind: Option<Arc<dyn HookMind>>,
}

struct Inner {
    config: HookConfig,
    runtime: Arc<dyn Runtime>,
    session: Session,
    secrets: Registry,
    mind: Option<Arc<dyn HookMind>>,
    background: Background,
}

impl std::fmt::Debug for HookSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookSetup")
            .field("config", &self.config)
            .field("conversation", &self.conversation)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let config = self.0.as_ref().map(|inner| &inner.config);
        f.debug_tuple("Hooks").field(&config).finish()
    }
}

impl Hooks {
    /// The hooks of a conversation.
    pub fn new(setup: HookSetup) -> Self {
        if config::is_empty(&setup.config) {
            return Self::none();
        }
        let working_dir = setup.runtime.workspace().root().display().to_string();
        Self(Some(Arc::new(Inner {
            config: setup.config,
            session: Session {
                id: setup.conversation,
                working_dir,
            },
            runtime: setup.runtime,
            secrets: setup.secrets,
            mind: setup.mind,
            background: Background::default(),
        })))
    }

    /// No hooks.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Whether there are no hooks at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Before a tool call: hooks can forbid it. An action that could not be read is not asked about.
    pub async fn pre_tool_use(
        &self,
        action: &ActionEvent,
        cancel: &CancellationToken,
    ) -> HookOutcome {
        let tool = Some(action.tool_name.as_str());
        match self.hooks_for(HookEventType::PreToolUse, tool) {
            Some((inner, hooks)) if action.action.is_some() => {
                let input = HookInput::tool_call(&inner.session, action);
                inner.ask(&hooks, &input, cancel).await
            }
            _ => HookOutcome::default(),
        }
    }

    /// After a tool call: hooks take note. The observation is that which is to be stored.
    pub async fn post_tool_use(
        &self,
        action: &ActionEvent,
        observation: &ObservationEvent,
        cancel: &CancellationToken,
    ) -> HookOutcome {
        let tool = Some(observation.tool_name.as_str());
        match self.hooks_for(HookEventType::PostToolUse, tool) {
            Some((inner, hooks)) => {
                let input = HookInput::tool_result(&inner.session, action, observation);
                inner.ask(&hooks, &input, cancel).await
            }
            None => HookOutcome::default(),
        }
    }

    /// Before a message of the user is answered: hooks can forbid that and add context. Messages of others are not
    /// asked about.
    pub async fn user_prompt_submit(
        &self,
        message: &MessageEvent,
        cancel: &CancellationToken,
    ) -> HookOutcome {
        match self.hooks_for(HookEventType::UserPromptSubmit, None) {
            Some((inner, hooks)) if message.header.source == Source::User => {
                let input = HookInput::message(&inner.session, message);
                inner.ask(&hooks, &input, cancel).await
            }
            _ => HookOutcome::default(),
        }
    }

    /// When a conversation begins: hooks can add context, which goes to the model after the system prompt.
    pub async fn session_start(&self, cancel: &CancellationToken) -> HookOutcome {
        self.ask_plain(HookEventType::SessionStart, cancel).await
    }

    /// When a conversation ends. Afterwards nothing of it runs in the background any more.
    pub async fn session_end(&self, cancel: &CancellationToken) -> HookOutcome {
        let outcome = self.ask_plain(HookEventType::SessionEnd, cancel).await;
        if let Some(inner) = &self.0 {
            inner.background.end().await;
        }
        outcome
    }

    /// When the agent wants to stop: hooks can forbid it and say what is missing.
    pub async fn stop(&self, reason: Option<&str>, cancel: &CancellationToken) -> HookOutcome {
        match self.hooks_for(HookEventType::Stop, None) {
            Some((inner, hooks)) => {
                let input = HookInput::stop(&inner.session, reason);
                inner.ask(&hooks, &input, cancel).await
            }
            None => HookOutcome::default(),
        }
    }

    async fn ask_plain(&self, event: HookEventType, cancel: &CancellationToken) -> HookOutcome {
        match self.hooks_for(event, None) {
            Some((inner, hooks)) => {
                let input = HookInput::plain(&inner.session, event);
                inner.ask(&hooks, &input, cancel).await
            }
            None => HookOutcome::default(),
        }
    }

    /// The hooks that are to be asked, in order; none if there are none.
    fn hooks_for(
        &self,
        event: HookEventType,
        tool: Option<&str>,
    ) -> Option<(&Inner, Vec<&HookDefinition>)> {
        let inner = self.0.as_deref()?;
        let meant = config::matchers(&inner.config, event)
            .iter()
            .filter(|matcher| matches(&matcher.matcher, tool));
        let hooks: Vec<_> = meant.flat_map(|matcher| &matcher.hooks).collect();
        (!hooks.is_empty()).then_some((inner, hooks))
    }

    #[cfg(test)]
    pub(super) fn background_count(&self) -> usize {
        self.0.as_ref().map_or(0, |inner| inner.background.count())
    }
}

/// Whether hooks can forbid what happens at a moment; then the first that does is the last one asked.
fn can_block(event: HookEventType) -> bool {
    match event {
        HookEventType::PreToolUse | HookEventType::UserPromptSubmit | HookEventType::Stop => true,
        HookEventType::PostToolUse | HookEventType::SessionStart | HookEventType::SessionEnd => {
            false
        }
    }
}

/// Whether context that hooks give at a moment has a place to go.
fn takes_context(event: HookEventType) -> bool {
    match event {
        HookEventType::UserPromptSubmit | HookEventType::SessionStart | HookEventType::Stop => true,
        HookEventType::PreToolUse | HookEventType::PostToolUse | HookEventType::SessionEnd => false,
    }
}

impl Inner {
    /// Asks the hooks one after the other.
    async fn ask(
        &self,
        hooks: &[&HookDefinition],
        input: &HookInput,
        cancel: &CancellationToken,
    ) -> HookOutcome {
        let masker = self.masker(cancel).await;
        let mut outcome = HookOutcome::default();
        let mut context = Vec::new();
        for hook in hooks {
            if cancel.is_cancelled() {
                outcome.cancelled = true;
                break;
            }
            let (mut verdict, usage) = self.execute(hook, input, &masker, cancel).await;
            outcome::mask(&mut verdict, &masker);
            outcome
                .events
                .push(outcome::event(hook, input, &verdict, &masker));
            outcome.usage.extend(usage);
            if verdict.cancelled {
                outcome.cancelled = true;
                break;
            }
            if let Some(error) = &verdict.error {
                let event = input.event_type.as_str();
                tracing::warn!(%error, event, hook = outcome::label(hook), "a hook failed");
            }
            let said = verdict.additional_context.take();
            context.extend(said.filter(|text| !text.is_empty() && takes_context(input.event_type)));
            if can_block(input.event_type) && verdict.blocked {
                outcome.blocked = verdict.blocking_reason();
                break;
            }
        }
        outcome.context = (!context.is_empty()).then(|| context.join("\n"));
        outcome
    }

    async fn execute(
        &self,
        hook: &HookDefinition,
        input: &HookInput,
        masker: &Masker,
        cancel: &CancellationToken,
    ) -> (Verdict, Vec<HookUsage>) {
        let mind = self.mind.as_deref();
        let verdict = match &hook.kind {
            HookType::Prompt => {
                return evaluate::ask_model(mind, hook, input, masker, cancel).await;
            }
            HookType::Agent => {
                return evaluate::ask_agent(mind, hook, input, masker, cancel).await;
            }
            HookType::Command if hook.is_async => self.background.start(&self.runtime, hook, input),
            HookType::Command => command::run(self.runtime.workspace(), hook, input, cancel).await,
            HookType::Other(kind) => Verdict::failed(format!("There are no '{kind}' hooks")),
        };
        (verdict, Vec::new())
    }

    /// Hides what is known; values that are still to be fetched are not waited for by someone who cancelled.
    async fn masker(&self, cancel: &CancellationToken) -> Masker {
        tokio::select! {
            biased;
            masker = self.secrets.masker() => masker,
            () = cancel.cancelled() => self.secrets.known_masker(),
        }
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
