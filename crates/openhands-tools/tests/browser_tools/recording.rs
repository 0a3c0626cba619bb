//! Recordings.

use crate::desk::{Desk, SOON};
use crate::site::Site;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The events of all files of the newest recording, in order.
fn events(desk: &Desk) -> (PathBuf, usize, Vec<Value>) {
    let root = desk
        .workspace
        .path()
        .join(".agent_tmp/browser_observations");
    let sorted = |folder: &PathBuf| {
        let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        found.sort();
        found
    };
    let folder = sorted(&root).pop().unwrap();
    // A file that is still being written has another name.
    let mut files = sorted(&folder);
    files.retain(|file| file.extension().is_some_and(|is| is == "json"));
    let events = files
        .iter()
        .flat_map(|file| {
            serde_json::from_slice::<Vec<Value>>(&std::fs::read(file).unwrap()).unwrap()
        })
        .collect();
    (folder, files.len(), events)
}

fn of_kind(events: &[Value], kind: i64) -> Vec<&Value> {
    events
        .iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

/// The events tell of both pages, and of all that was done.
fn check(events: &[Value], one: &str, two: &str) {
    // Every document begins with its address and all of it.
    let addresses: Vec<&str> = of_kind(events, 4)
        .iter()
        .map(|event| event["data"]["href"].as_str().unwrap())
        .collect();
    assert_eq!(addresses.first(), Some(&one));
    assert!(addresses.contains(&two), "{addresses:?}");
    assert_eq!(addresses.last(), Some(&one));
    let first = events.iter().position(|event| event["type"] == 2).unwrap();
    assert_eq!(events[first - 1]["type"], 4);
    assert_eq!(events[first]["data"]["node"]["type"], 0);
    assert_eq!(events[first]["data"]["node"]["id"], 1);
    let all = serde_json::to_string(events).unwrap();
    assert!(all.contains("Second"));
    assert!(!all.contains("topsecret"), "passwords are not recorded");
    assert!(!all.contains("hiddenScript"), "scripts are not recorded");
    // Changes (0), clicks (2), scrolling (3) and input (5).
    let changes = of_kind(events, 3);
    let from = |source: i64| {
        let found = changes
            .iter()
            .filter(|event| event["data"]["source"] == source);
        found.map(|event| &event["data"]).collect::<Vec<_>>()
    };
    let added: Vec<&Value> = from(0)
        .into_iter()
        .flat_map(|data| data["adds"].as_array().unwrap())
        .map(|add| &add["node"])
        .collect();
    assert!(added.iter().any(|node| node["textContent"] == "Changed"));
    assert!(added.iter().any(|node| node["textContent"] == "added"));
    assert!(from(2).iter().any(|data| data["type"] == 2));
    assert!(
        from(3)
            .iter()
            .any(|data| data["y"] == 500 && data["id"] == 1)
    );
    assert!(from(5).iter().any(|data| data["text"] == "typed"));
    assert!(from(5).iter().any(|data| data["text"] == "*********"));
    let times: Vec<i64> = events
        .iter()
        .map(|event| event["timestamp"].as_i64().unwrap())
        .collect();
    assert!(times.iter().all(|time| *time > 1_600_000_000_000));
}

#[tokio::test]
async fn what_happens_is_recorded_through_navigations_and_tabs() {
    let Some(desk) = Desk::new() else { return };
    let page = r#"<title>one</title><h1 id=h>Hello</h1><input placeholder=field><input type=password placeholder=word>
        <button onclick="h.textContent='Changed'; document.body.append(Object.assign(document.createElement('p'), {textContent: 'added'}))">
        change</button><a href=/two>go</a><div style="height:3000px"></div><script>var hiddenScript = 1;</script>"#;
    let site = Site::with(&[("one", page), ("two", "<title>two</title><h1>Second</h1>")]).await;
    assert_eq!(
        desk.call("stop_recording", json!({})).await,
        "Error: Not recording. Call browser_start_recording first."
    );
    desk.open(&site.url("one")).await;
    assert_eq!(
        desk.call("start_recording", json!({})).await,
        "Recording started"
    );
    assert_eq!(
        desk.call("start_recording", json!({})).await,
        "Already recording"
    );
    desk.click("change").await;
    desk.fill("field", "typed").await;
    desk.fill("word", "topsecret").await;
    desk.call("scroll", json!({})).await;
    desk.click("go").await;
    let two = site.url("two");
    desk.call("navigate", json!({"url": site.url("one"), "new_tab": true}))
        .await;
    let text = desk.call("stop_recording", json!({})).await;
    let (folder, files, events) = events(&desk);
    assert_eq!(
        text,
        format!(
            "Recording stopped. Captured {} events in {files} file(s). Saved to: {}",
            events.len(),
            folder.canonicalize().unwrap().display()
        )
    );
    check(&events, &site.url("one"), &two);

    assert_eq!(
        desk.call("stop_recording", json!({})).await,
        "Error: Not recording. Call browser_start_recording first."
    );
    // The next recording is one of its own.
    assert_eq!(
        desk.call("start_recording", json!({})).await,
        "Recording started"
    );
    desk.call("stop_recording", json!({})).await;
    let (other, _, again) = self::events(&desk);
    assert!(other != folder);
    assert_eq!(of_kind(&again, 2).len(), 1, "{again:?}");
}

#[tokio::test]
async fn a_recording_is_written_while_it_goes_on_and_when_the_browser_ends() {
    let Some(desk) = Desk::new() else { return };
    let page = "<title>t</title><p id=p>0</p><script>let n = 0; setInterval(() => { n += 1; p.textContent = n; }, 100);</script>";
    let site = Site::with(&[("ticks", page)]).await;
    desk.open(&site.url("ticks")).await;
    desk.call("start_recording", json!({})).await;
    let deadline = Instant::now() + SOON;
    loop {
        let (_, files, _) = events(&desk);
        if files >= 1 {
            break;
        }
        assert!(Instant::now() < deadline, "no file was written");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // What happens from now on is for the next file.
    let shown = desk.page().await;
    while desk.page().await == shown {
        assert!(Instant::now() < deadline, "the page stands still");
    }
    desk.tools.close().await;
    let (_, files, events) = events(&desk);
    assert!(files >= 2, "{files}");
    assert!(of_kind(&events, 3).len() > 10);
}

#[tokio::test]
async fn a_recording_goes_on_in_a_browser_that_came_back() {
    let Some(desk) = Desk::with(&json!({"inject_scripts": ["globalThis.injected = 'here';"]}))
    else {
        return;
    };
    let page = "<title>t</title><p id=out></p><script>out.textContent = 'injected: ' + globalThis.injected;</script>";
    let site = Site::with(&[
        ("page", page),
        ("after", "<title>t</title><h1>After the crash</h1>"),
    ])
    .await;
    desk.open(&site.url("page")).await;
    desk.call("start_recording", json!({})).await;
    desk.kill_browser().await;
    let state = desk.state().await;
    let notes = state["notes"].to_string();
    assert!(notes.contains("The browser crashed"), "{state:#}");
    desk.open(&site.url("after")).await;
    let deadline = Instant::now() + SOON;
    loop {
        // Whatever was recorded goes into a file every few seconds.
        let (_, _, events) = events(&desk);
        if serde_json::to_string(&events)
            .unwrap()
            .contains("After the crash")
        {
            break;
        }
        assert!(Instant::now() < deadline, "{events:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    desk.call("stop_recording", json!({})).await;
    // The end of a recording does not take back the scripts of the spec.
    desk.open(&site.url("page")).await;
    assert_eq!(desk.page().await, "injected: here");
}
