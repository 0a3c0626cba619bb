use super::address;
use pretty_assertions::assert_eq;

#[test]
fn an_address_without_a_scheme_is_one_of_the_web() {
    for (given, opened) in [
        ("https://example.com/a b", "https://example.com/a b"),
        (" http://x ", "http://x"),
        ("about:blank", "about:blank"),
        ("data:text/html,<b>x y</b>", "data:text/html,<b>x y</b>"),
        ("file:///tmp/a", "file:///tmp/a"),
        ("example.com", "https://example.com"),
        (
            "example.com:8443/a?b=c:d",
            "https://example.com:8443/a?b=c:d",
        ),
        ("localhost:8000/x", "http://localhost:8000/x"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("[::1]:80/", "http://[::1]:80/"),
        ("intranet/page", "http://intranet/page"),
    ] {
        assert_eq!(address(given).unwrap(), opened, "{given}");
    }
    for given in ["", "   ", "foo bar"] {
        assert!(address(given).is_err(), "{given}");
    }
}
