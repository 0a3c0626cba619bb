//! What BrowserGym shows of a page, on a real Chromium: the same as the reference's recordings of the same pages.

use crate::lab::{Lab, SOON, lab, lab_with};
use crate::site::Site;
use axum::Router;
use axum::response::Html;
use axum::routing::get;
use openhands_tools::browser::gym::{GymObservation, observe};
use openhands_tools::browser::{Opened, Underway};
use pretty_assertions::assert_eq;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::task::AbortOnDropHandle;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gym")
}

/// All pages of the fixtures.
async fn site() -> Site {
    let pages: Vec<(String, String)> = std::fs::read_dir(fixtures().join("pages"))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (name.as_str(), html.as_str()))
        .collect();
    Site::with(&pages).await
}

async fn look(lab: &Lab, url: &str) -> GymObservation {
    lab.active().await.unwrap().navigate(url).await.unwrap();
    observe(lab).await.unwrap()
}

/// A recording, with the site's address in the place of the recorded one.
fn recording(page: &str, site: &Site) -> Value {
    let path = fixtures().join("observations").join(format!("{page}.json"));
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text.replace("http://127.0.0.1:8000/", &site.url(""))).unwrap()
}

/// The numbers of lists: in the recordings they are all zero, because the reference writes a number on every item.
fn without_numbers(text: &str) -> String {
    let is_number = |line: &&str| line.trim().starts_with("ListMarker '") && line.ends_with(".'");
    text.lines()
        .map(|line| if is_number(&line) { "ListMarker" } else { line })
        .collect::<Vec<_>>()
        .join("\n")
}

async fn compare(page: &str) {
    let Some(lab) = lab() else { return };
    let site = site().await;
    let recorded = recording(page, &site);
    let seen = look(&lab, &site.url(&format!("{page}.html"))).await;
    for (visible_only, name) in [(false, "axtree_text"), (true, "axtree_text_visible")] {
        let recorded = recorded[name].as_str().unwrap();
        assert_eq!(
            without_numbers(&seen.axtree_text(visible_only)),
            without_numbers(recorded)
        );
    }
    assert_eq!(
        seen.text_content,
        recorded["text_content"].as_str().unwrap()
    );
    assert_eq!(
        seen.focused_element_bid.as_deref(),
        recorded["focused_element_bid"].as_str()
    );
    let properties = serde_json::to_value(&seen.extra_element_properties).unwrap();
    assert_eq!(
        serde_json::to_string_pretty(&properties).unwrap(),
        serde_json::to_string_pretty(&recorded["extra_element_properties"]).unwrap()
    );
    assert_eq!(seen.url, recorded["url"].as_str().unwrap());
    // A second look finds the same ids.
    let again = observe(&lab).await.unwrap();
    assert_eq!(again.axtree_text(false), seen.axtree_text(false));
    assert_eq!(again.text_content, seen.text_content);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_page_is_shown_as_recorded() {
    compare("plain").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_shown_as_recorded() {
    compare("form").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_article_is_shown_as_recorded() {
    compare("article").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn looking_does_not_change_what_a_page_shows() {
    let Some(lab) = lab() else { return };
    let html = "<title>x</title><ol start=4><li>four<li>five</ol><form><input type=submit><input type=RESET></form><progress></progress>";
    let site = Site::with(&[("page", html)]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("page")).await.unwrap();
    let before = tab.screenshot().await.unwrap();
    let seen = observe(&lab).await.unwrap();
    let text = seen.axtree_text(false);
    for expected in [
        "ListMarker '4.",
        "ListMarker '5.",
        "button 'Submit'",
        "button 'Reset'",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(
        tab.evaluate("document.querySelector('progress').position")
            .await
            .unwrap(),
        -1
    );
    // The bar moves; what is above it is the same.
    let above = |png: &[u8]| {
        image::load_from_memory(png)
            .unwrap()
            .crop_imm(0, 0, 1280, 60)
    };
    assert!(above(&before) == above(&tab.screenshot().await.unwrap()));
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_are_shown_as_recorded() {
    compare("frames").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrolled_frame_page_is_shown_as_recorded() {
    compare("inner").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrolled_page_is_shown_as_recorded() {
    compare("scroll").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn shadow_trees_are_shown_as_recorded() {
    compare("shadow").await;
}

/// The n-th answer of a recorded dialogue with the reference's server.
fn transcript(name: &str, step: usize) -> Value {
    let folder = "../openhands-protocol/tests/fixtures/transcripts/v0";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join(folder)
        .join(format!("{name}.json"));
    let transcript: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    transcript["steps"][step]["response"]["json"].clone()
}

/// What stands between two lines of an observation's text.
fn between<'a>(answer: &'a Value, what: &str) -> &'a str {
    let content = answer["content"].as_str().unwrap();
    let (_, rest) = content
        .split_once(&format!("============== BEGIN {what} ==============\n"))
        .unwrap();
    rest.split_once(&format!("\n============== END {what} =============="))
        .unwrap()
        .0
}

#[tokio::test(flavor = "multi_thread")]
async fn the_recorded_dialogues_show_the_same() {
    let Some(lab) = lab() else { return };
    let blank = transcript("browse-interactive-bad-code", 0);
    let seen = observe(&lab).await.unwrap();
    assert_eq!(
        seen.axtree_text(false),
        between(&blank, "accessibility tree")
    );
    assert_eq!(
        seen.focused_element_bid.as_deref(),
        blank["extras"]["focused_element_bid"].as_str()
    );
    let html = "<title>T</title><h1>Hello</h1><a href=b.html>next</a><input><button onclick='void 0'>Go</button>";
    let site = Site::with(&[("plain.html", html)]).await;
    let seen = look(&lab, &site.url("plain.html")).await;
    let page = transcript("browse-goto", 0);
    assert_eq!(seen.text_content, between(&page, "webpage content"));
    let page = transcript("browse-interactive-goto-click", 0);
    let tree = between(&page, "accessibility tree");
    let tree = tree.replace(
        "http://127.0.0.1:8952/'",
        &format!("{}'", site.url("plain.html")),
    );
    let tree = tree.replace("http://127.0.0.1:8952/", &site.url(""));
    assert_eq!(seen.axtree_text(false), tree);
    assert_eq!(
        seen.focused_element_bid.as_deref(),
        page["extras"]["focused_element_bid"].as_str()
    );
    let refused = transcript("browse-connection-refused", 0);
    let tab = lab.active().await.unwrap();
    tab.navigate("http://127.0.0.1:1/").await.unwrap_err();
    tab.settle(&Underway::default(), SOON).await;
    let seen = observe(&lab).await.unwrap();
    assert_eq!(seen.url, refused["extras"]["url"].as_str().unwrap());
    assert_eq!(seen.open_pages_urls, std::slice::from_ref(&seen.url));
    assert_eq!(seen.text_content, between(&refused, "webpage content"));
    let whole = transcript("browse-return-axtree", 0);
    assert_eq!(
        seen.axtree_text(false),
        between(&whole, "accessibility tree")
    );
    assert_eq!(
        seen.focused_element_bid.as_deref(),
        whole["extras"]["focused_element_bid"].as_str()
    );
    // The recorded numbers are rounded.
    let mut properties = serde_json::to_value(&seen.extra_element_properties).unwrap();
    for number in properties
        .as_object_mut()
        .unwrap()
        .values_mut()
        .filter_map(|each| each["bbox"].as_array_mut())
        .flatten()
    {
        if let Some(broken) = number.as_f64().filter(|_| !number.is_i64()) {
            *number = Value::from((broken * 1000.0).round() / 1000.0);
        }
    }
    assert_eq!(properties, whole["extras"]["extra_element_properties"]);
    let roles = |tree: &Value| -> Vec<(Value, Value)> {
        let nodes = tree["nodes"].as_array().unwrap().iter();
        nodes
            .map(|node| (node["role"]["value"].clone(), node["browsergym_id"].clone()))
            .collect()
    };
    assert_eq!(
        roles(&seen.axtree_object),
        roles(&whole["extras"]["axtree_object"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_of_other_processes_are_shown_too() {
    let Some(lab) = lab() else { return };
    let inner = Site::with(&[
        (
            "deep.html",
            "<title>Deep</title><p>deepest</p><input autofocus aria-label=field>",
        ),
        (
            "other.html",
            "<title>Other</title><button>There</button><iframe src=deep.html></iframe>",
        ),
    ])
    .await;
    let outer = format!(
        "<title>Outer</title><p>here</p><iframe src={}></iframe>",
        inner.elsewhere("other.html")
    );
    let site = Site::with(&[("outer.html", &outer)]).await;
    let seen = look(&lab, &site.url("outer.html")).await;
    let (url, other, deep) = (
        site.url("outer.html"),
        inner.elsewhere("other.html"),
        inner.elsewhere("deep.html"),
    );
    assert_eq!(
        seen.axtree_text(false),
        format!(
            "RootWebArea 'Outer', focused, url='{url}'\n\
             \t[3] generic\n\
             \t\t[4] paragraph ''\n\
             \t\t\tStaticText 'here'\n\
             \t\t\t\tInlineTextBox 'here'\n\
             \t\t[a] Iframe ''\n\
             \t\t\tRootWebArea 'Other', url='{other}'\n\
             \t\t\t\t[a3] generic\n\
             \t\t\t\t\t[a4] button 'There'\n\
             \t\t\t\t\t\tInlineTextBox 'There'\n\
             \t\t\t\t\t[aa] Iframe ''\n\
             \t\t\t\t\t\tRootWebArea 'Deep', url='{deep}'\n\
             \t\t\t\t\t\t\t[aa3] generic\n\
             \t\t\t\t\t\t\t\t[aa4] paragraph ''\n\
             \t\t\t\t\t\t\t\t\tStaticText 'deepest'\n\
             \t\t\t\t\t\t\t\t\t\tInlineTextBox 'deepest'\n\
             \t\t\t\t\t\t\t\t[aa5] textbox 'field', clickable\n\
             \t\t\t\t\t\t\t\t\tgeneric"
        )
    );
    assert_eq!(
        seen.text_content,
        "here \n\nOther  There  Deep \n\ndeepest \n"
    );
    // Its places are those in the picture.
    let place = |bid: &str| -> Vec<f64> {
        let bounds = seen.extra_element_properties[bid].bbox.clone().unwrap();
        bounds
            .iter()
            .map(|number| number.as_f64().unwrap())
            .collect()
    };
    let (frame, button) = (place("a"), place("a4"));
    assert!(
        button[0] > frame[0] && button[1] > frame[1],
        "{frame:?} {button:?}"
    );
    assert_eq!(seen.extra_element_properties["a4"].set_of_marks, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxed_frames_are_shown_and_named_where_scripts_may_run() {
    let Some(lab) = lab() else { return };
    let site = site().await;
    let seen = look(&lab, &site.url("sandbox.html")).await;
    let text = seen.axtree_text(false);
    let hello = "heading 'Hello'";
    assert_eq!(text.matches(hello).count(), 2, "{text}");
    assert!(text.contains(&format!("[b4] {hello}")), "{text}");
    assert!(!text.contains(&format!("[a4] {hello}")), "{text}");
    assert_eq!(seen.text_content.matches("Hello").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn marks_are_taken_back_and_ids_stay() {
    let Some(lab) = lab() else { return };
    let html = "<title>x</title><p aria-description='said'>a</p><p bid=mine>b</p><p id=c>c</p><form><input name=tagName></form>";
    let site = Site::with(&[("page", html)]).await;
    let seen = look(&lab, &site.url("page")).await;
    let tab = lab.active().await.unwrap();
    let left = "[...document.querySelectorAll('[aria-description], [aria-roledescription]')].map(e => e.outerHTML)";
    let left = tab.evaluate(left).await.unwrap();
    assert_eq!(left.as_array().unwrap().len(), 1, "{left}");
    assert!(
        left[0]
            .as_str()
            .unwrap()
            .contains("aria-description=\"said\""),
        "{left}"
    );
    // An id that the page made up is not ours.
    assert!(
        seen.axtree_text(false).contains("[5] paragraph ''"),
        "{}",
        seen.axtree_text(false)
    );
    let change = "{ const c = document.querySelector('#c'); c.before(c.cloneNode(true)); \
                  const n = document.createElement('p'); n.textContent = 'new'; document.body.prepend(n) }";
    tab.evaluate(change).await.unwrap();
    let again = observe(&lab).await.unwrap().axtree_text(false);
    // A copy keeps the id of what stands first; the new ones are counted on.
    let ids: Vec<&str> = again
        .lines()
        .filter_map(|line| line.trim().strip_suffix("] paragraph ''"))
        .collect();
    assert_eq!(ids, ["[9", "[4", "[5", "[6", "[10"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tab_that_is_looked_at_is_observed() {
    let Some(lab) = lab() else { return };
    let site = site().await;
    look(&lab, &site.url("plain.html")).await;
    let first = lab.active().await.unwrap();
    lab.new_tab().await.unwrap();
    let seen = look(&lab, &site.url("form.html")).await;
    assert_eq!(seen.active_page_index, 1);
    assert_eq!(
        seen.open_pages_urls,
        [site.url("plain.html"), site.url("form.html")]
    );
    assert!(seen.screenshot.starts_with(b"\x89PNG") && seen.set_of_marks.starts_with(b"\x89PNG"));
    assert_ne!(seen.screenshot, seen.set_of_marks);
    lab.activate(&first).await.unwrap();
    let seen = observe(&lab).await.unwrap();
    assert_eq!(
        (seen.url, seen.active_page_index),
        (site.url("plain.html"), 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_holds_still_is_observed() {
    let Some(lab) = lab() else { return };
    let html = "<title>restless</title><p>words</p><script>setInterval(() => { \
                document.querySelector('iframe')?.remove(); document.body.append(document.createElement('iframe')); }, 5)</script>";
    let site = Site::with(&[("page", html)]).await;
    let seen = look(&lab, &site.url("page")).await;
    assert!(seen.axtree_text(false).contains("StaticText 'words'"));
    assert_eq!(seen.text_content, "words \n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_ten_thousand_elements_is_observed_whole() {
    // A busy machine takes its time.
    let Some(lab) = lab_with(|settings| settings.command_timeout = Duration::from_mins(3)) else {
        return;
    };
    let rows: Vec<String> = (0..3334)
        .map(|row| format!("<li><a href=/{row}>row {row}</a><input>"))
        .collect();
    let rows = rows.concat();
    let site = Site::with(&[("page", &format!("<title>long</title><ul>{rows}</ul>"))]).await;
    lab.active()
        .await
        .unwrap()
        .navigate(&site.url("page"))
        .await
        .unwrap();
    let seen = observe(&lab).await.unwrap();
    assert_eq!(seen.extra_element_properties.len(), 4 + 1 + 3334 * 3);
    assert!(seen.axtree_text(false).contains("link 'row 3333'"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_without_scripts_is_observed() {
    let Some(lab) = lab() else { return };
    let boxed = || async {
        let html = Html("<title>boxed</title><p>words</p><button>b</button>");
        ([("content-security-policy", "sandbox")], html)
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let router = Router::new().route("/", get(boxed));
    let _serving = AbortOnDropHandle::new(tokio::spawn(async move {
        axum::serve(listener, router).await.unwrap();
    }));
    let seen = look(&lab, &url).await;
    assert_eq!(
        seen.axtree_text(false),
        format!(
            "RootWebArea 'boxed', focused, url='{url}'\n\
             \t[3] generic\n\
             \t\t[4] paragraph ''\n\
             \t\t\tStaticText 'words'\n\
             \t\t\t\tInlineTextBox 'words'\n\
             \t\t[5] button 'b'\n\
             \t\t\tInlineTextBox 'b'"
        )
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_ends_and_frames_that_never_begin_are_observed() {
    let Some(lab) = lab() else { return };
    let html = "<title>late</title><p>words</p><div style='height: 9000px'></div><iframe loading=lazy src=/></iframe>";
    let site = Site::with(&[("lazy", html)]).await;
    let seen = look(&lab, &site.url("lazy")).await;
    assert!(seen.axtree_text(false).contains("[a] Iframe ''"));
    let tab = lab.active().await.unwrap();
    let opened = tab
        .navigate_within(&site.url("endless"), Duration::from_secs(1))
        .await;
    assert_eq!(opened.unwrap(), Opened::StillLoading);
    let seen = observe(&lab).await.unwrap();
    assert!(
        seen.axtree_text(false).contains("[4] heading 'Begun'"),
        "{}",
        seen.axtree_text(false)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_that_a_page_writes_itself_lead_nowhere() {
    let Some(lab) = lab() else { return };
    let inner = "<title>i</title><input id=i>";
    let outer = "<title>o</title><iframe src=inner></iframe><p id=p>words</p>";
    let site = Site::with(&[("outer", outer), ("inner", inner)]).await;
    look(&lab, &site.url("outer")).await;
    let tab = lab.active().await.unwrap();
    let forge = "{ const i = frames[0].document.getElementById('i'); i.focus(); i.setAttribute('bid', 'a'); \
                 document.getElementById('p').setAttribute('bid', \"'] x\") }";
    tab.evaluate(forge).await.unwrap();
    let seen = observe(&lab).await.unwrap();
    assert_eq!(seen.focused_element_bid.as_deref(), Some("a5"));
    let text = seen.axtree_text(false);
    assert!(
        text.contains("[5] paragraph ''") && text.contains("[a5] textbox"),
        "{text}"
    );
}
