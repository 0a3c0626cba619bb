//! Commands that wait: timeouts, input, keys, unfinished texts, cancelling.

use std::time::Duration;

use openhands_process::{Key, Outcome, ShellError, Wait};
use pretty_assertions::assert_eq;
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, ran};

const SHORT: Duration = Duration::from_millis(150);

fn soft() -> Wait {
    Wait {
        soft: Some(SHORT),
        hard: None,
    }
}

#[tokio::test]
async fn a_soft_timeout_leaves_the_command_running() {
    let bench = Bench::new().await;
    let never = CancellationToken::new();
    bench
        .shell
        .run("echo start; read x; echo end", &[])
        .await
        .unwrap();
    assert_eq!(
        bench.shell.wait(soft(), &never).await.unwrap(),
        Outcome::SoftTimeout
    );
    assert_eq!(bench.text(), "start");
    assert!(matches!(
        bench.shell.run("echo new", &[]).await,
        Err(ShellError::Busy)
    ));
    let hard = Wait {
        soft: None,
        hard: Some(SHORT),
    };
    assert_eq!(
        bench.shell.wait(hard, &never).await.unwrap(),
        Outcome::HardTimeout
    );
    assert_eq!(bench.text(), "");
    bench.shell.send_line("").await.unwrap();
    assert_eq!(bench.finish().await.0, "end");
    assert!(matches!(
        bench.shell.wait(soft(), &never).await,
        Err(ShellError::Idle)
    ));
    assert!(!bench.shell.is_running());
}

#[tokio::test]
async fn output_puts_the_soft_timeout_off() {
    let bench = Bench::new().await;
    let wait = Wait {
        soft: Some(Duration::from_secs(3)),
        hard: None,
    };
    bench
        .shell
        .run("for i in 1 2 3 4 5; do echo $i; sleep 1; done", &[])
        .await
        .unwrap();
    let outcome = bench
        .shell
        .wait(wait, &CancellationToken::new())
        .await
        .unwrap();
    assert!(matches!(outcome, Outcome::Completed(_)), "{outcome:?}");
}

#[tokio::test]
async fn a_program_gets_input_and_keys() {
    let bench = Bench::new().await;
    bench
        .until("read -p 'name: ' x; echo got $x", "name: ")
        .await;
    assert_eq!(bench.text(), "name:");
    bench.shell.send_line("bob").await.unwrap();
    assert_eq!(bench.finish().await.0, "bob\ngot bob");

    bench.until("echo ready; cat", "ready").await;
    bench.until_more(b"one\r", "one\r\none").await;
    bench.shell.send_input(b"tw").await.unwrap();
    bench.shell.send_key(Key::Backspace).await.unwrap();
    bench.shell.send_key(Key::Enter).await.unwrap();
    bench.shell.send_key(Key::Control('d')).await.unwrap();
    let (text, done) = bench.finish().await;
    assert_eq!(
        (text.as_str(), done.exit_code),
        ("ready\none\none\nt\nt", 0)
    );
}

#[tokio::test]
async fn control_c_ends_programs_and_loops() {
    let bench = Bench::new().await;
    for command in [
        "echo on; sleep 100",
        "echo on; while :; do :; done",
        "echo on; read x",
        "sleep 100 | bash -c 'echo on; cat'",
    ] {
        bench.until(command, "on").await;
        bench.shell.interrupt().await.unwrap();
        let (text, done) = bench.finish().await;
        assert_eq!(
            (text.as_str(), done.exit_code),
            ("on\n^C", 130),
            "{command}"
        );
    }
    assert_eq!(bench.run("echo ok").await, ran("ok", 0));
}

#[tokio::test]
async fn a_program_that_gives_up_its_handler_on_its_way_out_is_interrupted_once() {
    let bench = Bench::new().await;
    let handler = "lambda *_: (s.signal(2, s.SIG_DFL), time.sleep(0.3), os._exit(7))";
    let program = format!(
        "import os,time,signal as s; s.signal(2, {handler}); print('on', flush=True); time.sleep(100)"
    );
    bench
        .until(&format!("python3 -c \"{program}\""), "on")
        .await;
    bench.shell.interrupt().await.unwrap();
    let (text, done) = bench.finish().await;
    assert_eq!((text.as_str(), done.exit_code), ("on\n^C", 7));
}

#[tokio::test]
async fn a_program_that_asked_for_raw_keys_gets_them() {
    let bench = Bench::new().await;
    let program = "import sys,tty,os; tty.setraw(0); os.write(1, b'raw'); b = os.read(0, 1); os.system('stty sane'); print('byte', b[0])";
    bench
        .until(&format!("python3 -c \"{program}\""), "raw")
        .await;
    bench.shell.send_key(Key::Control('c')).await.unwrap();
    let (text, done) = bench.finish().await;
    assert!(text.ends_with("byte 3"), "{text}");
    assert_eq!(done.exit_code, 0);
}

#[tokio::test]
async fn control_z_stops_a_job() {
    let bench = Bench::new().await;
    bench.until("sh -c 'echo on; exec sleep 50'", "on").await;
    bench.shell.send_key(Key::Control('z')).await.unwrap();
    let (text, done) = bench.finish().await;
    assert_eq!(
        text,
        "on\n^Z\n[1]+  Stopped                 sh -c 'echo on; exec sleep 50'"
    );
    assert_eq!(done.exit_code, 148);
    assert_eq!(
        bench.run("kill %1").await,
        ran(
            "[1]+  Terminated              sh -c 'echo on; exec sleep 50'",
            0
        )
    );
}

#[tokio::test]
async fn a_key_pressed_while_idle_is_a_command() {
    let bench = Bench::new().await;
    bench.shell.press_idle(Key::Control('c')).await.unwrap();
    let (text, done) = bench.finish().await;
    assert_eq!((text.as_str(), done.exit_code), ("^C", 130));
    assert_eq!(bench.run("echo $?").await, ran("130", 0));
    bench.shell.press_idle(Key::Control('d')).await.unwrap();
    let (text, done) = bench.finish().await;
    assert_eq!((text.as_str(), done.restarted), ("", true));
}

#[tokio::test]
async fn an_unfinished_command_waits_for_its_lines() {
    let bench = Bench::new().await;
    let never = CancellationToken::new();
    bench.shell.run("echo 'abc", &[]).await.unwrap();
    assert_eq!(
        bench.shell.wait(soft(), &never).await.unwrap(),
        Outcome::SoftTimeout
    );
    assert_eq!(bench.text(), "");
    assert!(matches!(
        bench.shell.run("ls", &[]).await,
        Err(ShellError::Busy)
    ));
    bench.shell.send_line("def'").await.unwrap();
    assert_eq!(bench.finish().await.0, "abc\ndef");

    bench.shell.run("if true", &[]).await.unwrap();
    for line in ["then cat <<E", "in the document", "E"] {
        bench.shell.send_line(line).await.unwrap();
        assert!(bench.shell.is_running());
    }
    bench.shell.send_line("fi").await.unwrap();
    assert_eq!(bench.finish().await.0, "in the document");

    bench.shell.run("echo one \\", &[]).await.unwrap();
    bench.shell.send_line("two").await.unwrap();
    assert_eq!(bench.finish().await.0, "one two");
}

#[tokio::test]
async fn an_unfinished_command_is_dropped_or_ended_by_a_key() {
    let bench = Bench::new().await;
    bench.shell.run("echo \"abc", &[]).await.unwrap();
    bench.shell.send_key(Key::Control('c')).await.unwrap();
    let (text, done) = bench.finish().await;
    assert_eq!((text.as_str(), done.exit_code), ("^C", 130));

    bench.shell.run("echo \"abc", &[]).await.unwrap();
    bench.shell.send_key(Key::Control('d')).await.unwrap();
    let (text, done) = bench.finish().await;
    assert!(
        text.starts_with("bash: unexpected EOF while looking for matching `\"'"),
        "{text}"
    );
    assert_ne!(done.exit_code, 0);
}

#[tokio::test]
async fn cancelling_ends_the_command_and_keeps_the_shell() {
    let bench = Bench::with("", |config| {
        config.interrupt_grace = Duration::from_millis(300);
    })
    .await;
    bench.run("kept=yes").await;
    for (command, code) in [
        ("echo on; sleep 100", 130),
        ("bash -c \"trap '' INT; echo on; sleep 100\"; echo then", 0),
    ] {
        bench.until(command, "on").await;
        let cancel = CancellationToken::new();
        cancel.cancel();
        let outcome = bench.shell.wait(Wait::default(), &cancel).await.unwrap();
        let Outcome::Cancelled(done) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!((done.exit_code, done.restarted), (code, false), "{command}");
    }
    assert_eq!(bench.run("echo $kept").await, ran("yes", 0));

    // Bash itself refuses to stop: it is replaced.
    bench
        .until("trap '' INT; echo on; while :; do :; done", "on")
        .await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = bench.shell.wait(Wait::default(), &cancel).await.unwrap();
    let Outcome::Cancelled(done) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!((done.exit_code, done.restarted), (137, true));
    assert_eq!(bench.run("echo again").await, ran("again", 0));
}

#[tokio::test]
async fn input_that_nobody_reads_does_not_block_for_ever() {
    let bench = Bench::new().await;
    bench
        .until("stty raw -echo; echo on; sleep 300", "on")
        .await;
    let flood = vec![b'x'; 1 << 20];
    assert!(matches!(
        bench.shell.send_input(&flood).await,
        Err(ShellError::InputBlocked)
    ));
    bench.shell.reset().await.unwrap();
    assert_eq!(bench.run("echo fresh").await, ran("fresh", 0));
}

#[tokio::test]
async fn cancelling_ends_what_an_interrupt_does_not_reach_and_spares_earlier_jobs() {
    let bench = Bench::new().await;
    let is_there = |id: &str| {
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    bench.run("sleep 100 & earlier=$!").await;
    let earlier = bench.run("echo $earlier").await.text;
    // A moment of the clock that starts are told by passes.
    bench.run("sleep 0.05").await;
    // What a script puts into the background ignores interrupts; a job of the shell itself is not even sent one.
    for command in [
        "bash -c 'sleep 100 & echo $!; echo on; sleep 100'",
        "sleep 100 & echo $!; echo on; sleep 100",
    ] {
        bench.until(command, "on").await;
        let shown = bench.text();
        let background = shown
            .lines()
            .find(|line| line.parse::<u32>().is_ok())
            .unwrap();
        assert!(is_there(background), "{shown}");
        let cancel = CancellationToken::new();
        cancel.cancel();
        let outcome = bench.shell.wait(Wait::default(), &cancel).await.unwrap();
        assert!(matches!(outcome, Outcome::Cancelled(_)), "{outcome:?}");
        assert!(!is_there(background), "{command}");
    }
    assert!(is_there(&earlier));
    // Bash tells of the end of its job, as always.
    let text = bench.run("echo fine").await.text;
    assert!(text.ends_with("fine"), "{text}");
}
