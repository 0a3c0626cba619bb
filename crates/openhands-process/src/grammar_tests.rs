use super::*;

#[test]
fn characters_that_the_scanner_cannot_ask_about_do_not_end_the_process() {
    for text in [
        "echo {\u{f0000}",
        "echo {1..\u{10ffff}",
        "echo {\u{1f642}..3}",
        "{\u{e000}1..2}",
    ] {
        let tree = bash_tree(text).unwrap();
        assert_eq!(tree.root_node().end_byte(), text.len(), "{text:?}");
    }
}

#[test]
fn positions_are_those_of_the_text() {
    let text = "echo 'ünï 漢字' && ls";
    let tree = bash_tree(text).unwrap();
    assert!(!tree.root_node().has_error());
    let last = tree
        .root_node()
        .descendant_for_byte_range(text.len() - 2, text.len())
        .unwrap();
    assert_eq!(text.get(last.byte_range()), Some("ls"));
}
