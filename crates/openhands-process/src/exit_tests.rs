use std::process::Command;

use pretty_assertions::assert_eq;

use super::*;

fn of(script: &str) -> Exit {
    Command::new("sh")
        .args(["-c", script])
        .status()
        .unwrap()
        .into()
}

#[test]
fn codes_and_signals_are_told_apart() {
    assert_eq!(of("exit 0"), Exit::Code(0));
    assert_eq!(of("exit 137"), Exit::Code(137));
    assert_eq!(of("kill -9 $$"), Exit::Signal(9));
}

#[test]
fn each_convention_gives_its_number() {
    let table = [
        (Exit::Code(0), true, 0, 0, "exit code 0"),
        (Exit::Code(3), false, 3, 3, "exit code 3"),
        (Exit::Signal(9), false, KILLED, -9, "signal 9"),
        (Exit::Signal(15), false, 143, -15, "signal 15"),
    ];
    for (exit, success, shell, python, text) in table {
        assert_eq!(
            (
                exit.success(),
                exit.shell_code(),
                exit.return_code(),
                exit.to_string().as_str()
            ),
            (success, shell, python, text)
        );
    }
}

#[test]
fn a_stopped_process_has_not_ended() {
    assert_eq!(Exit::from_wait_status(0x137f), None);
    assert_eq!(Exit::from_wait_status(0xffff), None);
}
