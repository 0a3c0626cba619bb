use super::*;
use SecurityRisk::{High, Low, Medium, Unknown};

#[test]
fn unknown_is_below_every_threshold_and_never_the_highest_of_several() {
    for (risk, threshold, expected) in [
        (High, High, true),
        (Medium, High, false),
        (Medium, Medium, true),
        (Low, Medium, false),
        (Low, Low, true),
        (Unknown, Low, false),
        (Low, Unknown, true),
    ] {
        assert_eq!(at_least(risk, threshold), expected, "{risk} {threshold}");
    }
    assert_eq!(highest([Unknown, Low, Medium]), Medium);
    assert_eq!(highest([Unknown, Unknown]), Unknown);
    assert_eq!(highest([]), Unknown);
}
