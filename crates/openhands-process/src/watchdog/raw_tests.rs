use pretty_assertions::assert_eq;

use super::*;

#[test]
fn this_program_carries_the_hook() {
    assert!(hooked());
}

#[test]
#[cfg(not(target_feature = "crt-static"))]
fn what_is_in_a_loaded_library_is_not_in_the_program() {
    assert!(in_program(on_load as *const () as usize));
    assert!(!in_program(libc::getpid as *const () as usize));
}

#[test]
fn outside_of_the_watchdog_nothing_is_forked_executed_or_closed() {
    assert_eq!(fork().err(), Some(Errno::PERM));
    assert_eq!(close_from(3), Err(Errno::PERM));
    assert_eq!(take_stdin().err(), Some(Errno::PERM));
    assert_eq!(watch_children().err(), Some(Errno::PERM));
    let nothing = CStrings::new(&[]);
    assert_eq!(exec(c"/bin/true", &nothing, &nothing), Errno::PERM);
}
