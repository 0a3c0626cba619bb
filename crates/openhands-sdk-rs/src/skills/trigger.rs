//! What makes a skill fire: words in a message, and paths that are touched.

use openhands_protocol::skills::{Skill, SkillTrigger};

/// The trigger word of `skill` that occurs in a user's message, if one does.
///
/// Path rules and skills that are always on have no words.
pub fn word_in_message<'a>(skill: &'a Skill, message: &str) -> Option<&'a str> {
    let words = match skill.trigger.as_ref()? {
        SkillTrigger::Keyword(trigger) => &trigger.keywords,
        SkillTrigger::Task(trigger) => &trigger.triggers,
        SkillTrigger::Path(_) | SkillTrigger::Unknown(_) => return None,
    };
    let lowered = message.to_lowercase();
    words
        .iter()
        .find(|word| occurs(&word.to_lowercase(), &lowered))
        .map(String::as_str)
}

/// The glob of a path rule that the workspace-relative `path` matches, if one does.
pub fn glob_for_path<'a>(skill: &'a Skill, path: &str) -> Option<&'a str> {
    let Some(SkillTrigger::Path(trigger)) = &skill.trigger else {
        return None;
    };
    let globs = trigger.paths.iter().map(String::as_str);
    globs.into_iter().find(|glob| path_matches(path, glob))
}

/// Whether `word` stands in `text` without a Latin letter or digit on either side. Both are in lower case.
fn occurs(word: &str, text: &str) -> bool {
    if word.is_empty() {
        return false;
    }
    text.match_indices(word).any(|(start, _)| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text
            .get(start + word.len()..)
            .and_then(|text| text.chars().next());
        let joins = |neighbour: Option<char>| {
            neighbour.is_some_and(|neighbour| neighbour.is_ascii_alphanumeric())
        };
        !joins(before) && !joins(after)
    })
}

/// Whether a path matches a glob.
///
/// `*` and `?` stay within a directory, `**` crosses any number of them. A glob without a slash may begin at any
/// directory. Everything else stands for itself.
pub fn path_matches(path: &str, glob: &str) -> bool {
    if glob.is_empty() {
        return false;
    }
    let subject: Vec<char> = path.chars().collect();
    matches(&tokens(glob), &subject)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Literal(char),
    /// `?`
    One,
    /// `*`
    Some,
    /// `**`
    Any,
    /// `**/`: nothing, or whole directories.
    Directories,
}

fn tokens(glob: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    if !glob.contains('/') {
        tokens.push(Token::Directories);
    }
    let mut characters = glob.chars().peekable();
    while let Some(character) = characters.next() {
        tokens.push(match character {
            '*' if characters.next_if_eq(&'*').is_some() => {
                if characters.next_if_eq(&'/').is_some() {
                    Token::Directories
                } else {
                    Token::Any
                }
            }
            '*' => Token::Some,
            '?' => Token::One,
            other => Token::Literal(other),
        });
    }
    tokens
}

/// Matches by keeping all positions of the pattern that the text read so far can stand at: linear in both, so that
/// no glob takes long.
fn matches(tokens: &[Token], subject: &[char]) -> bool {
    let mut reached = vec![false; tokens.len() + 1];
    set(&mut reached, 0, true);
    skip_empty(tokens, &mut reached, &[], false);
    for character in subject {
        let mut next = vec![false; tokens.len() + 1];
        let mut stayed = vec![false; tokens.len() + 1];
        for (position, token) in tokens.iter().enumerate() {
            if !at(&reached, position) {
                continue;
            }
            let (stays, goes_on) = match token {
                Token::Literal(literal) => (false, literal == character),
                Token::One => (false, *character != '/'),
                Token::Some => (*character != '/', false),
                Token::Any | Token::Directories => (true, false),
            };
            set(&mut stayed, position, stays);
            set(&mut next, position + 1, goes_on);
        }
        skip_empty(tokens, &mut next, &stayed, *character == '/');
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

/// Steps over tokens that may stand for nothing, and joins the positions that `stayed` in their token.
///
/// Directories that have just been come to may be none at all; once they have read something they end at a slash.
fn skip_empty(tokens: &[Token], reached: &mut [bool], stayed: &[bool], after_slash: bool) {
    for (position, token) in tokens.iter().enumerate() {
        let (new, old) = (at(reached, position), at(stayed, position));
        let leaves = match token {
            Token::Some | Token::Any => new || old,
            Token::Directories => new || (old && after_slash),
            Token::Literal(_) | Token::One => false,
        };
        set(reached, position, old);
        set(reached, position + 1, leaves);
    }
}

fn at(reached: &[bool], position: usize) -> bool {
    reached.get(position).copied().unwrap_or_default()
}

fn set(reached: &mut [bool], position: usize, value: bool) {
    if let Some(slot) = reached.get_mut(position) {
        *slot |= value;
    }
}

#[cfg(test)]
#[path = "trigger_tests.rs"]
mod tests;
