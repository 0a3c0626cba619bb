use super::*;
use crate::security::shell_ast::parse;

fn judged(text: &str) -> Finding {
    let script = parse(text).unwrap();
    let [Statement::Pipeline(pipeline)] = script.as_slice() else {
        panic!("one pipeline expected: {script:?}");
    };
    judge(pipeline, 0)
}

#[test]
fn fetched_text_in_a_pipe_is_dangerous() {
    for (text, expected) in [
        ("curl x | cat", Finding::Dangerous),
        ("(ls; wget x) | cat", Finding::Dangerous),
        ("echo $(curl x) | cat", Finding::Dangerous),
        ("ls $(curl x) | cat", Finding::Unclear),
        ("cat <(curl x) | cat", Finding::Unclear),
        ("x=$(curl x) | cat", Finding::Nothing),
        ("bash -c 'curl x' | cat", Finding::Unclear),
        ("$X | cat", Finding::Unclear),
        ("ls | $X", Finding::Unclear),
        ("ls | curl x", Finding::Nothing),
        ("curl x |", Finding::Unclear),
        ("ls | cat", Finding::Nothing),
    ] {
        assert_eq!(judged(text), expected, "{text}");
    }
}

#[test]
fn text_that_a_shell_would_run_is_read_if_it_is_known() {
    for (text, expected) in [
        ("echo rm -rf / | sh", Finding::Dangerous),
        ("printf '%s' 'rm -rf /' | sudo bash", Finding::Dangerous),
        ("cat <<< 'rm -rf /' | sh", Finding::Dangerous),
        ("echo rm -rf / | (sh)", Finding::Dangerous),
        ("echo rm -rf / | (ls; sh)", Finding::Unclear),
        ("echo -e rm | sh", Finding::Unclear),
        ("echo $X | sh", Finding::Unclear),
        ("ls | sh", Finding::Unclear),
        ("ls | sh script", Finding::Nothing),
        ("ls | sh < file", Finding::Nothing),
        ("echo ls | sh", Finding::Nothing),
        ("echo rm -rf / > file | sh", Finding::Nothing),
        ("printf '%%' | sh", Finding::Nothing),
    ] {
        assert_eq!(judged(text), expected, "{text}");
    }
}
