//! What the model is told about the browser tools, and how their arguments are read.

use super::kind::Kind;
use crate::arguments::{
    Arguments, InvalidArguments, Read, Refused, flag, integer_at_least, one_of, text,
};
use crate::definition::{Hints, ToolDefinition, spec};
use crate::resources::Locks;
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{
    Action, BrowserClickAction, BrowserCloseTabAction, BrowserGetContentAction,
    BrowserGetStateAction, BrowserGetStorageAction, BrowserGoBackAction, BrowserListTabsAction,
    BrowserNavigateAction, BrowserScrollAction, BrowserSetStorageAction,
    BrowserStartRecordingAction, BrowserStopRecordingAction, BrowserSwitchTabAction,
    BrowserTypeAction, ScrollDirection, ToolSpec,
};
use serde_json::{Map, Value, json};

/// The pure half of one browser tool.
#[derive(Debug)]
pub struct BrowserTool {
    kind: Kind,
    spec: ToolSpec,
}

impl BrowserTool {
    /// The definition of one tool.
    pub fn new(kind: Kind) -> Self {
        let mut spec = spec(
            kind.name(),
            kind.class(),
            kind.description(),
            hints(kind),
            schema(kind),
        );
        // All browser tools answer with one kind of observation.
        spec.observation_type = Some("BrowserObservation".to_owned());
        Self { kind, spec }
    }
}

fn hints(kind: Kind) -> Hints {
    let read_only = matches!(
        kind,
        Kind::GetState | Kind::GetContent | Kind::ListTabs | Kind::GetStorage
    );
    Hints {
        read_only,
        destructive: matches!(kind, Kind::CloseTab | Kind::SetStorage),
        idempotent: read_only,
        open_world: matches!(
            kind,
            Kind::Navigate
                | Kind::Click
                | Kind::GetState
                | Kind::GetContent
                | Kind::Type
                | Kind::Scroll
                | Kind::GoBack
        ),
    }
}

fn index(what: &str) -> Value {
    json!({
        "type": "integer",
        "minimum": 0,
        "description": format!("Number of the element to {what}, from the latest browser_get_state."),
    })
}

fn tab(what: &str) -> Value {
    json!({
        "type": "string",
        "description": format!("Id of the tab to {what}: four characters, from browser_list_tabs."),
    })
}

fn switch(description: &str) -> Value {
    json!({"type": "boolean", "default": false, "description": description})
}

fn schema(kind: Kind) -> Value {
    let (properties, required): (Value, &[&str]) = match kind {
        Kind::Navigate => (
            json!({
                "url": {"type": "string", "description": "The address to open."},
                "new_tab": switch("Open it in a tab of its own. Without it: in the tab that is shown."),
            }),
            &["url"],
        ),
        Kind::Click => (
            json!({
                "index": index("click"),
                "new_tab": switch("Open the link in a tab of its own."),
            }),
            &["index"],
        ),
        Kind::Type => (
            json!({
                "index": index("type into"),
                "text": {"type": "string", "description": "What the field shall contain. Empty: clear it."},
            }),
            &["index", "text"],
        ),
        Kind::GetState => (
            json!({"include_screenshot": switch("Add a picture of what the window shows.")}),
            &[],
        ),
        Kind::GetContent => (
            json!({
                "extract_links": switch("Write down where the links lead."),
                "start_from_char": {
                    "type": "integer",
                    "minimum": 0,
                    "default": 0,
                    "description": "The character of the text to begin with, to read on after a cut.",
                },
            }),
            &[],
        ),
        Kind::Scroll => (
            json!({
                "direction": {
                    "type": "string",
                    "enum": ["up", "down"],
                    "default": "down",
                    "description": "Where to go: up or down.",
                },
            }),
            &[],
        ),
        Kind::SwitchTab => (json!({"tab_id": tab("show")}), &["tab_id"]),
        Kind::CloseTab => (json!({"tab_id": tab("close")}), &["tab_id"]),
        Kind::SetStorage => (
            json!({
                "storage_state": {
                    "type": "object",
                    "additionalProperties": true,
                    "description": "An object with `cookies` and `origins`, in the form that browser_get_storage answers with.",
                },
            }),
            &["storage_state"],
        ),
        Kind::GoBack
        | Kind::ListTabs
        | Kind::GetStorage
        | Kind::StartRecording
        | Kind::StopRecording => (json!({}), &[]),
    };
    let mut schema = json!({"type": "object", "properties": properties});
    if let Some(fields) = schema.as_object_mut().filter(|_| !required.is_empty()) {
        fields.insert("required".to_owned(), json!(required));
    }
    schema
}

impl ToolDefinition for BrowserTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = decoded(self.kind, &mut given);
        given.finish()?;
        Ok(action)
    }

    fn locks(&self, _action: &Action) -> Locks {
        // The tools share one window.
        Locks::key("browser:session")
    }
}

/// An object with whatever is in it.
fn dictionary(value: &Value) -> Read<JsonObject> {
    match value {
        Value::Object(fields) => Ok(fields.clone().into()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(vec![Refused::new(
                "dict_type",
                "Input should be a valid dictionary",
            )])
        }
    }
}

fn decoded(kind: Kind, given: &mut Arguments<'_>) -> Action {
    match kind {
        Kind::Navigate => Action::BrowserNavigate(BrowserNavigateAction {
            url: given.required("url", text),
            new_tab: given.or("new_tab", false, flag),
            ..BrowserNavigateAction::default()
        }),
        Kind::Click => Action::BrowserClick(BrowserClickAction {
            index: given.required("index", integer_at_least(0)),
            new_tab: given.or("new_tab", false, flag),
            ..BrowserClickAction::default()
        }),
        Kind::Type => Action::BrowserType(BrowserTypeAction {
            index: given.required("index", integer_at_least(0)),
            text: given.required("text", text),
            ..BrowserTypeAction::default()
        }),
        Kind::GetState => Action::BrowserGetState(BrowserGetStateAction {
            include_screenshot: given.or("include_screenshot", false, flag),
            ..BrowserGetStateAction::default()
        }),
        Kind::GetContent => Action::BrowserGetContent(BrowserGetContentAction {
            extract_links: given.or("extract_links", false, flag),
            start_from_char: given.or("start_from_char", 0, integer_at_least(0)),
            ..BrowserGetContentAction::default()
        }),
        Kind::Scroll => {
            let direction = given.or("direction", "down".to_owned(), one_of(&["up", "down"]));
            Action::BrowserScroll(BrowserScrollAction {
                direction: if direction == "up" {
                    ScrollDirection::Up
                } else {
                    ScrollDirection::Down
                },
                ..BrowserScrollAction::default()
            })
        }
        Kind::GoBack => Action::BrowserGoBack(BrowserGoBackAction::default()),
        Kind::ListTabs => Action::BrowserListTabs(BrowserListTabsAction::default()),
        Kind::SwitchTab => Action::BrowserSwitchTab(BrowserSwitchTabAction {
            tab_id: given.required("tab_id", text),
            ..BrowserSwitchTabAction::default()
        }),
        Kind::CloseTab => Action::BrowserCloseTab(BrowserCloseTabAction {
            tab_id: given.required("tab_id", text),
            ..BrowserCloseTabAction::default()
        }),
        Kind::GetStorage => Action::BrowserGetStorage(BrowserGetStorageAction::default()),
        Kind::SetStorage => Action::BrowserSetStorage(BrowserSetStorageAction {
            storage_state: given.required("storage_state", dictionary),
            ..BrowserSetStorageAction::default()
        }),
        Kind::StartRecording => {
            Action::BrowserStartRecording(BrowserStartRecordingAction::default())
        }
        Kind::StopRecording => Action::BrowserStopRecording(BrowserStopRecordingAction::default()),
    }
}

#[cfg(test)]
#[path = "definition_tests.rs"]
mod tests;
