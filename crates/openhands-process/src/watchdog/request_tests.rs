use std::ffi::CString;

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;

fn text() -> impl Strategy<Value = CString> {
    proptest::collection::vec(1_u8..=255, 0..40).prop_map(|bytes| CString::new(bytes).unwrap())
}

fn borrowed(strings: &[CString]) -> Vec<&CStr> {
    strings.iter().map(CString::as_c_str).collect()
}

proptest! {
    #[test]
    fn a_request_survives_its_bytes(
        program in text(),
        directory in text(),
        args in proptest::collection::vec(text(), 0..8),
        env in proptest::collection::vec(text(), 0..8),
        nice in any::<i32>(),
        user in proptest::option::of((any::<u32>(), any::<u32>(), proptest::collection::vec(any::<u32>(), 0..4))),
        terminal in proptest::option::of(0..100),
        targets in proptest::collection::vec(0..100, 0..6),
    ) {
        let request = Request {
            program: &program,
            args: borrowed(&args),
            env: borrowed(&env),
            directory: &directory,
            nice,
            user: user.map(|(uid, gid, groups)| User { uid, gid, groups }),
            terminal,
            targets,
        };
        let mut bytes = Vec::new();
        request.encode(&mut bytes);
        prop_assert_eq!(Request::decode(&bytes), Some(request));
        prop_assert_eq!(Request::decode(bytes.split_last().unwrap().1), None);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Request::decode(&bytes);
    }
}

#[test]
fn a_false_count_allocates_nothing() {
    let mut bytes = Vec::new();
    put(&mut bytes, i32::MAX);
    assert_eq!(Request::decode(&bytes), None);
}
