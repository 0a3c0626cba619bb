//! What is listed, under which numbers, and how it is found again.

use crate::desk::{Desk, element, index_in};
use crate::site::Site;
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn what_scripts_made_usable_is_listed_and_what_is_hidden_is_not() {
    let Some(desk) = Desk::new() else { return };
    let page = r#"<title>Kinds</title><div onclick="1">by attribute</div><div id=js>by listener</div><span style="cursor:pointer">by
        cursor <i>inside</i></span><div role=button>by role</div><div tabindex=0>by order</div><details><summary>more</summary><a
        href=x>folded</a></details><p style="display:none"><button>gone</button></p><button style="visibility:hidden">unseen</button>
        <button style="opacity:0">clear</button><button disabled>off</button><div inert><button>inert</button></div><a href="/deep"><span><b><i>deep
        text</i></b></span></a><a href="/pic"><img alt="A picture"></a><button aria-label="Close"><svg width=9 height=9></svg></button>
        <label for=cb>Styled</label><input id=cb type=checkbox style="display:none"><div id=app><button>inner</button></div>
        <script>document.getElementById('js').addEventListener('click', () => {});
        document.getElementById('app').addEventListener('click', () => {});</script>"#;
    let site = Site::with(&[("kinds", page)]).await;
    desk.open(&site.url("kinds")).await;
    let state = desk.state().await;
    let elements = state["interactive_elements"].as_array().unwrap();
    let names: Vec<String> = elements
        .iter()
        .map(|element| {
            let name = element["text"].as_str().filter(|text| !text.is_empty());
            let name = name.or_else(|| element["label"].as_str()).unwrap_or("");
            format!("{} {name}", element["tag"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        names,
        [
            "div by attribute",
            "div by listener",
            "span by cursor\ninside",
            "div by role",
            "div by order",
            "summary more",
            "a deep text",
            "a A picture",
            "button Close",
            "label Styled",
            "button inner",
        ]
    );
    assert_eq!(element(&state, "deep text")["href"], "/deep");
}

#[tokio::test]
async fn an_element_keeps_its_number_while_the_page_changes_around_it() {
    let Some(desk) = Desk::new() else { return };
    let page = "<title>t</title><button onclick=\"this.before(Object.assign(document.createElement('button'), {textContent: 'new'}))\">
        add</button><button onclick=\"this.remove()\">bye</button>";
    let site = Site::with(&[("page", page)]).await;
    desk.open(&site.url("page")).await;
    let before = desk.state().await;
    let (add, bye) = (
        index_in(&before, "add").unwrap(),
        index_in(&before, "bye").unwrap(),
    );
    assert_eq!(
        desk.call("click", json!({"index": add})).await,
        format!("Clicked element {add}")
    );
    let after = desk.state().await;
    assert_eq!(index_in(&after, "add"), Some(add));
    assert_eq!(index_in(&after, "bye"), Some(bye));
    assert!(index_in(&after, "new").unwrap() > bye);
    desk.call("click", json!({"index": bye})).await;
    for (tool, arguments) in [
        ("click", json!({"index": bye})),
        ("type", json!({"index": bye, "text": "x"})),
        ("click", json!({"index": 99_999})),
    ] {
        let text = desk.call(tool, arguments.clone()).await;
        assert_eq!(
            text,
            format!("Element with index {} not found", arguments["index"])
        );
    }
    // The same document again is another one: old numbers mean nothing there.
    desk.open(&site.url("page")).await;
    let text = desk.call("click", json!({"index": add})).await;
    assert_eq!(text, format!("Element with index {add} not found"));
    let fresh = desk.state().await;
    assert!(index_in(&fresh, "add").unwrap() > bye);
}

#[tokio::test]
async fn a_page_that_changed_its_own_javascript_is_listed_and_reaches_nothing_of_ours() {
    let Some(desk) = Desk::new() else { return };
    let listens = "<div id=d style='width:99px'>listens</div><script>d.addEventListener('click', () => 0);</script>";
    let prototype = format!(
        "<title>old</title><script>Array.prototype.toJSON = () => 'an array';</script>{listens}"
    );
    let foreign = format!(
        "<title>mine</title><script>JSON.stringify = () => \"(document.title = 'run in the world of the tools', null)\";
        Array.prototype.push = function () {{ this[this.length] = \"document.title = 'run'\"; }};</script>{listens}"
    );
    let site = Site::with(&[("old", &prototype), ("foreign", &foreign)]).await;
    desk.open(&site.url("old")).await;
    let state = desk.state().await;
    assert!(index_in(&state, "listens").is_some(), "{state:#}");
    desk.open(&site.url("foreign")).await;
    assert_eq!(desk.state().await["title"], "mine");
    // A script that ran there would be seen by the next look.
    assert_eq!(desk.state().await["title"], "mine");
}

#[tokio::test]
async fn what_a_layer_covers_is_not_listed_and_comes_back() {
    let Some(desk) = Desk::new() else { return };
    let page = r#"<title>t</title><button>below</button><div id=cover style="position:fixed;inset:0;background:#fff8"><button
        onclick="cover.remove()">accept</button></div><dialog id=d><button onclick="d.close()">done</button></dialog>
        <div style="height:60px;overflow:auto"><div style="height:200px"></div><button>scrolled away</button></div>"#;
    let site = Site::with(&[("page", page)]).await;
    desk.open(&site.url("page")).await;
    let state = desk.state().await;
    assert!(index_in(&state, "below").is_none(), "{state:#}");
    assert!(state["notes"].to_string().contains("covered"), "{state:#}");
    desk.click("accept").await;
    let state = desk.state().await;
    assert!(index_in(&state, "below").is_some(), "{state:#}");
    assert!(index_in(&state, "scrolled away").is_some(), "{state:#}");
    assert!(state.get("notes").is_none(), "{state:#}");
}

#[tokio::test]
async fn ten_thousand_elements_are_told_in_short_and_the_cut_is_said() {
    let Some(desk) = Desk::new() else { return };
    let rows: Vec<String> = (0..3400)
        .map(|row| format!("<div><a href='/item/{row}'>Item number {row}</a> <button>Buy {row}</button> <span>{row} left</span></div>"))
        .collect();
    let rows = rows.concat();
    let dense = format!(
        "<title>dense</title><style>body{{font-size:2px;line-height:2px;column-count:14}}button{{all:unset}}</style>{rows}"
    );
    let rows = format!("<title>rows</title>{rows}");
    let site = Site::with(&[("rows", &rows), ("dense", &dense)]).await;
    // How long it takes is measured beside Playwright: `just bench-browser`.
    for page in ["rows", "dense"] {
        desk.open(&site.url(page)).await;
        let text = desk.call("get_state", json!({})).await;
        assert!(text.len() < 50_000, "{}", text.len());
        let words = if page == "rows" {
            "further below; scroll down"
        } else {
            "was cut:"
        };
        assert!(
            text.contains(words),
            "{}",
            text.chars().rev().take(900).collect::<String>()
        );
        assert!(text.contains("Buy 3\""), "{page}");
    }
}

#[tokio::test]
async fn text_in_any_script_is_told_as_it_is() {
    let Some(desk) = Desk::new() else { return };
    let page = r#"<html dir=rtl><meta charset=utf-8><title>مرحبا 🌍</title><button onclick="this.textContent='נלחץ ✅'">اضغط هنا 👇</button><a
        href="/טסט">שלום</a>"#;
    let site = Site::with(&[("rtl", page)]).await;
    desk.open(&site.url("rtl")).await;
    let state = desk.state().await;
    assert_eq!(state["title"], "مرحبا 🌍");
    assert_eq!(element(&state, "שלום")["href"], "/טסט");
    desk.click("اضغط هنا 👇").await;
    assert!(index_in(&desk.state().await, "נלחץ ✅").is_some());
    assert!(desk.page().await.contains("נלחץ ✅"));
}

#[tokio::test]
async fn on_a_crowded_page_what_is_in_sight_comes_first() {
    let Some(desk) = Desk::new() else { return };
    let cells: Vec<String> = (0..6000)
        .map(|cell| format!("<button>Cell {cell}</button> "))
        .collect();
    let cells = cells.concat();
    let page = format!(
        "<title>t</title><style>button{{all:unset;font-size:9px;line-height:9px}}</style>{cells}"
    );
    let site = Site::with(&[("crowd", &page)]).await;
    desk.open(&site.url("crowd")).await;
    for _ in 0..2 {
        desk.call("scroll", json!({})).await;
    }
    let state = desk.state().await;
    let top = state["scroll"]["y"].as_i64().unwrap();
    assert!(top > 500, "{top}");
    assert!(state["notes"].to_string().contains("was cut:"), "{state:#}");
    let elements = state["interactive_elements"].as_array().unwrap();
    let first = elements[0]["text"].as_str().unwrap();
    let first: i64 = first.strip_prefix("Cell ").unwrap().parse().unwrap();
    assert!(first > 300, "{first}");
}
