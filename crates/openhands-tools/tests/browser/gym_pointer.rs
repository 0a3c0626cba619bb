//! What the mouse, files and frames need a page of their own for.

use std::sync::Arc;
use std::time::Duration;

use openhands_tools::browser::gym::Gym;
use openhands_tools::browser::{Browser, DialogPolicy, Note, Underway};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::lab::{Lab, lab_with};
use crate::site::Site;

struct Place {
    gym: Gym,
    browser: Arc<Browser>,
    folder: TempDir,
}

fn place() -> Option<Place> {
    let Lab { folder, browser } = lab_with(|settings| {
        settings.dialogs = DialogPolicy::Dismiss;
        settings.navigation_timeout = Duration::from_secs(3);
    })?;
    let browser = Arc::new(browser);
    let gym = Gym::new(Arc::clone(&browser), folder.path());
    Some(Place {
        gym: gym.with_pause(Duration::from_millis(50)),
        browser,
        folder,
    })
}

impl Place {
    /// Does actions that must not fail.
    async fn does(&mut self, actions: &str) {
        if let Err(mistake) = self.gym.step(actions).await {
            panic!("{actions}: {mistake}");
        }
    }

    async fn fails(&mut self, actions: &str) -> String {
        self.gym.step(actions).await.unwrap_err().to_string()
    }

    async fn shows(&self, expression: &str, expected: Value) {
        let tab = self.browser.active().await.unwrap();
        let shown = tab.evaluate(expression).await.unwrap();
        assert_eq!(shown, expected, "{expression}");
    }
}

const DRAG: &str = "<body style='margin:0'>
<div bid=1 id=a draggable=true style='position:absolute;left:0;top:0;width:50px;height:50px;background:red'>a</div>
<div bid=2 id=b style='position:absolute;left:200px;top:200px;width:80px;height:80px;background:blue'>b</div>
<div bid=3 id=c style='position:absolute;left:400px;top:0;width:50px;height:50px;background:green'>c</div>
<script>
  window.log = [];
  a.ondragstart = (event) => { event.dataTransfer.setData('text/plain', 'cargo'); log.push('start'); };
  b.ondragover = (event) => event.preventDefault();
  b.ondrop = (event) => { event.preventDefault(); log.push('drop ' + event.dataTransfer.getData('text/plain')); };
  a.ondragend = () => log.push('end');
  c.onmousedown = () => log.push('down');
  document.onmousemove = (event) => { if (event.buttons === 1) log.push('moved'); };
  b.onmouseup = () => log.push('up');
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn elements_are_dragged_and_dropped() {
    let Some(mut place) = place() else { return };
    let site = Site::with(&[("drag", DRAG)]).await;
    place.does(&format!("goto('{}')", site.url("drag"))).await;
    place.does("drag_and_drop('1', '2')").await;
    place
        .shows(
            "log.splice(0)",
            json!(["moved", "start", "drop cargo", "end"]),
        )
        .await;
    // What is not draggable gets the events of the mouse.
    place.does("drag_and_drop('3', '2')").await;
    place
        .shows("log.splice(0)", json!(["down", "moved", "up"]))
        .await;
    place.does("mouse_drag_and_drop(20, 20, 240, 240)").await;
    place
        .shows(
            "log.splice(0)",
            json!(["moved", "start", "drop cargo", "end"]),
        )
        .await;
    place.does("mouse_down(20, 20)").await;
    place.does("mouse_move(120, 120)").await;
    place.does("mouse_up(240, 240)").await;
    place
        .shows(
            "log.splice(0)",
            json!(["moved", "start", "drop cargo", "end"]),
        )
        .await;
    // A target that is not there leaves no button pressed.
    let error = place.fails("drag_and_drop('3', '99')").await;
    assert_eq!(error, "ValueError: Could not find element with bid \"99\"");
    place.does("hover('2')").await;
    place.shows("log.includes('moved')", json!(false)).await;
}

const CANVAS: &str = "<body style='margin:0'><canvas bid=1 id=c width=300 height=300></canvas><div style='height:3000px'></div>
<script>
  window.log = [];
  for (const kind of ['click', 'dblclick', 'contextmenu', 'auxclick', 'mousedown', 'mouseup'])
    c.addEventListener(kind, (event) => {
      event.preventDefault();
      const keys = (event.ctrlKey ? 'C' : '') + (event.shiftKey ? 'S' : '') + (event.altKey ? 'A' : '') + (event.metaKey ? 'M' : '');
      log.push([kind, event.offsetX, event.offsetY, event.button, keys].join(' '));
    });
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_canvas_is_clicked_where_it_should_be() {
    let Some(mut place) = place() else { return };
    let site = Site::with(&[("canvas", CANVAS)]).await;
    place.does(&format!("goto('{}')", site.url("canvas"))).await;
    let only = "log.splice(0).filter((line) => !/^mouse/.test(line))";
    place.does("mouse_click(10, 20)").await;
    place.shows(only, json!(["click 10 20 0 "])).await;
    place.does("mouse_dblclick(30, 40)").await;
    let twice = json!(["click 30 40 0 ", "click 30 40 0 ", "dblclick 30 40 0 "]);
    place.shows(only, twice).await;
    place.does("mouse_click(5, 6, 'right')").await;
    place
        .shows(only, json!(["contextmenu 5 6 2 ", "auxclick 5 6 2 "]))
        .await;
    place
        .does("click('1', modifiers=['Control', 'Shift'])")
        .await;
    place.shows(only, json!(["click 150 150 0 CS"])).await;
    place.does("dblclick('1', 'middle')").await;
    place
        .shows(only, json!(["auxclick 150 150 1 ", "auxclick 150 150 1 "]))
        .await;
    place.does("keyboard_down('Alt')").await;
    place
        .does("mouse_click(1, 2) keyboard_up('Alt') mouse_click(3, 4)")
        .await;
    place
        .shows(only, json!(["click 1 2 0 A", "click 3 4 0 "]))
        .await;
    place.does("mouse_down(7, 8, 'left') mouse_up(7, 8)").await;
    let all = json!(["mousedown 7 8 0 ", "mouseup 7 8 0 ", "click 7 8 0 "]);
    place.shows("log.splice(0)", all).await;
    place.does("scroll(0, 300)").await;
    place.shows("new Promise((done) => { const look = () => scrollY === 300 ? done(300) : requestAnimationFrame(look); look(); })", json!(300)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_in_shadow_trees_and_frames_of_other_sites_are_used() {
    let Some(mut place) = place() else { return };
    let inner = "<body style='margin:0'><div style='height:1500px'></div>
        <input bid=a1 id=field><button bid=a2 onclick='this.textContent = field.value'>go</button>
        <select bid=a3 id=choice><option>one<option>two</select>";
    let site = Site::with(&[("inner", inner)]).await;
    let outer = format!(
        "<div style='height:900px'></div><iframe bid=a style='border:7px solid;padding:5px;width:300px;height:150px' src='{}'></iframe>
         <div id=host></div><script>
         host.attachShadow({{mode: 'open'}}).innerHTML = '<p><button bid=5 onclick=\"this.textContent = 1\">in the shadow</button></p>';
         </script>",
        site.elsewhere("inner"),
    );
    let host = Site::with(&[("outer", &outer)]).await;
    place.does(&format!("goto('{}')", host.url("outer"))).await;
    place.does("click('5')").await;
    place
        .shows(
            "host.shadowRoot.querySelector('button').textContent",
            json!("1"),
        )
        .await;
    place
        .does("fill('a1', 'far away')\nclick('a2')\nselect_option('a3', 'two')")
        .await;
    place.does("press('a1', 'End')\nkeyboard_type('!')").await;
    let tab = place.browser.active().await.unwrap();
    let frames = tab.frames().await.unwrap();
    assert_ne!(frames[0].session, frames[1].session);
    let shown = "[document.querySelector('button').textContent, choice.value, field.value]";
    let shown = tab.evaluate_in(&frames[1], shown).await.unwrap();
    assert_eq!(shown, json!(["far away", "two", "far away!"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_click_opens_is_active_in_the_next_action() {
    let Some(mut place) = place() else { return };
    let page = "<a bid=1 target=_blank href=other>open</a><input bid=2 id=field>
        <button bid=3 onclick='window.open(\"other\")'>pop up</button>";
    let site = Site::with(&[
        ("page", page),
        (
            "other",
            "<title>other</title><button bid=9 onclick='window.close()'>close</button>",
        ),
    ])
    .await;
    place.does(&format!("goto('{}')", site.url("page"))).await;
    // Until the action is over, it goes on where it began.
    place.does("click('1')\nfill('2', 'still here')").await;
    place.shows("document.title", json!("other")).await;
    place.does("tab_focus(0)").await;
    place.shows("field.value", json!("still here")).await;
    place.does("click('3')").await;
    assert_eq!(place.browser.tabs().await.unwrap().len(), 3);
    place.does("click('9')").await;
    assert_eq!(place.browser.tabs().await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_chosen_downloaded_and_asked_for() {
    let Some(mut place) = place() else { return };
    let page = "<input bid=1 type=file id=one><label bid=2 for=one style='display:block;width:100px'>choose</label>
        <button bid=3>nothing</button><a bid=4 href=/file/report.txt>report</a>
        <button bid=5 onclick='this.textContent = confirm(\"sure?\")'>ask</button>
        <button bid=6 onclick='this.textContent = prompt(\"name?\", \"x\")'>prompt</button>";
    let site = Site::with(&[("page", page)]).await;
    std::fs::write(place.folder.path().join("mine.txt"), "mine").unwrap();
    place.does(&format!("goto('{}')", site.url("page"))).await;
    place.does("upload_file('1', 'mine.txt')").await;
    place.shows("one.files[0].text()", json!("mine")).await;
    place.does("upload_file('1', [])").await;
    place.shows("one.files.length", json!(0)).await;
    place.does("upload_file('2', 'mine.txt')").await;
    place.shows("one.files[0].name", json!("mine.txt")).await;
    // The same, by the place of the label.
    place.does("upload_file('1', [])").await;
    let tab = place.browser.active().await.unwrap();
    let middle = "(({x, y, width, height}) => [x + width / 2, y + height / 2])(document.querySelector('label').getBoundingClientRect())";
    let [x, y]: [f64; 2] = tab.evaluate_as(middle).await.unwrap();
    place
        .does(&format!("mouse_upload_file({x}, {y}, 'mine.txt')"))
        .await;
    place.shows("one.files[0].text()", json!("mine")).await;
    place.does("upload_file('1', [])").await;
    place
        .does(&format!(
            "mouse_upload_file(x={x}, y={y}, file=['mine.txt'])"
        ))
        .await;
    place.shows("one.files[0].name", json!("mine.txt")).await;
    place.browser.take_notes();
    place.does("click('5')\nclick('6')").await;
    place
        .shows(
            "[...document.querySelectorAll('button')].map((button) => button.textContent)",
            json!(["nothing", "false", ""]),
        )
        .await;
    place.does("click('4')").await;
    place
        .browser
        .downloads_done(&Underway::default(), crate::lab::SOON)
        .await;
    let notes = place.browser.take_notes();
    let dialogs = notes.iter().filter(|note| {
        matches!(
            note,
            Note::Dialog {
                accepted: false,
                ..
            }
        )
    });
    assert_eq!(dialogs.count(), 2, "{notes:?}");
    let path = notes.iter().find_map(|note| match note {
        Note::Downloaded { path, .. } => Some(path),
        _ => None,
    });
    let path = path.unwrap_or_else(|| panic!("{notes:?}"));
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        "what the file holds"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_do_not_come_or_crash_are_told_and_left() {
    let Some(mut place) = place() else { return };
    let site = Site::with(&[]).await;
    let text = |path: &str| {
        format!(
            "TimeoutError: Page.goto: Timeout 3000ms exceeded.\nCall log:\n  - navigating to \"{}\", waiting until \"load\"\n",
            site.url(path)
        )
    };
    let error = place
        .fails(&format!("goto('{}')", site.url("endless")))
        .await;
    assert_eq!(error, text("endless"));
    place.shows("document.title", json!("endless")).await;
    let error = place
        .fails(&format!("goto('{}')", site.url("hanging")))
        .await;
    assert_eq!(error, text("hanging"));
    place.does(&format!("goto('{}')", site.url(""))).await;
    let error = place.fails("goto('chrome://crash')").await;
    assert!(error.contains("Error: Page.goto: "), "{error}");
    // On a busy machine the end of the process is told after the action has given up.
    let deadline = tokio::time::Instant::now() + crate::lab::SOON;
    let crashed = |note: &Note| matches!(note, Note::TabCrashed { .. });
    while !place.browser.take_notes().iter().any(crashed) {
        assert!(tokio::time::Instant::now() < deadline);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    place.does(&format!("goto('{}')", site.url(""))).await;
    place.shows("document.title", json!("home")).await;
    // The page that is gone when its turn comes.
    let error = place.fails("goto('about:blank') click('1')").await;
    assert_eq!(error, "ValueError: Could not find element with bid \"1\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_crashed_behind_another_one_can_be_focused() {
    let Some(mut place) = place() else { return };
    let site = Site::with(&[]).await;
    place.does(&format!("goto('{}')", site.url(""))).await;
    let behind = place.browser.active().await.unwrap();
    place.does("new_tab()").await;
    behind.call("Page.crash", json!({})).await.unwrap_err();
    place
        .does(&format!("tab_focus(0)\ngoto('{}')", site.url("")))
        .await;
    place.shows("document.title", json!("home")).await;
    assert_eq!(place.browser.tabs().await.unwrap().len(), 2);
}
