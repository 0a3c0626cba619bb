//! The state as a whole: its form, its picture, its notes.

use crate::desk::Desk;
use crate::site::Site;
use base64::Engine as _;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[tokio::test]
async fn the_state_has_the_contracts_form() {
    let Some(desk) = Desk::new() else { return };
    let page = "<title>Home page</title><a href='/next'>Next</a><div style='height:2000px'></div>";
    let site = Site::with(&[("page", page)]).await;
    desk.open(&site.url("page")).await;
    let seen = desk.observe("get_state", json!({})).await;
    assert_eq!(seen.screenshot_data, None);
    assert_eq!(
        seen.full_output_save_dir.as_deref(),
        desk.observations().to_str()
    );
    let state = desk.state().await;
    let url = site.url("page");
    assert_eq!(
        state,
        json!({
            "url": url,
            "title": "Home page",
            "tabs": [{"url": url, "title": "Home page"}],
            "interactive_elements": [{"index": 1, "tag": "a", "text": "Next", "href": "/next"}],
            "viewport": {"width": 1280, "height": 720},
            "page": {"width": 1280, "height": state["page"]["height"]},
            "scroll": {"x": 0, "y": 0},
        })
    );
    assert!(state["page"]["height"].as_i64().unwrap() > 2000);
    desk.call("scroll", json!({})).await;
    assert_eq!(desk.state().await["scroll"], json!({"x": 0, "y": 500}));
}

#[tokio::test]
async fn a_picture_comes_along_is_kept_and_is_small_enough() {
    let Some(desk) = Desk::with(&json!({"viewport": {"width": 2400, "height": 1200}})) else {
        return;
    };
    let site = Site::with(&[("page", "<title>t</title><body style='background:#f00'>red")]).await;
    desk.open(&site.url("page")).await;
    let seen = desk
        .observe("get_state", json!({"include_screenshot": true}))
        .await;
    let data = seen.screenshot_data.unwrap();
    let text: Value = serde_json::from_str(seen.content[0].as_text().unwrap()).unwrap();
    assert_eq!(text["viewport"], json!({"width": 2400, "height": 1200}));
    assert_eq!(
        text["screenshot_dimensions"],
        json!({"width": 1568, "height": 784})
    );
    let files: Vec<_> = std::fs::read_dir(desk.observations())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1);
    let name = files[0].file_name().unwrap().to_str().unwrap();
    assert!(
        name.starts_with("browser_screenshot_")
            && files[0].extension().is_some_and(|end| end == "png"),
        "{name}"
    );
    let bytes = base64::prelude::BASE64_STANDARD.decode(data).unwrap();
    assert_eq!(std::fs::read(&files[0]).unwrap(), bytes);
}

#[tokio::test]
async fn dialogs_downloads_and_errors_of_the_page_are_told() {
    let Some(desk) = Desk::new() else { return };
    let page = r#"<title>t</title><button onclick="console.log(alert('Are you there?'))">ask</button><a href="/file/report.bin">get</a>
        <button onclick="console.error('it broke'); fetch('/missing')">break</button>"#;
    let site = Site::with(&[("page", page)]).await;
    desk.open(&site.url("page")).await;
    let answer = desk.click("ask").await;
    assert!(
        answer.ends_with("\nA dialog (alert) was accepted: Are you there?"),
        "{answer}"
    );
    let answer = desk.click("get").await;
    let saved = answer.lines().nth(1).unwrap_or_else(|| panic!("{answer}"));
    assert!(saved.starts_with("Downloaded http://"), "{answer}");
    let (_, path) = saved.rsplit_once(" to ").unwrap();
    assert!(
        path.starts_with(
            desk.workspace
                .path()
                .canonicalize()
                .unwrap()
                .to_str()
                .unwrap()
        )
    );
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        "what the file holds"
    );
    let answer = desk.click("break").await;
    assert_eq!(answer.lines().count(), 1, "{answer}");
    let deadline = std::time::Instant::now() + crate::desk::SOON;
    let mut notes = String::new();
    while !(notes.contains("it broke") && notes.contains("404")) {
        assert!(std::time::Instant::now() < deadline, "{notes}");
        notes.push_str(&desk.state().await["notes"].to_string());
    }
    assert!(desk.state().await.get("notes").is_none());
}

#[tokio::test]
async fn a_page_that_crashes_leaves_an_empty_tab_and_a_note() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("page", "<title>t</title><a href='chrome://crash'>x</a>")]).await;
    desk.open(&site.url("page")).await;
    let seen = desk
        .observe("navigate", json!({"url": "chrome://crash"}))
        .await;
    assert!(seen.is_error);
    let state = desk.state().await;
    assert_eq!(state["url"], "about:blank");
    assert!(state["notes"].to_string().contains("crashed"), "{state:#}");
    desk.open(&site.url("page")).await;
}

#[tokio::test]
async fn a_page_with_a_long_title_and_address_has_a_short_state() {
    let Some(desk) = Desk::new() else { return };
    let link = format!("<a href='/missing?{}'>x</a>", "y".repeat(50_000));
    let page = format!("<title>{}</title>{link}", "t".repeat(100_000));
    let site = Site::with(&[("page", &page)]).await;
    let url = site.url(&format!("page?{}", "z".repeat(50_000)));
    desk.call("navigate", json!({"url": url})).await;
    let text = desk.call("get_state", json!({})).await;
    assert!(text.len() < 10_000, "{}", text.len());
    let state: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(state["title"], format!("{}…", "t".repeat(500)));
    desk.click("x").await;
    let text = desk.call("get_state", json!({})).await;
    assert!(text.contains("404") && text.len() < 10_000, "{text}");
}
