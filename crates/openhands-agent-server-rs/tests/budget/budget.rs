//! The budget, and the judgement.

use std::collections::BTreeMap;

use crate::counts::Counts;

/// Fails with all counts that are above the budget. A count without a budget, too: it would guard nothing.
pub(crate) fn judge(counts: &Counts) {
    let budget: BTreeMap<String, f64> = serde_json::from_str(include_str!("budget.json")).unwrap();
    let mut above = Vec::new();
    for (name, count) in counts {
        let most = budget.get(name).copied();
        println!("{name}: {count:.1} of {most:?}");
        if most.is_none_or(|most| *count > most) {
            above.push(format!("{name}: {count:.1}, and the budget is {most:?}"));
        }
    }
    assert!(!counts.is_empty(), "nothing was counted");
    assert!(
        above.is_empty(),
        "{}\nIf that is what it has to cost, raise it in tests/budget/budget.json and say why in the commit.",
        above.join("\n")
    );
}
