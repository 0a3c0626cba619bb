//! Bash's grammar: a command's text as a syntax tree, safely.

use tree_sitter::{Parser, Tree};

/// The syntax tree of `text`, with the text's own byte positions. None if the parser gives up.
pub fn bash_tree(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    parser.parse(ascii_of_same_length(text), None)
}

/// `text` with every character beyond ASCII replaced by as many `%` as it has bytes.
///
/// The grammar's scanner asks `isdigit` about characters that are out of that function's range, which reads foreign
/// memory and can end the process. To bash such characters are ordinary parts of a word, and so is `%`; positions
/// stay those of the text itself.
fn ascii_of_same_length(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            ascii.extend(std::iter::repeat_n('%', character.len_utf8()));
        }
    }
    ascii
}

#[cfg(test)]
#[path = "grammar_tests.rs"]
mod tests;
