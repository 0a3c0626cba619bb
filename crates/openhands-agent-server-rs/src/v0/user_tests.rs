use super::*;

#[tokio::test]
async fn what_cannot_be_handed_over_stays_as_it_is() {
    let place = tempfile::tempdir().unwrap();
    let before = fs::metadata(place.path()).unwrap().permissions().mode();
    // A group that there is not: `chown` fails whoever we are.
    hand_over(place.path(), "root:no-such-group-here").await;
    let after = fs::metadata(place.path()).unwrap().permissions().mode();
    assert_eq!(after & 0o7777, before & 0o7777 | 0o060);
    hand_over(&place.path().join("gone"), "root:root").await;
}
