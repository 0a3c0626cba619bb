use super::*;
use crate::security::shell_ast::{Statement, parse};

#[test]
fn the_root_the_home_and_the_system_are_protected() {
    for (path, expected) in [
        ("/", true),
        ("//", true),
        ("/tmp/..", true),
        ("/*", true),
        ("\"/*\"", true),
        ("~", true),
        ("~/", true),
        ("~/..", true),
        ("\"~\"", false),
        ("~/x", false),
        ("/etc", true),
        ("/ETC/x", true),
        ("/etc*", true),
        ("/tmp/../usr/lib", true),
        ("/etcx", false),
        ("/e*", false),
        ("/root", false),
        ("etc", false),
        ("/etc/$X", false),
    ] {
        let script = parse(&format!("rm {path}")).unwrap();
        let [Statement::Command(command)] = script.as_slice() else {
            panic!("one command expected: {script:?}");
        };
        assert_eq!(is_protected(&command.arguments()[0]), expected, "{path}");
    }
}

#[test]
fn devices_are_below_dev() {
    for (path, expected) in [
        ("/dev/sda", true),
        ("//dev/sda", true),
        ("/tmp/../dev/sda", true),
        ("/dev", false),
        ("/dev/", false),
        ("/dev/../tmp/x", false),
        ("dev/sda", false),
    ] {
        assert_eq!(is_device(path), expected, "{path}");
    }
}
