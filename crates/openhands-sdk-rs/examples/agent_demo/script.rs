//! The script that plays the model when there is none: it writes a program, sees it fail, mends it and proves it.

use std::path::Path;

use openhands_sdk_rs::Llm;
use serde_json::{Value, json};

/// The task that the script is about.
pub(crate) const TASK: &str =
    "Write a program that turns numbers into Roman numerals, and prove that it works.";

/// Without the pairs that subtract: the check finds that out.
const PROGRAM: &str = r#"#!/usr/bin/env bash
# Prints each argument as a Roman numeral.
values=(1000 500 100 50 10 5 1)
signs=(M D C L X V I)

for number in "$@"; do
  roman=
  for i in "${!values[@]}"; do
    while ((number >= values[i])); do
      roman+=${signs[i]}
      ((number -= values[i]))
    done
  done
  echo "$roman"
done
"#;

const CHECK: &str = r#"#!/usr/bin/env bash
# Numerals that are known, each beside what the program says.
failed=0
check() {
  got=$(bash roman.sh "$1")
  [[ $got == "$2" ]] || { echo "$1 should be $2, not $got"; failed=1; }
}
check 3 III
check 4 IV
check 1666 MDCLXVI
check 1994 MCMXCIV
((failed)) && exit 1
echo "all numerals are right"
"#;

/// How long the script thinks before each answer when somebody watches, in seconds.
const THINKING: f64 = 0.7;

/// The answers of the script. `is_watched` leaves time to read them.
pub(crate) fn script(workspace: &Path, is_watched: bool) -> Value {
    let program = workspace.join("roman.sh");
    let check = workspace.join("check.sh");
    let old = "values=(1000 500 100 50 10 5 1)\nsigns=(M D C L X V I)";
    let new = "values=(1000 900 500 400 100 90 50 40 10 9 5 4 1)\nsigns=(M CM D CD C XC L XL X IX V IV I)";
    let mut answers = json!([
        {
            "text": "I write the program, and a check that knows some numerals by heart.",
            "tools": [
                {"name": "file_editor", "args": {"command": "create", "path": program, "file_text": PROGRAM}},
                {"name": "file_editor", "args": {"command": "create", "path": check, "file_text": CHECK}},
            ],
        },
        {
            "text": "Does it work?",
            "tools": [{"name": "terminal", "args": {"command": "bash check.sh"}}],
        },
        {
            "text": "It only ever adds. Four is one less than five: the pairs that subtract are missing.",
            "tools": [{"name": "file_editor", "args": {
                "command": "str_replace", "path": program, "old_str": old, "new_str": new}}],
        },
        {
            "text": "Once more, and then this year.",
            "tools": [{"name": "terminal", "args": {"command": "bash check.sh && bash roman.sh $(date +%Y)"}}],
        },
        {
            "tools": [{"name": "finish", "args": {"message":
                "roman.sh turns numbers into Roman numerals. Its first version could not subtract, so 4 came out as \
                 IIII; check.sh found that, I added the missing pairs, and now every check passes."}}],
        },
    ]);
    if is_watched && let Some(answers) = answers.as_array_mut() {
        for answer in answers {
            answer["delay"] = json!(THINKING);
        }
    }
    answers
}

/// The settings of a model that is a script.
pub(crate) fn llm() -> Llm {
    Llm {
        model: "a script".to_owned(),
        ..Llm::default()
    }
}
