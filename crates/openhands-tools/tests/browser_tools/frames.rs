//! Shadow roots and frames: what is inside is listed, clicked and read like the rest.

use crate::desk::{Desk, index_in};
use crate::site::Site;
use serde_json::json;

#[tokio::test]
async fn open_and_closed_shadow_roots_are_seen_through() {
    let Some(desk) = Desk::new() else { return };
    let page = r#"<title>t</title><div id=open></div><my-box></my-box><div id=shut></div><p id=out>-</p><script>
        const inside = (name) => `<button onclick="out.textContent='${name} clicked'">${name}</button><input placeholder="${name} field"
            oninput="out.textContent=this.value"><p>${name} text</p>`;
        document.getElementById('open').attachShadow({mode: 'open'}).innerHTML = inside('open') + '<slot></slot>';
        document.getElementById('shut').attachShadow({mode: 'closed'}).innerHTML = inside('shut');
        customElements.define('my-box', class extends HTMLElement {
          constructor() { super(); this.attachShadow({mode: 'closed'}).innerHTML = inside('custom'); }
        });
        </script>"#;
    let site = Site::with(&[("shadow", page)]).await;
    desk.open(&site.url("shadow")).await;
    for name in ["open", "shut", "custom"] {
        desk.click(name).await;
        desk.until_page_says(&format!("{name} clicked")).await;
        desk.fill(&format!("{name} field"), &format!("typed in {name}"))
            .await;
        desk.until_page_says(&format!("typed in {name}")).await;
        assert!(desk.page().await.contains(&format!("{name} text")));
    }
}

#[tokio::test]
async fn frames_of_this_and_of_other_origins_are_part_of_the_page() {
    let Some(desk) = Desk::new() else { return };
    let inner = |name: &str| {
        format!(
            r#"<title>{name}</title><body style="margin:0"><div style="height:40px"></div><button onclick="this.textContent='{name} clicked'">{name}
            button</button><input placeholder="{name} field"><p>{name} text</p>"#
        )
    };
    let same = inner("same");
    let nested = format!(
        "{}<iframe src=\"/same\" style=\"height:150px\"></iframe>",
        inner("far")
    );
    let other = inner("other");
    let elsewhere = Site::with(&[("far", &nested), ("same", &inner("deep"))]).await;
    let neighbour = Site::with(&[("other", &other)]).await;
    let outer = format!(
        r#"<title>outer</title><h1>Outer</h1><iframe src="/same" style="border:7px solid"></iframe><iframe src="{}"
        style="border:9px solid;height:400px"></iframe><iframe src="{}"></iframe><iframe srcdoc="<button>in a string</button>"></iframe>"#,
        elsewhere.elsewhere("far"),
        neighbour.url("other"),
    );
    let site = Site::with(&[("outer", &outer), ("same", &same)]).await;
    desk.open(&site.url("outer")).await;
    for name in ["same", "far", "other", "deep"] {
        desk.until_page_says(&format!("{name} text")).await;
        desk.click(&format!("{name} button")).await;
        desk.until_page_says(&format!("{name} clicked")).await;
        desk.fill(&format!("{name} field"), name).await;
        let state = desk.state().await;
        let filled = crate::desk::element(&state, &format!("{name} field"));
        assert_eq!(filled["value"], name);
    }
    assert!(index_in(&desk.state().await, "in a string").is_some());
}

#[tokio::test]
async fn a_frame_far_away_is_counted_and_found_after_scrolling() {
    let Some(desk) = Desk::new() else { return };
    let elsewhere = Site::with(&[("far", "<button>far away</button>")]).await;
    let outer = format!(
        "<title>t</title><div style='height:4000px'>tall</div><iframe src='{}'></iframe>",
        elsewhere.elsewhere("far")
    );
    let site = Site::with(&[("outer", &outer)]).await;
    desk.open(&site.url("outer")).await;
    desk.until_page_says("far away").await;
    let state = desk.state().await;
    assert!(index_in(&state, "far away").is_none(), "{state:#}");
    assert!(
        state["notes"].to_string().contains("further below"),
        "{state:#}"
    );
    for _ in 0..8 {
        desk.call("scroll", json!({})).await;
    }
    desk.click("far away").await;
}
