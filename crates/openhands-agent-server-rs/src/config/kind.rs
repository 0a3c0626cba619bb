//! What a setting may be: the types that the table of settings is written in.

/// What values a setting takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// In a variable: `1` or `true` in any case; everything else is false.
    Bool,
    /// A whole number between two bounds, both included.
    Whole(i64, i64),
    /// A finite number within limits.
    Number(Limit),
    /// Any text.
    Text,
    /// A path; a relative one starts at the working directory.
    Path,
    /// A text that is never shown.
    Secret,
    /// A regular expression.
    Pattern,
    /// One of some words. In a variable another word counts as not set.
    Word(&'static [&'static str]),
    /// Names with texts.
    Texts,
    /// A boolean, or a list of texts.
    Choice,
    /// Several values of one kind.
    List(&'static Kind),
    /// Settings inside a setting.
    Object(&'static [Setting]),
    /// The same, or nothing.
    Nullable(&'static Kind),
}

/// The limits of a number.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// Zero or more.
    NotNegative,
    /// More than zero.
    Positive,
    /// More than zero and less than one.
    Fraction,
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// Its name in the file; in upper case after `OH_` it is the name of the variable.
    pub(crate) name: &'static str,
    /// What values it takes.
    pub(crate) kind: Kind,
    /// What it is when nothing is said, as JSON; none if it must be given.
    pub(crate) default: Option<&'static str>,
    /// What it is for, in Markdown.
    pub(crate) meaning: &'static str,
}

/// A setting with a default.
pub(crate) const fn setting(
    name: &'static str,
    kind: Kind,
    default: &'static str,
    meaning: &'static str,
) -> Setting {
    Setting {
        name,
        kind,
        default: Some(default),
        meaning,
    }
}

/// A setting that must be given.
pub(crate) const fn required(name: &'static str, kind: Kind, meaning: &'static str) -> Setting {
    Setting {
        name,
        kind,
        default: None,
        meaning,
    }
}

impl Kind {
    /// What a value should be, in words.
    pub(crate) fn wanted(self) -> String {
        match self {
            Self::Bool => "true or false".to_owned(),
            Self::Whole(least, i64::MAX) => format!("a whole number, at least {least}"),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(Limit::NotNegative) => "a number that is not negative".to_owned(),
            Self::Number(Limit::Positive) => "a number above 0".to_owned(),
            Self::Number(Limit::Fraction) => "a number between 0 and 1".to_owned(),
            Self::Text | Self::Secret => "a text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Pattern => "a regular expression".to_owned(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Texts => "a JSON object whose values are texts".to_owned(),
            Self::Choice => "true, false or a JSON list of texts".to_owned(),
            Self::List(_) => "a JSON list".to_owned(),
            Self::Object(_) => "a JSON object".to_owned(),
            Self::Nullable(inner) => format!("{} or null", inner.wanted()),
        }
    }
}
