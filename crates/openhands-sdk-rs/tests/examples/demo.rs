//! The demo without a key, with a bad one, and with nobody at the other end.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::any;
use parking_lot::Mutex;
use pretty_assertions::assert_eq;

use crate::play::play;

/// A provider that says the same to everybody, and the keys it was shown.
async fn provider(
    status: StatusCode,
    body: &'static str,
) -> (String, Arc<Mutex<Vec<String>>>, impl Sized) {
    let keys = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&keys);
    let answer = move |headers: axum::http::HeaderMap| async move {
        let key = headers
            .get("authorization")
            .map(|key| key.to_str().unwrap());
        seen.lock().push(key.unwrap_or_default().to_owned());
        let is_stream = body.starts_with("data:");
        let kind = if is_stream {
            "text/event-stream"
        } else {
            "application/json"
        };
        (status, [("content-type", kind)], body).into_response()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let app = Router::new().fallback(any(answer));
    let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (url, keys, tokio_util::task::AbortOnDropHandle::new(task))
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_a_script_writes_a_program_sees_it_fail_and_mends_it() {
    let played = play("agent_demo", &[], &[]).await;
    assert_eq!(played.code, Some(0), "{}", played.text);
    played.shows(&[
        "No model is configured (LLM_MODEL, LLM_API_KEY, OPENAI_API_KEY, ...): a script plays it.",
        "Task: Write a program that turns numbers into Roman numerals, and prove that it works.",
        "I write the program, and a check that knows some numerals by heart.",
        "+ signs=(M D C L X V I)",
        "$ bash check.sh",
        "4 should be IV, not IIII",
        "exit code 1",
        "- signs=(M D C L X V I)",
        "+ signs=(M CM D CD C XC L XL X IX V IV I)",
        "all numerals are right",
    ]);
    assert!(
        played
            .text
            .contains("Answer: roman.sh turns numbers into Roman numerals.")
    );
    let last = played.text.lines().last().unwrap();
    assert!(
        last.starts_with("Cost: unknown. Time: ") && last.ends_with(" s. Steps: 5."),
        "{last}"
    );
    assert!(
        !played.text.contains('\x1b') && !played.text.contains('\r'),
        "what is no terminal gets neither colours nor a progress line:\n{:?}",
        played.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn on_a_terminal_there_are_colours_unless_they_are_unwanted() {
    if std::process::Command::new("script")
        .arg("--version")
        .output()
        .is_err()
    {
        assert!(std::env::var_os("CI").is_none(), "no script on this box");
        println!("skipped: no script");
        return;
    }
    let demo = crate::play::program("agent_demo").display().to_string();
    for (no_colour, is_coloured) in [("", true), ("1", false)] {
        let env = [("NO_COLOR", no_colour), ("TERM", "xterm")];
        let arguments = ["-qec", &demo, "/dev/null"];
        let played = crate::play::run("script".into(), &arguments, &env).await;
        assert_eq!(played.code, Some(0), "{}", played.text);
        assert_eq!(played.text.contains("\x1b[36m"), is_coloured);
        // The progress line is drawn and taken away again.
        assert!(played.text.contains("the model thinks"), "{}", played.text);
        assert!(played.text.contains("\r\x1b[2K"), "{}", played.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_key_is_said_in_one_sentence() {
    let body = r#"{"error": {"message": "Incorrect API key provided: s3cr3t", "code": "invalid_api_key"}}"#;
    let (url, keys, _provider) = provider(StatusCode::UNAUTHORIZED, body).await;
    // The usual variable of the provider holds the key; the model is named.
    let env = [
        ("LLM_MODEL", "openai/gpt-5.6"),
        ("LLM_BASE_URL", url.as_str()),
        ("OPENAI_API_KEY", "s3cr3t"),
    ];
    let played = play("agent_demo", &["hello"], &env).await;
    assert_eq!(played.code, Some(1), "{}", played.text);
    played.shows(&[
        "Model: openai/gpt-5.6",
        "Task: hello",
        "It did not work: Your LLM API key appears to be invalid or has expired. (LLMAuthenticationError)",
        "Check LLM_API_KEY, or the variable of your provider.",
    ]);
    assert!(!played.text.contains("s3cr3t"), "{}", played.text);
    assert_eq!(keys.lock().first().unwrap(), "Bearer s3cr3t");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_at_the_other_end_is_said_too() {
    // Bound and dropped: nobody listens there.
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", gone.local_addr().unwrap());
    drop(gone);
    let env = [
        ("LLM_MODEL", "openai/gpt-5.6"),
        ("LLM_API_KEY", "key"),
        ("LLM_BASE_URL", url.as_str()),
        ("LLM_NUM_RETRIES", "0"),
    ];
    let played = play("agent_demo", &[], &env).await;
    assert_eq!(played.code, Some(1), "{}", played.text);
    played.shows(&["Check the network, and LLM_BASE_URL if it is set; then try again."]);
    assert!(played.text.contains("cannot be reached"), "{}", played.text);
    assert!(played.text.contains("(LLMServiceUnavailableError)"));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_cannot_work_are_refused_before_anything_runs() {
    let cases: [(&[(&str, &str)], &str); 3] = [
        (&[("LLM_BASE_URL", "http://127.0.0.1:1")], "LLM_MODEL"),
        (&[("LLM_MODEL", "nonsense")], "nonsense"),
        (
            &[("LLM_MODEL", "openai/gpt-5.6"), ("LLM_TIMEOUT", "soon")],
            "LLM_TIMEOUT",
        ),
    ];
    for (env, named) in cases {
        let played = play("agent_demo", &[], env).await;
        assert_eq!(played.code, Some(1), "{}", played.text);
        let said = played.text.lines().last().unwrap();
        assert!(
            said.starts_with("It did not work: ") && said.contains(named),
            "{said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_with_a_price_has_a_cost_and_its_words_are_shown_once() {
    let body = concat!(
        r#"data: {"id": "1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Nothing "}}]}"#,
        "\n\n",
        r#"data: {"id": "1", "choices": [{"index": 0, "delta": {"content": "to do."}, "finish_reason": "stop"}]}"#,
        "\n\n",
        r#"data: {"id": "1", "choices": [], "usage": {"prompt_tokens": 1000000, "completion_tokens": 100000}}"#,
        "\n\ndata: [DONE]\n\n",
    );
    let (url, _keys, _provider) = provider(StatusCode::OK, body).await;
    let mut env = vec![
        ("LLM_MODEL", "openai/house-model"),
        ("LLM_API_KEY", "key"),
        ("LLM_BASE_URL", url.as_str()),
    ];
    let unknown = play("agent_demo", &["Rest."], &env).await;
    env.extend([
        ("LLM_INPUT_COST_PER_TOKEN", "0.000002"),
        ("LLM_OUTPUT_COST_PER_TOKEN", "0.00001"),
    ]);
    let priced = play("agent_demo", &["Rest."], &env).await;
    for (played, cost) in [(unknown, "Cost: unknown. "), (priced, "Cost: $3.0000. ")] {
        assert_eq!(played.code, Some(0), "{}", played.text);
        assert_eq!(
            played.text.matches("Nothing to do.").count(),
            1,
            "{}",
            played.text
        );
        let last = played.text.lines().last().unwrap();
        assert!(last.starts_with(cost), "{}", played.text);
        // What a real model made is kept, and this test tidies up.
        let kept = played
            .text
            .lines()
            .find_map(|line| line.strip_prefix("The files are in "));
        std::fs::remove_dir(kept.unwrap()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_docker_the_same_agent_works_in_a_container_that_is_gone_afterwards() {
    let Ok(image) = std::env::var("OPENHANDS_TEST_IMAGE") else {
        assert!(std::env::var_os("CI").is_none(), "no OPENHANDS_TEST_IMAGE");
        println!("skipped: no OPENHANDS_TEST_IMAGE");
        return;
    };
    let env = [
        ("RUNTIME_ENV", "docker"),
        ("SANDBOX_RUNTIME_CONTAINER_IMAGE", image.as_str()),
    ];
    let played = play("agent_demo", &[], &env).await;
    assert_eq!(played.code, Some(0), "{}", played.text);
    played.shows(&[
        &format!("Runtime: docker, image {image}"),
        "$ bash check.sh",
        "4 should be IV, not IIII",
        "all numerals are right",
    ]);
    assert!(played.text.contains("ready at http://"), "{}", played.text);
    let engine = std::process::Command::new("docker")
        .args(["ps", "-a", "--format", "{{.Label \"dev.openhands.owner\"}}"])
        .output()
        .unwrap();
    let owners = String::from_utf8(engine.stdout).unwrap();
    assert!(!owners.contains("agent-demo-"), "{owners}");
}
