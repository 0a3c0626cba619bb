use std::path::Path;
use std::time::Instant;

use openhands_protocol::bash::{BashEvent, BashEventSortOrder, BashOutput};
use openhands_sdk_rs::process::command_environment;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::*;

const SOON: Duration = Duration::from_secs(20);

struct World {
    directory: TempDir,
    bash: Arc<BashService>,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let env = [
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", directory.path().to_str().unwrap().to_owned()),
            ("OH_SECRET_KEY", "hidden".to_owned()),
            ("OH_SESSION_API_KEYS_0", "hidden".to_owned()),
            ("OH_PERSISTENCE_DIR", "shown".to_owned()),
        ];
        let env = env.map(|(name, value)| (name.into(), value.into()));
        let bash = BashService::new(
            directory.path().join("events"),
            command_environment(env),
            None,
        );
        Self { directory, bash }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    async fn run(&self, command: &str) -> BashOutput {
        self.bash
            .execute(request(command))
            .await
            .unwrap()
            .into_output()
            .await
    }

    async fn outputs(&self, command: BashEventId) -> Vec<BashOutput> {
        let search = Search {
            command: Some(command),
            limit: 100,
            ..Search::default()
        };
        let page = self.bash.events().search(search).await.unwrap();
        assert_eq!(page.next, None);
        page.items.into_iter().map(output).collect()
    }

    /// Waits for the exit code of a command.
    async fn end_of(&self, command: BashEventId) -> BashOutput {
        until(async || {
            let last = self.outputs(command).await.pop()?;
            last.exit_code.is_some().then_some(last)
        })
        .await
    }

    /// A named pipe: who reads it waits until somebody writes it.
    fn gate(&self, name: &str) -> std::path::PathBuf {
        let path = self.path().join(name);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        path
    }
}

fn request(command: &str) -> ExecuteBashRequest {
    ExecuteBashRequest {
        command: command.to_owned(),
        ..ExecuteBashRequest::default()
    }
}

fn output(event: BashEvent) -> BashOutput {
    match event {
        BashEvent::Output(output) => output,
        other => panic!("{other:?}"),
    }
}

async fn until<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, looking).await.expect("in time")
}

async fn frame(subscription: &mut Subscription) -> BashEvent {
    let frame = tokio::time::timeout(SOON, subscription.next())
        .await
        .expect("in time")
        .unwrap();
    BashEvent::from_slice(&frame).unwrap()
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[tokio::test]
async fn a_command_is_answered_with_its_output_and_exit_code() {
    let world = World::new();
    let cases: [(&str, i64, Option<&str>, Option<&str>); 6] = [
        (
            "echo hi; echo err >&2; exit 3",
            3,
            Some("hi\n"),
            Some("err\n"),
        ),
        ("true", 0, None, None),
        ("", 0, None, None),
        ("kill -9 $$", -9, None, None),
        (r#"printf "\377\376x""#, 0, Some("\u{fffd}\u{fffd}x"), None),
        // The standard input is empty.
        ("cat; echo $0", 0, Some("/bin/sh\n"), None),
    ];
    for (command, code, stdout, stderr) in cases {
        let output = world.run(command).await;
        assert_eq!(
            (
                output.exit_code,
                output.stdout.as_deref(),
                output.stderr.as_deref()
            ),
            (Some(code), stdout, stderr),
            "{command}"
        );
        let last = world.outputs(output.command_id).await.pop().unwrap();
        assert_eq!((last.id, last.order), (output.id, output.order));
    }
    // The last word comes before the end.
    let over = async {
        while world.bash.running() != 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), over)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_command_that_cannot_start_says_why() {
    let world = World::new();
    let mut asked = request("pwd");
    asked.cwd = Some("/nonexistent".to_owned());
    let output = world.bash.execute(asked).await.unwrap().into_output().await;
    assert_eq!(output.exit_code, Some(-1));
    assert_eq!(
        output.stderr.unwrap(),
        "Error executing command: [Errno 2] No such file or directory: '/nonexistent'"
    );
    let output = world.run("echo \0").await;
    assert_eq!(
        output.stderr.unwrap(),
        "Error executing command: embedded null byte"
    );
    let output = world.run(&"x".repeat(200_000)).await;
    assert_eq!(
        output.stderr.unwrap(),
        "Error executing command: [Errno 7] Argument list too long: '/bin/sh'"
    );
}

#[tokio::test]
async fn commands_do_not_see_the_servers_secrets() {
    let world = World::new();
    let output = world.run("env | cut -d= -f1 | sort").await;
    let names = output.stdout.unwrap();
    let names: Vec<&str> = names
        .lines()
        .filter(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(name))
        .collect();
    assert_eq!(names, ["AI_AGENT", "HOME", "OH_PERSISTENCE_DIR", "PATH"]);
}

#[tokio::test]
async fn time_over_ends_the_command_and_keeps_what_it_printed() {
    let world = World::new();
    for timeout in [1, 0, -1] {
        let mut asked = request(r#"trap "echo bye; exit 9" TERM; echo a; sleep 50 & wait; echo b"#);
        asked.timeout = timeout;
        let output = world.bash.execute(asked).await.unwrap().into_output().await;
        assert_eq!(output.exit_code, Some(-1));
        assert_eq!(output.stdout.as_deref(), (timeout > 0).then_some("a\n"));
        assert_eq!(output.stderr, None);
    }
}

#[tokio::test]
async fn output_is_told_while_the_command_runs() {
    let world = World::new();
    let gate = world.gate("gate");
    let mut live = world.bash.events().subscribe().await.unwrap().unwrap();
    let command = world
        .bash
        .start(request(&format!(
            "echo one; cat {}; echo three",
            gate.display()
        )))
        .await
        .unwrap();
    assert_eq!(frame(&mut live).await, BashEvent::Command(command.clone()));
    let first = output(frame(&mut live).await);
    assert_eq!(
        (first.order, first.exit_code, first.stdout.as_deref()),
        (0, None, Some("one\n"))
    );
    // What was told is stored.
    assert_eq!(world.outputs(command.id).await, [first]);
    std::fs::write(&gate, "two\n").unwrap();
    let mut order = 0;
    let mut text = String::new();
    loop {
        let next = output(frame(&mut live).await);
        order += 1;
        assert_eq!(next.order, order);
        text.push_str(next.stdout.as_deref().unwrap_or_default());
        if next.exit_code.is_some() {
            break;
        }
    }
    assert_eq!(text, "two\nthree\n");
}

#[tokio::test]
async fn a_flood_comes_in_bounded_pieces_in_strict_order() {
    let world = World::new();
    let output = world
        .run("head -c 5000000 /dev/zero | tr '\\0' a; printf 'E\u{20ac}' >&2")
        .await;
    assert_eq!(output.exit_code, Some(0));
    assert_eq!(output.stdout.as_ref().unwrap().len(), 5_000_000);
    assert_eq!(output.stderr.as_deref(), Some("E\u{20ac}"));
    let pieces = world.outputs(output.command_id).await;
    assert!(pieces.len() >= 5, "{}", pieces.len());
    let joined: String = pieces
        .iter()
        .filter_map(|piece| piece.stdout.as_deref())
        .collect();
    assert_eq!(joined, output.stdout.unwrap());
    for (order, piece) in pieces.iter().enumerate() {
        assert_eq!(piece.order, i64::try_from(order).unwrap());
        assert!(
            piece
                .stdout
                .as_ref()
                .is_none_or(|text| text.len() <= 1 << 20)
        );
        assert_eq!(piece.exit_code.is_some(), order + 1 == pieces.len());
    }
    assert!(pieces.is_sorted_by(|a, b| a.timestamp < b.timestamp));
    // A poll for news.
    let search = Search {
        command: Some(output.command_id),
        after_order: Some(2),
        limit: 100,
        ..Search::default()
    };
    let news = world.bash.events().search(search).await.unwrap();
    let news: Vec<BashOutput> = news.items.into_iter().map(self::output).collect();
    assert_eq!(news, pieces[3..]);
}

#[tokio::test]
async fn small_writes_are_gathered() {
    let world = World::new();
    let started = Instant::now();
    let output = world
        .run("i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo $i; sleep 0.002; done")
        .await;
    let elapsed = started.elapsed();
    let pieces = world.outputs(output.command_id).await;
    // A burst of lines is told at once, what follows at its pace.
    let most = elapsed.as_millis() / 50 + 2 + 20;
    assert!(
        pieces.len() as u128 <= most,
        "{} in {elapsed:?}",
        pieces.len()
    );
    assert_eq!(output.stdout.unwrap().lines().count(), 100);
}

#[tokio::test]
async fn a_stop_asks_first_and_then_kills() {
    let world = World::new();
    for (command, code) in [
        ("echo on; sleep 60; echo off", -15),
        (
            r#"trap "" TERM; echo on; sleep 60 & wait; wait; sleep 60"#,
            -9,
        ),
        (
            r#"trap "echo last; exit 7" TERM; echo on; sleep 60 & wait"#,
            7,
        ),
    ] {
        let command = world.bash.start(request(command)).await.unwrap();
        until(async || world.outputs(command.id).await.pop()).await;
        assert!(world.bash.stop(command.id).await.unwrap());
        // The answer to the stop comes after the last output.
        let pieces = world.outputs(command.id).await;
        assert_eq!(pieces.last().unwrap().exit_code, Some(code));
        let text: String = pieces
            .iter()
            .filter_map(|piece| piece.stdout.as_deref())
            .collect();
        assert_eq!(text, if code == 7 { "on\nlast\n" } else { "on\n" });
        // Again, now that it has ended.
        assert!(world.bash.stop(command.id).await.unwrap());
    }
    assert!(!world.bash.stop(BashEventId::random()).await.unwrap());
}

#[tokio::test]
async fn a_background_process_with_the_pipe_open_delays_the_end() {
    let world = World::new();
    let gate = world.gate("gate");
    let command = format!("(cat {}; echo late) & echo early", gate.display());
    let command = world.bash.start(request(&command)).await.unwrap();
    until(async || world.outputs(command.id).await.pop()).await;
    assert_eq!(world.outputs(command.id).await[0].exit_code, None);
    std::fs::write(&gate, "").unwrap();
    world.end_of(command.id).await;
    let text: String = world
        .outputs(command.id)
        .await
        .iter()
        .filter_map(|piece| piece.stdout.clone())
        .collect();
    assert_eq!(text, "early\nlate\n");
}

#[tokio::test]
async fn what_is_left_in_the_background_lives_until_it_is_stopped_or_the_server_ends() {
    let world = World::new();
    let leave = "nohup setsid sleep 600 >/dev/null 2>&1 & echo $!";
    let (first, second) = (world.run(leave).await, world.run(leave).await);
    let (stopped, left) = (first.stdout.unwrap(), second.stdout.unwrap());
    assert!(is_alive(&stopped) && is_alive(&left));
    assert_eq!(world.bash.running(), 2);
    assert!(world.bash.stop(first.command_id).await.unwrap());
    assert!(!is_alive(&stopped) && is_alive(&left));
    world.bash.close().await;
    assert!(!is_alive(&left));
}

#[tokio::test]
async fn the_end_of_the_server_kills_at_once_and_is_stored() {
    let world = World::new();
    let stubborn = r#"trap "" TERM; echo $$; sleep 600 & wait; wait; sleep 600"#;
    let command = world.bash.start(request(stubborn)).await.unwrap();
    let first = until(async || world.outputs(command.id).await.pop()).await;
    let mut live = world.bash.events().subscribe().await.unwrap().unwrap();
    let started = Instant::now();
    world.bash.close().await;
    assert!(
        started.elapsed() < Duration::from_millis(900),
        "{:?}",
        started.elapsed()
    );
    assert!(!is_alive(first.stdout.as_deref().unwrap()));
    let last = world.outputs(command.id).await.pop().unwrap();
    assert_eq!(last.exit_code, Some(-9));
    assert_eq!(output(frame(&mut live).await), last);
    assert_eq!(live.next().await, Err(SubscriptionEnd::Closed));
    assert!(matches!(
        world.bash.start(request("true")).await,
        Err(StartError::Closed)
    ));
}

#[tokio::test]
async fn whoever_reads_slowly_is_given_up_and_delays_nobody() {
    let world = World::new();
    let events = world.bash.events();
    let mut slow = events.subscribe().await.unwrap().unwrap();
    let mut quick = events.subscribe().await.unwrap().unwrap();
    let flood = world
        .bash
        .start(request("head -c 20000000 /dev/zero | tr '\\0' a"))
        .await
        .unwrap();
    let mut bytes = 0;
    loop {
        if let BashEvent::Output(output) = frame(&mut quick).await {
            assert_eq!(output.command_id, flood.id);
            bytes += output.stdout.map_or(0, |text| text.len());
            if output.exit_code.is_some() {
                break;
            }
        }
    }
    assert_eq!(bytes, 20_000_000);
    assert_eq!(slow.next().await, Err(SubscriptionEnd::TooSlow));
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_a_command_that_ends_in_order() {
    let world = World::new();
    let gate = world.gate("gate");
    let mut live = world.bash.events().subscribe().await.unwrap().unwrap();
    let command = format!("cat {}", gate.display());
    let waiting = world.bash.execute(request(&command));
    assert!(
        tokio::time::timeout(Duration::from_millis(50), waiting)
            .await
            .is_err()
    );
    let BashEvent::Command(command) = frame(&mut live).await else {
        panic!("the command comes first");
    };
    std::fs::write(&gate, "done").unwrap();
    let end = world.end_of(command.id).await;
    assert_eq!(end.exit_code, Some(0));
}

#[tokio::test]
async fn commands_without_a_directory_run_in_the_services_own() {
    let world = World::new();
    let home = world.path().canonicalize().unwrap();
    let bash = BashService::new(
        home.join("own"),
        world.bash.environment.clone(),
        Some(home.clone()),
    );
    for cwd in [None, Some(String::new())] {
        let mut asked = request("pwd");
        asked.cwd = cwd;
        let output = bash.execute(asked).await.unwrap().into_output().await;
        assert_eq!(output.stdout.unwrap().trim_end(), home.to_str().unwrap());
    }
    let search = Search {
        kind: Some("BashCommand"),
        sort: BashEventSortOrder::TimestampDesc,
        limit: 1,
        ..Search::default()
    };
    let page = bash.events().search(search).await.unwrap();
    let [BashEvent::Command(command)] = &page.items[..] else {
        panic!("{page:?}");
    };
    assert_eq!(command.cwd.as_deref(), home.to_str());
    assert!(page.next.is_some());
}

#[tokio::test]
async fn output_that_cannot_be_stored_still_reaches_who_waits() {
    let world = World::new();
    let gate = world.gate("gate");
    let events = world.path().join("events");
    let waiting = world
        .bash
        .execute(request(&format!("echo a; cat {}", gate.display())));
    let break_it = async {
        // The directory of the events becomes a file.
        until(async || events.exists().then_some(())).await;
        until(async || {
            std::fs::read_dir(&events)
                .is_ok_and(|dir| dir.count() >= 2)
                .then_some(())
        })
        .await;
        std::fs::rename(&events, world.path().join("away")).unwrap();
        std::fs::write(&events, "").unwrap();
        std::fs::write(&gate, "b\n").unwrap();
    };
    let (output, ()) = tokio::join!(waiting, break_it);
    let output = output.unwrap().into_output().await;
    assert_eq!(
        (output.exit_code, output.stdout.as_deref()),
        (Some(0), Some("a\nb\n"))
    );
    assert!(matches!(
        world.bash.start(request("true")).await,
        Err(StartError::Store(_))
    ));
}
