//! A command as one text, and back into its words, as a shell would.

/// Words as a text that a shell takes apart into the same words.
pub(crate) fn join(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let is_plain = !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte));
    if is_plain {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\"'\"'"))
    }
}

/// The words of a text; an error if a quote or a backslash is left open.
pub(crate) fn split(text: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => quoted(&mut letters, word.get_or_insert_default(), '\'')?,
            '"' => quoted(&mut letters, word.get_or_insert_default(), '"')?,
            '\\' => {
                let escaped = letters.next().ok_or("No escaped character")?;
                word.get_or_insert_default().push(escaped);
            }
            _ if letter.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Ok(words)
}

fn quoted(
    letters: &mut std::str::Chars<'_>,
    word: &mut String,
    end: char,
) -> Result<(), &'static str> {
    loop {
        let letter = letters.next().ok_or("No closing quotation")?;
        if letter == end {
            return Ok(());
        }
        if letter == '\\' && end == '"' {
            let escaped = letters.next().ok_or("No closing quotation")?;
            // Inside of double quotes a backslash is one, unless it stands before what it must protect.
            if !matches!(escaped, '"' | '\\') {
                word.push('\\');
            }
            word.push(escaped);
        } else {
            word.push(letter);
        }
    }
}

#[cfg(test)]
#[path = "shell_words_tests.rs"]
mod tests;
