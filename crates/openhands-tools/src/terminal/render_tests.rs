use super::*;
use openhands_protocol::tool::CmdOutputMetadata;
use pretty_assertions::assert_eq;

fn observation(text: &str, metadata: CmdOutputMetadata) -> TerminalObservation {
    TerminalObservation {
        metadata,
        ..TerminalObservation::with_text(text)
    }
}

#[test]
fn everything_known_of_the_shell_follows_the_output() {
    let metadata = CmdOutputMetadata {
        exit_code: 1,
        working_dir: Some("/w".into()),
        py_interpreter_path: Some("/usr/bin/python".into()),
        prefix: "<".into(),
        suffix: ">".into(),
        ..CmdOutputMetadata::default()
    };
    assert_eq!(
        for_model(&observation("out", metadata)),
        "<out>\n[Current working directory: /w]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 1]"
    );
    assert_eq!(
        for_model(&observation("out", CmdOutputMetadata::default())),
        "out"
    );
}

#[test]
fn a_long_answer_is_cut_and_kept_in_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let long = TerminalObservation {
        full_output_save_dir: Some(directory.path().display().to_string()),
        ..observation(&"line\n".repeat(20_000), CmdOutputMetadata::default())
    };
    let text = for_model(&long);
    assert_eq!(text.chars().count(), MAX_CHARS);
    let file = std::fs::read_dir(directory.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert!(text.contains(&file.path().display().to_string()));
    assert_eq!(std::fs::read_to_string(file.path()).unwrap().len(), 100_000);
}
