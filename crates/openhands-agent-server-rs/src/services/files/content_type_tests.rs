use super::*;

#[test]
fn types_are_sorted_by_extension() {
    assert!(TYPES.is_sorted_by(|a, b| a.0 < b.0));
}

#[test]
fn names_tell_the_type() {
    for (name, expected) in [
        ("index.html", Some("text/html")),
        ("a.css", Some("text/css")),
        ("a.JS", Some("text/javascript")),
        ("report.pdf", Some("application/pdf")),
        ("x.tar.gz", Some("application/x-tar")),
        ("x.tgz", Some("application/x-tar")),
        ("plot.svg", Some("image/svg+xml")),
        ("a.json", Some("application/json")),
        ("no", None),
        (".html", None),
        ("..html", None),
        ("a.unknown", None),
        ("README.md", None),
        ("a.gz", None),
        ("b.csv", Some("text/csv")),
        ("c.png", Some("image/png")),
        ("d.wasm", Some("application/wasm")),
        ("e.mjs", Some("text/javascript")),
        ("f.xml", Some("text/xml")),
        ("g.ico", Some("image/vnd.microsoft.icon")),
    ] {
        assert_eq!(of_name(name), expected, "{name}");
    }
    assert_eq!(header_of_name("a.html"), "text/html; charset=utf-8");
    assert_eq!(header_of_name("a.bin.x"), "application/octet-stream");
}
