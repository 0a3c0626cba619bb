use super::*;

fn collected(text: usize) -> Collected {
    Collected::new(Limits { text, images: 1000 })
}

fn media(text: &str) -> Media {
    Media::new(vec![MediaType::Plain(text.to_owned())])
}

fn picture(base64: &str) -> Media {
    Media::new(vec![
        MediaType::Plain("<Image>".to_owned()),
        MediaType::Png(base64.to_owned()),
    ])
}

#[test]
fn outputs_follow_each_other_as_they_come() {
    let mut cell = collected(100);
    cell.print("one\n");
    cell.display(&picture("AAAA\n"), None);
    cell.print("\u{1b}[31mtwo\u{1b}[0m \n\n");
    assert_eq!(
        cell.finish(),
        Shown {
            text: "one\n<Image>two".to_owned(),
            images: vec!["data:image/png;base64,AAAA".to_owned()],
            anything: true,
        }
    );
}

#[test]
fn long_text_keeps_both_ends_and_says_so() {
    let mut cell = collected(8);
    cell.print("abcdefghijklmnop");
    assert_eq!(cell.finish().text, format!("abcd{TRUNCATED}mnop"));
}

#[test]
fn a_character_that_is_cut_does_no_harm() {
    let mut cell = collected(8);
    cell.print("ééééééééééééé");
    let text = cell.finish().text;
    assert!(text.starts_with("éé") && text.ends_with("éé"), "{text}");
}

#[test]
fn images_beyond_the_limit_are_left_out_with_a_note() {
    let mut cell = collected(1000);
    cell.display(&picture(&"A".repeat(900)), None);
    cell.display(&picture(&"B".repeat(900)), None);
    let Shown { text, images, .. } = cell.finish();
    assert_eq!(images.len(), 1);
    assert!(
        text.contains("[An image of 900 bytes was left out]"),
        "{text}"
    );
}

#[test]
fn a_display_with_an_id_is_replaced_in_its_place() {
    let mut cell = collected(1000);
    cell.print("before\n");
    cell.display(&media("10%\n"), Some("bar".to_owned()));
    cell.print("after\n");
    for percent in [20, 99, 100] {
        cell.update(&media(&format!("{percent}%\n")), "bar");
    }
    cell.update(&media("unknown"), "another");
    assert_eq!(cell.finish().text, "before\n100%\nafter");
}

#[test]
fn the_image_of_a_display_is_replaced_too() {
    let mut cell = collected(1000);
    cell.display(&picture("AAAA"), Some("plot".to_owned()));
    cell.update(&picture("BBBB"), "plot");
    assert_eq!(cell.finish().images, ["data:image/png;base64,BBBB"]);
}

#[test]
fn displays_keep_their_places_when_text_is_left_out() {
    let mut cell = collected(8);
    cell.print("ab");
    cell.display(&media("<1>"), Some("1".to_owned()));
    cell.print("cdefgh");
    cell.display(&media("<2>"), Some("2".to_owned()));
    cell.print("ijklmnop");
    cell.display(&media("<3>"), Some("3".to_owned()));
    assert_eq!(cell.finish().text, format!("ab<1>cd{TRUNCATED}<2>mnop<3>"));
}

#[test]
fn clearing_takes_away_what_was_shown() {
    let mut cell = collected(100);
    cell.print("gone");
    cell.display(&picture("AAAA"), Some("1".to_owned()));
    cell.clear(false);
    assert_eq!(cell.finish(), Shown::default());

    let mut cell = collected(100);
    cell.print("gone");
    cell.clear(true);
    cell.print("new");
    assert_eq!(cell.finish().text, "new");

    let mut cell = collected(100);
    cell.print("the last one stays");
    cell.clear(true);
    assert_eq!(cell.finish().text, "the last one stays");
}
