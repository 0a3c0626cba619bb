use axum::body::Body as Content;
use axum::response::IntoResponse;
use openhands_protocol::bash::ExecuteBashRequest;
use openhands_protocol::conversation::SwitchProfileRequest;
use pretty_assertions::assert_eq;

use super::*;

fn request(kind: &str, content: impl Into<Content>) -> Request {
    let request = Request::builder().header(header::CONTENT_TYPE, kind);
    request.body(content.into()).unwrap()
}

async fn refused<T: Described + DeserializeOwned + std::fmt::Debug>(
    request: Request,
) -> (u16, Value) {
    let refused = Body::<T>::from_request(request, &()).await.unwrap_err();
    let response = refused.into_response();
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), 1 << 20)
        .await
        .unwrap();
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn any_json_type_is_read_and_a_mark_of_byte_order_skipped() {
    for kind in [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/vnd.api+json",
    ] {
        let request = request(kind, "\u{feff}{\"command\":\"ls\"}");
        let Body(read) = Body::<ExecuteBashRequest>::from_request(request, &())
            .await
            .unwrap();
        assert_eq!(read.command, "ls");
    }
}

#[tokio::test]
async fn what_is_not_declared_as_json_is_a_text() {
    for kind in ["text/plain", "application/x-www-form-urlencoded", "json"] {
        let (status, body) = refused::<ExecuteBashRequest>(request(kind, "{}")).await;
        assert_eq!(status, 422);
        assert_eq!(body["detail"][0]["type"], "model_attributes_type");
        assert_eq!(body["detail"][0]["input"], "{}");
    }
}

#[tokio::test]
async fn a_missing_body_is_missing_as_a_whole_or_by_parameter() {
    let missing = |loc: Value| json!({"detail": [{"type": "missing", "loc": loc, "msg": "Field required", "input": null}]});
    let (_, body) = refused::<ExecuteBashRequest>(request("application/json", "")).await;
    assert_eq!(body, missing(json!(["body"])));
    let (_, body) = refused::<SwitchProfileRequest>(request("application/json", "")).await;
    assert_eq!(body, missing(json!(["body", "profile_name"])));
}

#[tokio::test]
async fn broken_json_is_told_with_its_place_and_broken_text_without() {
    let (status, body) =
        refused::<ExecuteBashRequest>(request("application/json", "{\"a\":")).await;
    assert_eq!(
        (status, body),
        (
            422,
            json!({"detail": [{
                "type": "json_invalid",
                "loc": ["body", 5],
                "msg": "JSON decode error",
                "input": {},
                "ctx": {"error": "Expecting value"},
            }]})
        )
    );
    let (status, body) =
        refused::<ExecuteBashRequest>(request("application/json", &b"\xff"[..])).await;
    assert_eq!(status, 400);
    assert_eq!(
        body,
        json!({"detail": "There was an error parsing the body"})
    );
    let (status, _) =
        refused::<ExecuteBashRequest>(request("application/json", "[".repeat(1 << 20))).await;
    assert_eq!(status, 422);
}
