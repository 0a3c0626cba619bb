//! What goes wrong on the way.

use std::time::Duration;

use futures_util::StreamExt;
use openhands_llm::{LlmErrorKind as K, StreamPart};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::Content;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::server::{Server, Step, answer, ask, hello, llm, model, raw, send, sse};

/// Longer than anything here takes, even on a machine that is busy.
const DEADLINE: Duration = Duration::from_secs(30);

fn fine() -> Vec<Step> {
    answer(
        200,
        "",
        &json!({"id": "x", "choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]}),
    )
}

fn text_chunk(text: &str, finish: Option<&str>) -> Value {
    json!({"id": "x", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})
}

fn whole_stream(text: &str) -> Vec<Step> {
    let mut steps = sse(&[text_chunk(text, Some("stop"))]);
    steps.push(send("data: [DONE]\n\n"));
    steps
}

#[tokio::test]
async fn too_many_requests_are_made_again_after_the_asked_wait() {
    let busy = |headers| answer(429, headers, &json!({"error": {"message": "slow down"}}));
    for stream in [false, true] {
        let last = if stream { whole_stream("fine") } else { fine() };
        let server = Server::start(vec![
            busy("retry-after: 0\r\n"),
            busy("retry-after-ms: 5\r\n"),
            last,
        ])
        .await;
        // Only the asked wait can be this short.
        let llm = Llm {
            stream,
            retry_multiplier: 1000.0,
            retry_min_wait: 1000,
            retry_max_wait: 1000,
            ..llm("openai/m", &server)
        };
        let mut parts = model(&llm)
            .stream(hello(), CancellationToken::new())
            .await
            .unwrap();
        let mut seen = Vec::new();
        while let Some(part) = tokio::time::timeout(DEADLINE, parts.next()).await.unwrap() {
            match part.unwrap() {
                StreamPart::Restart(restart) => {
                    assert_eq!(
                        (restart.error.kind, restart.error.message.as_str()),
                        (K::RateLimit, "slow down")
                    );
                    seen.push(restart.wait);
                }
                StreamPart::Text(text) => assert_eq!(text, "fine"),
                _ => {}
            }
        }
        assert_eq!(seen, [Duration::ZERO, Duration::from_millis(5)]);
    }
}

#[tokio::test]
async fn a_failing_provider_is_asked_as_often_as_configured() {
    for stream in [false, true] {
        let server = Server::start(vec![answer(
            500,
            "",
            &json!({"error": {"message": "oops"}}),
        )])
        .await;
        let llm = Llm {
            stream,
            ..llm("openai/m", &server)
        };
        let error = ask(&llm, hello()).await.unwrap_err();
        assert_eq!(
            (error.kind, error.status, error.message.as_str()),
            (K::ServiceUnavailable, Some(500), "oops")
        );
        assert_eq!(server.requests().len(), 5);
    }
}

#[tokio::test]
async fn errors_have_their_class_in_every_protocol() {
    let table = [
        (
            401,
            json!({"error": {"message": "no", "type": "invalid_request_error"}}),
            K::Authentication,
        ),
        (
            400,
            json!({"error": {"message": "This model's maximum context length is 10. Please reduce the length of the messages."}}),
            K::ContextWindowExceeded,
        ),
        (
            400,
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 3 tokens > 2 maximum"}}),
            K::ContextWindowExceeded,
        ),
        (
            404,
            json!({"error": {"message": "no such model"}}),
            K::BadRequest,
        ),
        (
            429,
            json!({"error": {"message": "pay first", "code": "insufficient_quota"}}),
            K::RateLimit,
        ),
    ];
    for name in ["openai/m", "openai/gpt-5", "anthropic/claude-opus-4-5"] {
        for stream in [false, true] {
            for (status, body, kind) in &table {
                let server = Server::start(vec![answer(*status, "", body), fine()]).await;
                let error = ask(
                    &Llm {
                        stream,
                        ..llm(name, &server)
                    },
                    hello(),
                )
                .await
                .unwrap_err();
                assert_eq!(
                    (error.kind, error.status),
                    (*kind, Some(*status)),
                    "{name} {stream} {body}"
                );
                assert_eq!(server.requests().len(), 1, "{name}: not worth another try");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_in_the_middle_is_asked_for_again() {
    let mut cut = sse(&[text_chunk("half an ans", None)]);
    let mut chunked = vec![send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    )];
    let data = format!("data: {}\n\n", text_chunk("half", None));
    chunked.push(send(&format!("{:x}\r\n{data}\r\n", data.len())));
    cut.push(send("data: {\"id\": \"x\", \"choi"));
    let server = Server::start(vec![cut, chunked, whole_stream("whole")]).await;
    let llm = Llm {
        stream: true,
        ..llm("openai/m", &server)
    };
    let mut parts = model(&llm)
        .stream(hello(), CancellationToken::new())
        .await
        .unwrap();
    let mut seen = Vec::new();
    while let Some(part) = parts.next().await {
        match part.unwrap() {
            StreamPart::Text(text) => seen.push(text),
            StreamPart::Restart(restart) => {
                seen.push(format!("{} {}", restart.error.code(), restart.attempt));
            }
            _ => {}
        }
    }
    assert_eq!(
        seen,
        [
            "half an ans",
            "LLMServiceUnavailableError 2",
            "half",
            "LLMServiceUnavailableError 3",
            "whole"
        ]
    );
    let answer = ask(&llm, hello()).await.unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "whole");
}

#[tokio::test]
async fn a_stream_that_cannot_be_read_is_asked_for_again() {
    let mut garbage = sse(&[text_chunk("good", None)]);
    garbage.push(send("data: {not json at all\n\n"));
    let mut noise = sse(&[]);
    noise.push(send(": keep-alive\n\nevent: odd\n\ndata:\n\n"));
    let mut rest = whole_stream("fine");
    rest.remove(0);
    noise.append(&mut rest);
    let server = Server::start(vec![garbage, noise]).await;
    let answer = ask(
        &Llm {
            stream: true,
            ..llm("openai/m", &server)
        },
        hello(),
    )
    .await
    .unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "fine");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn an_error_inside_a_stream_counts() {
    let chat = sse(&[
        text_chunk("so", None),
        json!({"error": {"message": "Overloaded", "code": 529}}),
    ]);
    let server = Server::start(vec![chat, whole_stream("fine")]).await;
    let answer = ask(
        &Llm {
            stream: true,
            ..llm("openai/m", &server)
        },
        hello(),
    )
    .await
    .unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "fine");

    let messages = sse(&[
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}}),
    ]);
    let server = Server::start(vec![messages]).await;
    let error = ask(
        &Llm {
            stream: true,
            ..llm("anthropic/claude-opus-4-5", &server)
        },
        hello(),
    )
    .await
    .unwrap_err();
    assert_eq!(error.kind, K::ContextWindowExceeded);
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_given_up() {
    let mut silent = sse(&[text_chunk("half", None)]);
    silent.push(Step::Hang);
    let server = Server::start(vec![silent]).await;
    let llm = Llm {
        stream: true,
        num_retries: 1,
        stream_idle_timeout: Some(0.2),
        ..llm("openai/m", &server)
    };
    let error = tokio::time::timeout(DEADLINE, ask(&llm, hello()))
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(error.kind, K::Timeout);
    tokio::time::timeout(DEADLINE, server.client_left.notified())
        .await
        .expect("the connection is closed");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    for stream in [false, true] {
        let server = Server::start(vec![vec![Step::Hang]]).await;
        let llm = Llm {
            stream,
            num_retries: 1,
            timeout: Some(1),
            ..llm("openai/m", &server)
        };
        let error = tokio::time::timeout(DEADLINE, ask(&llm, hello()))
            .await
            .unwrap()
            .unwrap_err();
        assert_eq!(error.kind, K::Timeout);
    }
}

#[tokio::test]
async fn cancelling_in_the_middle_closes_the_connection_at_once() {
    let mut endless = sse(&[text_chunk("half", None)]);
    endless.push(Step::Hang);
    let server = Server::start(vec![endless, vec![Step::Hang]]).await;
    let llm = Llm {
        stream: true,
        ..llm("openai/m", &server)
    };
    let cancel = CancellationToken::new();
    let mut parts = model(&llm).stream(hello(), cancel.clone()).await.unwrap();
    loop {
        let part = tokio::time::timeout(DEADLINE, parts.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        if part == StreamPart::Text("half".to_owned()) {
            break;
        }
    }
    // The next part is waited for when the token is cancelled.
    let cancelling = async { cancel.cancel() };
    let both = async { tokio::join!(parts.next(), cancelling) };
    let (part, ()) = tokio::time::timeout(DEADLINE, both).await.unwrap();
    assert_eq!(part.unwrap().unwrap_err().kind, K::Cancelled);
    drop(parts);
    tokio::time::timeout(DEADLINE, server.client_left.notified())
        .await
        .expect("the connection is closed");

    // Before the first byte, and without a stream.
    let llm = Llm {
        stream: false,
        ..llm
    };
    let cancel = CancellationToken::new();
    let asking = model(&llm);
    let ask = asking.complete(hello(), cancel.clone());
    let cancelling = async {
        while server.requests().len() < 2 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (answer, ()) = tokio::time::timeout(DEADLINE, async { tokio::join!(ask, cancelling) })
        .await
        .unwrap();
    assert_eq!(answer.unwrap_err().kind, K::Cancelled);
}

#[tokio::test]
async fn nobody_at_the_address_is_an_unavailable_service() {
    let url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let server = Server::start(vec![fine()]).await;
    let llm = Llm {
        base_url: Some(url),
        num_retries: 2,
        ..llm("openai/m", &server)
    };
    let error = ask(&llm, hello()).await.unwrap_err();
    assert_eq!(error.kind, K::ServiceUnavailable);
    assert!(
        !error.message.contains("127.0.0.1:0/v1"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn an_empty_list_of_choices_is_tried_again() {
    let empty = answer(200, "", &json!({"id": "x", "choices": []}));
    let server = Server::start(vec![empty, fine()]).await;
    let llm = Llm {
        temperature: Some(0.0),
        ..llm("openai/m", &server)
    };
    let answer = ask(&llm, hello()).await.unwrap();
    assert_eq!(Content::join_text(&answer.message.content), "fine");
    let temperatures: Vec<_> = server
        .bodies()
        .iter()
        .map(|body| body["temperature"].clone())
        .collect();
    assert_eq!(temperatures, [json!(0.0), json!(1.0)]);
}

#[tokio::test]
async fn a_page_in_place_of_an_answer_says_so() {
    let page = raw(200, "content-type: text/html\r\n", "<html>Welcome</html>");
    let server = Server::start(vec![page]).await;
    let error = ask(&llm("openai/m", &server), hello()).await.unwrap_err();
    assert_eq!(error.kind, K::BadRequest);
    assert!(error.message.contains("base URL"), "{}", error.message);
}

#[tokio::test]
async fn a_wait_may_be_given_as_a_date() {
    let headers =
        "date: Tue, 03 Nov 2026 10:00:00 GMT\r\nretry-after: Tue, 03 Nov 2026 10:00:07 GMT\r\n";
    let body = json!({"error": {"message": "slow down"}});
    let server = Server::start(vec![answer(429, headers, &body)]).await;
    let once = Llm {
        num_retries: 1,
        ..llm("openai/gpt-4o", &server)
    };
    let error = ask(&once, hello()).await.unwrap_err();
    assert_eq!(error.kind, K::RateLimit);
    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn too_little_to_cache_is_asked_again_without_marks() {
    let refusal =
        json!({"error": {"message": "The minimum token count to start caching is 1024."}});
    let server = Server::start(vec![answer(400, "", &refusal), fine()]).await;
    let llm = llm("litellm_proxy/claude-sonnet-4-5", &server);
    ask(&llm, hello()).await.unwrap();
    let marked: Vec<_> = server
        .requests()
        .iter()
        .map(|request| request.text.contains("cache_control"))
        .collect();
    assert_eq!(marked, [true, false]);
}

#[tokio::test]
async fn nothing_said_at_temperature_zero_is_asked_again_warmer() {
    let nothing = json!({"id": "x", "choices": []});
    let server = Server::start(vec![answer(200, "", &nothing), fine()]).await;
    let cold = Llm {
        temperature: Some(0.0),
        ..llm("openai/gpt-4o", &server)
    };
    ask(&cold, hello()).await.unwrap();
    let temperatures: Vec<_> = server
        .bodies()
        .iter()
        .map(|body| body["temperature"].clone())
        .collect();
    assert_eq!(temperatures, [json!(0.0), json!(1.0)]);
}

#[tokio::test]
async fn a_stream_that_never_stops_is_given_up_when_the_attempt_has_lasted_too_long() {
    let mut steps = vec![send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    )];
    let chunk = format!("data: {}\n\n", text_chunk("more ", None));
    steps.push(send(&chunk));
    // Keeps talking: never silent long enough for the limit between two pieces.
    steps.push(Step::Repeat(chunk.into_bytes(), Duration::from_millis(20)));
    let server = Server::start(vec![steps]).await;
    let llm = Llm {
        stream: true,
        timeout: Some(1),
        stream_idle_timeout: Some(30.0),
        num_retries: 1,
        ..llm("openai/gpt-4o", &server)
    };
    let error = ask(&llm, hello()).await.unwrap_err();
    assert_eq!(error.kind, K::Timeout);
    assert_eq!(error.message, "The model did not answer within 1 s.");
}
