//! `browse` and `browse_interactive` in a real browser.

use std::path::PathBuf;

use openhands_sdk_rs::tools::browser;
use pretty_assertions::assert_eq;
use regex::Regex;
use serde_json::{Value, json};

use crate::compare::differences;
use crate::replay::{here, recording};
use crate::server::{Server, Setup, signal};
use crate::site::Site;

/// A server that offers the browser, or none where there is no Chromium; continuous integration skips nothing.
pub(crate) async fn server() -> Option<Server> {
    server_with(&["--enable-browser"], &[]).await
}

async fn server_with(args: &[&str], env: &[(&str, &str)]) -> Option<Server> {
    let variables = std::env::vars_os().collect();
    if browser::find(None, &variables).is_err() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "there is no chromium, and nothing may be skipped here"
        );
        println!("skipped: no chromium");
        return None;
    }
    let setup = Setup {
        env,
        args,
        ..Setup::default()
    };
    Some(Server::with(setup).await)
}

/// An observation of a page.
struct Page(Value);

impl Page {
    fn content(&self) -> &str {
        self.0["content"].as_str().unwrap()
    }

    fn error(&self) -> &str {
        self.0["extras"]["last_browser_action_error"]
            .as_str()
            .unwrap()
    }

    fn url(&self) -> &str {
        self.0["extras"]["url"].as_str().unwrap()
    }

    fn says(&self, text: &str) {
        assert!(
            self.content().contains(text),
            "no {text:?} in {}",
            self.content()
        );
    }

    /// The id of the element whose line begins like this: `textbox 'Name'`.
    fn bid(&self, line: &str) -> String {
        let pattern = format!(r"\[(\w+)\] {}", regex::escape(line));
        let found = Regex::new(&pattern).unwrap();
        let found = found.captures(self.content());
        found.unwrap_or_else(|| panic!("no {line} in {}", self.content()))[1].to_owned()
    }
}

/// Does actions, whatever comes of them.
async fn tries(server: &Server, actions: &str) -> Page {
    let args = json!({"browser_actions": actions});
    Page(server.act("browse_interactive", args, 150.0).await)
}

/// Does actions that must work.
async fn does(server: &Server, actions: &str) -> Page {
    let page = tries(server, actions).await;
    assert_eq!(page.error(), "", "{actions}");
    page.says("[Action executed successfully.]");
    page
}

async fn visits(server: &Server, url: &str) -> Page {
    Page(server.act("browse", json!({"url": url}), 150.0).await)
}

/// Without what is another one each time.
fn plain(value: &Value) -> Value {
    let text = value.to_string();
    let names = Regex::new(r"screenshot_\d{8}_\d{6}_\d{6}\.png").unwrap();
    let text = names.replace_all(&text, "screenshot.png");
    let pictures = Regex::new(r#"data:image/png;base64,iVBORw0K[^"]*"#).unwrap();
    let text = pictures.replace_all(&text, "PNG");
    serde_json::from_str(&text).unwrap()
}

/// The page that was recorded.
const RECORDED_PAGE: &str = "<html><head><title>T</title></head><body><h1>Hello</h1><a href=\"b.html\">next</a><input><button onclick=\"0\">Go</button></body></html>";

#[tokio::test]
async fn recordings() {
    let Some(server) = server().await else { return };
    let site = Site::with(&[("", RECORDED_PAGE)]).await;
    let port = format!("127.0.0.1:{}", site.address.port());
    let mut wrong = Vec::new();
    // As they were recorded: each one goes on where the one before has ended.
    for scenario in [
        "browse-goto",
        "browse-interactive-noop",
        "browse-interactive-goto-click",
        "browse-interactive-bad-code",
        "browse-connection-refused",
        "browse-return-axtree",
    ] {
        let steps = recording(scenario);
        for (number, step) in steps["steps"].as_array().unwrap().iter().enumerate() {
            let step = step.to_string().replace("127.0.0.1:8952", &port);
            let step: Value = serde_json::from_str(&step).unwrap();
            let (status, came) = server
                .post("/execute_action", &step["request"]["json"])
                .await;
            assert_eq!(step["response"]["status"], status);
            let mut came = plain(&came);
            let mut recorded = plain(&here(&server, &step["response"]["json"]));
            if scenario == "browse-return-axtree" {
                same_elements(&mut recorded["extras"], &mut came["extras"]);
            }
            for difference in differences(&recorded, &came) {
                wrong.push(format!("{scenario} #{number} {difference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), server.log());
}

/// Chromium numbers its nodes anew in each process; what they are is the same.
fn same_elements(recorded: &mut Value, came: &mut Value) {
    let shape = |extras: &mut Value| {
        let tree = extras["axtree_object"].take();
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let nodes: Vec<Value> = nodes
            .map(|node| {
                json!([
                    node["role"]["value"],
                    node["name"]["value"],
                    node["browsergym_id"],
                    node["ignored"]
                ])
            })
            .collect();
        let elements = extras["extra_element_properties"].take();
        let ids: Vec<String> = elements.as_object().unwrap().keys().cloned().collect();
        (nodes, ids)
    };
    assert_eq!(shape(came), shape(recorded));
}

const FORM: &str = "<!doctype html><html><head><title>Order</title></head><body>
<h1>Order</h1>
<form onsubmit=\"event.preventDefault(); said.textContent = 'Thank you, ' + [...new FormData(this)].map(([name, value]) => name + '=' + (value.name ?? value)).join('; ')\">
<label>Name <input name=name></label> <label>Secret <input name=secret type=password></label>
<label>Mail <input name=mail type=email></label> <label>Count <input name=count type=number></label>
<label>Day <input name=day type=date></label> <label>Hour <input name=hour type=time></label>
<label>Month <input name=month type=month></label> <label>Week <input name=week type=week></label>
<label>Moment <input name=moment type=datetime-local></label>
<label>Shade <input name=shade type=color></label> <label>Volume <input name=volume type=range></label>
<label>Search <input name=search type=search></label> <label>Phone <input name=phone type=tel></label>
<label>Site <input name=site type=url></label>
<label>Gift <input name=gift type=checkbox></label>
<label>Red <input name=wine type=radio value=red></label> <label>White <input name=wine type=radio value=white></label>
<label>Size <select name=size><option value=s>Small</option><option value=l>Large</option></select></label>
<label>Extras <select name=extras multiple><option>Ice</option><option>Lemon</option><option>Mint</option></select></label>
<label>Note <textarea name=note></textarea></label> <label>Proof <input name=proof type=file></label>
<div contenteditable role=textbox aria-label=Letter id=letter oninput=\"document.title = this.textContent\"></div>
<button>Send</button></form><p id=said></p></body></html>";

#[tokio::test]
async fn a_form_with_every_kind_of_input_is_filled_and_sent() {
    let Some(server) = server().await else { return };
    let site = Site::with(&[("form", FORM)]).await;
    std::fs::write(server.path("proof.txt"), "x").unwrap();
    let page = does(&server, &format!("goto(\"{}\")", site.url("form"))).await;
    let fill = [
        (
            "textbox 'Name'",
            "Ann \u{1f600} \u{5e9}\u{5dc}\u{5d5}\u{5dd}",
        ),
        ("textbox 'Secret'", "s3"),
        ("textbox 'Mail'", "a@b.c"),
        ("spinbutton 'Count'", "12"),
        ("Date 'Day'", "2024-02-29"),
        ("InputTime 'Hour'", "13:45"),
        ("searchbox 'Search'", "q"),
        ("textbox 'Phone'", "+1"),
        ("textbox 'Site'", "http://x/"),
        ("textbox 'Note'", "two\\nlines"),
        ("textbox 'Letter'", "Dear"),
    ];
    let fill: Vec<String> = fill
        .iter()
        .map(|(line, value)| format!("fill('{}', '{value}')", page.bid(line)))
        .collect();
    does(&server, &fill.join("\n")).await;
    let rest = [
        format!("click('{}')", page.bid("checkbox 'Gift'")),
        format!("click('{}')", page.bid("radio 'White'")),
        format!("select_option('{}', 'Large')", page.bid("combobox 'Size'")),
        format!(
            "select_option('{}', ['Ice', 'Mint'])",
            page.bid("listbox 'Extras'")
        ),
        format!("press('{}', 'ArrowRight')", page.bid("slider 'Volume'")),
        format!("upload_file('{}', 'proof.txt')", page.bid("button 'Proof'")),
    ];
    does(&server, &rest.join("\n")).await;
    let page = does(&server, &format!("click('{}')", page.bid("button 'Send'"))).await;
    page.says("RootWebArea 'Dear'");
    page.says("Thank you, name=Ann \u{1f600} \u{5e9}\u{5dc}\u{5d5}\u{5dd}; secret=s3; mail=a@b.c; count=12; day=2024-02-29; hour=13:45");
    page.says("volume=51; search=q; phone=+1; site=http://x/; gift=on; wine=white; size=l; extras=Ice; extras=Mint; note=two");
    page.says("lines; proof=proof.txt");
    // The same page as text.
    let page = visits(&server, &site.url("form")).await;
    page.says("#  Order");
}

#[tokio::test]
async fn pages_that_cannot_be_shown_say_why() {
    let Some(server) = server().await else { return };
    let site = Site::with(&[("ok", "<title>ok</title>")]).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let page = visits(&server, &format!("http://{address}/")).await;
    assert_eq!(page.url(), "chrome-error://chromewebdata/");
    assert_eq!(page.0["extras"]["error"], true);
    page.says("The following error occurred when trying to visit the URL:\nError: Page.goto: net::ERR_CONNECTION_REFUSED at ");
    let page = tries(&server, &format!("goto(\"{}\")", site.url("loop"))).await;
    assert!(
        page.error()
            .starts_with("Error: Page.goto: net::ERR_TOO_MANY_REDIRECTS")
    );
    let page = does(&server, &format!("goto(\"{}\")", site.url("nothing"))).await;
    page.says("heading 'Nothing here'");
    let page = visits(&server, "example.com").await;
    assert!(
        page.error().contains("Cannot navigate to invalid URL"),
        "{}",
        page.error()
    );
    let page = visits(&server, "http://\"quoted\\").await;
    assert_eq!(page.0["extras"]["error"], true);
    for asked in ["GET_EVAL_GOAL", "GET_EVAL_REWARDS"] {
        let answer = tries(&server, asked).await;
        assert_eq!(answer.0["observation"], "error");
        answer.says("evaluation environments of BrowserGym are not offered");
    }
    let page = tries(&server, "click(12)").await;
    assert_eq!(page.error(), "ValueError: expected a string, got 12");
    page.says("The following error occurred when executing the last action:\nValueError: expected a string, got 12\n");
}

#[tokio::test]
async fn a_page_that_crashes_and_a_browser_that_is_killed_come_back() {
    let Some(server) = server().await else { return };
    let site = Site::with(&[("ok", "<title>fine</title><h1>Fine</h1>")]).await;
    let open = format!("goto(\"{}\")", site.url("ok"));
    does(&server, &open).await;
    let page = tries(&server, "goto(\"chrome://crash\")").await;
    assert!(
        page.error().starts_with("Error: Page.goto: "),
        "{}",
        page.error()
    );
    does(&server, &open).await.says("heading 'Fine'");
    let killed = browser_of(&server);
    signal("KILL", killed);
    // The action that is under way when it dies is lost; no other one is.
    let mut page = tries(&server, &open).await;
    let mut seen = page.content().to_owned();
    if !page.error().is_empty() {
        assert!(page.error().contains("has crashed"), "{}", page.error());
        page = does(&server, &open).await;
        seen.push_str(page.content());
    }
    page.says("heading 'Fine'");
    assert!(
        seen.contains("The browser crashed and was started anew"),
        "{seen}"
    );
    assert_ne!(browser_of(&server), killed);
}

#[tokio::test]
async fn a_page_that_hangs_is_left() {
    let Some(server) = server().await else { return };
    let page =
        "<title>hangs</title><button onclick='setTimeout(() => { for (;;); })'>hang</button>";
    let site = Site::with(&[("hangs", page), ("ok", "<title>fine</title><h1>Fine</h1>")]).await;
    let page = does(&server, &format!("goto(\"{}\")", site.url("hangs"))).await;
    let page = tries(&server, &format!("click('{}')", page.bid("button 'hang'"))).await;
    assert!(
        page.error()
            .ends_with("was closed; the next action finds an empty tab in its place."),
        "{}",
        page.error()
    );
    let page = does(&server, "noop(0)").await;
    assert_eq!(page.0["extras"]["open_pages_urls"], json!(["about:blank"]));
    does(&server, &format!("goto(\"{}\")", site.url("ok")))
        .await
        .says("heading 'Fine'");
}

#[tokio::test]
async fn files_that_pages_offer_come_into_the_workspace() {
    let Some(server) = server().await else { return };
    let site = Site::with(&[(
        "page",
        "<title>page</title><a href=/file/report.txt>report</a>",
    )])
    .await;
    let action = format!("goto(\"{}\")", site.url("file/first.txt"));
    let answer = tries(&server, &action).await.0;
    let path = server.path("file_1.txt");
    assert_eq!(answer["observation"], "download");
    assert_eq!(
        answer["message"],
        format!("Downloaded the file at location: {path}")
    );
    assert_eq!(answer["extras"], json!({"file_path": path}));
    let content = format!(
        "Execution of the previous action {action} resulted in a file download. The downloaded file is saved at location: {path}"
    );
    assert_eq!(answer["content"], content);
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        "what the file holds"
    );
    let page = does(&server, &format!("goto(\"{}\")", site.url("page"))).await;
    let page = does(&server, &format!("click('{}')", page.bid("link 'report'"))).await;
    let path = server.path("file_2.txt");
    page.says(&format!("[Downloaded the file at location: {path}]"));
    assert!(std::fs::exists(path).unwrap());
}

#[tokio::test]
async fn tabs_and_dialogs_are_shown() {
    let Some(server) = server().await else { return };
    let page = "<title>first</title><a href=second target=_blank>more</a>
        <button onclick=\"this.textContent = confirm('Really?')\">ask</button>";
    let site = Site::with(&[("first", page), ("second", "<title>second</title>")]).await;
    let page = does(&server, &format!("goto(\"{}\")", site.url("first"))).await;
    let asked = does(&server, &format!("click('{}')", page.bid("button 'ask'"))).await;
    asked.says("button 'false'");
    asked.says("Really?");
    let page = does(&server, &format!("click('{}')", page.bid("link 'more'"))).await;
    let extras = &page.0["extras"];
    assert_eq!(
        extras["open_pages_urls"],
        json!([site.url("first"), site.url("second")])
    );
    assert_eq!(extras["active_page_index"], 1);
    page.says("RootWebArea 'second'");
    let page = does(&server, "tab_close()").await;
    assert_eq!(page.url(), site.url("first"));
    let page = does(&server, "new_tab()").await;
    assert_eq!(page.0["extras"]["open_pages_urls"][1], "about:blank");
    let page = does(&server, "tab_focus(0)").await;
    assert_eq!(page.0["extras"]["active_page_index"], 0);
    // The picture is a file, too.
    let path = page.0["extras"]["screenshot_path"].as_str().unwrap();
    let folder = server.path(".browser_screenshots/screenshot_");
    assert!(path.starts_with(&folder), "{path}");
    let picture = std::fs::read(path).unwrap();
    assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
}

#[tokio::test]
async fn the_browser_starts_with_its_first_action_and_ends_with_the_server() {
    let Some(mut server) = server().await else {
        return;
    };
    server.output("true").await;
    assert!(browsers_of(&server).is_empty());
    does(&server, "noop(0)").await;
    let browser = browser_of(&server);
    // An action that goes on does not hold it up.
    let request = json!({"action": {"action": "browse_interactive", "args": {"browser_actions": "noop(100000)"}}});
    let waiting = server
        .client
        .post(server.url("/execute_action"))
        .json(&request)
        .send();
    let waiting = tokio::spawn(waiting);
    let began = std::time::Instant::now();
    assert!(server.terminate().await.success());
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
    waiting.abort();
    assert!(!PathBuf::from(format!("/proc/{browser}")).exists());
}

#[tokio::test]
async fn the_browser_is_as_the_variables_and_the_command_line_say() {
    let program = browser::find(None, &std::env::vars_os().collect());
    let program = program.unwrap_or_default();
    let flag = ["--enable-browser", "--browser-executable"];
    let args = [flag[0], flag[1], program.to_str().unwrap()];
    let variables = [
        ("OH_BROWSER_EXECUTABLE", "/nowhere/chromium"),
        ("OH_BROWSER_VIEWPORT", "800x500"),
        ("OH_BROWSER_USER_AGENT", "Sandpiper/1.0"),
    ];
    let Some(server) = server_with(&args, &variables).await else {
        return;
    };
    let page = "<title>t</title><h1></h1><script>
        document.querySelector('h1').textContent = [innerWidth, innerHeight, navigator.userAgent].join(' ');</script>";
    let site = Site::with(&[("page", page)]).await;
    does(&server, &format!("goto(\"{}\")", site.url("page")))
        .await
        .says("heading '800 500 Sandpiper/1.0'");
}

#[tokio::test]
async fn without_chromium_the_browser_is_disabled() {
    let setup = Setup {
        args: &["--enable-browser"],
        env: &[("OH_BROWSER_EXECUTABLE", "/nowhere/chromium")],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    let answer = visits(&server, "http://127.0.0.1:1/").await.0;
    assert_eq!(answer["observation"], "error");
    assert_eq!(
        answer["content"],
        "Browser functionality is not supported or disabled."
    );
}

/// The browsers that a server has started.
fn browsers_of(server: &Server) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_browser = |pid: &u32| {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let environment = String::from_utf8_lossy(&environment).into_owned();
        words.contains("--remote-debugging-pipe")
            && !words.contains("--type=")
            && environment.contains(server.workspace.parent().unwrap().to_str().unwrap())
    };
    numbers.filter(is_browser).collect()
}

fn browser_of(server: &Server) -> u32 {
    match browsers_of(server).as_slice() {
        [one] => *one,
        other => panic!("{other:?}"),
    }
}
