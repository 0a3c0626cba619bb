use openhands_protocol::secrets::{LookupSecret, SecretHeaders};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use super::{HttpLookup, Lookup as _, LookupError, MAX_VALUE_BYTES};

/// A server that gives one answer to each connection. The requests come back from its task.
async fn serve(answers: Vec<String>) -> (String, AbortOnDropHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).await.unwrap();
                request.extend(byte);
            }
            requests.push(String::from_utf8(request).unwrap());
            // A client that has read enough closes first.
            let _ = stream.write_all(answer.as_bytes()).await;
        }
        requests
    });
    (address, AbortOnDropHandle::new(task))
}

fn answer(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn secret(url: impl Into<String>) -> LookupSecret {
    let mut headers = SecretHeaders::new();
    headers.insert("X-Session-API-Key", "k3y");
    headers.insert("Accept", "text/plain");
    LookupSecret {
        url: url.into(),
        headers,
        ..LookupSecret::default()
    }
}

#[tokio::test]
async fn a_value_is_got_with_the_headers_and_from_the_own_server() {
    let (address, server) = serve(vec![answer("200 OK", "válue"), answer("200 OK", "b")]).await;
    let lookup = HttpLookup::new(Some(&format!("{address}/base"))).unwrap();
    let value = lookup
        .fetch(&secret(format!("{address}/a?b=1")))
        .await
        .unwrap();
    assert_eq!(value.expose(), Some("válue"));
    let value = lookup.fetch(&secret("/api/secrets/X")).await.unwrap();
    assert_eq!(value.expose(), Some("b"));

    let requests = server.await.unwrap();
    assert!(
        requests[0].starts_with("GET /a?b=1 HTTP/1.1\r\n"),
        "{}",
        requests[0]
    );
    assert!(
        requests[0]
            .to_lowercase()
            .contains("x-session-api-key: k3y\r\n")
    );
    assert!(
        requests[1].starts_with("GET /api/secrets/X HTTP/1.1\r\n"),
        "{}",
        requests[1]
    );
}

#[tokio::test]
async fn a_refusal_a_redirect_and_a_page_are_no_value() {
    let elsewhere =
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n";
    let (address, _server) = serve(vec![
        answer("401 Unauthorized", "who are you"),
        elsewhere.to_owned(),
        answer("200 OK", &"x".repeat(MAX_VALUE_BYTES + 1)),
    ])
    .await;
    let lookup = HttpLookup::new(None).unwrap();
    let mut errors = Vec::new();
    for _ in 0..3 {
        errors.push(lookup.fetch(&secret(&address)).await.unwrap_err());
    }
    assert!(
        matches!(
            &errors[..],
            [
                LookupError::Status(_),
                LookupError::Status(_),
                LookupError::TooLarge
            ]
        ),
        "{errors:?}"
    );
}

#[tokio::test]
async fn an_error_shows_neither_address_nor_header() {
    let lookup = HttpLookup::new(None).unwrap();
    let error = lookup
        .fetch(&secret("http://127.0.0.1:1/?token=s3cr3t"))
        .await
        .unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(
        !shown.contains("s3cr3t") && !shown.contains("k3y"),
        "{shown}"
    );
    assert!(matches!(
        lookup.fetch(&secret("/relative")).await,
        Err(LookupError::Address)
    ));
    assert!(HttpLookup::new(Some("nonsense")).is_err());
}
