use super::{BrowserTool, Kind};
use crate::definition::ToolDefinition;
use crate::schema::{Additions, parameters};
use openhands_protocol::tool::{Action, BrowserGetContentAction, ScrollDirection};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

fn decode(kind: Kind, arguments: &Value) -> Result<Action, String> {
    BrowserTool::new(kind)
        .decode(arguments.as_object().unwrap())
        .map_err(|error| error.to_string())
}

#[test]
fn names_types_and_hints_are_those_of_the_contract() {
    // name: read only, destructive, idempotent, open world
    let table = [
        ("browser_navigate", [false, false, false, true]),
        ("browser_click", [false, false, false, true]),
        ("browser_get_state", [true, false, true, true]),
        ("browser_get_content", [true, false, true, true]),
        ("browser_type", [false, false, false, true]),
        ("browser_scroll", [false, false, false, true]),
        ("browser_go_back", [false, false, false, true]),
        ("browser_list_tabs", [true, false, true, false]),
        ("browser_switch_tab", [false, false, false, false]),
        ("browser_close_tab", [false, true, false, false]),
        ("browser_get_storage", [true, false, true, false]),
        ("browser_set_storage", [false, true, false, false]),
        ("browser_start_recording", [false, false, false, false]),
        ("browser_stop_recording", [false, false, false, false]),
    ];
    for (kind, (name, hints)) in Kind::ALL.into_iter().zip(table) {
        let tool = BrowserTool::new(kind);
        let spec = tool.spec();
        assert_eq!(spec.name, name);
        assert_eq!(spec.observation_type.as_deref(), Some("BrowserObservation"));
        assert_eq!(spec.action_type, format!("{}Action", kind.class()));
        let given = spec.annotations.as_ref().unwrap();
        assert_eq!(given.title.as_deref(), Some(name));
        assert_eq!(
            [
                given.read_only_hint,
                given.destructive_hint,
                given.idempotent_hint,
                given.open_world_hint
            ],
            hints,
            "{name}"
        );
        let action = Action::BrowserGetContent(BrowserGetContentAction::default());
        assert_eq!(
            tool.locks(&action).keys().collect::<Vec<_>>(),
            ["browser:session"]
        );
    }
}

#[test]
fn parameters_have_the_contracts_names_and_types() {
    let table = json!({
        "browser_navigate": {"url": "string", "new_tab": "boolean", "required": ["url"]},
        "browser_click": {"index": "integer", "new_tab": "boolean", "required": ["index"]},
        "browser_get_state": {"include_screenshot": "boolean"},
        "browser_get_content": {"extract_links": "boolean", "start_from_char": "integer"},
        "browser_type": {"index": "integer", "text": "string", "required": ["index", "text"]},
        "browser_scroll": {"direction": "string"},
        "browser_go_back": {},
        "browser_list_tabs": {},
        "browser_switch_tab": {"tab_id": "string", "required": ["tab_id"]},
        "browser_close_tab": {"tab_id": "string", "required": ["tab_id"]},
        "browser_get_storage": {},
        "browser_set_storage": {"storage_state": "object", "required": ["storage_state"]},
        "browser_start_recording": {},
        "browser_stop_recording": {},
    });
    let additions = Additions {
        security_risk: true,
        summary: true,
    };
    for kind in Kind::ALL {
        let tool = BrowserTool::new(kind);
        let given = parameters(tool.spec(), additions).0;
        let mut seen = serde_json::Map::new();
        for (name, property) in given["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{name}");
            if name != "security_risk" && name != "summary" {
                seen.insert(name.clone(), property["type"].clone());
            }
        }
        assert_eq!(
            given["properties"].get("security_risk").is_some(),
            !tool.spec().is_read_only()
        );
        if let Some(required) = given.get("required") {
            seen.insert("required".into(), required.clone());
        }
        assert_eq!(Value::Object(seen), table[kind.name()], "{}", kind.name());
    }
}

#[test]
fn arguments_are_read_with_their_defaults_and_refused_with_reasons() {
    let Ok(Action::BrowserScroll(scroll)) = decode(Kind::Scroll, &json!({})) else {
        panic!()
    };
    assert_eq!(scroll.direction, ScrollDirection::Down);
    let Ok(Action::BrowserNavigate(open)) =
        decode(Kind::Navigate, &json!({"url": "x", "new_tab": "true"}))
    else {
        panic!()
    };
    assert!(open.new_tab);
    let Ok(Action::BrowserGetContent(content)) =
        decode(Kind::GetContent, &json!({"start_from_char": "12"}))
    else {
        panic!()
    };
    assert_eq!(
        (content.extract_links, content.start_from_char),
        (false, 12)
    );
    for (kind, arguments, problem) in [
        (
            Kind::Click,
            json!({"index": -1}),
            "greater than or equal to 0",
        ),
        (Kind::Click, json!({}), "Field required"),
        (Kind::Scroll, json!({"direction": "left"}), "'up' or 'down'"),
        (Kind::Type, json!({"index": 1}), "Field required"),
        (Kind::GoBack, json!({"url": "x"}), "Extra inputs"),
        (
            Kind::SetStorage,
            json!({"storage_state": []}),
            "storage_state",
        ),
        (
            Kind::GetContent,
            json!({"start_from_char": -5}),
            "greater than",
        ),
    ] {
        let refused = decode(kind, &arguments).unwrap_err();
        assert!(refused.contains(problem), "{refused}");
    }
}
