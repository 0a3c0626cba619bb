use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::connection;
use crate::lanes::Lanes;

use super::*;

#[test]
fn an_answer_without_its_body_says_how_long_it_was() {
    let mut response = "hello".into_response();
    take_body(&mut response);
    let headers = response.headers();
    assert_eq!(headers.get(header::CONTENT_LENGTH).unwrap(), "5");
    assert_eq!(response.body().size_hint().exact(), Some(0));
    // One that says it already is believed.
    let mut response = ([(header::CONTENT_LENGTH, "7")], "hello").into_response();
    take_body(&mut response);
    let headers = response.headers();
    assert_eq!(headers.get(header::CONTENT_LENGTH).unwrap(), "7");
}

async fn panics() -> &'static str {
    panic!("as a handler may")
}

async fn works() -> &'static str {
    "still here"
}

#[tokio::test]
async fn a_handler_that_panics_is_an_answer_and_the_connection_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let config = Config {
        conversations_path: directory.path().join("conversations"),
        bash_events_dir: directory.path().join("bash_events"),
        persistence_dir: directory.path().join("home"),
        ..Config::default()
    };
    let app = App::start(config).await.unwrap();
    let routes = Routes::new()
        .get("/panics", panics)
        .says("Panics")
        .get("/works", works)
        .says("Works");
    let dispatch = Arc::new(Dispatch::new(routes, &app).unwrap());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let serving = connection::serve(
        listener,
        Arc::new(Lanes::here()),
        stop.clone(),
        move |request| {
            let dispatch = Arc::clone(&dispatch);
            async move { dispatch.answer(request).await.0 }
        },
    );
    let serving = tokio::spawn(serving);
    let mut client = TcpStream::connect(address).await.unwrap();
    for (path, status, body) in [
        ("/panics", "500 Internal Server Error", "detail"),
        ("/works", "200 OK", "still here"),
    ] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: here\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        while !answer.contains(body) {
            let mut read = [0; 1024];
            let size = client.read(&mut read).await.unwrap();
            assert!(size > 0, "the connection is closed after {answer:?}");
            answer.push_str(std::str::from_utf8(&read[..size]).unwrap());
        }
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{answer}"
        );
    }
    stop.cancel();
    drop(client);
    serving.await.unwrap();
    app.stop().await;
}
