use super::*;
use openhands_protocol::agent::MetaProfileClass;
use openhands_protocol::message::Content;
use pretty_assertions::assert_eq;

fn classes() -> MetaProfile {
    let class = |description: &str, model: &str| MetaProfileClass {
        description: description.to_owned(),
        model: model.to_owned(),
        ..MetaProfileClass::default()
    };
    MetaProfile {
        classifier_model: "small".to_owned(),
        classes: vec![class("looks at images", "eyes"), class("hard", "strong")],
        ..MetaProfile::default()
    }
}

fn template(text: &str) -> MetaProfile {
    MetaProfile {
        classifier_model: "small".to_owned(),
        prompt_template: Some(text.to_owned()),
        model_table: Some("a | b".to_owned()),
        ..MetaProfile::default()
    }
}

fn texts(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .map(|message| Content::join_text(&message.content))
        .collect()
}

#[test]
fn the_classes_are_numbered() {
    let texts = texts(&question(&classes(), "user: hello"));
    assert!(
        texts[0].contains("1. looks at images\n2. hard\n"),
        "{texts:?}"
    );
    assert!(texts[1].contains("user: hello"), "{texts:?}");
}

#[test]
fn a_template_is_filled_once() {
    let rules = template(" {{instance_text}} / {{ model_table }} / {{ other }} ");
    assert_eq!(
        texts(&question(&rules, "say {{ model_table }}"))[1],
        "say {{ model_table }} / a | b / {{ other }}"
    );
}

#[test]
fn a_number_chooses_a_class_and_nonsense_chooses_none() {
    let chosen = |reply| read(&classes(), reply, &[]).map(|(_, profile)| profile);
    assert_eq!(chosen("2").as_deref(), Some("strong"));
    assert_eq!(chosen("class 1, I think").as_deref(), Some("eyes"));
    for nonsense in ["0", "3", "-1", "none", "", "99999999999999999999999"] {
        assert_eq!(chosen(nonsense), None, "{nonsense}");
    }
}

#[test]
fn a_name_chooses_a_saved_model() {
    let saved = ["Fast".to_owned(), "fast-large".to_owned()];
    let rules = template("{{ instance_text }}");
    let chosen = |reply| read(&rules, reply, &saved).map(|(_, profile)| profile);
    assert_eq!(
        chosen("```json\n{\"model\": \"fast\"}\n```").as_deref(),
        Some("Fast")
    );
    assert_eq!(
        chosen("use fast-large please").as_deref(),
        Some("fast-large")
    );
    assert_eq!(chosen("{\"model\": \"unknown fast\"}"), None);
    assert_eq!(chosen("no idea"), None);
}
