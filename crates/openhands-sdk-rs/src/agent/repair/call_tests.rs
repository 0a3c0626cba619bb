use super::*;
use serde_json::json;

fn line(arguments: &Value, program: GrepProgram) -> String {
    let arguments = arguments.as_object().unwrap().clone();
    let repaired = call("grep", arguments, &["terminal"], program).unwrap();
    assert_eq!(repaired.name, "terminal");
    repaired.arguments["command"].as_str().unwrap().to_owned()
}

#[test]
fn a_search_becomes_a_command_line_of_the_program_that_is_there() {
    let search = json!({"pattern": "a b", "path": "src", "include": "*.py"});
    assert_eq!(
        line(&search, GrepProgram::Ripgrep),
        "rg -n -i 'a b' src --sortr=modified -g '*.py'"
    );
    assert_eq!(
        line(&search, GrepProgram::Grep),
        "grep -R -I -n -i 'a b' src '--include=*.py'"
    );
}

#[test]
fn a_pattern_never_becomes_an_option() {
    assert_eq!(
        line(&json!({"pattern": "-x"}), GrepProgram::Grep),
        "grep -R -I -n -i -e -x ."
    );
}
