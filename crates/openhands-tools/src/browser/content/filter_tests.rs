use super::without_noise;
use pretty_assertions::assert_eq;

#[test]
fn long_lines_of_data_go_and_everything_else_stays() {
    let data = format!("{{\"state\": \"{}\"}}", "x".repeat(200));
    let link = format!("[{}](/a) and more", "y".repeat(200));
    let text = format!(
        "Head\n\n{data}\n\n\n{link}\n{{\"short\": 1}}\n[not json, but long: {}]",
        "z".repeat(99)
    );
    let kept = without_noise(&text);
    assert!(!kept.contains("state"), "{kept}");
    assert!(
        kept.starts_with(&format!("Head\n\n{link}\n{{\"short\": 1}}\n[not json")),
        "{kept}"
    );
}

#[test]
fn code_keeps_its_data_and_its_empty_lines() {
    let data = format!("[{}1]", "1,".repeat(100));
    let text = format!("before\n\n```\n{data}\n\n\nend\n```\n\nafter");
    assert_eq!(without_noise(&text), text);
}
