//! Cells that take too long, kernels that die, interpreters that are missing.

use crate::lab::{Lab, limited, until};
use openhands_process::Exit;
use openhands_tools::OutputSink;
use openhands_tools::ipython::{Cell, End, IPythonError};
use pretty_assertions::assert_eq;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_cell_that_takes_too_long_is_interrupted_and_the_kernel_stays() {
    let Some(lab) = Lab::new() else { return };
    lab.run("x = 5").await;
    let begin = Instant::now();
    let ran = lab
        .run_cell(limited(
            "print('partial'); import time; time.sleep(30)",
            0.5,
        ))
        .await;
    assert_eq!(ran.end, End::TimedOut { lost: false });
    assert!(ran.text.starts_with("partial\n"), "{}", ran.text);
    assert!(
        begin.elapsed() < Duration::from_secs(5),
        "{:?}",
        begin.elapsed()
    );
    assert_eq!(lab.text("print('after', x)").await, "after 5");
    let asleep = "import asyncio; await asyncio.sleep(30)";
    let ran = lab.run_cell(limited(asleep, 0.5)).await;
    assert_eq!(ran.end, End::TimedOut { lost: false });
    assert_eq!(lab.text("print('after', x)").await, "after 5");
}

#[tokio::test]
async fn children_of_a_cell_are_interrupted_with_it() {
    let Some(lab) = Lab::new() else { return };
    let code = "import subprocess; subprocess.run(['sleep', '30'])";
    let ran = lab.run_cell(limited(code, 0.5)).await;
    assert_eq!(ran.end, End::TimedOut { lost: false });
    assert_eq!(lab.text("print('after')").await, "after");
}

#[tokio::test]
async fn a_kernel_that_ignores_the_interrupt_is_replaced() {
    let Some(lab) = Lab::with(|config| config.interrupt_grace = Duration::from_secs(1)) else {
        return;
    };
    let code = "\
x = 5
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: pass";
    let ran = lab.run_cell(limited(code, 0.5)).await;
    assert_eq!(ran.end, End::TimedOut { lost: true });
    assert!(ran.end.note().unwrap().contains("was killed"));
    let ran = lab.run("x").await;
    assert_eq!(ran.end, End::Failed("NameError".to_owned()));
}

#[tokio::test]
async fn a_cancelled_cell_is_interrupted() {
    let Some(lab) = Lab::new() else { return };
    lab.ipython.start().await.unwrap();
    let cancel = CancellationToken::new();
    let marker = lab.directory.path().join("begun");
    let cell = Cell {
        code: "open('begun', 'w').close()\nimport time; time.sleep(60)".to_owned(),
        ..Cell::default()
    };
    let stop = async {
        until("the cell", async || marker.exists()).await;
        cancel.cancel();
    };
    let (ran, ()) = tokio::join!(lab.ipython.run(cell, &cancel), stop);
    assert_eq!(ran.unwrap().end, End::Cancelled { lost: false });
    assert_eq!(lab.text("print('after')").await, "after");
    let refused = lab.ipython.run(Cell::default(), &cancel).await;
    assert!(
        matches!(refused, Err(IPythonError::Cancelled)),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_cell_that_nobody_waits_for_does_not_hold_up_the_next() {
    let Some(lab) = Lab::new() else { return };
    lab.run("x = 5").await;
    let marker = lab.directory.path().join("begun");
    let code = "open('begun', 'w').close()\nprint('unseen')\nimport time; time.sleep(600)";
    tokio::select! {
        ran = lab.run(code) => panic!("{ran:?}"),
        () = until("the cell", async || marker.exists()) => {}
    }
    assert_eq!(lab.text("print('after', x)").await, "after 5");
}

#[tokio::test]
async fn a_killed_kernel_comes_back() {
    let Some(lab) = Lab::with(|config| config.setup.push("ready = True".to_owned())) else {
        return;
    };
    // What is printed is on its way when it is seen here; before that it may die with the kernel.
    let (output, mut pieces) = OutputSink::channel(16);
    let cell = Cell {
        code: "\
print('last words')
import os, signal, time
while not os.path.exists('go'): time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)"
            .to_owned(),
        output,
        ..Cell::default()
    };
    let kill = async {
        pieces.recv().await.unwrap();
        std::fs::write(lab.directory.path().join("go"), "").unwrap();
    };
    let never = CancellationToken::new();
    let (ran, ()) = tokio::join!(lab.ipython.run(cell, &never), kill);
    let ran = ran.unwrap();
    assert_eq!(ran.end, End::Died(Exit::Signal(9)));
    assert_eq!(ran.text, "last words");
    assert!(ran.end.note().unwrap().contains("fresh kernel"));
    assert!(!lab.ipython.is_healthy().await);
    assert_eq!(lab.text("ready").await, "True", "setup runs again");
    assert!(lab.ipython.is_healthy().await);

    let pid: i32 = lab.text("import os; os.getpid()").await.parse().unwrap();
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    // A cell that comes before the death is known dies with the kernel.
    let first = lab.run("print('back')").await;
    assert!(
        first.text == "back" || first.end == End::Died(Exit::Signal(9)),
        "{first:?}"
    );
    assert_eq!(lab.text("print('back')").await, "back");
}

#[tokio::test]
async fn a_cell_may_end_the_kernel() {
    let Some(lab) = Lab::new() else { return };
    lab.run("x = 5").await;
    let ran = lab.run("print('bye'); exit()").await;
    assert_eq!(ran.end, End::Exited, "{}", ran.text);
    assert_eq!(ran.text, "bye");
    assert_eq!(lab.text("print('x' in globals())").await, "False");
    let ran = lab.run("import os; os._exit(3)").await;
    assert_eq!(ran.end, End::Died(Exit::Code(3)));
    assert_eq!(lab.text("print('back')").await, "back");
}

#[tokio::test]
async fn a_stopped_kernel_is_not_healthy_and_can_be_replaced() {
    let Some(lab) = Lab::new() else { return };
    let pid = lab.text("import os; os.getpid()").await;
    let stopped = std::process::Command::new("kill")
        .args(["-STOP", &pid])
        .status()
        .unwrap();
    assert!(stopped.success());
    assert!(!lab.ipython.is_healthy().await);
    lab.ipython.replace().await.unwrap();
    assert!(lab.ipython.is_healthy().await);
    assert_eq!(lab.text("print('back')").await, "back");
}

#[tokio::test]
async fn a_busy_kernel_is_healthy() {
    let Some(lab) = Lab::new() else { return };
    let marker = lab.directory.path().join("begun");
    let code = "open('begun', 'w').close()\nimport time\nwhile True: time.sleep(0.01)";
    tokio::select! {
        ran = lab.run(code) => panic!("{ran:?}"),
        () = async {
            until("the cell", async || marker.exists()).await;
            assert!(lab.ipython.is_healthy().await);
        } => {}
    }
}

#[tokio::test]
async fn nothing_survives_the_session() {
    let Some(lab) = Lab::new() else { return };
    let code = "import subprocess, os\nchild = subprocess.Popen(['sleep', '600'], start_new_session=True)\nprint(os.getpid(), child.pid)";
    let pids = |text: String| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let first = pids(lab.text(code).await);
    lab.ipython.close().await;
    for pid in &first {
        assert!(!Path::new("/proc").join(pid).exists(), "{pid}");
    }
    let second = pids(lab.text(code).await);
    drop(lab);
    until("the end of the kernel", async || {
        second
            .iter()
            .all(|pid| !Path::new("/proc").join(pid).exists())
    })
    .await;
}

#[tokio::test]
async fn a_missing_kernel_is_explained() {
    // These need no ipykernel.
    let directory = tempfile::tempdir().unwrap();
    let python = directory.path().join("python3");
    std::fs::write(&python, "#!/bin/sh\necho -\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&python, mode).unwrap();
    let path = |value: &Path| [("PATH".into(), value.into())];
    let new = |config| openhands_tools::ipython::IPython::new(config);
    let config = openhands_tools::ipython::IPythonConfig::new("/", path(directory.path()));
    let error = new(config.clone()).start().await.unwrap_err();
    let wanted = format!(
        "no Python with ipykernel was found on the path (tried {}): install it with `pip install ipykernel`",
        python.display()
    );
    assert_eq!(error.to_string(), wanted);

    let mut given = config.clone();
    given.interpreter = Some(python);
    let error = new(given.clone()).start().await.unwrap_err();
    assert!(
        error.to_string().contains("-m pip install ipykernel"),
        "{error}"
    );

    given.interpreter = Some("/does/not/exist".into());
    let error = new(given).start().await.unwrap_err();
    assert!(matches!(error, IPythonError::Interpreter { .. }), "{error}");

    let config = openhands_tools::ipython::IPythonConfig::new("/", path(Path::new("/nowhere")));
    let error = new(config).start().await.unwrap_err();
    assert!(error.to_string().contains("there is no Python"), "{error}");
}

#[tokio::test]
async fn a_kernel_that_cannot_start_says_why() {
    let Some(lab) = Lab::with(|config| {
        // A module of this name comes before the real one.
        std::fs::write(
            config.directory.join("ipykernel_launcher.py"),
            "raise RuntimeError('broken on purpose')\n",
        )
        .unwrap();
    }) else {
        return;
    };
    let error = lab.ipython.start().await.unwrap_err();
    assert!(error.to_string().contains("broken on purpose"), "{error}");
    std::fs::remove_file(lab.directory.path().join("ipykernel_launcher.py")).unwrap();
    assert_eq!(lab.text("print('works now')").await, "works now");
}

#[tokio::test]
async fn a_kernel_that_never_answers_is_given_up() {
    let Some(lab) = Lab::with(|config| {
        std::fs::write(
            config.directory.join("ipykernel_launcher.py"),
            "import time; print('asleep', flush=True); time.sleep(600)\n",
        )
        .unwrap();
        config.start_timeout = Duration::from_secs(1);
    }) else {
        return;
    };
    let error = lab.ipython.start().await.unwrap_err();
    assert!(matches!(error, IPythonError::Slow { .. }), "{error}");
    assert!(error.to_string().contains("asleep"), "{error}");
}
