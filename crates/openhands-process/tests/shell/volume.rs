//! Much of everything: output, scripts, variables; and output as it arrives.

use openhands_process::{Outcome, Wait};
use pretty_assertions::assert_eq;
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, ran};

#[tokio::test]
async fn output_above_the_cap_keeps_its_ends_and_its_count() {
    let bench = Bench::with("", |config| config.output_cap = 10_000).await;
    bench.shell.run("seq 1 200000", &[]).await.unwrap();
    let wait = Wait::default();
    let outcome = bench
        .shell
        .wait(wait, &CancellationToken::new())
        .await
        .unwrap();
    assert!(matches!(outcome, Outcome::Completed(_)));
    let output = bench.shell.output();
    let total: usize = (1..=200_000).map(|n: i32| n.to_string().len() + 2).sum();
    assert_eq!(output.raw.total, total as u64);
    assert!(output.raw.head.len() + output.raw.tail.len() < 20_000);
    assert!(
        output.text.starts_with("1\n2\n") && output.text.ends_with("\n199999\n200000"),
        "{}",
        output.text
    );
    assert!(output.text.contains("bytes of output omitted"));
}

#[tokio::test]
async fn output_arrives_while_the_command_runs() {
    let bench = Bench::new().await;
    let mut pieces = bench.shell.subscribe();
    bench
        .shell
        .run("echo first; read x; echo second", &[])
        .await
        .unwrap();
    assert!(pieces.recv().await.unwrap().starts_with(b"first"));
    bench.shell.send_line("").await.unwrap();
    assert_eq!(bench.finish().await.0, "first\n\nsecond");
}

#[tokio::test]
async fn a_flood_in_the_background_does_not_hold_up_a_command() {
    let bench = Bench::with("", |config| config.output_cap = 10_000).await;
    bench
        .shell
        .run("yes flood & echo started", &[])
        .await
        .unwrap();
    bench.finish().await;
    for _ in 0..5 {
        bench.shell.run("(exit 3)", &[]).await.unwrap();
        assert_eq!(bench.finish().await.1.exit_code, 3);
    }
    bench.shell.run("kill %1; wait", &[]).await.unwrap();
    bench.finish().await;
}

#[tokio::test]
async fn a_big_script_runs() {
    let bench = Bench::new().await;
    let mut script = String::from("total=0\n");
    for _ in 0..40_000 {
        script.push_str("total=$((total + 1)); : 'some text' \"more text\"\n");
    }
    script.push_str("echo $total");
    assert!(script.len() > 1 << 20);
    assert_eq!(bench.run(&script).await, ran("40000", 0));
    assert_eq!(bench.run("echo $total").await, ran("40000", 0));
    let word = "x".repeat(3 << 20);
    assert_eq!(
        bench.run(&format!("x='{word}'; echo ${{#x}}")).await,
        ran(&word.len().to_string(), 0)
    );
}

#[tokio::test]
async fn variables_reach_the_shell_unseen() {
    let bench = Bench::new().await;
    let value = "s3cr3t 'quoted' $HOME `id` \\ \"x\"\nline two ü";
    let environment = [("TOKEN".to_owned(), value.to_owned())];
    bench.run("set -x; set -o history").await;
    bench.shell.run("true", &environment).await.unwrap();
    let (shown, _) = bench.finish().await;
    assert!(!shown.contains("s3cr3t"), "{shown}");
    bench.run("set +x").await;
    assert_eq!(bench.run("printenv TOKEN").await, ran(value, 0));
    assert!(
        !bench
            .run("history; cat /proc/$$/cmdline")
            .await
            .text
            .contains("s3cr3t")
    );
    assert!(
        bench
            .shell
            .run("true", &[("BAD-NAME".to_owned(), String::new())])
            .await
            .is_err()
    );
    assert!(
        bench
            .shell
            .run("true", &[("NAME".to_owned(), "a\0b".to_owned())])
            .await
            .is_err()
    );
    assert!(bench.shell.run("echo a\0b", &[]).await.is_err());
    bench.run("readonly FIXED=1").await;
    bench
        .shell
        .run("echo $FIXED", &[("FIXED".to_owned(), "2".to_owned())])
        .await
        .unwrap();
    assert_eq!(bench.finish().await.0, "1");
}

#[tokio::test]
async fn a_full_screen_program_shows_its_screen_while_it_runs() {
    let bench = Bench::new().await;
    std::fs::write(bench.work.join("notes.txt"), "first line\nsecond line\n").unwrap();
    let less = "TERM=xterm-256color less notes.txt";
    bench.until(less, "second line").await;
    let shown = bench.text();
    assert!(shown.starts_with("first line\nsecond line"), "{shown}");
    bench.shell.send_input(b"q").await.unwrap();
    let (text, done) = bench.finish().await;
    assert_eq!((text.as_str(), done.exit_code), ("", 0));
    assert_eq!(bench.run("echo after").await, ran("after", 0));
}
