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
        "<link rel=dns-prefetch href='//only-a-name.localhost'><form action=/><input type=password><input type=email></form>",
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
    let asked = asked(&text);
    let host = site.url("").replace("http://", "");
    let address = host.trim_end_matches('/');
    for told in [site.url("form").as_str(), address] {
        assert!(
            asked.contains(told),
            "the log does not tell of {told}: {asked:?}"
        );
    }
    let is_name = |place: &String| place.contains("only-a-name.localhost");
    assert!(asked.iter().any(is_name), "names are not told: {asked:?}");
    let foreign: Vec<&String> = asked.iter().filter(|place| !is_here(place)).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

/// Every address, name and socket in the log of the network: one event a line, after a line with the numbers of their kinds.
fn asked(log: &str) -> BTreeSet<String> {
    let mut lines = log.lines();
    let head = lines.next().unwrap().trim_end_matches(',');
    let head: Value = serde_json::from_str(&format!("{head}}}")).unwrap();
    let kinds = &head["constants"]["logEventTypes"];
    let events: Vec<Value> = lines
        .filter_map(|line| serde_json::from_str(line.trim_end_matches(',')).ok())
        .collect();
    let sources = |kind: &str| -> BTreeSet<i64> {
        assert!(kinds[kind].is_i64(), "the log has no {kind}");
        let events = events.iter().filter(|event| event["type"] == kinds[kind]);
        events
            .filter_map(|event| event["source"]["id"].as_i64())
            .collect()
    };
    // Chromium asks the system which way a datagram to a far address would take, and sends none.
    let (datagrams, sent) = (sources("UDP_CONNECT"), sources("UDP_BYTES_SENT"));
    let unsent: BTreeSet<i64> = datagrams.difference(&sent).copied().collect();
    let names = [
        "url",
        "host",
        "hostname",
        "address",
        "remote_address",
        "address_list",
    ];
    events
        .iter()
        // Our own end, and what `UDP_CONNECT` tells too.
        .filter(|event| event["type"] != kinds["UDP_LOCAL_ADDRESS"])
        .filter(|event| event["type"] != kinds["SOCKET_CONNECT"])
        .filter(|event| {
            let source = event["source"]["id"].as_i64();
            source.is_none_or(|source| !unsent.contains(&source))
        })
        .flat_map(|event| names.map(|name| event["params"][name].clone()))
        .flat_map(|told| match told {
            Value::Array(list) => list,
            one => vec![one],
        })
        .filter_map(|place| place.as_str().map(str::to_owned))
        .collect()
}

/// Whether a place is on this machine, or in the browser itself.
fn is_here(place: &str) -> bool {
    let own = ["data:", "chrome", "about:", "blob:"];
    let host = place.split_once("://").map_or(place, |(_, rest)| rest);
    let host = host.strip_prefix("only-a-name.").unwrap_or(host);
    let local = ["127.0.0.1", "localhost", "[::1]"];
    own.iter().any(|scheme| place.starts_with(scheme))
        || local.iter().any(|name| {
            let rest = host.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        })
}
