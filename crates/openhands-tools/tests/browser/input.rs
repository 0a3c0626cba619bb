//! The mouse, the keyboard and files.

use crate::lab::{SOON, lab, until};
use crate::site::Site;
use openhands_tools::browser::{Button, Mouse, keys};

const FIELD: &str = "<body style='margin:0'><textarea id=t style='width:400px;height:100px'></textarea>\
<script>t.focus(); window.seen = []; for (const kind of ['keydown', 'keyup', 'mousedown', 'mouseup', 'click', 'dblclick', \
'contextmenu', 'wheel']) addEventListener(kind, e => seen.push(kind + ':' + (e.key ?? e.button) + ':' + e.shiftKey))</script>";

#[tokio::test(flavor = "multi_thread")]
async fn text_is_typed_key_by_key() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[("field", FIELD)]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("field")).await.unwrap();
    let text = "Hello, World!\n\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{1f44b}\u{1f3fd} ~@#";
    tab.type_text(text).await.unwrap();
    assert_eq!(tab.evaluate("t.value").await.unwrap(), text);
    let seen = tab.evaluate("seen.slice(0, 4)").await.unwrap();
    assert_eq!(
        seen,
        serde_json::json!([
            "keydown:H:true",
            "keyup:H:true",
            "keydown:e:false",
            "keyup:e:false"
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_are_held_command() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[("field", FIELD)]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("field")).await.unwrap();
    tab.insert_text("first second").await.unwrap();
    tab.press("Control+a").await.unwrap();
    tab.press("Backspace").await.unwrap();
    assert_eq!(tab.evaluate("t.value").await.unwrap(), "");
    tab.press("Shift+a").await.unwrap();
    tab.press("+").await.unwrap();
    tab.press("Shift+1").await.unwrap();
    tab.press("ArrowLeft").await.unwrap();
    tab.press("Enter").await.unwrap();
    assert_eq!(tab.evaluate("t.value").await.unwrap(), "A+\n!");
    tab.press("ControlOrMeta+z").await.unwrap();
    assert_ne!(tab.evaluate("t.value").await.unwrap(), "A+\n!");
    let error = tab.press("Control+Nonsense").await.unwrap_err().to_string();
    assert_eq!(error, "Unknown key: \"Nonsense\"");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mouse_clicks_drags_and_turns() {
    let Some(lab) = lab() else { return };
    let canvas = "<body style='margin:0;height:3000px'><canvas id=c width=300 height=200></canvas><script>window.seen = []; \
        for (const kind of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'mousemove']) \
        c.addEventListener(kind, e => seen.push([kind, e.offsetX, e.offsetY, e.button, e.buttons, e.shiftKey].join()))</script>";
    let site = Site::with(&[("canvas", canvas)]).await;
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("canvas")).await.unwrap();
    let at = Mouse {
        clicks: 2,
        held: keys::SHIFT,
        ..Mouse::at(30.0, 40.0)
    };
    tab.click(at).await.unwrap();
    let seen = tab.evaluate("seen.splice(0).join(' ')").await.unwrap();
    assert_eq!(
        seen,
        "mousemove,30,40,0,0,true mousedown,30,40,0,1,true mouseup,30,40,0,0,true click,30,40,0,0,true \
         mousedown,30,40,0,1,true mouseup,30,40,0,0,true click,30,40,0,0,true dblclick,30,40,0,0,true"
    );
    let from = Mouse::at(10.0, 10.0);
    let to = Mouse::at(100.0, 120.0);
    tab.mouse_move(from, None).await.unwrap();
    tab.mouse_down(from).await.unwrap();
    tab.mouse_move(to, Some(Button::Left)).await.unwrap();
    tab.mouse_up(to).await.unwrap();
    let seen = tab.evaluate("seen.splice(0).join(' ')").await.unwrap();
    assert_eq!(
        seen,
        "mousemove,10,10,0,0,false mousedown,10,10,0,1,false mousemove,100,120,0,1,false mouseup,100,120,0,0,false \
         click,100,120,0,0,false"
    );
    let right = Mouse {
        button: Button::Right,
        ..Mouse::at(50.0, 50.0)
    };
    tab.click(right).await.unwrap();
    let seen = tab.evaluate("seen.join(' ')").await.unwrap();
    assert!(
        seen.as_str().unwrap().contains("contextmenu,50,50,2"),
        "{seen}"
    );
    tab.wheel(Mouse::at(50.0, 50.0), 0.0, 700.0).await.unwrap();
    until(&tab, "scrollY", 700).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_given_to_a_chooser() {
    let Some(lab) = lab() else { return };
    let site = Site::with(&[(
        "upload",
        "<body style='margin:0'><input id=f type=file style='width:300px;height:50px'>",
    )])
    .await;
    let file = lab.folder.path().join("note.txt");
    std::fs::write(&file, "a note").unwrap();
    let tab = lab.active().await.unwrap();
    tab.navigate(&site.url("upload")).await.unwrap();
    tab.catch_file_choosers(true).await.unwrap();
    tab.click(Mouse::at(30.0, 20.0)).await.unwrap();
    let chooser = tab.file_chooser(SOON).await.unwrap();
    assert!(!chooser.multiple);
    let node = chooser.backend_node_id.unwrap();
    let files = [file.to_string_lossy().into_owned()];
    tab.set_files(&chooser.session, node, &files).await.unwrap();
    assert_eq!(tab.evaluate("f.files[0].text()").await.unwrap(), "a note");
}
