use super::*;

#[test]
fn addresses_are_shown_without_credentials() {
    for (url, shown) in [
        (
            "https://x-access-token:ghs_1@github.com/o/r.git",
            "https://****@github.com/o/r.git",
        ),
        (
            "https://github.com/o/r.git?token=1",
            "https://github.com/o/r.git",
        ),
        ("https://a:p@ss@host", "https://****@host"),
        ("git@github.com:o/r.git", "git@github.com:o/r.git"),
        ("ssh://git@host/r", "ssh://git@host/r"),
        ("/srv/r.git", "/srv/r.git"),
    ] {
        assert_eq!(without_credentials(url), shown);
    }
}
