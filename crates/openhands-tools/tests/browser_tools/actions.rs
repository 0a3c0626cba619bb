//! Going somewhere: addresses, links, back, scrolling.

use crate::desk::{Desk, element, index_in};
use crate::site::Site;
use base64::Engine as _;
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn addresses_are_opened_or_refused_with_the_reason() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("a", "<title>a</title>"), ("b", "<title>b</title>")]).await;
    let bare = site.url("a").replace("http://", "");
    assert_eq!(
        desk.call("navigate", json!({"url": bare})).await,
        format!("Navigated to: {bare}")
    );
    assert_eq!(desk.state().await["title"], "a");
    desk.open(&site.url("b")).await;
    assert_eq!(desk.call("go_back", json!({})).await, "Navigated back");
    assert_eq!(desk.state().await["title"], "a");
    let refused = desk
        .fail("navigate", json!({"url": "http://127.0.0.1:1/"}))
        .await;
    assert!(
        refused.starts_with("Browser operation failed: net::ERR_"),
        "{refused}"
    );
    let circle = desk
        .fail("navigate", json!({"url": site.url("loop")}))
        .await;
    assert!(circle.contains("ERR_TOO_MANY_REDIRECTS"), "{circle}");
    let nonsense = desk.fail("navigate", json!({"url": "foo bar"})).await;
    assert_eq!(
        nonsense,
        "Browser operation failed: 'foo bar' is no address"
    );
    desk.open(&site.url("missing")).await;
    assert!(desk.page().await.contains("Nothing here"));
    let state = desk.state().await;
    assert!(state["notes"].to_string().contains("404"), "{state:#}");
}

#[tokio::test]
async fn there_is_nothing_before_the_first_page() {
    let Some(desk) = Desk::new() else { return };
    let text = desk.call("go_back", json!({})).await;
    assert_eq!(text, "Navigated back\nThere is no page to go back to.");
    assert_eq!(desk.state().await["url"], "about:blank");
}

#[tokio::test]
async fn a_click_follows_a_link_and_waits_for_its_page() {
    let Some(desk) = Desk::new() else { return };
    let long = "<title>start</title><div style='height:3000px'></div><a href='/next'>far link</a>";
    let site = Site::with(&[
        ("start", long),
        ("next", "<title>next</title><h1>Arrived</h1>"),
    ])
    .await;
    desk.open(&site.url("start")).await;
    for _ in 0..5 {
        desk.call("scroll", json!({"direction": "down"})).await;
    }
    let index = desk.index("far link").await;
    for _ in 0..5 {
        desk.call("scroll", json!({"direction": "up"})).await;
    }
    // Out of sight again, but still known.
    assert_eq!(
        desk.call("click", json!({"index": index})).await,
        format!("Clicked element {index}")
    );
    assert_eq!(desk.state().await["title"], "next");
    assert_eq!(desk.page().await, "# Arrived");
}

#[tokio::test]
async fn scrolling_loads_more_moves_inner_parts_and_ends() {
    let Some(desk) = Desk::new() else { return };
    let feed = r#"<title>t</title><div id=list></div><script>
        let count = 0;
        const more = () => { for (let i = 0; i < 20 && count < 60; i += 1) { count += 1;
          list.insertAdjacentHTML('beforeend', `<p style="height:60px"><button>Entry ${count}</button></p>`); } };
        more();
        addEventListener('scroll', () => { if (scrollY + innerHeight > document.body.scrollHeight - 200) more(); });
        </script>"#;
    let inner = "<title>t</title><body style='margin:0;overflow:hidden'><div id=box style='height:100vh;overflow:auto'><div
        style='height:3000px'></div><button>at the end</button></div>";
    let site = Site::with(&[("feed", feed), ("inner", inner)]).await;
    desk.open(&site.url("feed")).await;
    assert!(index_in(&desk.state().await, "Entry 60").is_none());
    let mut steps = 0;
    while desk.call("scroll", json!({})).await == "Scrolled down" {
        steps += 1;
        assert!(steps < 50);
    }
    let text = desk.call("scroll", json!({"direction": "down"})).await;
    assert_eq!(
        text,
        "Scrolled down\nThe page did not move: it is at its end there."
    );
    assert!(index_in(&desk.state().await, "Entry 60").is_some());
    assert_eq!(
        desk.call("scroll", json!({"direction": "up"})).await,
        "Scrolled up"
    );

    desk.open(&site.url("inner")).await;
    assert!(index_in(&desk.state().await, "at the end").is_none());
    for _ in 0..4 {
        desk.call("scroll", json!({})).await;
    }
    assert!(index_in(&desk.state().await, "at the end").is_some());
}

#[tokio::test]
async fn what_something_else_covers_is_clicked_by_script() {
    let Some(desk) = Desk::new() else { return };
    // The cover comes with the first key, when the button is known already.
    let page = r#"<title>t</title><button onclick="this.textContent = 'reached, by hand: ' + event.isTrusted">reach</button><input
        placeholder=field oninput="document.body.insertAdjacentHTML('beforeend', '<div style=\'position:fixed;inset:0\'>cover</div>')">"#;
    let site = Site::with(&[("page", page)]).await;
    desk.open(&site.url("page")).await;
    let index = desk.index("reach").await;
    desk.fill("field", "x").await;
    let state = desk.state().await;
    assert!(index_in(&state, "reach").is_none(), "{state:#}");
    assert!(state["notes"].to_string().contains("covered"), "{state:#}");
    desk.call("click", json!({"index": index})).await;
    assert!(desk.page().await.contains("cover"));
    desk.until_page_says("reached, by hand: false").await;
}

#[tokio::test]
async fn a_canvas_that_listens_is_listed_clicked_and_seen() {
    let Some(desk) = Desk::new() else { return };
    let page = r#"<title>t</title><body style="margin:0"><canvas id=c aria-label=drawing width=200 height=100></canvas><p id=out></p><script>
        const pen = c.getContext('2d');
        pen.fillStyle = '#f00'; pen.fillRect(0, 0, 200, 100);
        c.addEventListener('click', (event) => { pen.fillStyle = '#00f'; pen.fillRect(0, 0, 200, 100);
          out.textContent = `at ${event.offsetX}, ${event.offsetY}, by hand: ${event.isTrusted}`; });
        </script>"#;
    let site = Site::with(&[("page", page)]).await;
    desk.open(&site.url("page")).await;
    let before = picture(&desk).await;
    let state = desk.state().await;
    assert_eq!(element(&state, "drawing")["tag"], "canvas");
    desk.click("drawing").await;
    desk.until_page_says("at 100, 50, by hand: true").await;
    let after = picture(&desk).await;
    assert_eq!(
        [before.get_pixel(50, 50).0, after.get_pixel(50, 50).0],
        [[255, 0, 0, 255], [0, 0, 255, 255]]
    );
}

/// What the window shows.
async fn picture(desk: &Desk) -> image::RgbaImage {
    let seen = desk
        .observe("get_state", json!({"include_screenshot": true}))
        .await;
    let data = seen.screenshot_data.unwrap();
    let bytes = base64::prelude::BASE64_STANDARD.decode(data).unwrap();
    image::load_from_memory(&bytes).unwrap().to_rgba8()
}
