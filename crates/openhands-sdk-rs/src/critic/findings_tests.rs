use super::*;
use pretty_assertions::assert_eq;

fn critic() -> ApiBasedCritic {
    serde_json::from_value(json!({"kind": "APIBasedCritic", "api_key": "k"})).unwrap()
}

#[test]
fn labels_are_sorted_by_subject_and_probability() {
    let labels = [
        ("success", 0.7),
        ("sentiment_positive", 0.2),
        ("sentiment_neutral", 0.7),
        ("sentiment_negative", 0.1),
        ("loop_behavior", 0.3),
        ("insufficient_testing", 0.8),
        ("correction", 0.1),
        ("infrastructure_external_issue", 0.2),
        ("novel_label", 0.5),
    ];
    let labels: Vec<_> = labels.map(|(label, p)| (label.to_owned(), p)).into();
    let entry = |name: &str, shown: &str, p: f64| json!({"name": name, "display_name": shown, "probability": p});
    let found = categorized(&critic(), &labels);
    assert_eq!(
        found[ISSUES],
        json!([
            entry("insufficient_testing", "Insufficient Testing", 0.8),
            entry("loop_behavior", "Loop Behavior", 0.3)
        ])
    );
    assert_eq!(found[FOLLOW_UPS], json!([]));
    let external = "infrastructure_external_issue";
    let wanted = entry(external, "Infrastructure External Issue", 0.2);
    assert_eq!(found[INFRASTRUCTURE], json!([wanted]));
    assert_eq!(
        found[OTHER],
        json!([entry("novel_label", "Novel Label", 0.5)])
    );
    assert_eq!(found["sentiment"]["predicted"], "Neutral");
    let likely = found["sentiment"]["probability"].as_f64().unwrap();
    assert!((likely - 0.463_963_427_964_809_3).abs() < 1e-12);
}
