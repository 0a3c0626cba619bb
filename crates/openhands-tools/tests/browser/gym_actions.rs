//! Actions of BrowserGym's language: each one as the reference did it, and as it told of those that fail.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use openhands_tools::browser::gym::Gym;
use openhands_tools::browser::{Browser, DialogPolicy};
use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::lab::{Lab, lab_with};
use crate::site::Site;

/// Recorded with BrowserGym 0.13.3 on Playwright 1.55, all its functions on, on the pages beside it. `@name@` is the
/// id of the element of that name.
const RECORDED: &str = include_str!("../fixtures/gym-actions/recorded.json");
const PAGES: &[(&str, &str)] = &[
    (
        "form.html",
        include_str!("../fixtures/gym-actions/form.html"),
    ),
    (
        "inner.html",
        include_str!("../fixtures/gym-actions/inner.html"),
    ),
    ("b.html", include_str!("../fixtures/gym-actions/b.html")),
];
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/gym-actions");

/// Our pages do at once what they do.
const PAUSE: Duration = Duration::from_millis(50);

/// Where we differ, and why.
const KNOWN: &[(&str, &str)] = &[
    ("click('1.5')", "what is no frame has no elements in it"),
    (
        "fill('@color@','#FF0000')",
        "colours may be given in capitals",
    ),
];

/// Gives ids to all elements, those of frames with a letter before them.
const MARK: &str = "(() => { let letter = 97; const mark = (root, prefix) => { let number = 0; \
    for (const element of root.querySelectorAll('*')) { \
      const isFrame = element.nodeName === 'IFRAME'; \
      const bid = isFrame ? prefix + String.fromCharCode(letter++) : prefix + number++; \
      element.setAttribute('bid', bid); \
      if (isFrame && element.contentDocument) mark(element.contentDocument, bid); } }; \
    mark(document, ''); \
    return Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element.getAttribute('bid')])); })()";

#[derive(Debug, Deserialize)]
struct Recorded {
    action: String,
    error: String,
    show: Option<String>,
    #[serde(default)]
    shown: Value,
    url: String,
    tabs: usize,
    active: usize,
}

/// A browser, its actions and a site.
struct Place {
    gym: Gym,
    browser: Arc<Browser>,
    site: Site,
    /// An address that nobody listens at.
    closed: String,
    _folder: TempDir,
}

async fn place() -> Option<Place> {
    let lab = lab_with(|settings| settings.dialogs = DialogPolicy::Dismiss)?;
    let Lab { folder, browser } = lab;
    let browser = Arc::new(browser);
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}", unused.local_addr().unwrap());
    Some(Place {
        gym: Gym::new(Arc::clone(&browser), FILES).with_pause(PAUSE),
        browser,
        site: Site::with(PAGES).await,
        closed,
        _folder: folder,
    })
}

impl Place {
    /// Does an action whose elements are named, and gives what is said about it.
    async fn step(&mut self, action: &str) -> String {
        let ids = self.show(MARK).await;
        let names = Regex::new("@(\\w+)@").unwrap();
        let action = names.replace_all(action, |found: &regex::Captures<'_>| {
            ids[&found[1]].as_str().unwrap_or("?").to_owned()
        });
        let done = self.gym.step(&action).await;
        done.err()
            .map(|mistake| mistake.to_string())
            .unwrap_or_default()
    }

    async fn show(&self, expression: &str) -> Value {
        let tab = self.browser.active().await.unwrap();
        tab.evaluate(expression).await.unwrap()
    }

    fn here(&self, text: &str) -> String {
        let site = self.site.url("");
        let site = site.trim_end_matches('/');
        text.replace("<site>", site)
            .replace("<host>", site.trim_start_matches("http://"))
            .replace("<files>", FILES)
            .replace("<closed>", &self.closed)
    }
}

/// Without what differs: the marks on elements, and how often a loaded machine could look.
fn plain(error: &str) -> String {
    let elements = Regex::new(r"<(\w+)[^>]*?(/?)>").unwrap();
    let error = elements.replace_all(error, "<$1$2>");
    let ids = Regex::new(r#"bid "\w+"|get_by_test_id\("\w+"\)"#).unwrap();
    let error = ids.replace_all(&error, "ID");
    let line = Regex::new(r"line \d+").unwrap();
    let error = line.replace_all(&error, "line N");
    match error.split_once("attempting") {
        Some((before, log)) if error.starts_with("TimeoutError") => {
            let mut lines: Vec<&str> = log
                .lines()
                .map(|line| line.trim_matches([' ', '-', '2', '3', '4', '5', '6', '×']))
                .collect();
            lines.retain(|line| !line.starts_with("waiting") && !line.is_empty());
            lines.sort_unstable();
            lines.dedup();
            format!("{before}attempting\n{}", lines.join("\n"))
        }
        _ => error.into_owned(),
    }
}

/// Does what was recorded, and tells of everything that is different.
async fn replay(session: &str) {
    let Some(mut place) = place().await else {
        return;
    };
    let mut recorded: HashMap<String, Vec<Recorded>> = serde_json::from_str(RECORDED).unwrap();
    let mut wrong = Vec::new();
    for (number, case) in recorded.remove(session).unwrap().iter().enumerate() {
        let action = place.here(&case.action);
        let error = place.step(&action).await;
        let mut differs = |came: String, expected: String| {
            let is_known = KNOWN.iter().any(|(known, _)| *known == case.action);
            if came != expected && !is_known {
                wrong.push(format!(
                    "#{number} {action}\n  came: {came}\n  recorded: {expected}"
                ));
            }
        };
        differs(plain(&error), plain(&place.here(&case.error)));
        if let Some(show) = &case.show {
            let shown = place.show(show).await;
            // Where the reference has failed it was not looked.
            if case.error.is_empty() {
                differs(shown.to_string(), case.shown.to_string());
            }
        }
        let tabs = place.browser.tabs().await.unwrap();
        let tab = place.browser.active().await.unwrap();
        let active = tabs
            .iter()
            .position(|other| other.target_id() == tab.target_id());
        differs(
            format!("{} {} {active:?}", tab.url(), tabs.len()),
            format!(
                "{} {} {:?}",
                place.here(&case.url),
                case.tabs,
                Some(case.active)
            ),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_are_filled_as_by_the_reference() {
    replay("forms").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_tabs_change_as_by_the_reference() {
    replay("pages").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_frames_are_used_as_by_the_reference() {
    replay("files").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_pressed_as_by_the_reference() {
    replay("keys").await;
}
