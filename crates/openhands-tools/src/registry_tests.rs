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

#[test]
fn agents_in_one_directory_share_what_models_are_told() {
    let registry = Registry::standard();
    let tools = |directory: &str| {
        let place = Place {
            working_dir: directory.into(),
            ..Place::default()
        };
        let wanted = [Tool::new("terminal"), Tool::new("file_editor")];
        registry.definitions(&wanted, &place).unwrap()
    };
    let same = |one: &Definitions, other: &Definitions, name| {
        Arc::ptr_eq(one.get(name).unwrap(), other.get(name).unwrap())
    };
    let (one, two, elsewhere) = (tools("/one"), tools("/one"), tools("/elsewhere"));
    assert!(same(&one, &two, "terminal") && same(&one, &two, "file_editor"));
    assert!(same(&one, &elsewhere, "terminal") && !same(&one, &elsewhere, "file_editor"));
    let editor = elsewhere.get("file_editor").unwrap();
    assert!(editor.spec().description.contains("/elsewhere"));
}
