use super::*;

#[test]
fn a_line_is_split_behind_its_level() {
    for (line, head, rest) in [
        (
            "2026-01-01T00:00:00Z  INFO a::b: hello\n",
            "2026-01-01T00:00:00Z  INFO ",
            "a::b: hello\n",
        ),
        (
            "2026-01-01T00:00:00Z DEBUG a: x",
            "2026-01-01T00:00:00Z DEBUG ",
            "a: x",
        ),
        ("nothing", "", "nothing"),
        ("", "", ""),
    ] {
        assert_eq!(after_level(line), (head, rest), "{line}");
    }
}

#[test]
fn a_request_is_the_outermost_span() {
    let request = json!({"name": "request", "id": "1"});
    let mut plain = Map::new();
    add(&mut plain, request.clone());
    assert_eq!(
        Value::Object(plain),
        json!({"span": request, "spans": [request]})
    );
    let inner = json!({"name": "model call"});
    let Value::Object(mut record) = json!({"span": inner, "spans": [inner]}) else {
        unreachable!()
    };
    add(&mut record, request.clone());
    assert_eq!(
        Value::Object(record),
        json!({"span": inner, "spans": [request, inner]})
    );
}
