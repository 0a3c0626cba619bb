//! The characters that HTML 4 has names for.

use std::collections::HashMap;
use std::sync::LazyLock;

/// `name code` a line, the code in base sixteen.
const TABLE: &str = include_str!("entities.txt");

static NAMED: LazyLock<HashMap<&'static str, char>> = LazyLock::new(|| {
    TABLE
        .lines()
        .filter_map(|line| {
            let (name, code) = line.split_once(' ')?;
            let code = u32::from_str_radix(code, 16).ok()?;
            Some((name, char::from_u32(code)?))
        })
        .collect()
});

pub(super) fn named(name: &str) -> Option<char> {
    NAMED.get(name).copied()
}
