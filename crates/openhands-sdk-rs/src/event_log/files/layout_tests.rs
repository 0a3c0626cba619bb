use super::*;

#[test]
fn names_are_read_by_the_rule_of_the_layout() {
    let id = "0d8f6c5e-1b7a-4c53-9f0e-2b1f6a7c8d9e";
    assert_eq!(parse(&event_name(7, &id.into())), Name::Event(7, id));
    assert_eq!(
        parse(&event_name(123_456, &id.into())),
        Name::Event(123_456, id)
    );
    assert_eq!(
        parse("event-00003-ABCDEF01.json"),
        Name::Event(3, "ABCDEF01")
    );
    assert_eq!(parse(".eventlog-len-12.marker"), Name::Marker(12));
    for hidden in [
        ".eventlog.lock",
        ".eventlog-len-x.marker",
        ".eventlog-index",
        ".event-00001-abcdef01.json.tmp",
    ] {
        assert_eq!(parse(hidden), Name::Hidden, "{hidden}");
    }
    for unknown in [
        "event-0003-abcdef01.json",
        "event-00003-abcdef0.json",
        "event-00003-not-hex-at-all.json",
        "event-00003-abcdef01.json.bak",
        "event-+0003-abcdef01.json",
        "event-99999999999999999999999-abcdef01.json",
        "notes.txt",
    ] {
        assert_eq!(parse(unknown), Name::Unknown, "{unknown}");
    }
}
