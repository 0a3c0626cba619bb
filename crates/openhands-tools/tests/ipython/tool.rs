//! The `ipython` tool: what a model gets.

use crate::lab::python;
use openhands_protocol::message::Content;
use openhands_protocol::tool::{IPythonObservation, Observation, Tool};
use openhands_protocol::{ConversationId, JsonObject, Secret, ToolCallId};
use openhands_tools::{
    CallContext, Definitions, Machine, OutputSink, Place, Registry, ToolError, ToolSet,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

struct Called {
    definitions: Definitions,
    tools: ToolSet,
    _directory: tempfile::TempDir,
}

impl Called {
    /// The tool, if there is an ipykernel.
    fn new() -> Option<Self> {
        let python = python()?;
        Some(Self::with(&json!({"interpreter": python})))
    }

    fn with(params: &Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().display().to_string();
        let machine = Machine {
            place: Place {
                working_dir: directory.path().canonicalize().unwrap(),
                persistence_dir: None,
            },
            env: std::env::vars()
                .filter(|(name, _)| name != "HOME")
                .chain([("HOME".to_owned(), home)])
                .collect(),
            ..Machine::default()
        };
        let wanted = [Tool {
            params: JsonObject::from(params.as_object().unwrap().clone()),
            ..Tool::new("ipython")
        }];
        let registry = Registry::standard();
        Self {
            definitions: registry.definitions(&wanted, &machine.place).unwrap(),
            tools: registry.executors(&wanted, &machine).unwrap(),
            _directory: directory,
        }
    }

    fn context() -> CallContext {
        CallContext::detached(ToolCallId::from("call"), ConversationId::random())
    }

    async fn call_with(
        &self,
        arguments: Value,
        cx: CallContext,
    ) -> Result<IPythonObservation, ToolError> {
        let definition = self.definitions.get("ipython").unwrap();
        let action = definition.decode(arguments.as_object().unwrap()).unwrap();
        match self.tools.execute("ipython", action, cx).await? {
            Observation::IPython(observation) => Ok(observation),
            other => panic!("{other:?}"),
        }
    }

    async fn call(&self, arguments: Value) -> IPythonObservation {
        self.call_with(arguments, Self::context()).await.unwrap()
    }
}

fn text(observation: &IPythonObservation) -> String {
    Observation::IPython(observation.clone()).text()
}

#[tokio::test]
async fn cells_keep_their_variables_until_a_reset() {
    let Some(tool) = Called::new() else { return };
    let seen = tool.call(json!({"code": "x = 20"})).await;
    assert_eq!(text(&seen), "[The cell ran and showed nothing.]");
    let seen = tool.call(json!({"code": "x + 1"})).await;
    assert_eq!(text(&seen), "21");
    assert!(!seen.is_error);
    assert_eq!(seen.code.as_deref(), Some("x + 1"));
    assert_eq!(seen.interpreter.as_deref(), python().unwrap().to_str());
    let seen = tool.call(json!({"code": "", "reset": true})).await;
    assert!(text(&seen).contains("fresh IPython kernel"));
    let seen = tool.call(json!({"code": "x"})).await;
    assert!(seen.is_error);
    assert_eq!(seen.exception.as_deref(), Some("NameError"));
}

#[tokio::test]
async fn a_cell_that_takes_too_long_shows_what_it_has_printed() {
    let Some(tool) = Called::new() else { return };
    let code = "print('so far', flush=True); import time; time.sleep(60)";
    let seen = tool.call(json!({"code": code, "timeout": 0.5})).await;
    assert!(
        seen.timeout && seen.is_error && !seen.kernel_lost,
        "{seen:?}"
    );
    let text = text(&seen);
    assert!(text.starts_with("so far\n"), "{text}");
    assert!(
        text.ends_with("[The cell was interrupted after 0.5 seconds.]"),
        "{text}"
    );
}

#[tokio::test]
async fn images_are_parts_of_their_own_and_long_text_is_cut() {
    let Some(tool) = Called::new() else { return };
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==";
    let code = format!(
        "from IPython.display import Image, display\nimport base64\ndisplay(Image(data=base64.b64decode('{png}')))"
    );
    let seen = tool.call(json!({"code": code})).await;
    assert_eq!(
        seen.content,
        [
            Content::text("<IPython.core.display.Image object>"),
            Content::image(format!("data:image/png;base64,{png}")),
        ]
    );
    let seen = tool.call(json!({"code": "print('y' * 100000)"})).await;
    assert_eq!(text(&seen).chars().count(), 30_000);
}

#[tokio::test]
async fn secrets_are_variables_and_output_comes_while_it_runs() {
    let Some(tool) = Called::new() else { return };
    let (output, mut pieces) = OutputSink::channel(16);
    let cx = CallContext {
        env: vec![("OH_TOKEN".to_owned(), Secret::new("s3cret"))],
        output,
        ..Called::context()
    };
    let code = "import os; print(os.environ['OH_TOKEN'][::-1])";
    let seen = tool.call_with(json!({"code": code}), cx).await.unwrap();
    assert_eq!(text(&seen), "terc3s");
    assert_eq!(pieces.recv().await.unwrap(), "terc3s\n");
}

#[tokio::test]
async fn a_cancelled_call_ends_its_cell() {
    let Some(tool) = Called::new() else { return };
    tool.call(json!({"code": "x = 5"})).await;
    let (output, mut pieces) = OutputSink::channel(16);
    let cx = CallContext {
        output,
        ..Called::context()
    };
    let cancel = cx.cancel.clone();
    let code = "print('begun', flush=True); import time; time.sleep(60)";
    let stop = async {
        pieces.recv().await.unwrap();
        cancel.cancel();
    };
    let (seen, ()) = tokio::join!(tool.call_with(json!({"code": code}), cx), stop);
    assert!(text(&seen.unwrap()).ends_with("[The cell was cancelled.]"));
    let seen = tool.call(json!({"code": "x"})).await;
    assert_eq!(text(&seen), "5");
}

#[tokio::test]
async fn a_missing_ipykernel_is_told_to_the_model() {
    // Needs no ipykernel.
    let tool = Called::with(&json!({"interpreter": "/bin/true"}));
    let error = tool
        .call_with(json!({"code": "1"}), Called::context())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("-m pip install ipykernel"),
        "{error}"
    );
}
