use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::agent::{AgentSpec, PipelineCondenser};
use crate::conversation::{ExecutionStatus, StartConversationRequest};
use crate::event::{MessageEvent, SecurityRisk};
use crate::hooks::HookDefinition;
use crate::llm::{Llm, LlmApiMode};
use crate::server::InitRequest;
use crate::wire::Wire;

fn object<T: Described>() -> &'static ObjectSchema {
    match T::schema() {
        Schema::Object(object) => object,
        other => panic!("no object: {other:?}"),
    }
}

fn field<T: Described>(name: &str) -> &'static Field {
    let mut members = object::<T>().members();
    members.find(|field| field.name == name).unwrap()
}

#[test]
fn an_object_names_its_members_as_the_wire_does() {
    let names: Vec<_> = object::<StartConversationRequest>()
        .members()
        .map(|field| field.name)
        .collect();
    assert_eq!(names, StartConversationRequest::FIELDS);
    assert_eq!(object::<HookDefinition>().docs, [" One hook."]);
    assert_eq!(field::<HookDefinition>("async").alias, Some("async_"));
    assert_eq!(field::<Llm>("model").docs.len(), 1);
}

#[test]
fn what_has_no_default_is_required() {
    assert!(field::<StartConversationRequest>("workspace").is_required());
    let limit = field::<StartConversationRequest>("max_iterations");
    assert_eq!(limit.default.map(|default| default()), Some(json!(500)));
    assert_eq!(limit.rules.unwrap().ge, Some(1.0));
    assert_eq!(
        field::<Llm>("api_mode").default.map(|default| default()),
        Some(json!("auto"))
    );
}

#[test]
fn flags_and_rules_are_kept() {
    assert!(object::<InitRequest>().closed);
    assert!(!object::<Llm>().closed);
    assert!(object::<Llm>().before.is_some());
    assert!(object::<StartConversationRequest>().after.is_some());
}

#[test]
fn events_have_the_members_of_every_event_first() {
    let names: Vec<_> = object::<MessageEvent>()
        .members()
        .take(4)
        .map(|field| field.name)
        .collect();
    assert_eq!(names, ["id", "timestamp", "source", "parent_id"]);
    assert_eq!(object::<MessageEvent>().tag, Some(("kind", "MessageEvent")));
}

#[test]
fn a_type_may_contain_itself() {
    let Schema::List(items) = field::<PipelineCondenser>("condensers").shape() else {
        panic!("no list");
    };
    let Schema::Union(union) = items() else {
        panic!("no union");
    };
    let kinds: Vec<_> = union.kinds().map(|(kind, _)| kind).collect();
    assert!(kinds.contains(&"PipelineCondenser"));
}

#[test]
fn names_are_those_of_the_reference() {
    let Schema::Union(agents) = AgentSpec::schema() else {
        panic!("no union");
    };
    assert_eq!(agents.reference_name(), "AgentBase");
    assert_eq!(object::<Llm>().reference_name(), "LLM");
    let class = |schema: &Schema| match schema {
        Schema::Words(words) => (words.reference_name(), words.is_class()),
        other => panic!("no words: {other:?}"),
    };
    assert_eq!(
        class(ExecutionStatus::schema()),
        ("ConversationExecutionStatus".to_owned(), true)
    );
    assert_eq!(
        class(SecurityRisk::schema()),
        ("SecurityRisk".to_owned(), true)
    );
    assert!(!class(LlmApiMode::schema()).1);
}

/// Probed on the reference.
#[test]
fn numbers_are_understood_as_the_reference_does() {
    for (given, expected) in [
        (json!(5), Ok(5)),
        (json!(5.0), Ok(5)),
        (json!(true), Ok(1)),
        (json!("5"), Ok(5)),
        (json!(" 5 "), Ok(5)),
        (json!("+5"), Ok(5)),
        (json!("-5"), Ok(-5)),
        (json!("5.0"), Ok(5)),
        (json!("1_000"), Ok(1000)),
        (json!("_1"), Err(Misread::Parsing)),
        (json!("1_"), Err(Misread::Parsing)),
        (json!("1.5"), Err(Misread::Parsing)),
        (json!("1e3"), Err(Misread::Parsing)),
        (json!("0x5"), Err(Misread::Parsing)),
        (json!("٥"), Err(Misread::Parsing)),
        (json!(""), Err(Misread::Parsing)),
        (json!("9".repeat(30)), Err(Misread::Size)),
        (json!(1e30), Err(Misread::Size)),
        (json!(u64::MAX), Err(Misread::Size)),
        (json!(1.5), Err(Misread::Fraction)),
        (json!(null), Err(Misread::Type)),
        (json!([]), Err(Misread::Type)),
    ] {
        assert_eq!(lax_int(&given), expected, "{given}");
    }
    for (given, expected) in [
        (json!("1.5"), Ok(1.5)),
        (json!(" 2 "), Ok(2.0)),
        (json!("1_0"), Ok(10.0)),
        (json!("inf"), Ok(f64::INFINITY)),
        (json!(true), Ok(1.0)),
        (json!("x"), Err(Misread::Parsing)),
        (json!(""), Err(Misread::Parsing)),
        (json!(null), Err(Misread::Type)),
    ] {
        assert_eq!(lax_float(&given), expected, "{given}");
    }
}

/// Probed on the reference.
#[test]
fn booleans_are_understood_as_the_reference_does() {
    for given in ["true", "TRUE", "t", "yes", "Y", "on", "1"] {
        assert_eq!(lax_bool(&json!(given)), Ok(true), "{given}");
    }
    for given in ["false", "F", "no", "n", "OFF", "0"] {
        assert_eq!(lax_bool(&json!(given)), Ok(false), "{given}");
    }
    for (given, expected) in [
        (json!(1), Ok(true)),
        (json!(0.0), Ok(false)),
        (json!(2), Err(Misread::Parsing)),
        (json!(0.5), Err(Misread::Type)),
        (json!("maybe"), Err(Misread::Parsing)),
        (json!(null), Err(Misread::Type)),
    ] {
        assert_eq!(lax_bool(&given), expected, "{given}");
    }
}
