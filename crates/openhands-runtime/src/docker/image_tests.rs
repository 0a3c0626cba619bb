//! Names of images.

use pretty_assertions::assert_eq;

use super::name_and_tag;

#[test]
fn the_tag_is_told_from_the_port_of_a_registry() {
    assert_eq!(name_and_tag("debian"), ("debian", "latest"));
    assert_eq!(name_and_tag("debian:12"), ("debian", "12"));
    assert_eq!(name_and_tag("box:5000/a/b"), ("box:5000/a/b", "latest"));
    assert_eq!(name_and_tag("box:5000/a/b:3"), ("box:5000/a/b", "3"));
    assert_eq!(name_and_tag("a@sha256:00"), ("a", "sha256:00"));
}
