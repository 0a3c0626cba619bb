//! BrowserGym's action language: calls of functions, written as in Python.
//!
//! ```text
//!   text ─► source ─► calls ─► signature ─► arguments ─► action ─► typed actions, one after the other
//! ```
//!
//! A text is read whole before its first action is done. Arguments are read only when their action's turn comes, as in a
//! program: what stands before a wrong call is done.

mod action;
mod mistake;
mod signature;
mod source;
mod string;
mod value;

pub use action::{Action, Click, KeyboardAction, Modifier, MouseAction, Point};
pub use mistake::{Exception, Mistake};
pub use source::Call;
pub use value::Literal;

/// The calls of a text, all of functions that there are.
pub fn read(text: &str) -> Result<Vec<Call>, Mistake> {
    let calls = source::calls(text)?;
    signature::check(&calls)?;
    Ok(calls)
}

/// A text that is one literal and nothing else.
pub fn literal(text: &str) -> Option<Literal> {
    source::literal(text)
}

impl TryFrom<Call> for Action {
    type Error = Mistake;

    fn try_from(call: Call) -> Result<Self, Mistake> {
        Self::new(call)
    }
}

#[cfg(test)]
#[path = "language_tests.rs"]
mod tests;
