//! Every JSON body recorded from the reference server reads as one of our types and is written back
//! as the same JSON.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_imports,
    clippy::wildcard_enum_match_arm,
    clippy::too_many_lines,
    clippy::print_stderr
)]

mod compare;
mod core;
mod exchange;
mod recording;
mod routes;
mod services;
mod table;
mod v0;

use std::collections::BTreeMap;

/// What was checked, and what was left out and why.
#[derive(Default)]
struct Tally {
    checked: usize,
    by_type: BTreeMap<&'static str, usize>,
    left_out: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

impl Tally {
    fn check(&mut self, place: &str, check: &compare::Check, body: &serde_json::Value) {
        self.check_part(place, check, body, &serde_json::Value::Null);
    }

    /// Checks a body of which only some members were recorded; `whole` has the others.
    fn check_part(
        &mut self,
        place: &str,
        check: &compare::Check,
        body: &serde_json::Value,
        whole: &serde_json::Value,
    ) {
        self.checked += 1;
        *self.by_type.entry(check.name).or_default() += 1;
        if let Err(problem) = check.run(body, whole) {
            self.failures
                .push(format!("{place} as {}: {problem}", check.name));
        }
    }

    /// Leaves out a digest: the recorder kept a few facts of an answer instead of the answer.
    fn digest(&mut self, place: &str, path: &str) {
        const DIGESTED: [&str; 4] = [
            "/api/settings",
            "/api/tools/",
            "/server_info",
            "/events/search",
        ];
        if DIGESTED
            .iter()
            .any(|end| path.split('?').next().unwrap_or_default().ends_with(end))
        {
            self.leave_out("a digest that the recorder made of an answer");
        } else {
            self.failures.push(format!(
                "{place}: {path} was recorded as an unexpected digest"
            ));
        }
    }

    fn leave_out(&mut self, reason: &'static str) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    fn finish(self, expected: usize, expected_left_out: &[(&str, usize)]) {
        let Self {
            checked,
            by_type,
            left_out,
            failures,
        } = self;
        assert!(
            failures.is_empty(),
            "{} of {checked} bodies differ:\n{}",
            failures.len(),
            failures.join("\n")
        );
        // Both are pinned: a body that is no longer found or no longer has a type must not pass.
        assert_eq!(checked, expected, "bodies checked");
        assert_eq!(
            left_out,
            expected_left_out.iter().copied().collect(),
            "bodies left out"
        );
        eprintln!("{checked} bodies of {} types", by_type.len());
    }
}
