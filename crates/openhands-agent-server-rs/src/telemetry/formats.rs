//! Log lines with the request that they belong to.

use std::fmt;

use serde_json::{Map, Value, json};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Json, JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::request;

/// Lines for people.
#[derive(Debug, Default)]
pub(crate) struct TextLines(Format<Full>);

/// Lines for programs.
#[derive(Debug)]
pub(crate) struct JsonLines(Format<Json>);

impl Default for JsonLines {
    fn default() -> Self {
        Self(Format::default().json().flatten_event(true))
    }
}

impl<S, N> FormatEvent<S, N> for TextLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(request) = request::current_text() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        let (head, rest) = after_level(&line);
        write!(writer, "{head}{request}{rest}")
    }
}

/// Splits a line behind its time and its level.
fn after_level(line: &str) -> (&str, &str) {
    let word = |from: usize| {
        let rest = line.get(from..)?;
        let start = rest.find(|character| character != ' ')?;
        let length = rest.get(start..)?.find(' ')?;
        Some(from + start + length + 1)
    };
    let end = word(0).and_then(word).unwrap_or(0);
    line.split_at_checked(end).unwrap_or(("", line))
}

impl<S> FormatEvent<S, JsonFields> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(request) = request::current_json() else {
            return self.0.format_event(context, writer, event);
        };
        let mut line = String::new();
        self.0
            .format_event(context, Writer::new(&mut line), event)?;
        match serde_json::from_str::<Map<String, Value>>(&line) {
            Ok(mut record) => {
                add(&mut record, request);
                writeln!(writer, "{}", Value::Object(record))
            }
            Err(_) => writer.write_str(&line),
        }
    }
}

/// Makes the request the outermost span of a record.
fn add(record: &mut Map<String, Value>, request: Value) {
    if let Some(Value::Array(spans)) = record.get_mut("spans") {
        spans.insert(0, request);
    } else {
        record.insert("span".to_owned(), request.clone());
        record.insert("spans".to_owned(), json!([request]));
    }
}

#[cfg(test)]
#[path = "formats_tests.rs"]
mod tests;
