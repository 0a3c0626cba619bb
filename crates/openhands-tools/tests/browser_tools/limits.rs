//! Limits: calls that take too long, calls that are cancelled, the end of the browser.

use crate::desk::Desk;
use crate::site::Site;
use openhands_tools::ToolError;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::time::{Duration, Instant};

const HANG: &str = "<title>t</title><button onclick='for(;;);'>hang</button>";

#[tokio::test]
async fn the_third_call_in_a_row_that_takes_too_long_resets_the_browser() {
    let Some(desk) = Desk::with(&json!({"action_timeout_seconds": 5})) else {
        return;
    };
    let site = Site::with(&[("hang", HANG), ("fine", "<title>fine</title>")]).await;
    // The first call starts the browser, which may take longer than the limit of this test.
    while desk
        .observe("navigate", json!({"url": site.url("hang")}))
        .await
        .is_error
    {}
    let index = desk.index("hang").await;
    let timed_out = "Browser operation failed: Operation timed out after 5 seconds";
    assert_eq!(desk.fail("click", json!({"index": index})).await, timed_out);
    assert_eq!(desk.fail("get_state", json!({})).await, timed_out);
    let third = desk.fail("get_content", json!({})).await;
    assert_eq!(
        third,
        format!(
            "{timed_out}\n\nThe browser session has been reset after multiple consecutive failures (possible crash). The browser will be \
             restarted on the next action. Please retry your action."
        )
    );
    while desk
        .observe("navigate", json!({"url": site.url("fine")}))
        .await
        .is_error
    {}
    assert_eq!(desk.state().await["title"], "fine");
}

#[tokio::test]
async fn a_page_that_never_ends_is_shown_as_far_as_it_is() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[]).await;
    let begin = Instant::now();
    let text = desk
        .call("navigate", json!({"url": site.url("endless")}))
        .await;
    assert!(text.ends_with("\nThe page goes on loading."), "{text}");
    assert!(begin.elapsed() < Duration::from_mins(1));
    assert_eq!(desk.page().await, "# Begun");
    let notes = desk.state().await["notes"].to_string();
    assert!(notes.contains("goes on loading"), "{notes}");
}

#[tokio::test]
async fn actions_do_not_wait_for_a_page_or_a_file_that_came_before_them() {
    let Some(desk) = Desk::new() else { return };
    let page = "<title>t</title><button>press</button><input placeholder=field><a href='/file/endless/big.bin'>big</a>";
    let site = Site::with(&[("page", page)]).await;
    let act = async |least: Duration| {
        let begin = Instant::now();
        for _ in 0..2 {
            desk.click("press").await;
            desk.fill("field", "x").await;
            desk.call("scroll", json!({})).await;
        }
        let took = begin.elapsed();
        // Each of the six would have waited, and all of them longer than the one before them.
        assert!(took < least, "{took:?} {least:?}");
    };
    // This file is waited for, since the click begins it.
    desk.open(&site.url("page")).await;
    let begin = Instant::now();
    desk.click("big").await;
    act(begin.elapsed()).await;
    let begin = Instant::now();
    let url = site.url("endless/page");
    let text = desk.call("navigate", json!({"url": url})).await;
    assert!(text.ends_with("\nThe page goes on loading."), "{text}");
    act(begin.elapsed()).await;
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_the_browser_goes_on() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("fine", "<title>fine</title>")]).await;
    desk.open(&site.url("fine")).await;
    let cx = Desk::context();
    let cancel = cx.cancel.clone();
    // A server that takes the request and never answers.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let call = desk.call_with("navigate", json!({"url": url}), cx);
    let cancelling = async {
        let taken = silent.accept().await.unwrap();
        cancel.cancel();
        taken
    };
    let begin = Instant::now();
    let (answer, _taken) = tokio::join!(call, cancelling);
    assert!(matches!(answer, Err(ToolError::Cancelled)), "{answer:?}");
    assert!(begin.elapsed() < Duration::from_secs(5));
    desk.open(&site.url("fine")).await;
    assert_eq!(desk.state().await["title"], "fine");
}

#[tokio::test]
async fn closing_ends_the_browser_and_a_later_call_starts_another() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("fine", "<title>fine</title><button>b</button>")]).await;
    desk.open(&site.url("fine")).await;
    let index = desk.index("b").await;
    assert!(desk.has_browser());
    desk.tools.close().await;
    desk.tools.close().await;
    assert!(!desk.has_browser());
    let state = desk.state().await;
    assert_eq!(state["url"], "about:blank");
    assert_eq!(
        desk.call("click", json!({"index": index})).await,
        format!("Element with index {index} not found")
    );
}

#[tokio::test]
async fn scripts_of_the_spec_run_before_those_of_every_page() {
    let Some(desk) = Desk::with(&json!({"inject_scripts": ["globalThis.injected = 'here';"]}))
    else {
        return;
    };
    let page = "<title>t</title><p id=out></p><script>out.textContent = 'injected: ' + globalThis.injected;</script>";
    let site = Site::with(&[("page", page)]).await;
    desk.open(&site.url("page")).await;
    assert_eq!(desk.page().await, "injected: here");
}
