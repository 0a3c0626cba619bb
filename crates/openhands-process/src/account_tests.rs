use super::*;
use pretty_assertions::assert_eq;

#[test]
fn a_line_of_the_password_file_is_read() {
    let account = parse("ann:x:1001:1002:Ann,,,:/home/ann:/bin/bash").unwrap();
    assert_eq!(account.name, "ann");
    assert_eq!((account.user.uid, account.user.gid), (1001, 1002));
    assert_eq!(account.home, PathBuf::from("/home/ann"));
    assert_eq!(account.shell, PathBuf::from("/bin/bash"));
    assert_eq!(parse("broken"), None);
    assert_eq!(parse("ann:x:many:1:c:/h:/s"), None);
}

#[test]
fn membership_is_by_whole_names() {
    assert_eq!(member_of("docker:x:998:bob,ann", "ann"), Some(998));
    assert_eq!(member_of("docker:x:998:bob,anna", "ann"), None);
    assert_eq!(member_of("docker:x:998:", "ann"), None);
}

#[test]
fn root_is_there_and_nobody_else_is_invented() {
    let root = Account::named("root").unwrap();
    assert_eq!(root.user.uid, 0);
    assert_eq!(Account::named("no such account"), None);
}
