use super::*;
use crate::view::events_for_tests::{agent, system, user};
use openhands_llm::ScriptedModel;
use pretty_assertions::assert_eq;
use serde_json::json;

async fn titled(message: &str, reply: serde_json::Value) -> Title {
    let model = ScriptedModel::from_value(&json!([reply])).unwrap();
    generate_title(message, None, &model, CancellationToken::new()).await
}

#[tokio::test]
async fn the_model_names_the_conversation() {
    let title = titled("please fix it", json!("  🐛 Fix the crash\n")).await;
    assert_eq!(title.text, "🐛 Fix the crash");
    assert!(title.completion.is_some() && title.error.is_none());
}

#[tokio::test]
async fn thinking_is_no_title() {
    let reply = json!("<think>what\nis it</think>\nOne <THINK>again</THINK>two");
    assert_eq!(titled("m", reply).await.text, "One two");
    assert_eq!(titled("m", json!("Cut <think>off")).await.text, "Cut");
    let only = titled(" the message ", json!("<think>nothing else")).await;
    assert_eq!(only.text, "the message");
}

#[tokio::test]
async fn long_titles_end_in_dots() {
    let title = titled("m", json!("é".repeat(51))).await;
    assert_eq!(title.text, format!("{}...", "é".repeat(47)));
    let title = titled("m", json!("é".repeat(50))).await;
    assert_eq!(title.text, "é".repeat(50));
}

#[tokio::test]
async fn a_failing_model_leaves_the_start_of_the_message() {
    let message = format!(" {} ", "x".repeat(60));
    let failed = json!({"status": 500, "error": {"message": "down"}});
    let title = titled(&message, failed).await;
    assert_eq!(title.text, format!("{}...", "x".repeat(47)));
    assert!(title.completion.is_none());
    assert_eq!(title.error.unwrap().message, "down");
}

#[test]
fn the_model_sees_a_thousand_characters_of_the_message() {
    let asked = question(&"é".repeat(1_001), None);
    assert!(asked.ends_with(&format!("{}... (cut)", "é".repeat(1_000))));
    assert!(question(&"é".repeat(1_000), None).ends_with('é'));
}

#[test]
fn the_users_own_question_gets_message_and_length() {
    let own = question(
        "a {max_length} b",
        Some(" {max_length}: {conversation_content}! "),
    );
    assert_eq!(own, "50: a {max_length} b!");
    let own = question("go", Some("Name it."));
    assert_eq!(own, "Name it.\n\nThe conversation begins with:\ngo");
    assert_eq!(question("go", Some("  ")), question("go", None));
}

#[test]
fn the_first_message_of_the_user_that_has_text_counts() {
    let events = [
        system("s"),
        agent("m", "hello"),
        user("u1", "  "),
        user("u2", " go "),
        user("u3", "later"),
    ];
    assert_eq!(first_user_message(&events).as_deref(), Some("go"));
    assert_eq!(first_user_message(&events[..3]), None);
}
