use super::*;
use pretty_assertions::assert_eq;

#[test]
fn class_style_names_find_their_tool() {
    for (class, name) in [
        ("TerminalTool", "terminal"),
        ("FileEditorTool", "file_editor"),
        ("ApplyPatchTool", "apply_patch"),
        ("BrowserToolSet", "browser_tool_set"),
        ("terminal", "terminal"),
        ("SwitchLLMTool", "switch_llm"),
        ("XMLHttpRequest", "xml_http_request"),
    ] {
        assert_eq!(tool_name(class), name);
    }
}

#[test]
fn an_unknown_tool_is_named() {
    let wanted = [Tool::new("teleport")];
    let problem = Registry::standard()
        .definitions(&wanted, &Place::default())
        .unwrap_err();
    assert_eq!(
        problem.to_string(),
        "ToolDefinition 'teleport' is not registered"
    );
}

#[test]
fn a_name_that_is_wanted_twice_is_refused() {
    let wanted = [Tool::new("grep"), Tool::new("GrepTool")];
    let problem = Registry::standard()
        .definitions(&wanted, &Place::default())
        .unwrap_err();
    assert_eq!(problem, CreateError::Duplicate("grep".into()));
}
