//! What a conversation lends to hooks: its model, and agents that decide for them.

use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use openhands_llm::ChatModel;
use openhands_protocol::agent::Agent;
use openhands_protocol::llm::Llm;
use openhands_protocol::security::ConfirmationPolicy;
use openhands_protocol::tool::Tool;
use tokio_util::sync::CancellationToken;

use crate::conversation::{Conversation, Inner};
use crate::hooks::{AgentHookAnswer, AgentHookTask, HookMind};
use crate::subagents::agent::plain;
use crate::subagents::child::{Child, Outcome, Plan, RunLimits};

/// A conversation as hooks see it.
#[derive(Debug)]
struct ConversationMind(Weak<Inner>);

impl Conversation {
    /// What hooks that need a model or an agent are lent, for as long as the conversation lives.
    pub fn hook_mind(&self) -> Arc<dyn HookMind> {
        self.inner.hook_mind()
    }
}

impl Inner {
    /// The same, for the conversation's own hooks.
    pub(crate) fn hook_mind(&self) -> Arc<dyn HookMind> {
        Arc::new(ConversationMind(self.me.clone()))
    }
}

impl HookMind for ConversationMind {
    fn model(&self) -> Option<Arc<dyn ChatModel>> {
        let conversation = self.0.upgrade()?;
        let agent = conversation.agent().ok()?;
        conversation.model(&agent.llm).ok()
    }

    fn run_agent(
        &self,
        task: AgentHookTask,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, AgentHookAnswer> {
        Box::pin(async move {
            match self.0.upgrade() {
                Some(conversation) => run(&conversation, task, &cancel).await,
                None => failed("the conversation is gone".to_owned()),
            }
        })
    }
}

/// Runs an agent in memory, without hooks, with the tools that the hook names and `finish`.
async fn run(parent: &Inner, task: AgentHookTask, cancel: &CancellationToken) -> AgentHookAnswer {
    let agent = match parent.agent() {
        Ok(agent) => agent,
        Err(error) => return failed(error.to_string()),
    };
    let llm = Llm {
        usage_id: task.usage_id.clone(),
        timeout: Some(i64::try_from(task.call_timeout.as_secs()).unwrap_or(i64::MAX)),
        stream: false,
        ..agent.llm
    };
    let plan = Plan {
        agent: Agent {
            include_default_tools: vec!["FinishTool".to_owned()],
            system_prompt: task.system_prompt,
            ..plain(llm, task.tools.iter().map(Tool::new).collect())
        },
        hooks: None,
        policy: ConfirmationPolicy::default(),
        limits: RunLimits {
            iterations: i64::from(task.max_iterations),
            budget: None,
        },
        is_kept: false,
        outlives_call: false,
    };
    let child = match Child::begin(parent, plan).await {
        Ok(child) => child,
        Err(error) => return failed(error.to_string()),
    };
    let outcome = child.run(&task.message, cancel).await;
    let usage = vec![(task.usage_id, child.metrics())];
    child.close().await;
    let answer = match outcome {
        Outcome::Completed(answer) => Ok(answer),
        Outcome::Stopped(reason) => Err(reason),
        Outcome::Cancelled => Err("it was cut off".to_owned()),
    };
    AgentHookAnswer { answer, usage }
}

fn failed(reason: String) -> AgentHookAnswer {
    AgentHookAnswer {
        answer: Err(reason),
        usage: Vec::new(),
    }
}
