use super::*;

fn headers(given: &[(&'static str, &'static str)]) -> HeaderMap {
    given
        .iter()
        .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect()
}

#[test]
fn pages_of_others_are_told_from_clients() {
    let host = ("host", "localhost:8000");
    for (given, expected) in [
        (vec![], false),
        (vec![("sec-fetch-mode", "cors")], false),
        (vec![("sec-fetch-site", "none")], false),
        (vec![("sec-fetch-site", "same-origin")], false),
        (vec![("sec-fetch-site", "same-site")], true),
        (vec![("sec-fetch-site", "cross-site")], true),
        (vec![("origin", "http://localhost:8000")], false),
        (vec![("origin", "http://LOCALHOST:8000")], false),
        (vec![("origin", "http://localhost:3000")], true),
        (vec![("origin", "https://evil.example")], true),
        (vec![("origin", "null")], true),
    ] {
        let mut all = given.clone();
        all.push(host);
        assert_eq!(is_foreign(&headers(&all)), expected, "{given:?}");
    }
}
