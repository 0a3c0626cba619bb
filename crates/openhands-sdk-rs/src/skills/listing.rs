//! The list of skills that the model may load: names and descriptions, not the texts.

use openhands_protocol::skills::Skill;

/// How much of a description is listed, in characters.
const MAX_DESCRIPTION_CHARS: usize = 1024;

/// The `<available_skills>` block; none if there are no skills to list. `can_invoke`: whether the model has the tool to
/// load them.
pub(crate) fn available_skills<'a>(
    skills: impl Iterator<Item = &'a Skill>,
    can_invoke: bool,
) -> Option<String> {
    let listed: Vec<String> = skills
        .map(|skill| {
            let name = escaped(skill.name.trim());
            let description = escaped(description(skill, can_invoke).trim());
            format!("  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n  </skill>\n")
        })
        .collect();
    let is_empty = listed.is_empty();
    (!is_empty).then(|| format!("<available_skills>\n{}</available_skills>", listed.concat()))
}

/// What the skill says of itself, else the first line of its text that is no heading, with a note of what is left out.
fn description(skill: &Skill, can_invoke: bool) -> String {
    let own = skill
        .description
        .as_deref()
        .filter(|description| !description.is_empty());
    let (shown, mut left_out) = match own {
        Some(description) => (description, 0),
        None => first_line(&skill.content),
    };
    let length = shown.chars().count();
    left_out += length.saturating_sub(MAX_DESCRIPTION_CHARS);
    let listed: String = shown.chars().take(MAX_DESCRIPTION_CHARS).collect();
    let name = &skill.name;
    match (left_out, can_invoke) {
        (0, _) => listed,
        (_, true) => format!(
            "{listed}... [{left_out} more characters: call invoke_skill(name=\"{name}\") for the whole skill]"
        ),
        (_, false) => format!("{listed}... [{left_out} more characters]"),
    }
}

/// The first line that is neither empty nor a heading, and how many characters come after it.
fn first_line(content: &str) -> (&str, usize) {
    let mut rest = content;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let text = line.trim();
        if !text.is_empty() && !text.starts_with('#') {
            let left_out = rest.chars().count() - line.chars().count();
            return (text, left_out);
        }
        rest = after;
    }
    ("", 0)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
