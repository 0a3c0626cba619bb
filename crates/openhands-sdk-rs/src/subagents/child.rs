//! One sub-agent: a conversation that another one starts, runs to its end and closes.

use std::sync::Arc;

use openhands_protocol::agent::{Agent, AgentDefinition, AgentSpec};
use openhands_protocol::hooks::HookConfig;
use openhands_protocol::llm::Metrics;
use openhands_protocol::message::{Message, Role};
use openhands_protocol::secrets::SecretInput;
use openhands_protocol::security::ConfirmationPolicy;
use openhands_protocol::{ConversationId, Event};
use tokio_util::sync::CancellationToken;

use crate::conversation::{
    Conversation, ConversationConfig, ConversationError, Host, Inner, RunEnd, Unsaved,
};
use crate::subagents::agent::{agent_of, policy};
use crate::subagents::scope::Scope;
use crate::subagents::usage;

/// Where a conversation keeps those of its sub-agents.
const DIRECTORY: &str = "subagents";

/// How much a sub-agent may do in one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunLimits {
    /// Steps.
    pub(crate) iterations: i64,
    /// Money, in US dollars.
    pub(crate) budget: Option<f64>,
}

/// What a sub-agent is to be.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) agent: Agent,
    pub(crate) hooks: Option<HookConfig>,
    pub(crate) policy: ConfirmationPolicy,
    pub(crate) limits: RunLimits,
    /// Whether it is kept where its parent is; if not, in memory.
    pub(crate) is_kept: bool,
    /// Whether it waits for more work when the call that it works for is over.
    pub(crate) outlives_call: bool,
}

/// How the run of a sub-agent ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With this as its last word, which may be empty.
    Completed(String),
    /// Without an answer, for this reason, with what it had by then.
    Stopped(String),
    /// The call that started it was cut off.
    Cancelled,
}

/// A sub-agent.
#[derive(Debug)]
pub(crate) struct Child {
    conversation: Conversation,
    limits: RunLimits,
    outlives_call: bool,
}

impl Plan {
    /// What a definition asks for. The error is prose for the model.
    pub(crate) async fn of(
        parent: &Inner,
        definition: &AgentDefinition,
        scope: Scope,
    ) -> Result<Self, String> {
        let inherited = parent.state.read().max_iterations;
        Ok(Self {
            agent: agent_of(parent, definition, scope).await?,
            hooks: definition.hooks.clone(),
            policy: policy(parent, definition),
            limits: RunLimits {
                iterations: definition.max_iteration_per_run.unwrap_or(inherited),
                budget: definition
                    .max_budget_per_run
                    .or(parent.extras.max_budget_per_run),
            },
            is_kept: true,
            outlives_call: false,
        })
    }

    fn unsaved(&self, parent: &Inner) -> Unsaved {
        Unsaved {
            max_budget_per_run: self.limits.budget,
            agent_definitions: parent.extras.agent_definitions.clone(),
            cache_key: Some(parent.id),
            root: Some(parent.extras.root.unwrap_or(parent.id)),
            ..Unsaved::default()
        }
    }
}

/// The host of a conversation's sub-agents: its own, except for where they are kept. The lease of the parent covers them.
fn host(parent: &Inner, is_kept: bool) -> Arc<Host> {
    let mut host = Host::clone(&parent.host);
    host.directory = parent
        .directory()
        .filter(|_| is_kept)
        .map(|directory| directory.join(DIRECTORY));
    host.owner = None;
    Arc::new(host)
}

impl Child {
    /// Begins one. It does nothing yet.
    pub(crate) async fn begin(parent: &Inner, plan: Plan) -> Result<Self, ConversationError> {
        let unsaved = plan.unsaved(parent);
        let working_dir = parent.place().working_dir;
        let config = ConversationConfig {
            max_iterations: plan.limits.iterations,
            confirmation_policy: plan.policy,
            hook_config: plan.hooks,
            secrets: parent.secrets.export().secret_sources,
            unsaved,
            ..ConversationConfig::new(plan.agent, working_dir)
        };
        let host = host(parent, plan.is_kept);
        Ok(Self {
            conversation: Conversation::create(&host, config).await?,
            limits: plan.limits,
            outlives_call: plan.outlives_call,
        })
    }

    /// Takes one up that was closed. Its agent and its secrets are made anew: the disk may not have their keys.
    pub(crate) async fn resume(
        parent: &Inner,
        id: ConversationId,
        plan: Plan,
    ) -> Result<Self, ConversationError> {
        let unsaved = plan.unsaved(parent);
        let host = host(parent, plan.is_kept);
        let conversation = Box::pin(Conversation::open_with(&host, id, unsaved)).await?;
        let child = Self {
            conversation,
            limits: plan.limits,
            outlives_call: plan.outlives_call,
        };
        child.renew(parent, plan);
        Ok(child)
    }

    /// Takes up one that rested in memory.
    pub(crate) fn wake(parent: &Inner, conversation: Conversation, plan: Plan) -> Self {
        let child = Self {
            conversation,
            limits: plan.limits,
            outlives_call: plan.outlives_call,
        };
        child.renew(parent, plan);
        child
    }

    fn renew(&self, parent: &Inner, plan: Plan) {
        let inner = &self.conversation.inner;
        {
            let mut state = inner.state.write();
            state.agent = AgentSpec::Agent(plan.agent);
            state.confirmation_policy = plan.policy;
            state.max_iterations = plan.limits.iterations;
        }
        let secrets = parent.secrets.export().secret_sources.into_iter();
        inner
            .secrets
            .merge(secrets.map(|(name, source)| (name, SecretInput::Source(source))));
    }

    /// Whether the directory of a sub-agent is there.
    pub(crate) async fn is_on_disk(parent: &Inner, id: ConversationId) -> bool {
        match host(parent, true).directory_of(id) {
            Some(directory) => tokio::fs::try_exists(directory).await.unwrap_or(false),
            None => false,
        }
    }

    /// Its conversation.
    pub(crate) fn id(&self) -> ConversationId {
        self.conversation.id()
    }

    /// Gives it a task and lets it work until it has answered, failed, or the token says that nobody waits any more.
    /// Actions that wait for the user are approved: there is no user here.
    pub(crate) async fn run(&self, task: &str, cancel: &CancellationToken) -> Outcome {
        let mut gives_up = GivesUp(Some(&self.conversation));
        let from = self.conversation.events().len();
        let ended = self.work(task, cancel).await;
        // It has ended by itself: there is nothing to give up.
        gives_up.0 = None;
        let reason = match ended {
            Ok(Some(RunEnd::Finished)) => match self.conversation.final_response().await {
                Ok(answer) => return Outcome::Completed(answer),
                Err(error) => error.to_string(),
            },
            Ok(None) => return Outcome::Cancelled,
            Ok(Some(_)) => match self.why_it_stopped(from).await {
                Ok(reason) => reason,
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        Outcome::Stopped(reason)
    }

    async fn work(
        &self,
        task: &str,
        cancel: &CancellationToken,
    ) -> Result<Option<RunEnd>, ConversationError> {
        let message = Message::text(Role::User, task);
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(None),
            sent = self.conversation.send_message(message) => sent?,
        };
        self.run_approving(cancel).await
    }

    /// Runs until it is over; none if it was cut off.
    async fn run_approving(
        &self,
        cancel: &CancellationToken,
    ) -> Result<Option<RunEnd>, ConversationError> {
        // Each approval begins a new run, whose steps are counted anew: so approvals are counted too.
        for _ in 0..=self.limits.iterations.max(1) {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            self.conversation.run().await?;
            let end = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.cut_off().await?;
                    return Ok(None);
                }
                end = self.conversation.wait() => end.unwrap_or(RunEnd::Finished),
            };
            if end != RunEnd::AwaitingConfirmation {
                return Ok(Some(end));
            }
        }
        Ok(Some(RunEnd::IterationLimit))
    }

    /// Ends its run at once. One that waits for more work keeps its shell; the shell of any other is ended with all that
    /// runs in it, which is quicker than to ask it to stop.
    async fn cut_off(&self) -> Result<(), ConversationError> {
        if self.outlives_call {
            return self.conversation.interrupt().await;
        }
        let (interrupted, ()) =
            tokio::join!(self.conversation.interrupt(), self.conversation.rest());
        interrupted
    }

    /// Why it stopped without an answer, and what it had said by then.
    async fn why_it_stopped(&self, from: u64) -> Result<String, ConversationError> {
        let events = self.conversation.events();
        let mut reason = None;
        for index in (from..events.len()).rev() {
            if events.kind_at(index).as_deref() != Some("ConversationErrorEvent") {
                continue;
            }
            for stored in events.range(index..index + 1).await? {
                if let Event::ConversationError(error) = stored.event() {
                    reason = Some(error.detail.clone());
                }
            }
            break;
        }
        let reason = reason.unwrap_or_else(|| {
            format!(
                "Sub-agent stopped without finishing (status: {}).",
                self.conversation.status()
            )
        });
        let partial = self.conversation.final_response().await?;
        Ok(if partial.is_empty() {
            reason
        } else {
            format!("{reason}\nPartial result:\n{partial}")
        })
    }

    /// What it has used of models since it began.
    pub(crate) fn metrics(&self) -> Metrics {
        self.conversation
            .state(|state| usage::combined(&state.stats))
    }

    /// What it has used of models since it began, is booked with its parent. It replaces what was booked before.
    pub(crate) fn book(&self, parent: &Inner, usage_id: String) {
        let metrics = self.metrics();
        let mut state = parent.state.write();
        state.stats.usage_to_metrics.insert(usage_id, metrics);
    }

    /// Gives up its shell and its servers until it is needed again.
    pub(crate) async fn rest(&self) {
        self.conversation.rest().await;
    }

    /// Ends its shell and its servers, and gives up its directory. One that is kept in memory is given back, because
    /// there is no other place from which it could be taken up.
    pub(crate) async fn close(self) -> Option<Conversation> {
        if self.conversation.inner.directory().is_none() {
            self.conversation.rest().await;
            return Some(self.conversation);
        }
        if let Err(error) = self.conversation.close().await {
            tracing::warn!(conversation = %self.conversation.id(), %error, "a sub-agent cannot be closed");
        }
        None
    }
}

/// Cuts a conversation off for good if the work on it is dropped.
struct GivesUp<'a>(Option<&'a Conversation>);

impl Drop for GivesUp<'_> {
    fn drop(&mut self) {
        if let Some(conversation) = self.0 {
            conversation.inner.stop.cancel();
        }
    }
}
