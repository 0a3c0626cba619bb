use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

#[test]
fn a_request_is_found_when_its_head_has_come() {
    let head = "POST /abc/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(Asked::find(&head.as_bytes()[..head.len() - 1]), None);
    let found = Asked::find(head.as_bytes()).unwrap();
    assert_eq!(
        (found.script.as_str(), found.length),
        ("abc", head.len() + 5)
    );
    assert_eq!(Asked::find(b"GET / HTTP/1.1\r\n\r\n"), None);
}

#[tokio::test]
async fn requests_of_a_connection_are_answered_from_their_scripts_however_they_are_cut() {
    let model = Model::start().unwrap();
    let (script, url) = model.script();
    let name = url.rsplit('/').next().unwrap();
    script.play(Some(Turn::Terminal("true".to_owned())), 1);
    let mut socket = TcpStream::connect(("127.0.0.1", model.port)).await.unwrap();
    let body = "x".repeat(100_000);
    let request = format!(
        "POST /{name}/chat/completions HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut answers = Vec::new();
    for cut in [10, 90_000] {
        let (first, rest) = request.split_at(cut);
        socket.write_all(first.as_bytes()).await.unwrap();
        tokio::task::yield_now().await;
        socket.write_all(rest.as_bytes()).await.unwrap();
        let mut answer = vec![0; 64 << 10];
        let count = socket.read(&mut answer).await.unwrap();
        answers.push(String::from_utf8_lossy(&answer[..count]).into_owned());
    }
    assert!(answers[0].contains("\"name\":\"terminal\""), "{answers:?}");
    assert!(answers[1].contains("\"content\":\"done\""), "{answers:?}");
    assert_eq!(script.arrivals().len(), 2);
}
