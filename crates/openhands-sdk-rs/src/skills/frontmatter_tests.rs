use super::*;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

fn head_of(text: &str) -> Value {
    Value::Object(split(text).unwrap().head)
}

#[test]
fn a_head_stands_between_fences() {
    for (text, head, body) in [
        ("---\nname: a\n---\nbody\n", json!({"name": "a"}), "body"),
        (
            "\n\n---  \nname: a\n-----\n\n  body",
            json!({"name": "a"}),
            "body",
        ),
        (
            "\u{feff}---\r\nname: a\r\n---\r\nbody\r\n",
            json!({"name": "a"}),
            "body",
        ),
        ("---\n---\nbody", json!({}), "body"),
        ("---\nname: a\n---", json!({"name": "a"}), ""),
        (
            "---\nname: a\n---\none\n---\ntwo",
            json!({"name": "a"}),
            "one\n---\ntwo",
        ),
        (
            "no head\n---\nname: a\n---\n",
            json!({}),
            "no head\n---\nname: a\n---",
        ),
        (
            "---\nname: a\nnever closed",
            json!({}),
            "---\nname: a\nnever closed",
        ),
        ("--- a\nname: a\n---\n", json!({}), "--- a\nname: a\n---"),
        ("---\n- a\n- b\n---\nbody", json!({}), "body"),
        ("---\njust words\n---\nbody", json!({}), "body"),
        ("", json!({}), ""),
        ("---", json!({}), "---"),
    ] {
        let document = split(text).unwrap();
        assert_eq!(
            (Value::Object(document.head), document.body),
            (head, body),
            "{text:?}"
        );
    }
}

#[test]
fn yaml_gives_its_types() {
    let head = head_of(
        "---\nname: x\nlist:\n  - a\n  - 'b: c'\nmap: {k: 1, 2: two}\nflag: true\nold: yes\nnothing:\ntext: |\n  one\n  two\nnan: .nan\ntwice: 1\ntwice: 2\n---\n",
    );
    assert_eq!(
        head,
        json!({
            "name": "x", "list": ["a", "b: c"], "map": {"k": 1, "2": "two"}, "flag": true, "old": true,
            "nothing": null, "text": "one\ntwo\n", "nan": ".nan", "twice": 2,
        })
    );
}

#[test]
fn what_is_no_yaml_is_an_error_with_a_place() {
    for text in [
        "---\nname: [a\n---\nbody",
        "---\nname: a: b: c\n---\nbody",
        "---\na: *nowhere\n---\n",
    ] {
        let error = split(text).unwrap_err().to_string();
        assert!(
            error.starts_with("the front matter is not valid YAML: "),
            "{text:?}: {error}"
        );
        assert!(error.contains("line"), "{error}");
    }
}

#[test]
fn an_alias_bomb_is_refused() {
    let levels = (1..12).map(|level| {
        let list = vec![format!("*a{}", level - 1); 10].join(", ");
        format!("a{level}: &a{level} [{list}]")
    });
    let levels: Vec<String> = levels.collect();
    let yaml = format!(
        "---\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n{}\n---\nbody",
        levels.join("\n")
    );
    assert!(split(&yaml).is_err());
}

#[test]
fn depth_and_length_are_bounded() {
    // Below the limit of size, so that the limit of depth is what refuses it.
    let deep = format!(
        "---\na: {}{}\n---\n",
        "[".repeat(20_000),
        "]".repeat(20_000)
    );
    assert!(
        split(&deep)
            .unwrap_err()
            .to_string()
            .contains("recursion limit")
    );
    let steep: String = (0..300).map(|level| " ".repeat(level) + "a:\n").collect();
    assert!(split(&format!("---\n{steep}---\n")).is_err());
    let long = format!("---\na: {}\n---\n", "x".repeat(MAX_HEAD_BYTES));
    assert!(
        split(&long)
            .unwrap_err()
            .to_string()
            .contains("bytes are too many")
    );
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in "\\PC{0,200}") {
        let _ = split(&text);
    }

    #[test]
    fn any_head_gets_an_answer(head in "[a-z0-9:\\-\\[\\]{}&*!|>'\"%@`#,\\n\\t \u{e9}]{0,200}", body in "[a-z\\n]{0,20}") {
        let text = format!("---\n{head}\n---\n{body}");
        if let Ok(document) = split(&text) {
            prop_assert!(text.contains(document.body));
        }
    }
}
