use super::verdict;
use pretty_assertions::assert_eq;

#[test]
fn verdicts_are_read_leniently_and_never_too_kindly() {
    let plain = verdict(r#"{"score": 0.2, "complete": false, "missing": "x"}"#);
    assert_eq!(
        (plain.score, plain.complete, plain.missing.as_str()),
        (0.2, false, "x")
    );
    let wrapped = verdict("Here it is:\n```json\n{\"score\": 1, \"complete\": true}\n```");
    assert!(wrapped.complete);
    assert!(verdict(r#"{"score": 7}"#).complete);
    assert!(verdict(r#"{"score": -3}"#).score.abs() < f64::EPSILON);
    for unreadable in ["", "no", "[1]", "{\"score\": 1", "}{"] {
        assert!(!verdict(unreadable).complete, "{unreadable}");
    }
    assert_eq!(verdict("?").missing, "Judge verdict could not be parsed.");
}
