use openhands_protocol::tool::Tool;
use openhands_protocol::{ConversationId, ToolCallId};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::executor::{CallContext, ToolError};
use crate::registry::{Machine, Place, Registry};

/// The tools that work on files.
const TOOLS: [&str; 7] = [
    "file_editor",
    "planning_file_editor",
    "task_tracker",
    "read_file",
    "write_file",
    "edit",
    "list_directory",
];

/// Values that a confused model might send: the right kind, the wrong kind, the extremes.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-2i64..6).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(
            &[
                "view",
                "create",
                "str_replace",
                "insert",
                "undo_edit",
                "plan",
                "done",
                "a.txt",
                ".",
                "..",
                "d",
                "WS/a.txt",
                "WS/d",
                "WS/new",
                "WS",
                "/",
                "\0",
                "x",
                "\n",
                "",
            ][..]
        )
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(
                prop::sample::select(&["title", "notes", "status", "other"][..])
                    .prop_map(str::to_owned),
                inner,
                0..4,
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn in_workspace(value: Value, root: &str) -> Value {
    if let Value::String(text) = value {
        return Value::String(text.replace("WS", root));
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Arbitrary arguments end in an error or an observation: no tool panics, and none calls the run off.
    #[test]
    fn arbitrary_arguments_never_break_a_file_tool(
        tool in prop::sample::select(&TOOLS[..]),
        values in prop::collection::vec(any_value(), 8),
        leave_out in any::<u8>(),
        extra in proptest::option::of(any_value()),
    ) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.txt"), "one\ntwo\n").unwrap();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        let root = dir.path().display().to_string();
        let place = Place { working_dir: dir.path().to_path_buf(), persistence_dir: Some(dir.path().to_path_buf()) };
        let registry = Registry::standard();
        let wanted = [Tool::new(tool)];
        let definitions = registry.definitions(&wanted, &place).unwrap();
        let tools = registry.executors(&wanted, &Machine { place, ..Machine::default() }).unwrap();
        let definition = definitions.get(tool).unwrap();
        let schema = &definition.spec().input_schema.0;
        let names = schema.get("properties").and_then(Value::as_object).unwrap().keys();
        let mut arguments: Map<String, Value> = names.zip(values).enumerate()
            .filter(|(bit, _)| leave_out & (1 << bit) == 0)
            .map(|(_, (name, value))| (name.clone(), in_workspace(value, &root)))
            .collect();
        if let Some(extra) = extra {
            arguments.insert("surprise".to_owned(), extra);
        }
        // Nothing outside the directory is touched: paths that lead out are given, but only to look at.
        let leads_out = |name: &str| arguments.get(name).and_then(Value::as_str)
            .is_some_and(|path| !path.starts_with(&root) && (path.starts_with('/') || path.contains("..")));
        prop_assume!(!["path", "file_path"].iter().any(|name| leads_out(name)));
        if let Ok(action) = definition.decode(&arguments) {
            let context = CallContext::detached(ToolCallId::new("t"), ConversationId::random());
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let result = runtime.block_on(tools.execute(tool, action, context));
            prop_assert!(!matches!(result, Err(ToolError::Fatal(_) | ToolError::Failed(_))), "{:?}", result);
        }
    }
}

#[test]
fn every_file_tool_explains_itself() {
    let place = Place {
        working_dir: "/workspace".into(),
        persistence_dir: None,
    };
    let wanted = TOOLS.map(Tool::new);
    let definitions = Registry::standard().definitions(&wanted, &place).unwrap();
    for tool in definitions.iter() {
        let spec = tool.spec();
        assert!(spec.description.len() > 200, "{}", spec.name);
        let properties = spec
            .input_schema
            .0
            .get("properties")
            .and_then(Value::as_object)
            .unwrap();
        for (name, property) in properties {
            assert!(
                property.get("description").is_some(),
                "{} {name}",
                spec.name
            );
        }
        let hints = spec.annotations.as_ref().unwrap();
        let table = match spec.name.as_str() {
            "file_editor" | "edit" | "write_file" => [false, true, false, false],
            "planning_file_editor" => [false, false, false, false],
            "read_file" | "list_directory" => [true, false, true, false],
            "task_tracker" => [false, false, true, false],
            other => panic!("{other} is not in the table"),
        };
        let given = [
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        ];
        assert_eq!(given, table, "{}", spec.name);
    }
}

#[test]
fn calls_on_one_file_share_a_lock_whatever_tool_they_use() {
    let place = Place {
        working_dir: "/workspace".into(),
        persistence_dir: None,
    };
    let wanted = TOOLS.map(Tool::new);
    let definitions = Registry::standard().definitions(&wanted, &place).unwrap();
    for (tool, arguments) in [
        (
            "file_editor",
            json!({"command": "view", "path": "/workspace/./a.txt"}),
        ),
        (
            "planning_file_editor",
            json!({"command": "view", "path": "/workspace/a.txt"}),
        ),
        ("read_file", json!({"file_path": "a.txt"})),
        (
            "write_file",
            json!({"file_path": "x/../a.txt", "content": ""}),
        ),
        (
            "edit",
            json!({"file_path": "/workspace/a.txt", "old_string": "", "new_string": ""}),
        ),
    ] {
        let definition = definitions.get(tool).unwrap();
        let action = definition.decode(arguments.as_object().unwrap()).unwrap();
        let locks = definition.locks(&action);
        assert_eq!(
            locks.keys().collect::<Vec<_>>(),
            ["file:/workspace/a.txt"],
            "{tool}"
        );
    }
}
