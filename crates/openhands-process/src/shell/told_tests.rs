use super::{Told, new_part};
use crate::shell::capture::Captured;
use pretty_assertions::assert_eq;

fn captured(bytes: &[u8]) -> Captured {
    Captured {
        head: bytes.to_vec(),
        tail: vec![],
        total: bytes.len() as u64,
    }
}

#[test]
fn only_the_rest_is_told_again() {
    let mut told = Told::default();
    assert_eq!(told.tell(captured(b"name: ")).text, "name:");
    let second = told.tell(captured(b"name: bob\r\ngot bob\r\n"));
    assert_eq!(second.text, " bob\ngot bob");
    assert_eq!((second.earlier, second.earlier_text), (1, true));
    assert_eq!(told.tell(captured(b"name: bob\r\ngot bob\r\n")).text, "");
}

#[test]
fn a_line_that_changed_is_told_as_it_is_now() {
    assert_eq!(new_part("a\n10%", "a\n50%"), "50%");
    assert_eq!(new_part("a\n10%", "a\n10%\nb"), "\nb");
    assert_eq!(new_part("gone", "x\ny"), "x\ny");
}

#[test]
fn what_was_dropped_is_said() {
    let mut told = Told::default();
    let output = told.tell(Captured {
        head: b"first\r\n".to_vec(),
        tail: b"last\r\n".to_vec(),
        total: 1013,
    });
    assert_eq!(
        output.text,
        "first\n[... 1000 bytes of output omitted ...]\nlast"
    );
}
