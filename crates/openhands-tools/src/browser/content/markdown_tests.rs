use super::super::stream::PageStream;
use super::to_markdown;
use pretty_assertions::assert_eq;

fn markdown(stream: &str, links: bool) -> String {
    let page: PageStream =
        serde_json::from_str(&format!(r#"{{"token":"t","html":0,"stream":{stream}}}"#)).unwrap();
    to_markdown(&page.stream, links)
}

#[test]
fn text_marks_links_and_images_are_written_in_line() {
    let stream = r#"[["body",1],"\n",["h1",1],"Form",0,["p",1],"Hello ",["b",0],"bold ",0," and ",["a",0,{"href":"/other"}],
        "a link",0,", ",["em",0],"em",0,".",["br",0],0,"next ",["code",0],"x",0,["i",0]," ",0,0,["img",0,{"alt":"pic","src":"/x.png"}],0,
        ["img",0,{"alt":"","src":"/decoration.png"}],0,["button",0],"One",0,["button",0],"Two",0,0]"#;
    assert_eq!(
        markdown(stream, true),
        "# Form\n\nHello **bold** and [a link](/other), *em*.\nnext `x`\n\n![pic](/x.png) One Two"
    );
    assert!(markdown(stream, false).contains("and a link, *em*"));
}

#[test]
fn lists_and_quotes_nest() {
    let stream = r#"[["ul",1],["li",1],"one",["ul",1],["li",1],"inner",0,0,0,["li",1],["p",1],"two",0,["p",1],"more",0,0,0,
        ["ol",1,{"start":3}],["li",1],"third",0,["li",1],0,["li",1],"fifth",0,0,
        ["blockquote",1],"quoted",["p",1],"para",0,["ul",1],["li",1],"in it",0,0,0,"after"]"#;
    assert_eq!(
        markdown(stream, false),
        "- one\n  - inner\n- two\n\n  more\n\n3. third\n5. fifth\n\n> quoted\n>\n> para\n>\n> - in it\n\nafter"
    );
}

#[test]
fn code_keeps_its_lines_and_finds_a_fence() {
    let stream = r#"[["pre",1],["code",0],"let x = 1;",["br",0],0,"  y\n```",0,0,["p",1],"end",0]"#;
    assert_eq!(
        markdown(stream, false),
        "````\nlet x = 1;\n  y\n```\n````\n\nend"
    );
}

#[test]
fn tables_of_data_are_tables_and_others_are_read_through() {
    let data = r#"[["table",1],["tbody",1],["tr",1],["th",1],"A",0,["th",1],["div",1],"B",0,["div",1],"b",0,0,0,
        ["tr",1],["td",1],"1",0,["td",1],"2|3",0,0,["tr",1],["td",1],"4",0,0,0,0]"#;
    assert_eq!(
        markdown(data, false),
        "| A | B b |\n| --- | --- |\n| 1 | 2\\|3 |\n| 4 |  |"
    );
    let bare = r#"[["table",1],["tr",1],["td",1],"1",0,["td",1],"2",0,0,["tr",1],["td",1],"3",0,["td",1],"4",0,0,0]"#;
    assert_eq!(
        markdown(bare, false),
        "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    );
    let layout = r#"[["table",1],["tr",1],["td",1],"left",0,["td",1],["h2",1],"Title",0,"text",0,0,["tr",1],["td",1],"foot",0,0,0]"#;
    assert_eq!(markdown(layout, false), "left\n\n## Title\n\ntext\nfoot");
}

#[test]
fn a_link_around_blocks_stands_around_the_first() {
    let stream = r#"[["a",1,{"href":"/card"}],["div",1],"Title",0,["p",1],"about it",0,0,"x"]"#;
    assert_eq!(markdown(stream, true), "[Title](/card)\n\nabout it\n\nx");
}

#[test]
fn right_to_left_text_and_emoji_stay_as_they_are() {
    let stream = r#"[["p",1],"مرحبا   بالعالم",0,["p",1],"👩‍👩‍👧‍👦 שלום",0]"#;
    assert_eq!(markdown(stream, false), "مرحبا بالعالم\n\n👩‍👩‍👧‍👦 שלום");
}

#[test]
fn a_stream_that_was_cut_off_still_ends() {
    assert_eq!(
        markdown(r#"[["ul",1],["li",1],["b",0],"half"]"#, false),
        "- **half**"
    );
    assert_eq!(markdown("[0,0,\"x\",0]", false), "x");
}
