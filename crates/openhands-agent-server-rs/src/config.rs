//! What the server is told about itself: where things are kept, who may come in, how much it takes on.

use std::path::PathBuf;
use std::time::Duration;

use openhands_protocol::Secret;

/// The settings of a server. Read once from the file and the environment; values are passed on from here.
#[derive(Debug, Clone)]
pub struct Config {
    /// Keys of which a request must have one; none lets everybody in.
    pub session_api_keys: Vec<String>,
    /// Seals secrets on disk.
    pub secret_key: Option<Secret>,
    /// Keys that sealed what is on disk earlier.
    pub previous_secret_keys: Vec<Secret>,
    /// Where conversations are kept.
    pub conversations_path: PathBuf,
    /// Where worktrees of conversations are made.
    pub conversation_worktree_root: PathBuf,
    /// Where settings, profiles, skills and the like of the user are.
    pub persistence_dir: PathBuf,
    /// How many conversations may run at once.
    pub max_concurrent_runs: usize,
    /// How long a lease on a conversation lasts; zero takes none.
    pub lease_ttl: Duration,
    /// After how long an unused conversation is dropped from memory; none keeps it.
    pub conversation_idle_ttl: Option<Duration>,
    /// The environment of commands.
    pub env: Vec<(String, String)>,
    /// Where clients reach the server, for links.
    pub web_url: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            session_api_keys: Vec::new(),
            secret_key: None,
            previous_secret_keys: Vec::new(),
            conversations_path: "workspace/conversations".into(),
            conversation_worktree_root: "/tmp/conversation-worktrees".into(),
            persistence_dir: ".openhands".into(),
            max_concurrent_runs: 10,
            lease_ttl: Duration::from_secs(45),
            conversation_idle_ttl: Some(Duration::from_secs(1200)),
            env: Vec::new(),
            web_url: None,
        }
    }
}
