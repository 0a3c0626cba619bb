use std::path::Path;

use openhands_protocol::tool::Observation;
use openhands_protocol::{ConversationId, ToolCallId};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{ApplyPatchExecutor, ApplyPatchTool};
use crate::definition::ToolDefinition;
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::search::{glob_tool::GlobTool, grep_tool::GrepTool};

fn decoded(patch: &str) -> openhands_protocol::tool::Action {
    let arguments = json!({ "patch": patch });
    ApplyPatchTool::new(Path::new("/ws"))
        .decode(arguments.as_object().unwrap())
        .unwrap()
}

#[test]
fn every_file_of_a_patch_is_locked_as_the_editor_locks_it() {
    let patch = "*** Begin Patch\n*** Update File: a/../b\n*** Move to: c\n*** Add File: /ws/d\n+x\n*** End Patch";
    let locks = ApplyPatchTool::new(Path::new("/ws")).locks(&decoded(patch));
    assert_eq!(
        locks.keys().collect::<Vec<_>>(),
        ["file:/ws/b", "file:/ws/c", "file:/ws/d"]
    );
}

/// The description shows a patch; it must be one that the tool takes.
#[tokio::test]
async fn the_example_in_the_description_applies() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let cart = "class Basket:\n    def total(self):\n        return 0\n\nclass Cart:\n    def total(self):\n        \
                amount = sum(item.price for item in self.items)\n        return amount\n\ndef main():\n    print(cart.total)\n";
    write("src/shop/cart.py", cart);
    write("docs/draft.md", "# Draft\n");
    write("src/old_cart.py", "");
    let tool = ApplyPatchTool::new(dir.path());
    let description = &tool.spec().description;
    let (_, after) = description.split_once("*** Begin Patch\n").unwrap();
    let (body, _) = after.split_once("*** End Patch").unwrap();
    let context = CallContext::detached(ToolCallId::new("call"), ConversationId::random());
    let action = decoded(&format!("*** Begin Patch\n{body}*** End Patch"));
    let observation = ApplyPatchExecutor::new(dir.path())
        .execute(action, context)
        .await
        .unwrap();
    assert_eq!(observation.text(), "Done!");
    let Observation::ApplyPatch(observation) = observation else {
        panic!("another kind")
    };
    assert_eq!(observation.fuzz, 0);
    let cart = std::fs::read_to_string(dir.path().join("src/shop/cart.py")).unwrap();
    assert!(cart.contains("return round(amount, 2)") && cart.contains("print(cart.total())"));
    assert!(
        dir.path().join("docs/shop.md").exists() && !dir.path().join("src/old_cart.py").exists()
    );
}

#[tokio::test]
async fn an_action_of_another_tool_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = json!({"pattern": "x"});
    let action = GrepTool::new(dir.path())
        .decode(arguments.as_object().unwrap())
        .unwrap();
    let context = CallContext::detached(ToolCallId::new("call"), ConversationId::random());
    let outcome = ApplyPatchExecutor::new(dir.path())
        .execute(action, context)
        .await;
    assert!(matches!(outcome, Err(ToolError::Failed(_))));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
        Just(Value::from(
            "*** Begin Patch\n*** Add File: ../x\n+y\n*** End Patch"
        )),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(".{0,6}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_arguments() -> impl Strategy<Value = Map<String, Value>> {
    let names = prop::sample::select(vec!["patch", "pattern", "path", "include", "other"]);
    prop::collection::hash_map(names, any_json(), 0..4).prop_map(|fields| {
        fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    })
}

proptest! {
    /// Whatever a model sends is decoded or refused, and what is decoded can be locked and executed.
    #[test]
    fn any_arguments_are_decoded_or_refused(arguments in any_arguments()) {
        let dir = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let tools: [(Box<dyn ToolDefinition>, Box<dyn ToolExecutor>); 3] = [
            (Box::new(ApplyPatchTool::new(dir.path())), Box::new(ApplyPatchExecutor::new(dir.path()))),
            (Box::new(GrepTool::new(dir.path())), Box::new(crate::search::grep_tool::GrepExecutor::new(dir.path()))),
            (Box::new(GlobTool::new(dir.path())), Box::new(crate::search::glob_tool::GlobExecutor::new(dir.path(), None))),
        ];
        for (definition, executor) in tools {
            match definition.decode(&arguments) {
                Ok(action) => {
                    let _ = definition.locks(&action);
                    // A path of its own could be `/`, and searching that is no part of this test.
                    if !arguments.contains_key("path") {
                        let context = CallContext::detached(ToolCallId::new("call"), ConversationId::random());
                        let _ = runtime.block_on(executor.execute(action, context));
                    }
                }
                Err(invalid) => prop_assert!(!invalid.errors.is_empty()),
            }
        }
    }
}
