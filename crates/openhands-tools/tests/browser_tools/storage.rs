//! Cookies and storage.

use crate::desk::Desk;
use crate::site::Site;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

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
