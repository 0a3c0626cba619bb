//! Ready-made sets of tools for an agent.

use openhands_protocol::tool::Tool;

/// A set of tools and how its history is condensed.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    /// Name of the preset.
    pub name: &'static str,
    /// The tools, in the order that the model sees.
    pub tools: Vec<Tool>,
    /// When and how the history is summarised.
    pub condenser: CondenserPreset,
}

/// The summarising condenser of a preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CondenserPreset {
    /// Events after which the history is condensed.
    pub max_size: usize,
    /// Events at the beginning that always stay.
    pub keep_first: usize,
    /// Under which name its model calls are counted.
    pub usage_id: &'static str,
}

/// What a preset leaves out or adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PresetOptions {
    /// Browser tools, where a browser can run.
    pub browser: bool,
    /// Sub-agents.
    pub sub_agents: bool,
}

const SUMMARIZING: CondenserPreset = CondenserPreset {
    max_size: 80,
    keep_first: 4,
    usage_id: "condenser",
};

impl Preset {
    /// The usual coding agent.
    pub fn default_agent(options: PresetOptions) -> Self {
        let mut preset = Self::of(
            "default",
            &["terminal", "file_editor", "task_tracker"],
            options,
        );
        if options.sub_agents {
            preset.tools.push(Tool::new("task_tool_set"));
        }
        preset
    }

    /// An agent that reads and writes a plan, and changes nothing else.
    pub fn planning() -> Self {
        Self {
            condenser: CondenserPreset {
                max_size: 100,
                keep_first: 6,
                usage_id: "planning_condenser",
            },
            ..Self::of(
                "planning",
                &["glob", "grep", "planning_file_editor"],
                PresetOptions::default(),
            )
        }
    }

    /// The file tools that Gemini models know.
    pub fn gemini(options: PresetOptions) -> Self {
        Self::of(
            "gemini",
            &[
                "terminal",
                "read_file",
                "write_file",
                "edit",
                "list_directory",
                "task_tracker",
            ],
            options,
        )
    }

    /// The patch format that GPT-5 models know.
    pub fn gpt5(options: PresetOptions) -> Self {
        Self::of(
            "gpt5",
            &["terminal", "apply_patch", "task_tracker"],
            options,
        )
    }

    fn of(name: &'static str, tools: &[&str], options: PresetOptions) -> Self {
        let browser = options.browser.then_some("browser_tool_set");
        Self {
            name,
            tools: tools
                .iter()
                .copied()
                .chain(browser)
                .map(Tool::new)
                .collect(),
            condenser: SUMMARIZING,
        }
    }
}

#[cfg(test)]
#[path = "presets_tests.rs"]
mod tests;
