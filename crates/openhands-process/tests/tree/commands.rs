//! What a command gets and gives: exit, standard descriptors, environment, terminal.

use std::os::fd::OwnedFd;
use std::time::Duration;

use openhands_process::{Exit, Spawn, Stdio, User};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::marks::{BOTH, sh};

/// Runs a command to its end and returns its standard output.
async fn output(spawn: Spawn) -> String {
    let mut tree = spawn.stdout(Stdio::Pipe).start().await.unwrap();
    let mut text = String::new();
    tree.stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .await
        .unwrap();
    assert_eq!(tree.wait().await, Exit::Code(0), "{text}");
    text
}

#[tokio::test]
async fn exit_codes_and_signals_are_exact() {
    for cgroup in BOTH {
        for (script, exit) in [
            ("exit 0", Exit::Code(0)),
            ("exit 1", Exit::Code(1)),
            ("exit 127", Exit::Code(127)),
            ("exit 255", Exit::Code(255)),
            ("kill -9 $$", Exit::Signal(9)),
            ("kill -TERM $$", Exit::Signal(15)),
            ("kill -SEGV $$", Exit::Signal(11)),
        ] {
            let tree = sh(script).cgroup(cgroup).start().await.unwrap();
            assert_eq!(tree.wait().await, exit, "{script}");
            tree.gone().await.unwrap();
            assert_eq!(tree.try_wait(), Some(exit));
        }
    }
}

#[tokio::test]
async fn a_running_command_has_no_exit_and_its_end_reaches_every_waiter() {
    let mut tree = sh("read -r line; exit 7")
        .stdin(Stdio::Pipe)
        .start()
        .await
        .unwrap();
    assert_eq!(tree.try_wait(), None);
    let mut stdin = tree.stdin.take().unwrap();
    let tree = std::sync::Arc::new(tree);
    let waiters: Vec<_> = (0..20)
        .map(|_| {
            let tree = tree.clone();
            tokio::spawn(async move { tree.wait().await })
        })
        .collect();
    // A wait that is dropped takes nothing away from the others.
    assert!(
        tokio::time::timeout(Duration::from_millis(5), tree.wait())
            .await
            .is_err()
    );
    stdin.write_all(b"go\n").await.unwrap();
    for waiter in waiters {
        assert_eq!(waiter.await.unwrap(), Exit::Code(7));
    }
    assert_eq!(tree.wait().await, Exit::Code(7), "and whoever asks later");
}

#[tokio::test]
async fn more_than_a_pipe_holds_flows_in_both_directions() {
    let mut tree = Spawn::new("/bin/cat")
        .stdin(Stdio::Pipe)
        .stdout(Stdio::Pipe)
        .start()
        .await
        .unwrap();
    let sent: Vec<u8> = (0..3_000_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    let (mut stdin, mut stdout) = (tree.stdin.take().unwrap(), tree.stdout.take().unwrap());
    let feed = {
        let sent = sent.clone();
        tokio::spawn(async move { stdin.write_all(&sent).await })
    };
    let mut received = Vec::new();
    stdout.read_to_end(&mut received).await.unwrap();
    feed.await.unwrap().unwrap();
    assert!(received == sent);
    assert_eq!(tree.wait().await, Exit::Code(0));
}

#[tokio::test]
async fn standard_error_is_apart_and_standard_input_is_empty_unless_asked_for() {
    let mut tree = sh("cat; echo out; echo err >&2")
        .stdout(Stdio::Pipe)
        .stderr(Stdio::Pipe)
        .start()
        .await
        .unwrap();
    let (mut out, mut err) = (String::new(), String::new());
    tree.stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .await
        .unwrap();
    tree.stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .await
        .unwrap();
    assert_eq!((out.as_str(), err.as_str()), ("out\n", "err\n"));
}

#[tokio::test]
async fn a_command_has_only_the_descriptors_it_was_given() {
    // Descriptors of ours that a careless library left open across exec must not reach it either.
    let (_leak_read, leak_write) = std::io::pipe().unwrap();
    let leaky = OwnedFd::from(leak_write);
    rustix::io::fcntl_setfd(&leaky, rustix::io::FdFlags::empty()).unwrap();
    for cgroup in BOTH {
        let listed = output(Spawn::new("/bin/ls").arg("/proc/self/fd").cgroup(cgroup)).await;
        // The fourth is the directory that ls itself reads.
        assert_eq!(listed, "0\n1\n2\n3\n");
    }
}

#[tokio::test]
async fn additional_descriptors_come_under_their_numbers_in_any_order() {
    let pipes: Vec<_> = (0..3).map(|_| std::io::pipe().unwrap()).collect();
    let mut spawn = sh("echo a >&5; echo b >&3; echo c >&9; ls /proc/$$/fd").stdout(Stdio::Pipe);
    let mut readers = Vec::new();
    for ((reader, writer), number) in pipes.into_iter().zip([5, 3, 9]) {
        readers.push(reader);
        spawn = spawn.fd(number, writer.into());
    }
    let listed = output(spawn).await;
    assert_eq!(listed, "0\n1\n2\n3\n5\n9\n");
    let texts: Vec<_> = readers
        .into_iter()
        .map(|reader| std::io::read_to_string(reader).unwrap())
        .collect();
    assert_eq!(texts, ["a\n", "b\n", "c\n"]);
}

#[tokio::test]
async fn the_environment_is_exactly_the_one_given() {
    let text = output(
        Spawn::new("/usr/bin/env")
            .env("A", "1")
            .env("EMPTY", "")
            .env("B", "x=y\nz"),
    )
    .await;
    assert_eq!(text, "A=1\nEMPTY=\nB=x=y\nz\n");
}

#[tokio::test]
async fn an_environment_of_a_megabyte_and_thousands_of_arguments_arrive_whole() {
    let mut spawn = sh(r#"printf '%s\n' "$#" "$1" "${20000}"; env | wc -c"#).arg("sh");
    spawn = spawn.args((1..=20_000).map(|number| format!("argument {number}")));
    let value = "v".repeat(100_000);
    spawn = spawn.envs((0..10).map(|number| (format!("BIG_{number}"), &value)));
    let text = output(spawn).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["20000", "argument 1", "argument 20000"]);
    assert!(lines[3].trim().parse::<usize>().unwrap() > 1_000_000);
}

#[tokio::test]
async fn every_request_around_the_size_of_a_packet_arrives_whole() {
    for length in (65_000..66_000).step_by(97) {
        let value = "x".repeat(length);
        let text = output(sh("printf %s \"${#V}\"").env("V", value)).await;
        assert_eq!(text, length.to_string());
    }
}

#[tokio::test]
async fn the_working_directory_is_the_servers_or_the_one_given() {
    assert_eq!(output(sh("pwd -P").cwd("/usr")).await, "/usr\n");
    let own = std::env::current_dir().unwrap().canonicalize().unwrap();
    assert_eq!(output(sh("pwd -P")).await, format!("{}\n", own.display()));
}

#[tokio::test]
async fn niceness_is_added_and_signals_start_at_their_defaults() {
    let own = rustix::process::getpriority_process(None).unwrap();
    assert_eq!(
        output(sh("nice").nice(7)).await,
        format!("{}\n", (own + 7).min(19))
    );
    let status = output(Spawn::new("/bin/cat").arg("/proc/self/status")).await;
    for field in ["SigBlk", "SigIgn", "SigCgt"] {
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        assert!(line.ends_with("0000000000000000"), "{line}");
    }
}

#[tokio::test]
async fn a_command_leads_its_own_session_and_group() {
    let mut tree = sh("cut -d' ' -f5,6 /proc/$$/stat")
        .stdout(Stdio::Pipe)
        .start()
        .await
        .unwrap();
    let mut text = String::new();
    tree.stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .await
        .unwrap();
    assert_eq!(text, format!("{0} {0}\n", tree.pid()));
}

#[tokio::test]
async fn the_name_in_argv_can_differ_from_the_program() {
    let text = output(
        Spawn::new("/bin/cat")
            .arg0("other")
            .arg("/proc/self/cmdline"),
    )
    .await;
    assert_eq!(text, "other\0/proc/self/cmdline\0");
}

#[tokio::test]
async fn a_terminal_becomes_the_controlling_one() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let open = || {
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
        rustix::fs::open(&name, flags, rustix::fs::Mode::empty()).unwrap()
    };
    // Standard output is a pipe: only the controlling terminal can be behind /dev/tty.
    let spawn = sh("tty; echo said >/dev/tty; cut -d' ' -f8 /proc/$$/stat; echo $$")
        .stdin(Stdio::Fd(open()))
        .controlling_terminal(0);
    let text = output(spawn).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], name.to_str().unwrap());
    assert_eq!(
        lines[1], lines[2],
        "the command's group is in the foreground"
    );
    let mut buffer = [0; 64];
    let read = rustix::io::read(&ours, &mut buffer).unwrap();
    assert_eq!(&buffer[..read], b"said\r\n");
}

#[tokio::test]
async fn root_can_run_a_command_as_another_user() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: not root");
        return;
    }
    let nobody = User {
        uid: 65_534,
        gid: 65_534,
        groups: vec![65_534, 12],
    };
    for cgroup in BOTH {
        let ids = output(
            sh("id -u; id -g; id -G; grep -c '^CapEff:.*0000000000000000' /proc/self/status")
                .user(nobody.clone())
                .cwd("/")
                .cgroup(cgroup),
        )
        .await;
        assert_eq!(ids, "65534\n65534\n65534 12\n1\n");
        let tree = sh("sleep 1000")
            .user(nobody.clone())
            .cwd("/")
            .cgroup(cgroup)
            .start()
            .await
            .unwrap();
        tree.kill().await.unwrap();
    }
}

#[tokio::test]
async fn many_commands_at_once_from_many_threads() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap();
    let sum: i32 = runtime
        .spawn(async {
            let all: Vec<_> = (0..100)
                .map(|number| {
                    tokio::spawn(async move {
                        sh(&format!("exit {number}"))
                            .start()
                            .await
                            .unwrap()
                            .wait()
                            .await
                    })
                })
                .collect();
            let mut sum = 0;
            for one in all {
                sum += one.await.unwrap().shell_code();
            }
            sum
        })
        .await
        .unwrap();
    runtime.shutdown_background();
    assert_eq!(sum, (0..100).sum());
}
