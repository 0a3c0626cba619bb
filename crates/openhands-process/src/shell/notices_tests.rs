use super::current;
use pretty_assertions::assert_eq;

fn kept(after: &str) -> String {
    String::from_utf8(current(after.as_bytes())).unwrap()
}

#[test]
fn what_became_of_jobs_is_mentioned() {
    for after in [
        "[1]+  Done                    sleep 1\r\n",
        "[1]+  Terminated              sleep 30\r\n",
        "[1]+  Stopped                 sleep 50\r\n",
        "[1]-  Exit 3                  (exit 3)\r\n",
        "[1]+  Killed                  sleep 50\r\n",
        "Done\r\n",
        "[x]+  Done    y\r\n",
    ] {
        assert_eq!(kept(after), after);
    }
}

#[test]
fn a_stop_is_old_news_when_the_job_has_ended() {
    let ended = "[1]+  Terminated              sleep 50\r\n";
    assert_eq!(
        kept(&format!(
            "\r\n[1]+  Stopped                 sleep 50\r\n{ended}"
        )),
        ended
    );
    let two =
        "\r\n[1]+  Stopped                 sleep 50\r\n[2]-  Terminated              sleep 5\r\n";
    assert_eq!(kept(two), two);
}
