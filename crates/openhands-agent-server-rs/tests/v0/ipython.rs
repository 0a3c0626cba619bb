//! `run_ipython` and the plugins, on a real kernel.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::replay::play;
use crate::server::{Server, Setup, signal};

/// The interpreter that has ipykernel: `tests/ipython/install` prints its path, and `./test` sets the variable. Without
/// it a test says that it was skipped; continuous integration skips nothing.
pub(crate) fn python() -> Option<PathBuf> {
    let python = std::env::var_os("OPENHANDS_IPYTHON_PYTHON").map(PathBuf::from);
    if python.is_none() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "OPENHANDS_IPYTHON_PYTHON is not set, and nothing may be skipped here"
        );
        println!("skipped: no ipykernel");
    }
    python
}

/// A server with these plugins, if there is an ipykernel.
pub(crate) async fn server(plugins: &[&str]) -> Option<Server> {
    python()?;
    let setup = Setup {
        plugins,
        ..Setup::default()
    };
    Some(Server::with(setup).await)
}

async fn cell(server: &Server, code: &str, timeout: f64) -> Value {
    server
        .act("run_ipython", json!({"code": code}), timeout)
        .await
}

/// What a cell shows, without the lines about the kernel.
pub(crate) async fn text(server: &Server, code: &str) -> String {
    let args = json!({"code": code, "include_extra": false});
    let observation = server.act("run_ipython", args, 60.0).await;
    observation["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn recordings() {
    let Some(server) = server(&["agent_skills", "jupyter"]).await else {
        return;
    };
    std::fs::write(server.path("e.py"), "a = 1\nb = 2\nc = 3\n").unwrap();
    std::fs::create_dir(server.path("d1")).unwrap();
    // The recorded server had run a background job before.
    server.output("sleep 0.01 & wait").await;
    play(
        &server,
        &[
            "ipython-error",
            "ipython-print",
            "ipython-no-output",
            "ipython-expression-value",
            "ipython-image",
            "ipython-no-extra",
            "ipython-no-timeout-field",
            "ipython-stderr",
            "ipython-timeout",
            "ipython-agent-skills",
            "ipython-cwd-follows-bash",
        ],
    )
    .await;
}

#[tokio::test]
async fn everything_that_a_cell_shows_is_there() {
    let Some(server) = server(&["jupyter"]).await else {
        return;
    };
    let observation = cell(&server, "print('hi')", 60.0).await;
    let workspace = server.workspace.display();
    let python = python().unwrap();
    let python = python.display();
    assert_eq!(
        observation,
        json!({
            "message": "Code executed in IPython cell.",
            "observation": "run_ipython",
            "content": format!("hi\n[Jupyter current working directory: {workspace}]\n[Jupyter Python interpreter: {python}]"),
            "extras": {"code": "print('hi')", "image_urls": null},
            "success": true,
        })
    );
    let numbers = (0..1000).map(|i| i.to_string()).collect::<Vec<_>>();
    let printed = text(&server, "for i in range(1000): print(i)").await;
    assert_eq!(printed, numbers.join("\n"));
    assert_eq!(text(&server, "print()").await, "", "white space is output");
    assert_eq!(
        text(&server, "pass").await,
        "[Code executed successfully with no output]"
    );
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgAAACAAAB4iG8MwAAAABJRU5ErkJggg==";
    let code = format!(
        "from IPython.display import Image, display\nimport base64\ndisplay(Image(data=base64.b64decode('{png}')))"
    );
    let shown = cell(&server, &code, 60.0).await;
    let url = format!("data:image/png;base64,{png}");
    assert_eq!(shown["extras"]["image_urls"], json!([url]));
    let asked = text(&server, "input('?')").await;
    assert!(asked.contains("StdinNotImplementedError"), "{asked}");
}

#[tokio::test]
async fn twenty_megabytes_are_cut_in_the_middle() {
    let Some(server) = server(&["jupyter"]).await else {
        return;
    };
    let printed = text(&server, "print('begin' + 'x' * (20 << 20) + 'end')").await;
    assert!(printed.starts_with("beginx") && printed.ends_with("xend"));
    assert!(printed.contains("[... Observation truncated due to length ...]"));
    assert!(printed.len() < 17 << 20, "{}", printed.len());
    assert_eq!(text(&server, "print('after')").await, "after");
}

#[tokio::test]
async fn a_kernel_that_is_killed_comes_back() {
    let Some(server) = server(&["agent_skills", "jupyter"]).await else {
        return;
    };
    let killed = text(&server, "import os; os.kill(os.getpid(), 9)").await;
    assert!(killed.starts_with("[The IPython kernel died"), "{killed}");
    assert_eq!(text(&server, "callable(file_editor)").await, "True");
    let pid = text(&server, "import os; print(os.getpid())").await;
    signal("KILL", pid.parse().unwrap());
    // A cell that comes before the death is known dies with the kernel.
    let first = text(&server, "print('back')").await;
    assert!(first == "back" || first.contains("died"), "{first}");
    assert_eq!(text(&server, "print('back')").await, "back");
    let ended = text(&server, "exit()").await;
    assert!(ended.contains("was ended by this cell"), "{ended}");
    assert_eq!(text(&server, "print('back')").await, "back");
}

#[tokio::test]
async fn variables_that_were_added_are_in_the_kernels_after() {
    let Some(server) = server(&["jupyter"]).await else {
        return;
    };
    // As clients do it; the second one replaces a value.
    text(
        &server,
        "import os\nos.environ[\"TOKEN\"] = \"old\"\nos.environ[\"OTHER\"] = \"a \\\"b\\\"\"\n\n",
    )
    .await;
    text(&server, "import os\nos.environ[\"TOKEN\"] = \"new\"\n\n").await;
    text(&server, "os.environ['OWN'] = 'x'").await;
    let shown = "import os; print(*map(os.environ.get, ['TOKEN', 'OTHER', 'OWN']))";
    assert_eq!(text(&server, shown).await, "new a \"b\" x");
    let killed = text(&server, "os.kill(os.getpid(), 9)").await;
    assert!(killed.contains("died"), "{killed}");
    assert_eq!(text(&server, shown).await, "new a \"b\" None");
}

#[tokio::test]
async fn a_kernel_that_does_not_stop_is_replaced_within_the_clients_patience() {
    let Some(server) = server(&["jupyter"]).await else {
        return;
    };
    let code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass";
    let began = Instant::now();
    let observation = cell(&server, code, 1.0).await;
    assert!(
        began.elapsed() < Duration::from_secs(6),
        "clients wait five seconds longer than the limit: {:?}",
        began.elapsed()
    );
    let content = observation["content"].as_str().unwrap();
    assert!(
        content
            .starts_with("[Execution timed out (1.0 seconds).]\n[The IPython kernel did not react"),
        "{content}"
    );
    assert_eq!(text(&server, "print('back')").await, "back");
}

#[tokio::test]
async fn cells_are_where_the_shell_is_until_they_go_elsewhere() {
    let Some(server) = server(&["jupyter"]).await else {
        return;
    };
    let here = "import os; print(os.getcwd())";
    assert_eq!(
        text(&server, here).await,
        server.path("").trim_end_matches('/')
    );
    server.output("mkdir -p 'a b' && cd 'a b'").await;
    assert_eq!(text(&server, here).await, server.path("a b"));
    text(&server, "os.chdir('/')").await;
    assert_eq!(text(&server, here).await, "/");
    server.output("cd ..").await;
    assert_eq!(
        text(&server, here).await,
        server.path("").trim_end_matches('/')
    );
}

#[tokio::test]
async fn requests_that_come_together_are_answered_one_by_one() {
    let Some(server) = server(&["jupyter"]).await else {
        return;
    };
    let cells = (0..6).map(|i| {
        let server = &server;
        async move { (i, text(server, &format!("print('cell', {i})")).await) }
    });
    for (i, shown) in futures_util::future::join_all(cells).await {
        assert_eq!(shown, format!("cell {i}"));
    }
}

#[tokio::test]
async fn output_is_streamed_while_the_cell_runs() {
    let Some(server) = server(&["jupyter"]).await else {
        return;
    };
    let action = json!({"action": {"action": "run_ipython", "timeout": 60, "args": {"code":
        "import os, time\nprint('first', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('second')"}}});
    let mut answer = server
        .client
        .post(server.url("/execute_action/stream"))
        .json(&action)
        .send()
        .await
        .unwrap();
    let mut seen = String::new();
    while let Some(piece) = answer.chunk().await.unwrap() {
        seen.push_str(std::str::from_utf8(&piece).unwrap());
        if seen.contains("first") {
            std::fs::write(server.path("go"), "").unwrap();
        }
    }
    assert!(seen.contains("event: observation"), "{seen}");
    assert!(
        seen.contains(r#""content":"first\nsecond\n[Jupyter"#),
        "{seen}"
    );
}

#[tokio::test]
async fn the_kernel_ends_with_the_server() {
    let Some(mut server) = server(&["jupyter"]).await else {
        return;
    };
    let pid = text(&server, "import os; print(os.getpid())").await;
    let began = Instant::now();
    assert!(server.terminate().await.success(), "{}", server.log());
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    assert!(!std::path::Path::new("/proc").join(&pid).exists());
}

#[tokio::test]
async fn cells_run_as_the_named_user() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: not root");
        return;
    }
    let Some(python) = python() else { return };
    // As a rule the interpreter of the tests is in a home that nobody else may enter.
    let is_open = |path: &Path| {
        path.metadata()
            .is_ok_and(|at| at.permissions().mode() & 1 == 1)
    };
    let real = python.canonicalize().unwrap();
    if !python.ancestors().chain(real.ancestors()).all(is_open) {
        println!("skipped: the interpreter is private");
        return;
    }
    let server = Server::with(Setup {
        plugins: &["agent_skills", "jupyter"],
        env: &[
            ("SU_TO_USER", "true"),
            ("RUNTIME_USERNAME", "nobody"),
            ("USER", "root"),
        ],
        args: &["--username", "nobody"],
    })
    .await;
    let who = "import os, getpass; print(os.geteuid(), getpass.getuser())";
    assert_eq!(text(&server, who).await, "65534 nobody");
    assert_eq!(text(&server, "callable(file_editor)").await, "True");
}

#[tokio::test]
async fn a_server_with_a_plugin_that_is_not_there_does_not_start() {
    let bin = env!("CARGO_BIN_EXE_openhands-agent-server");
    let done = tokio::process::Command::new(bin)
        .args([
            "action-server",
            "0",
            "--username",
            "nobody",
            "--plugins",
            "nope",
        ])
        .current_dir(tempfile::tempdir().unwrap().path())
        .env("USER", "nobody")
        .output()
        .await
        .unwrap();
    assert!(!done.status.success());
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("Plugin nope not found"), "{said}");
}
