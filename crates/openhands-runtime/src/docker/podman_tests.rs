use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixListener;

use super::{is_rootless, update};

/// What is asked of a Podman that gives one answer.
async fn asked<T>(
    status: &str,
    body: &str,
    ask: impl AsyncFnOnce(&std::path::Path) -> T,
) -> (T, String) {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("podman.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let answering = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let count = stream.read(&mut request).await.unwrap();
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
        let request = String::from_utf8_lossy(&request[..count]).into_owned();
        request.lines().next().unwrap_or_default().to_owned()
    };
    tokio::join!(ask(&socket), answering)
}

/// As Podman 4.3 answers. To Docker's own question it says nothing about it.
#[tokio::test]
async fn a_podman_without_root_says_so() {
    for (said, rootless) in [("true", Some(true)), ("false", Some(false)), ("7", None)] {
        let body = format!("{{\"host\": {{\"security\": {{\"rootless\": {said}}}}}}}");
        let (found, request) = asked("200 OK", &body, is_rootless).await;
        assert_eq!(found, rootless);
        assert_eq!(request, "GET /v4.0.0/libpod/info HTTP/1.1");
    }
}

#[tokio::test]
async fn a_refusal_is_told() {
    let resources = json!({"memory": {"limit": 1}});
    let refused = asked(
        "500 Internal Server Error",
        "too little\n",
        async |socket| update(socket, "abc", &resources).await,
    );
    let (refused, request) = refused.await;
    let error = refused.unwrap_err();
    assert!(
        error.contains("500") && error.ends_with("too little"),
        "{error}"
    );
    assert_eq!(
        request,
        "POST /v4.0.0/libpod/containers/abc/update HTTP/1.1"
    );
}
