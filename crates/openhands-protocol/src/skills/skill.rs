//! Knowledge for special tasks.

use indexmap::IndexMap;

use crate::mcp::McpServer;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// Loads a skill when a word occurs.
    pub struct KeywordTrigger ["type" = "keyword"] (default) {
        keywords: Vec<String>,
    }

    /// Loads a skill when a task asks for it.
    pub struct TaskTrigger ["type" = "task"] (default) {
        triggers: Vec<String>,
    }

    /// Loads a skill when a path is touched.
    pub struct PathTrigger ["type" = "path"] (default) {
        paths: Vec<String>,
    }
}

union! {
    /// When a skill is loaded.
    pub enum SkillTrigger by "type" {
        Keyword(KeywordTrigger),
        Task(TaskTrigger),
        Path(PathTrigger),
    }
}

wire! {
    /// An input that a skill asks for.
    pub struct InputMetadata (default) {
        name: String,
        description: String,
    }

    /// Files that belong to a skill.
    pub struct SkillResources (default) {
        skill_root: String,
        scripts: Vec<String> = Vec::new(),
        references: Vec<String> = Vec::new(),
        assets: Vec<String> = Vec::new(),
    }

    /// A skill.
    pub struct Skill (default) {
        name: String,
        content: String,
        trigger: Option<SkillTrigger> = None,
        source: Option<String> = None,
        mcp_tools: Option<IndexMap<String, McpServer>> = None,
        inputs: Vec<InputMetadata> = Vec::new(),
        is_agentskills_format: bool = false,
        version: String = "1.0.0".to_owned(),
        description: Option<String> = None,
        license: Option<String> = None,
        compatibility: Option<String> = None,
        metadata: Option<IndexMap<String, String>> = None,
        allowed_tools: Option<Vec<String>> = None,
        disable_model_invocation: bool = false,
        resources: Option<SkillResources> = None,
    }
}
