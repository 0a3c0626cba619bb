//! Numbers and booleans as the reference's API takes them: also as text, and as one another.

use serde_json::{Number, Value};

/// Why a value is not what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misread {
    /// It is of another type.
    Type,
    /// It is a text or number that cannot be understood.
    Parsing,
    /// It is a number with a fraction.
    Fraction,
    /// It is a number that is too large.
    Size,
}

/// The whole number that a value stands for.
pub fn lax_int(value: &Value) -> Result<i64, Misread> {
    match value {
        Value::Number(number) => whole(number),
        Value::Bool(truth) => Ok(i64::from(*truth)),
        Value::String(text) => whole_text(text),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(Misread::Type),
    }
}

fn whole(number: &Number) -> Result<i64, Misread> {
    if let Some(whole) = number.as_i64() {
        return Ok(whole);
    }
    match number.as_f64() {
        Some(float) if float.fract() != 0.0 => Err(Misread::Fraction),
        Some(float) => whole_float(float).ok_or(Misread::Size),
        None => Err(Misread::Size),
    }
}

/// A float without a fraction, within the range in which floats are exact.
#[allow(clippy::cast_possible_truncation)] // the range is checked
fn whole_float(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

fn whole_text(text: &str) -> Result<i64, Misread> {
    let text = without_separators(text.trim()).ok_or(Misread::Parsing)?;
    // `5.0` is whole, `5.5` and `5e0` are not understood.
    let digits = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|digit| digit == b'0') => whole,
        Some(_) => return Err(Misread::Parsing),
        None => text.as_str(),
    };
    digits.parse::<i64>().map_err(|_| {
        let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
        if !unsigned.is_empty() && unsigned.bytes().all(|digit| digit.is_ascii_digit()) {
            Misread::Size
        } else {
            Misread::Parsing
        }
    })
}

/// A number without the `_` between its digits; none if one is elsewhere.
fn without_separators(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let misplaced = bytes.iter().enumerate().any(|(place, byte)| {
        let digit = |place: Option<usize>| {
            place
                .and_then(|place| bytes.get(place))
                .is_some_and(u8::is_ascii_digit)
        };
        *byte == b'_' && !(digit(place.checked_sub(1)) && digit(place.checked_add(1)))
    });
    (!misplaced).then(|| text.replace('_', ""))
}

/// The number that a value stands for.
pub fn lax_float(value: &Value) -> Result<f64, Misread> {
    match value {
        Value::Number(number) => number.as_f64().ok_or(Misread::Size),
        Value::Bool(truth) => Ok(f64::from(u8::from(*truth))),
        Value::String(text) => without_separators(text.trim())
            .and_then(|text| text.parse().ok())
            .ok_or(Misread::Parsing),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(Misread::Type),
    }
}

/// The truth that a value stands for.
pub fn lax_bool(value: &Value) -> Result<bool, Misread> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        Value::String(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "yes" | "y" | "on" | "1" => Ok(true),
            "false" | "f" | "no" | "n" | "off" | "0" => Ok(false),
            _ => Err(Misread::Parsing),
        },
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Ok(false),
            Some(1.0) => Ok(true),
            Some(float) if float.fract() != 0.0 => Err(Misread::Type),
            _ => Err(Misread::Parsing),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => Err(Misread::Type),
    }
}
