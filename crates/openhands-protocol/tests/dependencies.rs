//! The crate stays a leaf: data and serde, nothing that does I/O.
#![allow(clippy::unwrap_used)]

/// What the types may depend on. A longer list makes every other crate pay.
const ALLOWED: [&str; 6] = [
    "indexmap",
    "jiff",
    "serde",
    "serde_json",
    "thiserror",
    "uuid",
];

#[test]
fn the_list_of_dependencies_is_pinned() {
    let manifest = include_str!("../Cargo.toml");
    let section = manifest.split("[dependencies]").nth(1).unwrap();
    let section = section.split("\n[").next().unwrap();
    let mut names: Vec<&str> = section
        .lines()
        .filter_map(|line| line.split_once('=').map(|(name, _)| name.trim()))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ALLOWED);
}
