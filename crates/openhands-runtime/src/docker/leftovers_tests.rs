//! What is left over.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bollard::models::{ContainerSummary, ContainerSummaryStateEnum as State};

use super::{OTHERS, OWNER, is_left};

const MADE: i64 = 1_000_000;

fn container(owner: &str, state: State) -> ContainerSummary {
    ContainerSummary {
        labels: Some(HashMap::from([(OWNER.to_owned(), owner.to_owned())])),
        state: Some(state),
        created: Some(MADE),
        ..ContainerSummary::default()
    }
}

#[test]
fn of_others_only_what_is_old_and_was_never_started_is_left_over() {
    let made = UNIX_EPOCH + Duration::from_secs(1_000_000);
    let second = Duration::from_secs(1);
    let soon: Option<SystemTime> = Some(made + OTHERS - second);
    let late: Option<SystemTime> = Some(made + OTHERS);
    let cases = [
        ("me", State::CREATED, soon, true),
        ("me", State::EXITED, soon, true),
        ("me", State::DEAD, None, true),
        ("another", State::CREATED, soon, false),
        ("another", State::CREATED, late, true),
        // It had work in it. Whose it is will decide.
        ("another", State::EXITED, late, false),
        ("another", State::DEAD, late, false),
        // Nobody knows how old it is.
        ("another", State::CREATED, None, false),
        // The clock was set back.
        ("another", State::CREATED, Some(made - second), false),
    ];
    for (owner, state, now, wanted) in cases {
        let found = is_left("me", &container(owner, state), now);
        assert_eq!(found, wanted, "{owner} {state:?} {now:?}");
    }
}
