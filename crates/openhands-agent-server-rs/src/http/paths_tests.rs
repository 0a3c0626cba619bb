use pretty_assertions::assert_eq;

use super::*;

#[test]
fn patterns_are_matched_by_part() {
    for (pattern, path, expected) in [
        ("/a/b", "/a/b", true),
        ("/a/b", "/a/b/", false),
        ("/a/", "/a/", true),
        ("/a/{x}", "/a/5", true),
        ("/a/{x}", "/a/", false),
        ("/a/{x}", "/a/5/6", false),
        ("/a/{x}/b", "/a/5/b", true),
        ("/a/{*rest}", "/a/5/6", true),
        ("/a/{*rest}", "/a/", false),
        ("/", "/", true),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
    }
}

#[test]
fn the_path_of_the_public_address_is_taken_off() {
    let root = root_of(Some("https://h.example/run/5/"));
    assert_eq!(root, "/run/5");
    assert_eq!(below(&root, "/run/5/api/x"), "/api/x");
    assert_eq!(below(&root, "/run/5"), "/");
    assert_eq!(below(&root, "/run/55/api"), "/run/55/api");
    assert_eq!(below(&root, "/api/x"), "/api/x");
    for none in [
        None,
        Some("https://h.example"),
        Some("https://h.example/"),
        Some("??"),
    ] {
        assert_eq!(root_of(none), "", "{none:?}");
    }
    assert_eq!(below("", "/api/x"), "/api/x");
}
