use super::*;
use serde_json::json;

fn outcome(old: Option<&str>, new: Option<&str>) -> Outcome {
    Outcome {
        text: String::new(),
        image_url: None,
        path: "/a".to_owned(),
        existed: true,
        old_content: old.map(str::to_owned),
        new_content: new.map(str::to_owned),
    }
}

#[test]
fn a_diff_has_no_lines_around_the_change() {
    let changed = outcome(
        Some("a = 1\nb = 2\nc = 3\n"),
        Some("a = 1\nb = 20  \nc = 3\n"),
    );
    assert_eq!(
        diff(&changed),
        "--- /a\n+++ /a\n@@ -2 +2 @@\n-b = 2\n+b = 20"
    );
    let created = outcome(None, Some("x\ny"));
    assert_eq!(diff(&created), "--- /a\n+++ /a\n@@ -0,0 +1,2 @@\n+x\n+y");
    assert_eq!(diff(&outcome(None, None)), "");
}

#[test]
fn a_line_may_be_a_text() {
    assert_eq!(line(&json!(3)), Ok(Some(3)));
    assert_eq!(line(&json!(" 3 ")), Ok(Some(3)));
    assert_eq!(line(&json!(null)), Ok(None));
    assert_eq!(
        line(&json!("two")).unwrap_err(),
        "Invalid insert_line value: 'two'. Expected an integer."
    );
    assert!(line(&json!(1.5)).is_err());
}
