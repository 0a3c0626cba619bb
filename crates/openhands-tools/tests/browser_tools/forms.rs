//! Forms with every kind of field.

use crate::desk::{Desk, element};
use crate::site::Site;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const FORM: &str = r#"<!doctype html><title>Form</title><meta charset=utf-8><form id=f onsubmit="said(event)">
<label>Name <input name=name placeholder="Your name" value="old"></label>
<label>Mail <input name=mail type=email></label>
<label>Word <input name=word type=password></label>
<label>Many <input name=many type=number></label>
<label>Call <input name=call type=tel></label>
<label>Site <input name=site type=url></label>
<label>Seek <input name=seek type=search></label>
<label>Day <input name=day type=date></label>
<label>Hour <input name=hour type=time></label>
<label>Moment <input name=moment type=datetime-local></label>
<label>Month <input name=month type=month></label>
<label>Week <input name=week type=week></label>
<label>Colour <input name=colour type=color></label>
<label>Range <input name=range type=range min=0 max=100></label>
<label>Note <textarea name=note>before</textarea></label>
<label>One <select name=one><option value=a>Apple</option><option value=b>Banana</option></select></label>
<label>Some <select name=some multiple size=3><option>Red</option><option>Green</option><option>Blue</option></select></label>
<label><input type=checkbox name=box> Agree</label>
<label><input type=radio name=pick value=1> First</label><label><input type=radio name=pick value=2> Second</label>
<label>File <input name=file type=file></label>
<div id=rich contenteditable aria-label=Rich>rich <b>old</b></div>
<input name=fixed readonly value=fixed aria-label=Fixed>
<button>Send</button><fieldset disabled><button>Off</button></fieldset></form><pre id=out></pre><script>
const heard = [];
for (const kind of ['keydown', 'input', 'change']) document.addEventListener(kind, (e) => heard.push(kind + ' ' + e.target.name));
async function said(event) {
  event.preventDefault();
  const data = {};
  for (const [name, value] of new FormData(document.getElementById('f'))) {
    data[name] = value instanceof File ? value.name + ':' + (await value.text()) : data[name] ? data[name] + '+' + value : value;
  }
  data.rich = document.getElementById('rich').innerText;
  data.heard = heard.length;
  out.textContent = JSON.stringify(data);
}
</script>"#;

#[tokio::test]
async fn every_kind_of_field_is_filled_and_the_page_gets_it() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("form", FORM)]).await;
    desk.open(&site.url("form")).await;
    let file = desk.workspace.path().join("letter.txt");
    std::fs::write(&file, "dear").unwrap();
    let path = file.display().to_string();
    for (name, text) in [
        ("Name", "Ada 🙂 عربي"),
        ("Word", "s3cret"),
        ("Many", "42"),
        ("Call", "+49 30 1"),
        ("Site", "http://x.y/"),
        ("Seek", "needle"),
        ("Day", "2026-12-31"),
        ("Hour", "09:30"),
        ("Moment", "2026-12-31T09:30"),
        ("Month", "2026-12"),
        ("Week", "2026-W50"),
        ("Colour", "#ff8800"),
        ("Range", "70"),
        ("Note", "two\nlines"),
        ("One", "Banana"),
        ("Some", "Red, Blue"),
        ("Rich", "new words"),
    ] {
        let index = desk.index(name).await;
        let answer = desk
            .call("type", json!({"index": index, "text": text}))
            .await;
        let shown = if name == "Moment" {
            format!("Typed <credential> into element {index}")
        } else {
            format!("Typed '{text}' into element {index}")
        };
        assert_eq!(answer, shown, "{name}");
    }
    let index = desk.index("File").await;
    desk.call("type", json!({"index": index, "text": path}))
        .await;
    let mail = desk.fill("Mail", "ada@example.org").await;
    assert!(mail.starts_with("Typed <email> into element "), "{mail}");
    desk.click("Agree").await;
    desk.click("Second").await;
    desk.click("Send").await;
    desk.until_page_says("\"heard\"").await;
    let page = desk.page().await;
    let said = page
        .lines()
        .find(|line| line.starts_with('{'))
        .unwrap_or_else(|| panic!("{page}"));
    let mut said: Value = serde_json::from_str(said).unwrap();
    let heard = said["heard"].take();
    assert_eq!(
        said,
        json!({
            "name": "Ada 🙂 عربي", "mail": "ada@example.org", "word": "s3cret", "many": "42", "call": "+49 30 1",
            "site": "http://x.y/", "seek": "needle", "day": "2026-12-31", "hour": "09:30", "moment": "2026-12-31T09:30",
            "month": "2026-12", "week": "2026-W50", "colour": "#ff8800", "range": "70", "note": "two\nlines", "one": "b",
            "some": "Red+Blue", "box": "on", "pick": "2", "file": "letter.txt:dear", "fixed": "fixed", "rich": "new words",
            "heard": null,
        })
    );
    assert!(heard.as_u64().unwrap() > 100, "keys were typed: {heard}");
}

#[tokio::test]
async fn the_state_tells_what_fields_are_and_what_they_have() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("form", FORM)]).await;
    desk.open(&site.url("form")).await;
    desk.fill("Word", "s3cret").await;
    desk.click("Agree").await;
    let state = desk.state().await;
    let seen = |name: &str| {
        let mut fields = element(&state, name).as_object().unwrap().clone();
        fields.remove("index");
        Value::Object(fields)
    };
    assert_eq!(
        seen("Name"),
        json!({"tag": "input", "text": "", "placeholder": "Your name", "value": "old", "label": "Name"})
    );
    assert_eq!(
        seen("Word"),
        json!({"tag": "input", "text": "", "type": "password", "value": "<hidden>", "label": "Word"})
    );
    assert_eq!(
        seen("One"),
        json!({"tag": "select", "text": "Apple\nBanana", "value": "Apple", "options": ["Apple", "Banana"], "label": "One"})
    );
    assert_eq!(
        seen("Agree"),
        json!({"tag": "input", "text": "", "type": "checkbox", "checked": true, "label": "Agree"})
    );
    assert_eq!(seen("Note")["text"], "before");
    assert_eq!(seen("Rich")["tag"], "div");
    assert!(crate::desk::index_in(&state, "Off").is_none());
    assert!(!state.to_string().contains("s3cret"));
}

#[tokio::test]
async fn an_empty_text_clears_a_field_and_enter_sends() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("form", FORM)]).await;
    desk.open(&site.url("form")).await;
    desk.fill("Name", "").await;
    let state = desk.state().await;
    assert!(element(&state, "Name").get("value").is_none());
    desk.fill("Name", "Grace\n").await;
    desk.until_page_says("\"name\":\"Grace\"").await;
    let long = "0123456789".repeat(200);
    desk.fill("Note", &long).await;
    desk.click("Send").await;
    desk.until_page_says(&format!("\"note\":\"{long}\"")).await;
}

#[tokio::test]
async fn what_a_field_does_not_take_is_an_error_that_says_why() {
    let Some(desk) = Desk::new() else { return };
    let site = Site::with(&[("form", FORM)]).await;
    desk.open(&site.url("form")).await;
    for (name, text, problem) in [
        (
            "One",
            "Cherry",
            "has no option 'Cherry'; it has 'Apple', 'Banana'",
        ),
        ("Day", "tomorrow", "did not take 'tomorrow'"),
        ("File", "/no/such/file", "there is no file '/no/such/file'"),
        ("Fixed", "x", "cannot be changed"),
    ] {
        let index = desk.index(name).await;
        let text = desk
            .fail("type", json!({"index": index, "text": text}))
            .await;
        assert!(text.starts_with("Browser operation failed: "), "{text}");
        assert!(text.contains(problem), "{text}");
    }
    let index = desk.index("File").await;
    let text = desk.fail("click", json!({"index": index})).await;
    assert!(text.contains("browser_type"), "{text}");
    let index = desk.index("One").await;
    let text = desk.call("click", json!({"index": index})).await;
    assert!(
        text.starts_with(&format!("Clicked element {index}\n")),
        "{text}"
    );
}
