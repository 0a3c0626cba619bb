//! Tabs, and what pages open by themselves: tabs, dialogs.

use crate::lab::{SOON, lab, lab_with};
use crate::site::Site;
use openhands_tools::browser::{DialogPolicy, Mouse, Note, Tab};

#[tokio::test(flavor = "multi_thread")]
async fn tabs_open_switch_and_close() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[("a", "<title>a</title>"), ("b", "<title>b</title>")]).await;
    let first = lab.active().await.unwrap();
    first.navigate(&site.url("a")).await.unwrap();
    let second = lab.new_tab().await.unwrap();
    second.navigate(&site.url("b")).await.unwrap();
    let urls: Vec<String> = lab.tabs().await.unwrap().iter().map(Tab::url).collect();
    assert_eq!(urls, [site.url("a"), site.url("b")]);
    assert_eq!(lab.active().await.unwrap().target_id(), second.target_id());
    lab.activate(&first).await.unwrap();
    assert_eq!(lab.active().await.unwrap().title().await.unwrap(), "a");
    // A tab behind another one still answers and draws.
    second.screenshot().await.unwrap();
    lab.close_tab(&first).await.unwrap();
    assert_eq!(lab.active().await.unwrap().target_id(), second.target_id());
    assert!(first.is_closed() && first.evaluate("1").await.is_err());
    // The last one leaves an empty one behind.
    lab.close_tab(&second).await.unwrap();
    assert_eq!(lab.active().await.unwrap().url(), "about:blank");
    assert_eq!(lab.tabs().await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_a_page_opens_is_looked_at_next() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[
        (
            "a",
            "<a href=b target=_blank style='font-size:60px'>open</a>",
        ),
        (
            "b",
            "<title>popped</title><script>setTimeout(() => window.done = 1)</script>",
        ),
    ])
    .await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("a")).await.unwrap();
    tab.click(Mouse::at(60.0, 50.0)).await.unwrap();
    let deadline = tokio::time::Instant::now() + SOON;
    let popped = loop {
        let active = lab.active().await.unwrap();
        if active.target_id() != tab.target_id() {
            break active;
        }
        assert!(tokio::time::Instant::now() < deadline);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    crate::lab::until(&popped, "document.title", "popped").await;
    assert!(matches!(lab.take_notes()[..], [Note::NewTab { .. }]));
    // A tab that closes itself gives the place back.
    let _ = popped.evaluate("window.close()").await;
    let deadline = tokio::time::Instant::now() + SOON;
    while lab.active().await.unwrap().target_id() != tab.target_id() {
        assert!(tokio::time::Instant::now() < deadline);
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

const DIALOGS: &str = "[confirm('sure?'), prompt('name?', 'Ada'), alert('done')]";

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_are_accepted_and_told() {
    let Some(lab) = lab() else { return };
    let tab = lab.active().await.unwrap();
    let said = tab.evaluate(DIALOGS).await.unwrap();
    assert_eq!(said, serde_json::json!([true, "Ada", null]));
    let notes: Vec<String> = lab.take_notes().iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "A dialog (confirm) was accepted: sure?",
            "A dialog (prompt) was accepted: name?",
            "A dialog (alert) was accepted: done"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dialogs_can_be_dismissed() {
    let Some(lab) = lab_with(|settings| settings.dialogs = DialogPolicy::Dismiss) else {
        return;
    };
    let site = Site::with(&[(
        "a",
        "<script>onbeforeunload = event => event.preventDefault()</script>text",
    )])
    .await;
    let tab = lab.active().await.unwrap();
    let said = tab.evaluate(DIALOGS).await.unwrap();
    assert_eq!(said, serde_json::json!([false, null, null]));
    // A page that asks whether to leave is left.
    tab.navigate(&site.url("a")).await.unwrap();
    tab.click(Mouse::at(10.0, 10.0)).await.unwrap();
    tab.navigate(&site.url("")).await.unwrap();
    assert_eq!(tab.title().await.unwrap(), "home");
}
