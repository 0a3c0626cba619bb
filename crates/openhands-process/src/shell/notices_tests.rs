use super::{relevant, without_foreign_done};
use pretty_assertions::assert_eq;

fn kept(after: &str, output: &str) -> String {
    String::from_utf8(relevant(after.as_bytes(), output.as_bytes())).unwrap()
}

#[test]
fn a_job_of_an_earlier_command_that_ended_well_is_not_mentioned() {
    assert_eq!(
        kept("[1]+  Done                    sleep 1\r\n", "fg\r\n"),
        ""
    );
    assert_eq!(
        kept("[12]   Done                    sleep 1\r\n", "fg\r\n"),
        ""
    );
}

#[test]
fn a_job_of_this_command_is_mentioned() {
    let after = "[1]+  Done                    sleep 0\r\n";
    assert_eq!(kept(after, "[1] 4711\r\nx\r\n"), after);
    assert_eq!(kept(after, "[2] 4711\r\nx\r\n"), "");
}

#[test]
fn other_ends_are_always_mentioned() {
    for after in [
        "[1]+  Terminated              sleep 30\r\n",
        "[1]+  Stopped                 sleep 50\r\n",
        "[1]-  Exit 3                  (exit 3)\r\n",
        "[1]+  Killed                  sleep 50\r\n",
        "Done\r\n",
        "[x]+  Done    y\r\n",
    ] {
        assert_eq!(kept(after, ""), after);
    }
}

#[test]
fn a_stop_is_old_news_when_the_job_has_ended() {
    let ended = "[1]+  Terminated              sleep 50\r\n";
    assert_eq!(
        kept(
            &format!("\r\n[1]+  Stopped                 sleep 50\r\n{ended}"),
            ""
        ),
        ended
    );
    let two =
        "\r\n[1]+  Stopped                 sleep 50\r\n[2]-  Terminated              sleep 5\r\n";
    assert_eq!(kept(two, ""), two);
}

#[test]
fn shown_text_loses_only_such_lines() {
    let text = "[2] 99\na\n[1]+  Done                    sleep 1\nb\n[2]-  Done                    sleep 2";
    assert_eq!(
        without_foreign_done(text),
        "[2] 99\na\nb\n[2]-  Done                    sleep 2"
    );
}
