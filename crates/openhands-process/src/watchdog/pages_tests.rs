use pretty_assertions::assert_eq;

use super::*;

#[test]
fn what_was_written_is_gone_when_it_is_wiped() {
    let mut pages = Pages::new(3 * 4096).unwrap();
    assert_eq!(pages.bytes(), [0; 3 * 4096]);
    for _ in 0..2 {
        pages.bytes_mut().fill(7);
        assert_eq!(pages.bytes(), [7; 3 * 4096]);
        pages.wipe();
        assert_eq!(pages.bytes(), [0; 3 * 4096]);
    }
}

#[test]
fn no_length_is_refused() {
    assert_eq!(Pages::new(0).err(), Some(Errno::INVAL));
}
