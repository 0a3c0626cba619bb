//! Why a conversation cannot be started like this.

use serde_json::{Value, json};

pub(super) const NO_SOURCE: &str =
    "One of `agent`, `agent_settings`, or `agent_profile_id` must be provided";

/// Why a conversation cannot be started like this.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    /// The saved agent is not there.
    #[error("{0}")]
    NotFound(String),
    /// The request itself makes no sense.
    #[error("{0}")]
    Value(String),
    /// The saved agent cannot be started.
    #[error("{0}")]
    Invalid(String),
    /// The saved agent needs what is not there.
    #[error("{0}")]
    Unresolved(Unresolved),
    /// What is kept cannot be read at the moment.
    #[error("{0}")]
    Busy(String),
    /// What is kept cannot be read.
    #[error("{0}")]
    Store(String),
    /// Secrets cannot be opened without a key.
    #[error(
        "Cannot decrypt secrets: cipher not configured. Set OH_SECRET_KEY environment variable."
    )]
    NoKey,
    /// External agents cannot be started.
    #[error("Agents of kind 'acp' cannot be started by this server yet")]
    External,
}

impl LaunchError {
    pub(super) fn value(problem: impl Into<String>) -> Self {
        Self::Value(problem.into())
    }

    /// What a client is told about it, beyond a status.
    pub(crate) fn detail(&self) -> Value {
        let said = self.to_string();
        match self {
            Self::Value(_) => json!([{
                "type": "value_error",
                "loc": ["body"],
                "msg": format!("Value error, {said}"),
                "ctx": {"error": said},
            }]),
            Self::Invalid(_) => json!({"code": "invalid_agent_launch", "message": said}),
            Self::Unresolved(unresolved) => json!({
                "code": "unresolved_profile_references",
                "message": said,
                "dangling_llm_profile_ref": unresolved.llm,
                "dangling_mcp_server_refs": unresolved.servers,
                "dangling_meta_profile_ref": unresolved.rules,
                "dangling_meta_profile_llm_refs": unresolved.rule_llms,
            }),
            Self::NotFound(_) | Self::Busy(_) | Self::Store(_) | Self::NoKey | Self::External => {
                Value::String(said)
            }
        }
    }
}

/// All references of a saved agent that lead nowhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Unresolved {
    /// The saved model.
    pub(crate) llm: Option<String>,
    /// Servers of tools.
    pub(crate) servers: Vec<String>,
    /// Rules for choosing a model.
    pub(crate) rules: Option<String>,
    /// Saved models that the rules name.
    pub(crate) rule_llms: Vec<String>,
}

impl Unresolved {
    /// Whether all references lead somewhere.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// A sentence for each kind of reference.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if let Some(name) = &self.llm {
            problems.push(format!("LLM profile '{name}' not found"));
        }
        if !self.servers.is_empty() {
            let names = self.servers.join(", ");
            problems.push(format!("MCP server(s) not configured: {names}"));
        }
        if let Some(name) = &self.rules {
            problems.push(format!("Meta-profile '{name}' not found"));
        }
        if !self.rule_llms.is_empty() {
            let names = self.rule_llms.join(", ");
            problems.push(format!(
                "LLM profile(s) routed to by the meta-profile not found: {names}"
            ));
        }
        problems
    }
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problems().join("; "))
    }
}
