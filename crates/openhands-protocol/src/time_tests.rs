use jiff::civil::date;
use pretty_assertions::assert_eq;

use super::*;

#[test]
fn event_time_shows_microseconds_without_a_zone() {
    let text = "2026-11-15T19:07:54.170425";
    let time: EventTime = text.parse().unwrap();
    assert_eq!(time.to_string(), text);
    assert_eq!(
        time,
        EventTime::from_civil(date(2026, 11, 15).at(19, 7, 54, 170_425_999))
    );
}

#[test]
fn a_fraction_of_zero_is_left_out() {
    let event = EventTime::from_civil(date(2026, 1, 2).at(3, 4, 5, 999));
    assert_eq!(event.to_string(), "2026-01-02T03:04:05");
    let utc = UtcTime::from_timestamp("2026-01-02T03:04:05Z".parse().unwrap());
    assert_eq!(utc.to_string(), "2026-01-02T03:04:05Z");
}

#[test]
fn other_spellings_of_a_time_are_kept() {
    for text in [
        "2026-11-15T19:07:54.17",
        "2026-11-15T19:07:54.170425+00:00",
        "2026-11-15T19:07:54Z",
    ] {
        let event: EventTime = text.parse().unwrap();
        assert_eq!(event.to_string(), text);
        let utc: UtcTime = text.parse().unwrap();
        assert_eq!(utc.to_string(), text);
    }
}

#[test]
fn utc_time_compares_by_the_moment() {
    let earlier: UtcTime = "2026-11-15T19:07:53.482598Z".parse().unwrap();
    let later: UtcTime = "2026-11-15T22:07:53.482599+03:00".parse().unwrap();
    assert!(earlier < later);
}

#[test]
fn now_reads_back_as_the_same_time() {
    let event = EventTime::now();
    assert_eq!(event.to_string().parse::<EventTime>().unwrap(), event);
    let utc = UtcTime::now();
    assert_eq!(utc.to_string().parse::<UtcTime>().unwrap(), utc);
    assert!(utc.to_string().ends_with('Z'));
}

#[test]
fn text_that_is_no_time_is_refused() {
    for text in ["", "yesterday", "2026-13-01T00:00:00", "12:00"] {
        assert_eq!(text.parse::<EventTime>(), Err(InvalidTime(text.to_owned())));
        assert_eq!(text.parse::<UtcTime>(), Err(InvalidTime(text.to_owned())));
    }
}
