use super::*;

fn json(name: &str, content: &str) -> String {
    let path = Path::new(name);
    assert!(concerns(path));
    String::from_utf8(redacted(content.as_bytes().to_vec(), path)).unwrap()
}

#[test]
fn credentials_become_stars_wherever_they_are() {
    assert_eq!(
        json(
            "base_state.json",
            r#"{"a":[{"llm":{"api_key":"sk-1","model":"m"}}],"x":{"y":["gAAAAABtoken","plain"]},"llm_api_key":"k","api_key":null}"#
        ),
        r#"{"a":[{"llm":{"api_key":"**********","model":"m"}}],"x":{"y":["**********","plain"]},"llm_api_key":"**********","api_key":null}"#
    );
    assert_eq!(
        json(
            "log.JSONL",
            "{\"aws_session_token\":\"t\"}\n\nnot json\n{ \"b\": 1 }"
        ),
        "{\"aws_session_token\":\"**********\"}\n\nnot json\n{ \"b\": 1 }"
    );
}

#[test]
fn what_holds_no_credentials_stays_as_it_is() {
    for content in [
        "{ \"api_key\" :  \"**********\", \"b\": \"\" }\n",
        "{ \"api_key\": \"\" }",
        "{ broken \"api_key\": \"x\"",
    ] {
        assert_eq!(json("a.json", content), content);
        assert_eq!(json("a.jsonl", content), content);
    }
    assert!(!concerns(Path::new("notes.txt")));
    assert_eq!(
        redacted(b"\xff\xfe".to_vec(), Path::new("a.json")),
        b"\xff\xfe"
    );
}
