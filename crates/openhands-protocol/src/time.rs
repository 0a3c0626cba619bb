//! Points in time, in the two text forms of the wire.
//!
//! Events carry the server's local time without a zone; conversations and bash events carry UTC with
//! `Z`. Both have microseconds, and no fraction at all when it is zero. A text that is a valid time in
//! another spelling keeps that spelling.

use std::fmt;
use std::str::FromStr;

use jiff::civil::DateTime;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text is not a point in time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a point in time: {0:?}")]
pub struct InvalidTime(pub String);

/// Shows a civil time as Python's `isoformat()` does.
struct Iso(DateTime);

impl fmt::Display for Iso {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = self.0;
        if t.year() < 0 {
            // Nothing has happened then; there is no such time in Python.
            write!(f, "{:04}", t.year())?;
        }
        // Every event has its time, in its text and in the index: digits by hand are a sixth of the work.
        let year = u32::try_from(t.year()).unwrap_or_default();
        let micros = u32::try_from(t.subsec_nanosecond() / 1000).unwrap_or_default();
        let mut text = *b"0000-00-00T00:00:00.000000";
        let parts = [
            (0..4, year),
            (5..7, t.month().unsigned_abs().into()),
            (8..10, t.day().unsigned_abs().into()),
            (11..13, t.hour().unsigned_abs().into()),
            (14..16, t.minute().unsigned_abs().into()),
            (17..19, t.second().unsigned_abs().into()),
            (20..26, micros),
        ];
        for (place, mut number) in parts {
            for digit in text.get_mut(place).unwrap_or_default().iter_mut().rev() {
                *digit += u8::try_from(number % 10).unwrap_or_default();
                number /= 10;
            }
        }
        let [from, to] = [
            if t.year() < 0 { 4 } else { 0 },
            if micros == 0 { 19 } else { 26 },
        ];
        let text = text.get(from..to).unwrap_or_default();
        f.write_str(std::str::from_utf8(text).unwrap_or_default())
    }
}

/// When an event happened: local time of the server, without a zone.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EventTime(Civil);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Civil {
    Plain(DateTime),
    /// Another spelling (a zone, fewer digits), kept because comparisons are on the text.
    Spelt(Box<str>, DateTime),
}

impl EventTime {
    /// Now, in the local time zone, to the microsecond.
    pub fn now() -> Self {
        Self::from_civil(Zoned::now().datetime())
    }

    /// A civil time, cut to the microsecond.
    pub fn from_civil(time: DateTime) -> Self {
        Self(Civil::Plain(to_micros(time)))
    }

    /// The civil time.
    pub fn civil(&self) -> DateTime {
        match &self.0 {
            Civil::Plain(time) | Civil::Spelt(_, time) => *time,
        }
    }
}

fn to_micros(time: DateTime) -> DateTime {
    let nanos = time.subsec_nanosecond() / 1000 * 1000;
    time.with().subsec_nanosecond(nanos).build().unwrap_or(time)
}

impl fmt::Display for EventTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Civil::Plain(time) => Iso(*time).fmt(f),
            Civil::Spelt(text, _) => f.write_str(text),
        }
    }
}

impl FromStr for EventTime {
    type Err = InvalidTime;
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        // With a zone first: as a civil time, it would be read without the zone.
        let time = text
            .parse::<Timestamp>()
            .map(|t| t.to_zoned(jiff::tz::TimeZone::system()).datetime())
            .or_else(|_| text.parse::<DateTime>())
            .map_err(|_| InvalidTime(text.to_owned()))?;
        if Iso(time).to_string() == text {
            Ok(Self(Civil::Plain(time)))
        } else {
            Ok(Self(Civil::Spelt(text.into(), time)))
        }
    }
}

/// When something happened, in UTC.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct UtcTime(Instant);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Instant {
    Plain(Timestamp),
    Spelt(Box<str>, Timestamp),
}

impl UtcTime {
    /// Now, to the microsecond.
    pub fn now() -> Self {
        Self::from_timestamp(Timestamp::now())
    }

    /// A point in time, cut to the microsecond.
    pub fn from_timestamp(time: Timestamp) -> Self {
        let micros = Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(time);
        Self(Instant::Plain(micros))
    }

    /// The point in time.
    pub fn timestamp(&self) -> Timestamp {
        match &self.0 {
            Instant::Plain(time) | Instant::Spelt(_, time) => *time,
        }
    }
}

fn utc(time: Timestamp) -> Iso {
    Iso(jiff::tz::TimeZone::UTC.to_datetime(time))
}

impl fmt::Display for UtcTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Instant::Plain(time) => write!(f, "{}Z", utc(*time)),
            Instant::Spelt(text, _) => f.write_str(text),
        }
    }
}

impl FromStr for UtcTime {
    type Err = InvalidTime;
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let time = text
            .parse::<Timestamp>()
            .or_else(|_| {
                text.parse::<DateTime>()
                    .and_then(|t| t.in_tz("UTC"))
                    .map(|t| t.timestamp())
            })
            .map_err(|_| InvalidTime(text.to_owned()))?;
        if text.ends_with('Z') && format!("{}Z", utc(time)) == text {
            Ok(Self(Instant::Plain(time)))
        } else {
            Ok(Self(Instant::Spelt(text.into(), time)))
        }
    }
}

/// Ordering, text forms and serde that both times share.
macro_rules! time_text {
    ($($name:ident $key:ident)*) => {
        $(
            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "{}({self})", stringify!($name))
                }
            }

            impl PartialOrd for $name {
                fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                    Some(self.cmp(other))
                }
            }

            impl Ord for $name {
                fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                    self.$key().cmp(&other.$key()).then_with(|| self.to_string().cmp(&other.to_string()))
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_str(self)
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    crate::text::parse(deserializer, "a point in time")
                }
            }
        )*
    };
}

time_text! { EventTime civil UtcTime timestamp }

#[cfg(test)]
#[path = "time_tests.rs"]
mod tests;
