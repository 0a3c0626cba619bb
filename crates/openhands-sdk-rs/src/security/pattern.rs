//! The analyzer that looks for dangerous patterns in what would run, and for injected instructions in what was said.

use super::AnalyzerError;
use super::removal::{Removal, is_lone_star};
use super::risk::Finding;
use super::shell_ast::{
    Command, Input, ShellCall, Unknown, Unwrapped, Word, each_command, parse, shell_call, unwrap,
};
use super::text::{executable, normalize, spoken};
use openhands_protocol::event::{ActionEvent, SecurityRisk};
use openhands_protocol::security::PatternSecurityAnalyzer;
use regex::{RegexSet, RegexSetBuilder};

/// Scripts within scripts (`sh -c "sh -c …"`) that are followed.
const MAX_SCRIPTS: usize = 8;

/// Dangerous wherever they run.
const HIGH: &[&str] = &[
    r"\brm\s+(?:-[rRf]{2,}|-[rR]\s+-f|-f\s+-[rR]|--recursive\s+--force|--force\s+--recursive)\b",
    r"\bsudo\s+rm\b",
    r"\bmkfs\.\w+",
    r"\bdd\b.{0,100}of=/dev/",
    r"\b(?:eval|exec)\s*\(",
    r"\bos\.system\s*\(",
    r"\bsubprocess\.(?:run|call|Popen|check_call|check_output)\s*\(",
    r"\b(?:curl|wget)\b[^|]{0,200}\|\s*(?:ba)?sh\b",
];
/// Reach out to the network.
const MEDIUM: &[&str] = &[r"\b(?:curl|wget)\b.{0,100}https?://"];
/// Ask the model to drop its instructions.
const INJECTION_HIGH: &[&str] = &[
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+)?(?:previous|prior|above)\s+(?:instruction|prompt|rule|directive)s?\b",
];
/// Ask the model to be someone else.
const INJECTION_MEDIUM: &[&str] = &[
    r"\byou\s+are\s+now\s+(?:in\s+)?(?:\w+\s+)?mode\b",
    r"\bpretend\s+(?:you\s+are|to\s+be)\s+(?:a\s+)?different\b",
];

/// Looks for patterns. Built from its settings once, used for every action.
#[derive(Debug)]
pub struct PatternAnalyzer {
    high: RegexSet,
    medium: RegexSet,
    injection_high: RegexSet,
    injection_medium: RegexSet,
}

impl PatternAnalyzer {
    /// An analyzer with the settings' patterns; a list that they leave out is the built-in one.
    pub fn new(settings: &PatternSecurityAnalyzer) -> Result<Self, AnalyzerError> {
        Ok(Self {
            high: compile(settings.high_patterns.as_deref(), HIGH)?,
            medium: compile(settings.medium_patterns.as_deref(), MEDIUM)?,
            injection_high: compile(settings.injection_high_patterns.as_deref(), INJECTION_HIGH)?,
            injection_medium: compile(
                settings.injection_medium_patterns.as_deref(),
                INJECTION_MEDIUM,
            )?,
        })
    }

    /// How risky the action looks.
    pub fn risk(&self, action: &ActionEvent) -> SecurityRisk {
        let executable = executable(action);
        let runs = normalize(&executable.joined());
        let said = normalize(&spoken(action));
        let injected = |patterns: &RegexSet| patterns.is_match(&runs) || patterns.is_match(&said);
        if self.high.is_match(&runs) || injected(&self.injection_high) {
            return SecurityRisk::High;
        }
        let shell = executable
            .strings
            .iter()
            .map(|string| script(string, 0))
            .max()
            .unwrap_or(Finding::Nothing);
        if shell == Finding::Dangerous {
            return SecurityRisk::High;
        }
        // A pattern that is there says more than a verb that is not.
        if self.medium.is_match(&runs) || injected(&self.injection_medium) {
            return SecurityRisk::Medium;
        }
        shell.into()
    }
}

/// The engine is linear in the text, so no pattern can hang it.
fn compile(
    own: Option<&[(String, String, String)]>,
    built_in: &[&str],
) -> Result<RegexSet, AnalyzerError> {
    let patterns: Vec<&str> = match own {
        Some(own) => own.iter().map(|(pattern, _, _)| pattern.as_str()).collect(),
        None => built_in.to_vec(),
    };
    RegexSetBuilder::new(patterns)
        .case_insensitive(true)
        .build()
        .map_err(AnalyzerError::BadPattern)
}

/// Looks for forced recursive removal in the commands of a shell text.
fn script(text: &str, depth: usize) -> Finding {
    if depth > MAX_SCRIPTS {
        return Finding::Unclear;
    }
    let Some(statements) = parse(text) else {
        return Finding::Unclear;
    };
    let mut worst = Finding::Nothing;
    let whole = each_command(&statements, &mut |found| {
        worst = worst.max(command(found, depth));
    });
    if whole {
        worst
    } else {
        worst.max(Finding::Unclear)
    }
}

fn command(command: &Command, depth: usize) -> Finding {
    let Some(verb) = command.verb() else {
        return Finding::Nothing;
    };
    let removal = Removal::read(command.arguments());
    let Some(name) = verb.program() else {
        return if removal.takes_all() {
            Finding::Unclear
        } else {
            Finding::Nothing
        };
    };
    match name {
        "rm" if removal.takes_all() => Finding::Dangerous,
        "rm" if command.arguments().iter().any(is_lone_star) => Finding::Unclear,
        "eval" | "command" | "builtin" => evaluated(&command.words, depth),
        _ => match shell_call(name, command.arguments()) {
            Some(ShellCall::Script(text)) => script(&text.text, depth + 1),
            Some(ShellCall::Input) => match &command.input {
                Input::Text(text) => script(text, depth + 1),
                Input::Unknown(_) => Finding::Unclear,
                Input::Inherited | Input::File => Finding::Nothing,
            },
            Some(ShellCall::Unreadable(Unknown::Splits)) => Finding::Unclear,
            Some(ShellCall::Unreadable(Unknown::Quoted) | ShellCall::File) | None => {
                Finding::Nothing
            }
        },
    }
}

/// What `eval` would run, also behind `command` and `builtin`.
fn evaluated(words: &[Word], depth: usize) -> Finding {
    match unwrap(words) {
        Unwrapped::Verb {
            name: "eval",
            arguments,
            in_shell: true,
        } => match eval_text(arguments) {
            Some(text) => script(&text, depth + 1),
            None => Finding::Unclear,
        },
        Unwrapped::UnknownVerb { .. } => Finding::Unclear,
        Unwrapped::Verb { .. } | Unwrapped::Nothing | Unwrapped::Unreadable => Finding::Nothing,
    }
}

/// The text that `eval` makes of its words, if all of them are known.
pub(super) fn eval_text(arguments: &[Word]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().map(Word::exact).collect::<Option<_>>()?;
    Some(match words.as_slice() {
        ["--", rest @ ..] => rest.join(" "),
        all => all.join(" "),
    })
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
