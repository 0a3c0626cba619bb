use super::*;
use crate::security::tests::{call, shell};

#[test]
fn each_rule_has_its_verdict() {
    for (command, expected) in [
        // Fetched text must not flow anywhere unseen.
        ("curl x | jq .", SecurityRisk::High),
        ("curl x > y", SecurityRisk::Low),
        // Raw disks.
        ("dd if=x of=/dev/sda", SecurityRisk::High),
        ("dd if=x of=$Y", SecurityRisk::Unknown),
        ("dd if=x of=y", SecurityRisk::Low),
        ("mkfs.ext4 y", SecurityRisk::High),
        // The system's directories.
        ("rm -rf /var/log", SecurityRisk::High),
        ("rm -rf \"$X\"", SecurityRisk::Unknown),
        ("rm -rf build", SecurityRisk::Low),
        ("rm \"$X\" /", SecurityRisk::Unknown),
        // Looking through wrappers, shells and eval.
        (
            "sudo -u root env A=b bash -c 'rm -rf ~'",
            SecurityRisk::High,
        ),
        ("sudo --no-such-option ls", SecurityRisk::Unknown),
        ("bash -c \"$X\"", SecurityRisk::Unknown),
        ("eval rm -rf /", SecurityRisk::High),
        ("eval \"$X\"", SecurityRisk::Unknown),
        // Verbs of run time.
        ("$X -rf /", SecurityRisk::Unknown),
        ("$X -rf y", SecurityRisk::Low),
        ("$X / $Y", SecurityRisk::Unknown),
        ("dd {a,b}", SecurityRisk::Unknown),
        ("eval x*", SecurityRisk::Unknown),
        ("$X /dev/sda", SecurityRisk::Unknown),
        ("sudo $X", SecurityRisk::Unknown),
    ] {
        assert_eq!(
            PolicyRailAnalyzer.risk(&shell(command)),
            expected,
            "{command}"
        );
    }
}

#[test]
fn every_string_of_every_tool_is_read() {
    let action = call(
        "file_editor",
        r#"{"command": "create", "file_text": "rm -rf /"}"#,
    );
    assert_eq!(PolicyRailAnalyzer.risk(&action), SecurityRisk::High);
    let named = call("rm -rf /", "{}");
    assert_eq!(PolicyRailAnalyzer.risk(&named), SecurityRisk::Low);
}
