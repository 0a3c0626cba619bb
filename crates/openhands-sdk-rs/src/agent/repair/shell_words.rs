//! Joining words to a command line.

/// One command line that a shell splits into these words again.
pub(super) fn join(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "@%+=:,./-_".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r#"'"'"'"#))
}

#[cfg(test)]
#[path = "shell_words_tests.rs"]
mod tests;
