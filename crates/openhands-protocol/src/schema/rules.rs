//! Limits of a member: numbers, lengths, patterns, and rules that no type can express.

use serde_json::Value;

use super::{Rule, SchemaOf};

/// Limits of a member. They hold for a value that is there; null is not measured.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// The number is at least this.
    pub ge: Option<f64>,
    /// The number is greater than this.
    pub gt: Option<f64>,
    /// The number is at most this.
    pub le: Option<f64>,
    /// The number is less than this.
    pub lt: Option<f64>,
    /// The text has at least so many characters, the list so many items.
    pub min_length: Option<usize>,
    /// The text has at most so many characters, the list so many items.
    pub max_length: Option<usize>,
    /// A regular expression that occurs in the text.
    pub pattern: Option<&'static str>,
    /// The only words that the text may be.
    pub words: Option<&'static [&'static str]>,
    /// What kind of text it is, for readers of the API description.
    pub format: Option<&'static str>,
    /// What the value looks like, where the type says less.
    pub schema: Option<SchemaOf>,
    /// Whether null stands for the default.
    pub null_is_default: bool,
    /// A rule about the value as it was sent, checked first.
    pub before: Option<Rule<Value>>,
    /// A rule about the value, checked when all else is right.
    pub check: Option<Rule<Value>>,
}

impl Rules {
    /// No limits.
    pub const NONE: Self = Self {
        ge: None,
        gt: None,
        le: None,
        lt: None,
        min_length: None,
        max_length: None,
        pattern: None,
        words: None,
        format: None,
        schema: None,
        null_is_default: false,
        before: None,
        check: None,
    };

    /// At least this.
    #[must_use]
    pub const fn ge(mut self, least: f64) -> Self {
        self.ge = Some(least);
        self
    }

    /// Greater than this.
    #[must_use]
    pub const fn gt(mut self, bound: f64) -> Self {
        self.gt = Some(bound);
        self
    }

    /// At most this.
    #[must_use]
    pub const fn le(mut self, most: f64) -> Self {
        self.le = Some(most);
        self
    }

    /// Less than this.
    #[must_use]
    pub const fn lt(mut self, bound: f64) -> Self {
        self.lt = Some(bound);
        self
    }

    /// At least so long.
    #[must_use]
    pub const fn min_length(mut self, least: usize) -> Self {
        self.min_length = Some(least);
        self
    }

    /// At most so long.
    #[must_use]
    pub const fn max_length(mut self, most: usize) -> Self {
        self.max_length = Some(most);
        self
    }

    /// Matches this expression.
    #[must_use]
    pub const fn pattern(mut self, pattern: &'static str) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// One of these words.
    #[must_use]
    pub const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.words = Some(words);
        self
    }

    /// Text of this kind.
    #[must_use]
    pub const fn format(mut self, format: &'static str) -> Self {
        self.format = Some(format);
        self
    }

    /// Looks like this.
    #[must_use]
    pub const fn schema(mut self, schema: SchemaOf) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Null stands for the default.
    #[must_use]
    pub const fn null_is_default(mut self) -> Self {
        self.null_is_default = true;
        self
    }

    /// Keeps this rule, whatever else is wrong.
    #[must_use]
    pub const fn before(mut self, rule: Rule<Value>) -> Self {
        self.before = Some(rule);
        self
    }

    /// Keeps this rule.
    #[must_use]
    pub const fn check(mut self, rule: Rule<Value>) -> Self {
        self.check = Some(rule);
        self
    }
}
