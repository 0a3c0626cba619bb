//! The names of event files: time, kind, command and id, so that most questions need no file to be opened.
//!
//! `YYYYMMDDHHMMSSffffff_<kind>[_<command hex>]_<event hex>`; the order of names is the order of time.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use openhands_protocol::BashEventId;
use openhands_protocol::bash::{BashCommand, BashOutput};

/// Digits of the time at the start of a name.
const TIME_DIGITS: usize = 20;

/// The name of a command's file.
pub(super) fn of_command(command: &BashCommand) -> String {
    format!(
        "{}_BashCommand_{}",
        time_prefix(command.timestamp.timestamp()),
        command.id.hex()
    )
}

/// The name of an output's file.
pub(super) fn of_output(output: &BashOutput) -> String {
    format!(
        "{}_BashOutput_{}_{}",
        time_prefix(output.timestamp.timestamp()),
        output.command_id.hex(),
        output.id.hex()
    )
}

/// How names of this time begin, in UTC.
pub(super) fn time_prefix(time: Timestamp) -> String {
    let t = TimeZone::UTC.to_datetime(time);
    format!(
        "{:04}{:02}{:02}{:02}{:02}{:02}{:06}",
        t.year(),
        t.month(),
        t.day(),
        t.hour(),
        t.minute(),
        t.second(),
        t.subsec_nanosecond() / 1000
    )
}

/// The time of a name, if it begins with one.
pub(super) fn time_of(name: &str) -> Option<Timestamp> {
    let digits = name.get(..TIME_DIGITS)?;
    let number = |range: std::ops::Range<usize>| -> Option<i32> { digits.get(range)?.parse().ok() };
    let small = |range| number(range).and_then(|n| i8::try_from(n).ok());
    let time = jiff::civil::DateTime::new(
        i16::try_from(number(0..4)?).ok()?,
        small(4..6)?,
        small(6..8)?,
        small(8..10)?,
        small(10..12)?,
        small(12..14)?,
        number(14..20)?.checked_mul(1000)?,
    )
    .ok()?;
    TimeZone::UTC.to_timestamp(time).ok()
}

/// Which kind the name tells.
pub(super) fn kind_of(name: &str) -> Option<&str> {
    name.split('_').nth(1)
}

/// Whether this is output of the command.
pub(super) fn is_output_of(name: &str, command: BashEventId) -> bool {
    let mut parts = name.split('_').skip(2);
    match (parts.next(), parts.next()) {
        (Some(found), Some(_event)) => found == command.hex(),
        _ => false,
    }
}

/// Whether the event has this id, given as text: the hex form is the only one that is found.
pub(super) fn has_id(name: &str, id: &str) -> bool {
    name.strip_suffix(id)
        .is_some_and(|rest| rest.ends_with('_'))
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
