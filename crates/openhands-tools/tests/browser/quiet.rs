//! The browser talks to nobody but the pages that are asked for.

use crate::lab::lab_with;
use crate::site::Site;
use serde_json::Value;
use std::collections::BTreeSet;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_asked_for_besides_the_pages() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("net.json");
    let Some(lab) = lab_with(|settings| {
        settings
            .arguments
            .push(format!("--log-net-log={}", log.display()));
    }) else {
        return;
    };
    let site = Site::with(&[(
        "form",
        "<form action=/><input type=password><input type=email></form>",
    )])
    .await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("form")).await.unwrap();
    tab.press("Tab").await.unwrap();
    tab.type_text("a word that a search engine could be asked about")
        .await
        .unwrap();
    tab.navigate(&site.url("")).await.unwrap();
    let other = lab.new_tab().await.unwrap();
    other.navigate(&site.elsewhere("form")).await.unwrap();
    // Chromium's own clock of tasks at start has run by the time that a page has drawn this many pictures.
    tab.evaluate("new Promise(done => { let n = 0; const draw = () => ++n < 120 ? requestAnimationFrame(draw) : done(); draw() })")
        .await
        .unwrap();
    lab.close().await;
    let text = std::fs::read_to_string(&log).unwrap();
    let asked = urls(&text);
    assert!(
        asked.iter().any(|url| *url == site.url("form")),
        "the log does not tell: {asked:?}"
    );
    let foreign: Vec<&String> = asked
        .iter()
        .filter(|url| {
            ![
                "http://127.0.0.1:",
                "http://localhost:",
                "data:",
                "chrome",
                "about:",
                "blob:",
            ]
            .iter()
            .any(|local| url.starts_with(local))
        })
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

/// Every address in the log of the network, one event a line.
fn urls(log: &str) -> BTreeSet<String> {
    log.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.trim_end_matches(',')).ok())
        .filter_map(|event| Some(event.pointer("/params/url")?.as_str()?.to_owned()))
        .collect()
}
