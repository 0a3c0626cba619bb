//! The short run of the fuzz.

use std::time::Duration;

use crate::fuzz::{Limits, fuzz};

#[tokio::test]
async fn random_commands_do_what_is_known_of_them() {
    let seed = std::env::var("SHELL_FUZZ_SEED").map_or_else(
        |_| u64::from(std::process::id()),
        |seed| seed.parse().unwrap(),
    );
    let limits = Limits {
        commands: 1500,
        time: Duration::from_secs(25),
    };
    let ran = fuzz(seed, limits, |_| {}).await;
    assert!(ran > 100, "only {ran} commands in time");
}
