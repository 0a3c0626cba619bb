//! Whose call it is, and what it may use.

use std::fmt;
use std::path::PathBuf;

use openhands_protocol::tool::Tool;
use openhands_protocol::{ConversationId, Secret, ToolCallId};
use openhands_tools::Place;
use serde::{Deserialize, Serialize};

/// What `_meta` of a call says. A client that says nothing has tools of its own for its session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallMeta {
    /// Whose tools are used: their state stays, whatever becomes of connections.
    #[serde(
        rename = "openhands.dev/conversation",
        skip_serializing_if = "Option::is_none"
    )]
    pub conversation: Option<ConversationId>,
    /// The id of this call: asked for again, it does not run again.
    #[serde(rename = "openhands.dev/call", skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The id that the model gave it, which need not be the only one of its kind.
    #[serde(
        rename = "openhands.dev/toolCall",
        skip_serializing_if = "Option::is_none"
    )]
    pub tool_call: Option<ToolCallId>,
    /// The call may have been sent before, to the server with this instance id.
    #[serde(
        rename = "openhands.dev/again",
        skip_serializing_if = "Option::is_none"
    )]
    pub again: Option<String>,
    /// What the conversation works with.
    #[serde(
        rename = "openhands.dev/equipment",
        skip_serializing_if = "Option::is_none"
    )]
    pub equipment: Option<Equipment>,
    /// Secrets for this call alone.
    #[serde(rename = "openhands.dev/env", skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, Exposed)>,
}

/// What a conversation works with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Equipment {
    /// The tools that its agent wants.
    pub tools: Vec<Tool>,
    /// The workspace.
    pub working_dir: PathBuf,
    /// Where the conversation keeps its own files, if it keeps any.
    #[serde(default)]
    pub persistence_dir: Option<PathBuf>,
    /// Variables for everything that runs for it.
    #[serde(default)]
    pub env: Vec<(String, Exposed)>,
}

impl Equipment {
    /// Where the tools work.
    pub fn place(&self) -> Place {
        Place {
            working_dir: self.working_dir.clone(),
            persistence_dir: self.persistence_dir.clone(),
        }
    }
}

/// The text of a secret on its way between two servers that may both know it. Only the wire sees it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Exposed(String);

impl Exposed {
    /// Pairs of names and texts; a secret whose text is not known is left out.
    pub fn all(env: &[(String, Secret)]) -> Vec<(String, Self)> {
        env.iter()
            .filter_map(|(name, secret)| Some((name.clone(), Self(secret.expose()?.to_owned()))))
            .collect()
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The secret that it is.
    pub fn into_secret(self) -> Secret {
        Secret::new(self.0)
    }
}

impl fmt::Debug for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("**")
    }
}
