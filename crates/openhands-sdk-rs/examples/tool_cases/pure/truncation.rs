//! Truncation cases: long text cut in its middle.

use anyhow::Context;
use openhands_sdk_rs::tools::truncate::{DEFAULT_NOTICE, truncate_middle};
use serde_json::{Value, json};

pub(super) fn run(case: &Value) -> anyhow::Result<Value> {
    let number = |place: &str| -> anyhow::Result<usize> {
        let number = case.pointer(place).and_then(Value::as_u64);
        Ok(usize::try_from(number.context("a number is wanted")?)?)
    };
    let text: String = ('a'..='z').cycle().take(number("/input/length")?).collect();
    let notice = case
        .get("notice")
        .and_then(Value::as_str)
        .unwrap_or(DEFAULT_NOTICE);
    let cut = truncate_middle(&text, number("/limit")?, notice);
    Ok(json!({"length": cut.chars().count(), "text": cut}))
}
