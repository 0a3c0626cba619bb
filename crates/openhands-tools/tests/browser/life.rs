//! The life of a browser: lazy, comes back, leaves nothing.

use crate::lab::{SOON, lab, lab_with, until};
use crate::site::Site;
use openhands_tools::browser::{BrowserError, Note, Underway};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

fn is_alive(pid: i32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

async fn until_gone(pid: i32) {
    let deadline = Instant::now() + SOON;
    while is_alive(pid) {
        assert!(
            Instant::now() < deadline,
            "the process {pid} is still there"
        );
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_with_the_first_call_and_ends_with_close() {
    let Some(lab) = lab() else { return };
    assert!(!lab.is_running().await);
    let tab = lab.active().await.unwrap();
    assert_eq!(tab.url(), "about:blank");
    let pid = lab.pid().await.unwrap();
    assert!(is_alive(pid));
    lab.close().await;
    assert!(!is_alive(pid) && !lab.is_running().await);
    lab.active().await.unwrap();
    assert_ne!(lab.pid().await, Some(pid));
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_with_its_owner() {
    let Some(lab) = lab() else { return };
    lab.active().await.unwrap();
    let pid = lab.pid().await.unwrap();
    drop(lab);
    until_gone(pid).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_fails_the_call_and_comes_back() {
    let Some(lab) = lab() else { return };
    let tab = lab.active().await.unwrap();
    let pid = lab.pid().await.unwrap();
    let (answer, ()) = tokio::join!(tab.evaluate("new Promise(() => {})"), async {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    });
    assert!(matches!(answer, Err(BrowserError::Gone)), "{answer:?}");
    until_gone(pid).await;
    let tab = lab.active().await.unwrap();
    assert_eq!(tab.evaluate("1 + 1").await.unwrap(), 2);
    assert_eq!(lab.take_notes(), [Note::BrowserCrashed]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_dies_while_a_page_loads_is_no_page_that_goes_on_loading() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    let pid = lab.pid().await.unwrap();
    let url = site.url("endless");
    let (opened, ()) = tokio::join!(tab.navigate(&url), async {
        until(&tab, "document.title", "endless").await;
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    });
    assert!(matches!(opened, Err(BrowserError::Gone)), "{opened:?}");
    // Nothing that such a tab is asked for waits for its limit.
    let hour = Duration::from_hours(1);
    timeout(SOON, tab.settle(&Underway::default(), hour))
        .await
        .unwrap();
    let chooser = timeout(SOON, tab.file_chooser(hour)).await.unwrap();
    assert!(matches!(chooser, Err(BrowserError::Gone)), "{chooser:?}");
    assert_eq!(lab.active().await.unwrap().url(), "about:blank");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_browsers_live_side_by_side() {
    let (Some(one), Some(other)) = (lab(), lab()) else {
        return;
    };
    let site = Site::with(&[("a", "<title>a</title>"), ("b", "<title>b</title>")]).await;
    let (first, second) = tokio::join!(one.active(), other.active());
    let (first, second) = (first.unwrap(), second.unwrap());
    let (a, b) = (site.url("a"), site.url("b"));
    let (opened, also) = tokio::join!(first.navigate(&a), second.navigate(&b));
    opened.and(also).unwrap();
    assert_eq!(first.title().await.unwrap(), "a");
    assert_eq!(second.title().await.unwrap(), "b");
    // What one keeps, the other does not see.
    first.evaluate("document.cookie = 'k=v'").await.unwrap();
    assert_eq!(second.evaluate("document.cookie").await.unwrap(), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_program_is_named() {
    let Some(lab) =
        lab_with(|settings| settings.executable = Some(PathBuf::from("/no/such/browser")))
    else {
        return;
    };
    let error = lab.active().await.unwrap_err().to_string();
    assert!(
        error.contains("/no/such/browser") && error.contains("apt-get install chromium"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_is_no_browser_is_told_with_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("chromium");
    std::fs::write(&program, "#!/bin/sh\necho no display here >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let Some(lab) = lab_with(|settings| settings.executable = Some(program)) else {
        return;
    };
    let error = lab.active().await.unwrap_err().to_string();
    assert!(
        error.contains("no display here") && error.contains('3'),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_takes_too_much_memory_is_ended() {
    let Some(lab) = lab_with(|settings| settings.max_memory = Some(700 << 20)) else {
        return;
    };
    let tab = lab.active().await.unwrap();
    let grow = "(async () => { const kept = []; for (let i = 0; i < 60; i++) { \
        kept.push(new Uint8Array(32 << 20).fill(1)); await new Promise(done => setTimeout(done, 50)); } \
        await new Promise(() => {}); })()";
    let answer = tab.evaluate(grow).await;
    assert!(
        matches!(answer, Err(BrowserError::Crashed { .. })),
        "{answer:?}"
    );
    let notes = lab.take_notes();
    let told = notes.iter().any(|note| {
        matches!(note, Note::TabCrashed { reason: Some(reason), .. } if reason.contains("700 MB"))
    });
    assert!(told, "{notes:?}");
    let tab = lab.active().await.unwrap();
    assert_eq!(tab.evaluate("2 + 2").await.unwrap(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn viewport_and_user_agent_are_what_was_set() {
    let Some(lab) = lab_with(|settings| {
        settings.viewport = (800, 500);
        settings.user_agent = Some("Sandpiper/1.0".to_owned());
    }) else {
        return;
    };
    let tab = lab.active().await.unwrap();
    let seen = tab
        .evaluate("[innerWidth, innerHeight, navigator.userAgent]")
        .await
        .unwrap();
    assert_eq!(seen, serde_json::json!([800, 500, "Sandpiper/1.0"]));
    let picture = tab.screenshot().await.unwrap();
    // Width and height stand at a fixed place in a PNG.
    assert_eq!(picture[16..24], [0, 0, 3, 32, 0, 0, 1, 244]);
}
