use pretty_assertions::assert_eq;

use super::{ProfileName, is_secret_name};

#[test]
fn a_name_is_the_name_of_its_file() {
    let name = ProfileName::parse("foo.json").unwrap();
    assert_eq!((name.as_str(), name.file().as_str()), ("foo", "foo.json"));
    assert_eq!(ProfileName::parse("a.b-c_1").unwrap().as_str(), "a.b-c_1");
    assert!(ProfileName::parse(&"a".repeat(64)).is_ok());
}

#[test]
fn no_name_leads_elsewhere() {
    let long = "a".repeat(65);
    for text in [
        "",
        ".json",
        ".hidden",
        "a/b",
        "..",
        "a b",
        "a\0",
        "é",
        &long,
        "../a.json",
        "a\n",
    ] {
        assert!(ProfileName::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn a_secret_is_named_like_a_variable() {
    assert!(is_secret_name("MY_TOKEN1") && is_secret_name(&"x".repeat(64)));
    for text in [
        "",
        "1bad",
        "has-dash",
        "_a",
        "a b",
        "A\n",
        "é",
        &"x".repeat(65),
    ] {
        assert!(!is_secret_name(text), "{text:?}");
    }
}
