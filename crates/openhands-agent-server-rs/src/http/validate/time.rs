//! Points in time: ISO texts, dates, and seconds since 1970.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde_json::{Value, json};

use super::Checker;

/// From here on a number counts milliseconds. compat: the reference's bound, in the year 2603.
const MOST_SECONDS: f64 = 2e10;

impl Checker {
    pub(super) fn time(&mut self, value: &Value) -> Option<Value> {
        let seconds = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => seconds(text),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                self.fail(
                    "datetime_type",
                    "Input should be a valid datetime",
                    value,
                    None,
                );
                return None;
            }
        };
        if let Some(time) = seconds.and_then(from_seconds) {
            return Some(format!("{time:.6}").into());
        }
        let text = value.as_str().unwrap_or_default();
        if text.parse::<Timestamp>().is_ok() || text.parse::<DateTime>().is_ok() {
            return None;
        }
        let error = date_problem(text);
        self.fail(
            "datetime_from_date_parsing",
            format!("Input should be a valid datetime or date, {error}"),
            value,
            Some(json!({"error": error})),
        );
        None
    }
}

/// The number in a text that is nothing else.
fn seconds(text: &str) -> Option<f64> {
    let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    text.bytes().all(plain).then(|| text.parse().ok()).flatten()
}

fn from_seconds(number: f64) -> Option<Timestamp> {
    let seconds = if number.abs() > MOST_SECONDS {
        number / 1000.0
    } else {
        number
    };
    if !seconds.is_finite() || seconds.abs() > MOST_SECONDS {
        return None;
    }
    #[allow(clippy::cast_possible_truncation)] // the range is checked
    let micros = (seconds * 1e6).round() as i64;
    Timestamp::from_microsecond(micros).ok()
}

/// What is wrong with a text as a date. It is no point in time otherwise, so the date's problem is told.
fn date_problem(text: &str) -> &'static str {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| {
        let digits = bytes.get(from..to)?;
        let text = std::str::from_utf8(digits).ok()?;
        digits.iter().all(u8::is_ascii_digit).then_some(())?;
        text.parse::<i16>().ok()
    };
    let separated = |at: usize| bytes.get(at) == Some(&b'-');
    if bytes.len() < "2026-01-01".len() {
        return "input is too short";
    }
    let Some(year) = number(0, 4) else {
        return "invalid character in year";
    };
    if !separated(4) {
        return "invalid date separator, expected `-`";
    }
    let Some(month) = number(5, 7) else {
        return "invalid character in month";
    };
    if !separated(7) {
        return "invalid date separator, expected `-`";
    }
    let Some(day) = number(8, 10) else {
        return "invalid character in day";
    };
    if !(1..=12).contains(&month) {
        return "month value is outside expected range of 1-12";
    }
    let part = |number: i16| i8::try_from(number).unwrap_or_default();
    if Date::new(year, part(month), part(day)).is_err() {
        return "day value is outside expected range";
    }
    "unexpected extra characters at the end of the input"
}
