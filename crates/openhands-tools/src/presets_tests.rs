use super::*;
use crate::registry::{Place, Registry};
use pretty_assertions::assert_eq;

fn names(preset: &Preset) -> Vec<&str> {
    preset.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn presets_hold_the_tools_of_the_contract() {
    let all = PresetOptions {
        browser: true,
        sub_agents: true,
    };
    assert_eq!(
        names(&Preset::default_agent(all)),
        [
            "terminal",
            "file_editor",
            "task_tracker",
            "browser_tool_set",
            "task_tool_set"
        ]
    );
    assert_eq!(
        names(&Preset::planning()),
        ["glob", "grep", "planning_file_editor"]
    );
    assert_eq!(Preset::planning().condenser.max_size, 100);
    assert_eq!(
        names(&Preset::gpt5(all)),
        [
            "terminal",
            "apply_patch",
            "task_tracker",
            "browser_tool_set"
        ]
    );
}

#[test]
fn presets_without_options_can_be_made_of_the_standard_tools() {
    let none = PresetOptions::default();
    for preset in [
        Preset::default_agent(none),
        Preset::planning(),
        Preset::gemini(none),
        Preset::gpt5(none),
    ] {
        let definitions = Registry::standard()
            .definitions(&preset.tools, &Place::default())
            .unwrap();
        assert_eq!(
            definitions.iter().count(),
            preset.tools.len(),
            "{}",
            preset.name
        );
    }
}
