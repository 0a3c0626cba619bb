use super::*;
use SecurityRisk::{High, Low, Medium, Unknown};

#[test]
fn answers_become_one() {
    for (answers, propagated, plain) in [
        (vec![Low, Medium], Medium, Medium),
        (vec![Low, Unknown], Unknown, Low),
        (vec![High, Unknown], Unknown, High),
        (vec![Unknown, Unknown], Unknown, Unknown),
        (vec![], Unknown, Unknown),
    ] {
        let fused = |propagate| fuse(answers.iter().copied().map(Ok), propagate);
        assert_eq!(fused(false), plain, "{answers:?}");
        assert_eq!(fused(true), propagated, "{answers:?} propagating");
    }
}

#[test]
fn an_analyzer_that_fails_counts_as_high() {
    let failed = || Err(AnalyzerError::Failed("no answer".into()));
    assert_eq!(fuse([Ok(Low), failed()], false), High);
    assert_eq!(fuse([Ok(Unknown), failed()], true), Unknown);
}
