use super::*;

fn pid(number: usize) -> Pid {
    Pid::from_raw(i32::try_from(number).unwrap()).unwrap()
}

#[test]
fn guards_come_and_go() {
    let mut guards = Guards::new().unwrap();
    assert!(guards.is_empty() && !guards.contains(pid(1)));
    for number in [1, 7, 8, 9, LIMIT - 1] {
        guards.insert(pid(number));
        guards.insert(pid(number));
        assert!(guards.contains(pid(number)), "{number}");
    }
    assert!(!guards.contains(pid(2)) && !guards.remove(pid(2)));
    for number in [1, 7, 8, 9, LIMIT - 1] {
        assert!(!guards.is_empty());
        assert!(guards.remove(pid(number)), "{number}");
        assert!(!guards.contains(pid(number)) && !guards.remove(pid(number)));
    }
    assert!(guards.is_empty());
}
