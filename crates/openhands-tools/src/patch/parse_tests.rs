use std::collections::HashMap;

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use similar::{ChangeTag, TextDiff};

use super::{FileAction, Patch, files_needed, parse, patch_lines, paths_named};
use crate::patch::error::PatchError;
use crate::patch::text::FileText;

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

/// Reads a patch whose body is `body`, with `a.txt` holding `text`.
fn read(text: &str, body: &str) -> Result<Patch, PatchError> {
    let lines = patch_lines(&format!("*** Begin Patch\n{body}\n*** End Patch"))?;
    let files: HashMap<String, FileText> = files_needed(&lines)
        .into_iter()
        .map(|path| (path.to_owned(), FileText::new(text)))
        .collect();
    parse(&lines, &files)
}

/// The text after an update of `a.txt`, with the fuzz it took.
fn updated(text: &str, hunks: &str) -> Result<(String, u64), String> {
    let patch = read(text, &format!("*** Update File: a.txt\n{hunks}"))
        .map_err(|error| error.to_string())?;
    match &patch.actions["a.txt"] {
        FileAction::Update { chunks, .. } => {
            Ok((FileText::new(text).changed(chunks).plain(), patch.fuzz))
        }
        FileAction::Add { .. } | FileAction::Delete => panic!("another action"),
    }
}

#[track_caller]
fn gives(hunks: &str, expected: &str, fuzz: u64) {
    assert_eq!(
        updated(TEXT, hunks),
        Ok((expected.to_owned(), fuzz)),
        "{hunks}"
    );
}

#[track_caller]
fn fails(hunks: &str, expected: &str) {
    assert_eq!(updated(TEXT, hunks), Err(expected.to_owned()), "{hunks}");
}

#[test]
fn hunks_change_the_lines_they_name() {
    gives(
        "@@\n-one\n+1\n@@ \n-two\n+2",
        "1\n2\nthree\nfour\nfive\n",
        0,
    );
    gives(
        "@@\n-two\n+2\n three\n+3.5",
        "one\n2\nthree\n3.5\nfour\nfive\n",
        0,
    );
    gives("@@\n+zero\n one", "zero\none\ntwo\nthree\nfour\nfive\n", 0);
    gives("@@\n+top", "top\none\ntwo\nthree\nfour\nfive\n", 0);
    gives(
        "@@ four\n five\n+six",
        "one\ntwo\nthree\nfour\nfive\nsix\n",
        0,
    );
    gives("@@\n-one\n-two\n-three\n-four\n-five\n", "", 0);
    gives("-two \n+2", "one\n2\nthree\nfour\nfive\n", 1);
    gives(
        "@@\n-  two\n+2\n@@  four\n-five\n+5",
        "one\n2\nthree\nfour\n5\n",
        101,
    );
}

#[test]
fn the_end_of_file_marker_prefers_the_end() {
    assert_eq!(
        updated("x\na\nx", "@@\n-x\n+y\n*** End of File"),
        Ok(("x\na\ny".into(), 0))
    );
    gives(
        "@@\n-five\n+5\n*** End of File",
        "one\ntwo\nthree\nfour\n5\n",
        10_000,
    );
    gives(
        "@@\n five\n \n+six\n*** End of File",
        "one\ntwo\nthree\nfour\nfive\n\nsix",
        0,
    );
    gives(
        "@@\n-one\n+1\n*** End of File\n@@\n-two\n+2",
        "1\n2\nthree\nfour\nfive\n",
        10_000,
    );
    fails("@@\n-nope\n*** End of File", "Invalid EOF Context 0:\nnope");
}

#[test]
fn headers_in_a_row_lead_step_by_step() {
    let code = "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 1\n";
    let hunk = "-        return 1\n+        return 2";
    let second = "class A:\n    def f(self):\n        return 1\nclass B:\n    def f(self):\n        return 2\n";
    assert_eq!(
        updated(code, &format!("@@ class B:\n@@     def f(self):\n{hunk}")),
        Ok((second.into(), 0))
    );
    assert_eq!(
        updated(code, &format!("@@ class B:\n@@\n{hunk}")),
        Ok((second.into(), 0))
    );
    fails(
        "@@ one\n@@",
        "Nothing in this section - index=4 *** End Patch",
    );
}

#[test]
fn wrong_hunks_are_told() {
    fails("@@\n-one\n+1\nxyz", "Invalid Line: xyz");
    fails("@@\n-one\n*** Oops", "Invalid Line: *** Oops");
    fails("@@\n-one\n***\n-two", "Invalid Line:\n***");
    fails("@@\n-one\n+1\n*** End of File\n-two", "Invalid Line:\n-two");
    fails("@@", "Nothing in this section - index=3 *** End Patch");
    fails("@@x", "Nothing in this section - index=2 @@x");
    fails("@@\n-two\n+2\n@@\n-one", "Invalid Context 2:\none");
    fails("*** End of File", "Unknown Line: *** End of File");
    // A wrong line is told before changes that overlap.
    assert_eq!(
        updated("x", "@@\n-x\n@@\n-x\n*** End of File\n@@\n-y"),
        Err("Invalid Context 1:\ny".into())
    );
    assert_eq!(
        updated("a\nb\na", "@@\n-a\n@@\n-b\n-a\n@@\n-a\n*** End of File"),
        Err("_get_updated_file: a.txt: orig_index 3 > chunk.orig_index 2".into())
    );
}

#[test]
fn sections_are_read_in_order() {
    let patch = read(TEXT, "*** Add File: n.txt\n+a\n+\n*** Delete File: d.txt\n*** Update File: a.txt\n*** Move to: b.txt").unwrap();
    let actions: Vec<_> = patch.actions.into_iter().collect();
    let expected = [
        (
            "n.txt".to_owned(),
            FileAction::Add {
                content: "a\n".into(),
            },
        ),
        ("d.txt".to_owned(), FileAction::Delete),
        (
            "a.txt".to_owned(),
            FileAction::Update {
                chunks: vec![],
                move_to: "b.txt".into(),
            },
        ),
    ];
    assert_eq!(actions, expected);
}

#[test]
fn wrong_sections_are_told() {
    let error = |body: &str| read(TEXT, body).unwrap_err().to_string();
    assert_eq!(error("hello"), "Unknown Line: hello");
    assert_eq!(error(""), "Unknown Line: ");
    assert_eq!(
        error("*** Add File: n\n+a\n b"),
        "Invalid Add File Line:  b"
    );
    assert_eq!(error("*** Add File: n\n\n"), "Invalid Add File Line: ");
    assert_eq!(error("*** Add File: \n+x"), "Unknown Line: +x");
    assert_eq!(
        error("*** Add File: n\n*** Add File: n"),
        "Add File Error: Duplicate Path: n"
    );
    assert_eq!(
        error("*** Delete File: n\n*** Delete File: n"),
        "Delete File Error: Duplicate Path: n"
    );
    assert_eq!(
        error("*** Add File: n\n*** Update File: n"),
        "Update File Error: Duplicate Path: n"
    );
    for path in ["/x", "../x", "a/../x", ".."] {
        let message = error(&format!("*** Update File: a.txt\n*** Move to: {path}"));
        let expected = format!(
            "Update File Error: Invalid move path '{path}': must be a relative path without '..' components"
        );
        assert_eq!(message, expected);
    }
    let whole = |text: &str| {
        patch_lines(text)
            .and_then(|lines| parse(&lines, &HashMap::new()))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        whole(" *** Begin Patch\n*** End Patch"),
        "Invalid patch: must start with '*** Begin Patch'"
    );
    assert_eq!(whole("*** Begin Patch"), "Invalid patch text");
    assert_eq!(
        whole("*** Begin Patch\n*** End Patch x"),
        "Invalid patch text"
    );
}

#[test]
fn a_patch_written_with_carriage_returns_means_plain_lines() {
    let body = "*** Update File: a.txt\r\n@@\r\n-two\r\n+2\r";
    let patch = format!("*** Begin Patch\r\n{body}\n*** End Patch\r\n");
    let lines = patch_lines(&patch).unwrap();
    assert_eq!(files_needed(&lines), ["a.txt"]);
    let files = HashMap::from([("a.txt".to_owned(), FileText::new(TEXT))]);
    let patch = parse(&lines, &files).unwrap();
    assert_eq!(patch.fuzz, 0);
}

#[test]
fn every_named_path_is_known_before_anything_is_read() {
    let text = "*** Begin Patch\n*** Update File: a b\n*** Move to: c\n@@\n-x\n*** Add File: d: e\n*** Delete File: f\n*** End Patch";
    assert_eq!(paths_named(text), ["a b", "c", "d: e", "f"]);
}

/// A patch that turns one text into the other, with whole-file context so that every place is certain.
fn patch_between(old: &str, new: &str) -> String {
    let old_lines: Vec<&str> = old.split('\n').collect();
    let new_lines: Vec<&str> = new.split('\n').collect();
    let diff = TextDiff::from_slices(&old_lines, &new_lines);
    let mut body = String::from("@@\n");
    for change in diff.iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        body.push(sign);
        body.push_str(change.value());
        body.push('\n');
    }
    body.pop();
    body
}

proptest! {
    #[test]
    fn reading_any_text_never_panics(text in "(\\*\\*\\* Begin Patch\n)?(.|\n){0,60}") {
        if let Ok(lines) = patch_lines(&text) {
            let _ = parse(&lines, &HashMap::new());
        }
        let _ = paths_named(&text);
    }

    #[test]
    fn reading_any_pieces_of_patches_never_panics(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "*** Update File: a.txt", "*** Update File: ", "*** Add File: n", "*** Delete File: a.txt", "*** Move to: b",
                "*** End of File", "*** End of Filex", "*** End Patch", "***", "@@", "@@ ", "@@ two", "@@x", " one", "-one",
                "+one", "-two", " two", "", "junk", "-five", " ",
            ]),
            0..12,
        )
    ) {
        let _ = read(TEXT, &pieces.join("\n"));
    }

    #[test]
    fn a_patch_made_from_two_texts_leads_from_one_to_the_other(
        old in prop::collection::vec("[ab\t ]{0,3}", 0..12),
        new in prop::collection::vec("[ab\t ]{0,3}", 0..12),
    ) {
        let (old, new) = (old.join("\n"), new.join("\n"));
        let hunks = patch_between(&old, &new);
        prop_assert_eq!(updated(&old, &hunks), Ok((new, 0)), "{}", hunks);
    }
}
