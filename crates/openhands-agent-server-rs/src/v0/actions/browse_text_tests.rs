//! The texts around pages, as 0.62 writes them.

use pretty_assertions::assert_eq;

use super::*;

fn shown(error: &str) -> Shown<'_> {
    Shown {
        url: "http://a/",
        focused: "3",
        screenshot: Some("/w/s.png"),
        notes: Vec::new(),
        error,
    }
}

#[test]
fn a_page_is_framed() {
    assert_eq!(
        page(&shown(""), "Hello"),
        "[Current URL: http://a/]\n============== BEGIN webpage content ==============\nHello\n============== END webpage content ==============\n"
    );
    assert_eq!(
        page(&shown("Error: x"), "Hello"),
        "[Current URL: http://a/]\n================ BEGIN error message ===============\nThe following error occurred when trying to visit the URL:\nError: x\n================ END error message ===============\n============== BEGIN webpage content ==============\nHello\n============== END webpage content ==============\n"
    );
}

#[test]
fn a_tree_is_framed_and_notes_come_before_it() {
    let mut with_notes = shown("");
    with_notes.notes.push("Downloaded".to_owned());
    let text = tree(&with_notes, Some("RootWebArea ''"));
    let head = "[Current URL: http://a/]\n[Focused element bid: 3]\n[Screenshot saved to: /w/s.png]\n[Downloaded]\n\n[Action executed successfully.]\nAccessibility tree of the COMPLETE webpage:\n";
    assert!(text.starts_with(head), "{text}");
    let end = "\n============== BEGIN accessibility tree ==============\nRootWebArea ''\n============== END accessibility tree ==============\n";
    assert!(text.ends_with(end), "{text}");
    let failed = tree(&shown("Error: x"), None);
    assert!(
        failed.ends_with("when executing the last action:\nError: x\n================ END error message ===============\n"),
        "{failed}"
    );
}
