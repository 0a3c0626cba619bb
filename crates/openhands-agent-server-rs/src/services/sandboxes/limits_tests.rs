use super::bytes;

#[test]
fn memory_is_written_as_for_the_engine() {
    for (text, expected) in [
        ("4g", 4 << 30),
        ("512m", 512 << 20),
        ("1.5 GiB", 3 << 29),
        ("2GB", 2 << 30),
        ("1048576", 1 << 20),
        ("64kb", 64 << 10),
    ] {
        assert_eq!(bytes(text), Ok(expected), "{text}");
    }
    for text in ["", "g", "4x", "-1g"] {
        assert!(bytes(text).is_err(), "{text}");
    }
}
