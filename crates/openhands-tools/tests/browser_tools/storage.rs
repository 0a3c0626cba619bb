//! Cookies and storage.

use crate::desk::{Desk, SOON};
use crate::site::Site;
use openhands_tools::ToolError;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::time::Instant;

const PAGE: &str = "<title>t</title><p id=out></p><script>
    out.textContent = JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}]);
    </script>";

async fn storage(desk: &Desk) -> Value {
    serde_json::from_str(&desk.call("get_storage", json!({})).await).unwrap()
}

#[tokio::test]
async fn what_was_read_can_be_set_in_another_browser() {
    let (Some(desk), Some(other)) = (Desk::new(), Desk::new()) else {
        return;
    };
    let fill = "<title>t</title><script>document.cookie = 'c=1'; localStorage.k = 'v 🙂'; sessionStorage.s = 'w';</script>";
    let site = Site::with(&[("fill", fill), ("page", PAGE)]).await;
    let origin = site.url("").trim_end_matches('/').to_owned();
    desk.open(&site.url("fill")).await;
    let state = storage(&desk).await;
    assert_eq!(
        state["origins"],
        json!([{
            "origin": origin,
            "localStorage": [{"name": "k", "value": "v 🙂"}],
            "sessionStorage": [{"name": "s", "value": "w"}],
        }])
    );
    let cookie = &state["cookies"][0];
    assert_eq!(cookie["name"], "c");
    assert_eq!(cookie["value"], "1");
    assert_eq!(cookie["domain"], "127.0.0.1");

    // Not open there yet: local storage has a place anyway, session storage has not.
    let text = other
        .call("set_storage", json!({"storage_state": state}))
        .await;
    assert_eq!(
        text,
        format!(
            "Storage set successfully\nThe session storage of {origin} was not set: it belongs to a tab in which that origin is open."
        )
    );
    assert_eq!(other.state().await["tabs"].as_array().unwrap().len(), 1);
    other.open(&site.url("page")).await;
    assert_eq!(other.page().await, r#"["c=1",{"k":"v 🙂"},{}]"#);
    let text = other
        .call("set_storage", json!({"storage_state": state}))
        .await;
    assert_eq!(text, "Storage set successfully");
    other.open(&site.url("page")).await;
    assert_eq!(other.page().await, r#"["c=1",{"k":"v 🙂"},{"s":"w"}]"#);
}

#[tokio::test]
async fn a_state_that_makes_no_sense_is_refused() {
    let Some(desk) = Desk::new() else { return };
    assert_eq!(storage(&desk).await, json!({"cookies": [], "origins": []}));
    for state in [
        json!({"cookies": "bad"}),
        json!({"cookies": [{"name": "x"}]}),
        json!({"origins": [{"origin": "http://x", "localStorage": [{"value": "no name"}]}]}),
    ] {
        let text = desk
            .call("set_storage", json!({"storage_state": state}))
            .await;
        assert!(text.starts_with("Error setting storage state: "), "{text}");
    }
    let text = desk.call("set_storage", json!({"storage_state": {}})).await;
    assert_eq!(text, "Storage set successfully");
}

#[tokio::test]
async fn a_call_that_is_cancelled_leaves_the_tabs_as_they_were() {
    let Some(desk) = Desk::new() else { return };
    let told = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listener = format!(
        "<title>listens</title><script>addEventListener('storage', () => fetch('http://{}/'));</script>",
        told.local_addr().unwrap()
    );
    let site = Site::with(&[("listens", &listener), ("shown", "<title>shown</title>")]).await;
    // A page behind the one that is shown hears when its origin is given something.
    desk.open(&site.elsewhere("listens")).await;
    let shown = json!({"url": site.url("shown"), "new_tab": true});
    desk.call("navigate", shown).await;
    let origins: Vec<Value> = std::iter::once(site.elsewhere(""))
        .chain((0..50).map(|number| format!("http://origin-{number}.invalid/")))
        .map(|url| {
            let origin = url.trim_end_matches('/');
            json!({"origin": origin, "localStorage": [{"name": "k", "value": "v"}]})
        })
        .collect();
    let cx = Desk::context();
    let cancel = cx.cancel.clone();
    let state = json!({"storage_state": {"origins": origins}});
    let call = desk.call_with("set_storage", state, cx);
    let (answer, _heard) = tokio::join!(call, async {
        let heard = told.accept().await.unwrap();
        cancel.cancel();
        heard
    });
    assert!(matches!(answer, Err(ToolError::Cancelled)), "{answer:?}");
    // One that was just being opened is closed as soon as it is open.
    let deadline = Instant::now() + SOON;
    loop {
        let state = desk.state().await;
        assert_eq!(state["title"], "shown", "{state:#}");
        if state["tabs"].as_array().unwrap().len() == 2 {
            break;
        }
        assert!(Instant::now() < deadline, "{state:#}");
    }
    desk.open(&site.url("shown")).await;
}
