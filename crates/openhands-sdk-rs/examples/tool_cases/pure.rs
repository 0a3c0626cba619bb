//! Running the cases of pure functions: one input, one result.

mod matching;
mod repair;
mod risk;
mod text_calls;
mod truncation;

use crate::compare;
use crate::format::string;
use anyhow::bail;
use serde_json::Value;

/// What became of a file's cases.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// By case id.
    pub(crate) results: Vec<(String, anyhow::Result<()>)>,
    /// What was left out.
    pub(crate) skipped: Vec<String>,
}

/// Runs a file's cases; `only` chooses those whose id holds a word.
pub(crate) async fn run(
    file: &str,
    cases: &[Value],
    only: Option<&str>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::default();
    for case in cases {
        let id = string(case, "id");
        if only.is_some_and(|word| !id.contains(word)) {
            continue;
        }
        let result = match file {
            "security_analyzers" => risk::run(case).await?,
            "skills_and_hooks_matching" => matching::run(case)?,
            "tool_call_repair" => repair::run(case)?,
            "truncation_and_text_calls" if id.starts_with("truncate-") => truncation::run(case)?,
            "truncation_and_text_calls" if id.starts_with("fncall-") => {
                let result = text_calls::run(case).await?;
                let result = compared(&result, &text_calls::expected(case), case);
                outcome.results.push((id, result));
                continue;
            }
            _ => {
                outcome.skip(format!("skipped: {file}.json"));
                continue;
            }
        };
        let expected = case.get("expect").unwrap_or(&Value::Null);
        outcome
            .results
            .push((id, compared(&result, expected, case)));
    }
    Ok(outcome)
}

impl Outcome {
    /// Says once that something was left out.
    fn skip(&mut self, line: String) {
        if !self.skipped.contains(&line) {
            self.skipped.push(line);
        }
    }
}

fn compared(result: &Value, expected: &Value, case: &Value) -> anyhow::Result<()> {
    match compare::value("result", result, expected) {
        Some(problem) => bail!("{case}\n{problem}"),
        None => Ok(()),
    }
}
