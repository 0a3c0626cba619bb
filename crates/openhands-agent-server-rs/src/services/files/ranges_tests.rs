use super::*;

#[test]
fn ranges_are_read_as_the_reference_reads_them() {
    let parts = |ranges: &[Range<u64>]| Wanted::Parts(ranges.to_vec());
    let one = |range: Range<u64>| parts(&[range]);
    let cases = [
        ("bytes=0-4", one(0..5)),
        ("Bytes = 2 - 3", one(2..4)),
        ("bytes=8-", one(8..11)),
        ("bytes=-3", one(8..11)),
        ("bytes=-99", one(0..11)),
        ("bytes=5-99999999999999999999999", one(5..11)),
        ("bytes=0-1,4-5", parts(&[0..2, 4..6])),
        ("bytes=4-5,0-1", parts(&[0..2, 4..6])),
        ("bytes=0-3,2-6,7-8", one(0..9)),
        ("bytes=x,-,3-4", one(3..5)),
        ("bytes=11-", Wanted::Unsatisfiable),
        ("bytes=50-60", Wanted::Unsatisfiable),
        ("bytes=-0", Wanted::Unsatisfiable),
        ("bytes=0-1,50-60", Wanted::Unsatisfiable),
        (
            "bytes=5-3",
            Wanted::Malformed("Range header: start must be less than end"),
        ),
        (
            "bytes=",
            Wanted::Malformed("Range header: range must be requested"),
        ),
        (
            "bytes=a-b",
            Wanted::Malformed("Range header: range must be requested"),
        ),
        ("lines=0-1", Wanted::Malformed("Only support bytes range")),
        ("bytes", Wanted::Malformed("Malformed range header.")),
    ];
    for (header, expected) in cases {
        assert_eq!(wanted(header, 11), expected, "{header}");
    }
    assert_eq!(
        wanted(&format!("bytes={}", vec!["0-0"; 101].join(",")), 11),
        Wanted::Whole
    );
    assert_eq!(wanted("bytes=0-", 0), Wanted::Unsatisfiable);
}
