use super::*;
use pretty_assertions::assert_eq;

/// The first command of a text.
fn first(text: &str) -> Command {
    match parse(text).unwrap().into_iter().next() {
        Some(Statement::Command(command)) => command,
        other => panic!("a command expected in {text:?}: {other:?}"),
    }
}

#[test]
fn words_lose_their_quotes() {
    for (text, expected) in [
        (
            r#"rm 'a b' "c d" e\ f g"h"'i'"#,
            vec!["rm", "a b", "c d", "e f", "ghi"],
        ),
        (
            r#"echo "a\"b\$c\d" 'x\y'"#,
            vec!["echo", r#"a"b$c\d"#, r"x\y"],
        ),
        ("r''m \"\"", vec!["rm", ""]),
        ("rm \\\n-rf", vec!["rm", "-rf"]),
        ("echo 1 -5", vec!["echo", "1", "-5"]),
    ] {
        let words: Vec<String> = first(text)
            .words
            .into_iter()
            .map(|word| word.text)
            .collect();
        assert_eq!(words, expected, "{text}");
    }
}

#[test]
fn characters_beyond_ascii_are_parts_of_words_and_never_reach_the_scanner() {
    for character in ['é', '日', '\u{3000}', '😀', '\u{f0000}', '\u{10ffff}'] {
        for text in [
            format!("{{1..{character}}}"),
            format!("{{{character}"),
            format!("{{1{character}..2}}"),
        ] {
            parse(&format!("echo {text}")).unwrap();
        }
        let words = first(&format!("echo a{character}b \"{character}\"")).words;
        let words: Vec<String> = words.into_iter().map(|word| word.text).collect();
        assert_eq!(
            words,
            [
                "echo".to_owned(),
                format!("a{character}b"),
                character.to_string()
            ]
        );
    }
}

#[test]
fn words_say_what_is_not_known() {
    for (text, unknown, is_pattern) in [
        ("echo $X", Some(Unknown::Splits), false),
        ("echo \"$X\"", Some(Unknown::Quoted), false),
        ("echo a$(ls)", Some(Unknown::Splits), false),
        ("echo \"a$X\"$Y", Some(Unknown::Splits), false),
        ("echo $'a'", Some(Unknown::Quoted), false),
        ("echo <(ls)", Some(Unknown::Quoted), false),
        ("echo $((1))", Some(Unknown::Splits), false),
        ("echo a*", None, true),
        ("echo [a]", None, true),
        ("echo {a,b}", None, true),
        ("echo {}", None, false),
        ("echo a\\*", None, false),
        ("echo 'a*'", None, false),
        ("echo plain", None, false),
    ] {
        let word = &first(text).words[1];
        assert_eq!(
            (word.unknown, word.is_pattern),
            (unknown, is_pattern),
            "{text}"
        );
    }
}

#[test]
fn input_comes_from_where_the_last_redirection_says() {
    for (text, expected) in [
        ("cat", Input::Inherited),
        ("cat < f", Input::File),
        ("cat <<< 'a b'", Input::Text("a b".into())),
        ("cat <<< $X", Input::Unknown(Unknown::Splits)),
        ("cat 0<<< a", Input::Text("a".into())),
        ("cat 3<<< a", Input::Inherited),
        ("cat <<EOF\na\nEOF", Input::Text("a\n".into())),
        ("cat <<EOF\n$X\nEOF", Input::Unknown(Unknown::Quoted)),
        ("cat <<'EOF'\n$X\nEOF", Input::Text("$X\n".into())),
        ("cat < <(ls)", Input::Unknown(Unknown::Quoted)),
    ] {
        assert_eq!(first(text).input, expected, "{text}");
    }
    let stripped = first("cat <<-EOF\n\t\ta\n\tEOF").input;
    assert_eq!(stripped, Input::Text("a\n".into()));
}

#[test]
fn words_after_a_redirection_belong_to_the_command() {
    let command = first("rm > x -rf y");
    let words: Vec<&str> = command
        .words
        .iter()
        .map(|word| word.text.as_str())
        .collect();
    assert_eq!(words, ["rm", "-rf", "y"]);
    assert!(command.writes_file);
}

#[test]
fn a_pipeline_is_flat_wherever_its_redirections_stand() {
    for text in [
        "a | b 2>&1 | c",
        "a 2>x | b | c > y",
        "a <<EOF | b | c\nx\nEOF",
        "! a | b | c",
    ] {
        let script = parse(text).unwrap();
        let [Statement::Pipeline(pipeline)] = script.as_slice() else {
            panic!("one pipeline expected in {text:?}: {script:?}");
        };
        let verbs: Vec<&str> = pipeline
            .stages
            .iter()
            .map(|stage| match stage {
                Statement::Command(command) => command.words[0].text.as_str(),
                other => panic!("a command expected: {other:?}"),
            })
            .collect();
        assert_eq!(verbs, ["a", "b", "c"], "{text}");
        assert!(!pipeline.broken, "{text}");
    }
}

#[test]
fn commands_are_found_wherever_they_hide() {
    for text in [
        "(hidden)",
        "{ hidden; }",
        "if a; then hidden; fi",
        "for i in a; do hidden; done",
        "while hidden; do a; done",
        "case x in a) hidden;; esac",
        "f() { hidden; }",
        "echo $(hidden)",
        "echo `hidden`",
        "echo \"$(hidden)\"",
        "cat <(hidden)",
        "x=$(hidden)",
        "export x=$(hidden)",
        "a && hidden",
        "a | hidden",
        "[[ $(hidden) ]]",
        "(( $(hidden) ))",
        "echo ${x:-$(hidden)}",
        "cat <<EOF\n$(hidden)\nEOF",
        "cat <<EOF && hidden\nx\nEOF",
        "x > $(hidden)",
        "if hidden a",
        "$(hidden",
        "hidden \"",
        "coproc a; hidden",
    ] {
        let script = parse(text).unwrap();
        let mut found = false;
        let whole = each_command(&script, &mut |command| {
            found |= command.verb().is_some_and(|verb| verb.text == "hidden");
        });
        assert!(found && whole, "{text}: {script:?}");
    }
}
