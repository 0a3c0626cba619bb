//! Numbers and booleans.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use openhands_protocol::schema::{Misread, Rules, lax_bool, lax_float, lax_int};
use serde_json::{Value, json};

use super::Checker;

impl Checker {
    pub(super) fn boolean(&mut self, value: &Value) -> Option<Value> {
        match lax_bool(value) {
            Ok(truth) => (!value.is_boolean()).then(|| truth.into()),
            Err(Misread::Type) => {
                self.fail("bool_type", "Input should be a valid boolean", value, None);
                None
            }
            Err(Misread::Parsing | Misread::Fraction | Misread::Size) => {
                let msg = "Input should be a valid boolean, unable to interpret input";
                self.fail("bool_parsing", msg, value, None);
                None
            }
        }
    }

    pub(super) fn integer(&mut self, rules: &Rules, value: &Value) -> Option<Value> {
        let (kind, msg) = match lax_int(value) {
            Ok(number) => {
                #[allow(clippy::cast_precision_loss)] // bounds are small
                self.bounds(rules, number as f64, true, value);
                return (value.as_i64() != Some(number)).then(|| number.into());
            }
            Err(Misread::Type) => ("int_type", "Input should be a valid integer"),
            Err(Misread::Parsing) => (
                "int_parsing",
                "Input should be a valid integer, unable to parse string as an integer",
            ),
            Err(Misread::Fraction) => (
                "int_from_float",
                "Input should be a valid integer, got a number with a fractional part",
            ),
            Err(Misread::Size) => (
                "int_parsing_size",
                "Unable to parse input string as an integer, exceeded maximum size",
            ),
        };
        self.fail(kind, msg, value, None);
        None
    }

    pub(super) fn number(&mut self, rules: &Rules, value: &Value) -> Option<Value> {
        match lax_float(value) {
            Ok(number) if !self.bounds(rules, number, false, value) => None,
            Ok(number) if !number.is_finite() => {
                let msg = "Input should be a finite number";
                self.fail("finite_number", msg, value, None);
                None
            }
            Ok(number) => (!value.is_number()).then(|| json!(number)),
            Err(Misread::Type) => {
                self.fail("float_type", "Input should be a valid number", value, None);
                None
            }
            Err(Misread::Parsing | Misread::Fraction | Misread::Size) => {
                let msg = "Input should be a valid number, unable to parse string as a number";
                self.fail("float_parsing", msg, value, None);
                None
            }
        }
    }

    /// Whether a number keeps within its bounds. What is no number keeps within none.
    fn bounds(&mut self, rules: &Rules, number: f64, is_whole: bool, value: &Value) -> bool {
        let keeps = |bound: f64, orders: &[Ordering]| {
            number
                .partial_cmp(&bound)
                .is_some_and(|order| orders.contains(&order))
        };
        let broken = [
            (
                "less_than_equal",
                "le",
                "less than or equal to",
                rules.le,
                &[Less, Equal][..],
            ),
            ("less_than", "lt", "less than", rules.lt, &[Less]),
            (
                "greater_than_equal",
                "ge",
                "greater than or equal to",
                rules.ge,
                &[Greater, Equal],
            ),
            ("greater_than", "gt", "greater than", rules.gt, &[Greater]),
        ]
        .into_iter()
        .find_map(|(kind, name, words, bound, orders)| {
            let bound = bound.filter(|bound| !keeps(*bound, orders))?;
            Some((kind, name, words, bound))
        });
        let Some((kind, name, words, bound)) = broken else {
            return true;
        };
        #[allow(clippy::cast_possible_truncation)] // bounds of whole numbers are whole
        let shown = if is_whole {
            json!(bound as i64)
        } else {
            json!(bound)
        };
        // `{}` of a float without a fraction is a whole number.
        let msg = format!("Input should be {words} {bound}");
        self.fail(kind, msg, value, Some(json!({name: shown})));
        false
    }
}
