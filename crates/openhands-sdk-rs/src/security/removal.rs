//! The words of `rm`: which options it gets, and what it is to remove.

use super::shell_ast::Word;

/// A call of `rm`, or of a verb that may turn out to be it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Removal<'a> {
    pub(super) recursive: bool,
    pub(super) force: bool,
    pub(super) operands: Vec<&'a Word>,
    /// A word may turn into options at run time.
    pub(super) may_get_options: bool,
}

impl<'a> Removal<'a> {
    /// Reads the words after the verb. Options count wherever they stand before a `--`.
    pub(super) fn read(arguments: &'a [Word]) -> Self {
        let mut removal = Self {
            recursive: false,
            force: false,
            operands: Vec::new(),
            may_get_options: false,
        };
        let mut options = true;
        for word in arguments {
            let is_option = options && word.text.starts_with('-') && word.text.len() > 1;
            removal.may_get_options |= word.exact().is_none();
            match word.known().filter(|_| is_option) {
                Some("--") => options = false,
                Some("--recursive") => removal.recursive = true,
                Some("--force") => removal.force = true,
                Some(long) if long.starts_with("--") => {}
                Some(letters) => {
                    removal.recursive |= letters.contains(['r', 'R']);
                    removal.force |= letters.contains('f');
                }
                None => removal.operands.push(word),
            }
        }
        removal
    }

    /// Everything below its operands goes, and no question is asked.
    pub(super) fn takes_all(&self) -> bool {
        self.recursive && self.force
    }
}

/// `*` names whatever is there, also a file called `-rf`.
pub(super) fn is_lone_star(word: &Word) -> bool {
    word.is_pattern && word.text == "*"
}

#[cfg(test)]
#[path = "removal_tests.rs"]
mod tests;
