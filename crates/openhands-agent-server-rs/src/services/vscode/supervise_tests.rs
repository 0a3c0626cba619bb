use super::*;

#[test]
fn pauses_double_up_to_a_minute() {
    let first = Duration::from_secs(1);
    let pauses: Vec<u64> = (1..=8).map(|n| delay(first, n).as_secs()).collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
    assert_eq!(delay(first, u32::MAX), LONGEST_DELAY);
}
