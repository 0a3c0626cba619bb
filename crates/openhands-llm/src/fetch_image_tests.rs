use super::*;

#[test]
fn only_addresses_of_the_open_internet_are_public() {
    for address in ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8"] {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
    for address in [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "198.18.0.1",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "fe80::1",
        "fc00::1",
        "ff02::1",
        "2002:7f00:1::",
        "2001:db8::1",
        "64:ff9b::7f00:1",
    ] {
        assert!(!is_public(address.parse().unwrap()), "{address}");
    }
}

#[tokio::test]
async fn nothing_is_fetched_from_this_machine_by_address_or_by_name() {
    for address in [
        "http://127.0.0.1:1/a.png",
        "http://localhost:1/a.png",
        "http://[::1]:1/a.png",
        "file:///etc/passwd",
        "http://",
    ] {
        assert_eq!(fetch(address, false).await, None, "{address}");
    }
}
