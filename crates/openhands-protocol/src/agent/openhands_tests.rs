use pretty_assertions::assert_eq;
use serde_json::json;

use super::Agent;
use crate::llm::Llm;
use crate::tool::Tool;

#[test]
fn a_new_agent_is_what_a_wire_body_without_further_members_is() {
    let read: Agent =
        serde_json::from_value(json!({"llm": {}, "tools": [{"name": "terminal"}]})).unwrap();
    assert_eq!(Agent::new(Llm::default(), [Tool::new("terminal")]), read);
}
