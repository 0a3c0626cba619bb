//! Pages that crash, hang or complain.

use crate::lab::{lab, lab_with};
use crate::site::Site;
use openhands_tools::browser::{BrowserError, Note, Tab};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_page_fails_the_call_and_leaves_an_empty_tab() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("")).await.unwrap();
    let other = lab.new_tab().await.unwrap();
    lab.activate(&tab).await.unwrap();
    let (answer, crash) = tokio::join!(
        tab.evaluate("new Promise(() => {})"),
        tab.navigate("chrome://crash")
    );
    assert!(
        matches!(&answer, Err(BrowserError::Crashed { url }) if *url == site.url("")),
        "{answer:?} {crash:?}"
    );
    assert!(crash.is_err());
    let fresh = lab.active().await.unwrap();
    assert_eq!(fresh.evaluate("6 * 7").await.unwrap(), 42);
    let tabs = lab.tabs().await.unwrap();
    let order: Vec<&str> = tabs.iter().map(Tab::target_id).collect();
    assert_eq!(order, [fresh.target_id(), other.target_id()]);
    assert!(
        lab.take_notes()
            .iter()
            .any(|note| matches!(note, Note::TabCrashed { .. }))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_crashed_behind_another_one_is_empty_when_it_is_shown() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[]).await;
    let behind = lab.active().await.unwrap();
    behind.navigate(&site.url("")).await.unwrap();
    let front = lab.new_tab().await.unwrap();
    let crash = behind.call("Page.crash", serde_json::json!({})).await;
    assert!(
        matches!(crash, Err(BrowserError::Crashed { .. })),
        "{crash:?}"
    );
    assert_eq!(lab.active().await.unwrap().target_id(), front.target_id());
    lab.activate(&behind).await.unwrap();
    let fresh = lab.active().await.unwrap();
    fresh.navigate(&site.url("")).await.unwrap();
    assert_eq!(fresh.title().await.unwrap(), "home");
    let tabs = lab.tabs().await.unwrap();
    let order: Vec<&str> = tabs.iter().map(Tab::target_id).collect();
    assert_eq!(order, [fresh.target_id(), front.target_id()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_hangs_ends_in_a_timeout_and_can_be_left() {
    let Some(lab) = lab_with(|settings| settings.command_timeout = Duration::from_secs(2)) else {
        return;
    };
    let site = Site::with(&[]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("")).await.unwrap();
    let error = tab.evaluate("for (;;) {}").await.unwrap_err();
    assert!(matches!(error, BrowserError::Timeout { .. }), "{error:?}");
    let other = lab.new_tab().await.unwrap();
    other.navigate(&site.url("")).await.unwrap();
    assert_eq!(other.title().await.unwrap(), "home");
    lab.close_tab(&tab).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_that_throw_are_told() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[(
        "bad",
        "<script>console.error('first', 2, {}, null); console.log('all is well')</script><script>missing()</script><img src=/gone.png>",
    )])
    .await;
    let tab = lab.active().await.unwrap();
    match tab.evaluate("nothing.here").await {
        Err(BrowserError::Script(text)) => {
            assert!(
                text.contains("ReferenceError: nothing is not defined"),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
    tab.navigate(&site.url("bad")).await.unwrap();
    let notes: Vec<String> = lab.take_notes().iter().map(ToString::to_string).collect();
    let all = notes.join("\n");
    assert!(all.contains("Console error: first 2 Object null"), "{all}");
    assert!(!all.contains("all is well"), "{all}");
    assert!(all.contains("missing is not defined"), "{all}");
    assert!(all.contains("404") && all.contains("/gone.png"), "{all}");
}
