//! Tabs and pop-ups.

use crate::desk::Desk;
use crate::site::Site;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

async fn tabs(desk: &Desk) -> Vec<Value> {
    serde_json::from_str(&desk.call("list_tabs", json!({})).await).unwrap()
}

#[tokio::test]
async fn tabs_are_opened_listed_shown_and_closed() {
    let Some(desk) = Desk::new() else { return };
    let page =
        "<title>one</title><a href='/two?a-long-address=yes'>to two</a><button>no link</button>";
    let site = Site::with(&[("one", page), ("two", "<title>two</title>")]).await;
    let one = site.url("one");
    desk.open(&one).await;
    let index = desk.index("to two").await;
    let text = desk
        .call("click", json!({"index": index, "new_tab": true}))
        .await;
    let begin: String = site.url("two").chars().take(20).collect();
    assert_eq!(
        text,
        format!("Clicked element {index} and opened in new tab {begin}...")
    );
    let listed = tabs(&desk).await;
    let two = site.url("two?a-long-address=yes");
    let seen: Vec<_> = listed
        .iter()
        .map(|tab| (tab["url"].as_str().unwrap(), tab["title"].as_str().unwrap()))
        .collect();
    assert_eq!(seen, [(one.as_str(), "one"), (two.as_str(), "two")]);
    let ids: Vec<&str> = listed
        .iter()
        .map(|tab| tab["tab_id"].as_str().unwrap())
        .collect();
    assert!(ids.iter().all(|id| id.len() == 4), "{ids:?}");
    // An element of another tab is not there.
    assert_eq!(
        desk.call("click", json!({"index": index})).await,
        format!("Element with index {index} not found")
    );
    assert_eq!(
        desk.call("switch_tab", json!({"tab_id": ids[0]})).await,
        format!("Switched to tab {}: {one}", ids[0])
    );
    let button = desk.index("no link").await;
    assert_eq!(
        desk.call("click", json!({"index": button, "new_tab": true}))
            .await,
        format!("Clicked element {button} (new tab not supported for non-link elements)")
    );
    let text = desk
        .call("navigate", json!({"url": two, "new_tab": true}))
        .await;
    assert_eq!(text, format!("Opened new tab with URL: {two}"));
    assert_eq!(tabs(&desk).await.len(), 3);
    assert_eq!(
        desk.call("close_tab", json!({"tab_id": ids[0]})).await,
        format!("Closed tab # {}, now on {two}", ids[0])
    );
    assert_eq!(desk.state().await["tabs"].as_array().unwrap().len(), 2);
    for tool in ["switch_tab", "close_tab"] {
        assert_eq!(
            desk.fail(tool, json!({"tab_id": "zzzz"})).await,
            "Browser operation failed: No TargetID found ending in tab_id=...zzzz"
        );
        desk.fail(tool, json!({"tab_id": ""})).await;
    }
}

#[tokio::test]
async fn the_last_tab_leaves_an_empty_one() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("one", "<title>one</title>")]).await;
    desk.open(&site.url("one")).await;
    let id = tabs(&desk).await[0]["tab_id"].as_str().unwrap().to_owned();
    let text = desk.call("close_tab", json!({"tab_id": id})).await;
    assert_eq!(text, format!("Closed tab # {id}, now on about:blank"));
    desk.open(&site.url("one")).await;
}

#[tokio::test]
async fn a_pop_up_becomes_the_tab_that_is_shown() {
    let Some(desk) = Desk::new() else { return };
    let page = "<title>one</title><button onclick=\"window.open('/two')\">pop</button><a target=_blank href='/two'>blank</a>";
    let site = Site::with(&[
        ("one", page),
        (
            "two",
            "<title>two</title><button onclick='window.close()'>shut</button>",
        ),
    ])
    .await;
    for opener in ["pop", "blank"] {
        desk.open(&site.url("one")).await;
        let answer = desk.click(opener).await;
        assert!(answer.contains("\nThe page opened a new tab: "), "{answer}");
        let state = desk.state().await;
        assert_eq!(state["title"], "two", "{state:#}");
        assert_eq!(state["tabs"].as_array().unwrap().len(), 2);
        let id = tabs(&desk).await[1]["tab_id"].clone();
        desk.call("close_tab", json!({"tab_id": id})).await;
        assert_eq!(desk.state().await["title"], "one");
    }
}
