//! Every odd name of a file.

use pretty_assertions::assert_eq;

use super::repository::{Repository, ask, changes, pairs, sides};
use crate::harness::World;

const ODD: [&str; 14] = [
    "with space.txt",
    " leading and trailing ",
    "tab\there",
    "new\nline",
    "carriage\rreturn",
    "quote\"double",
    "quote'single",
    "back\\slash",
    "-dash",
    "--output=x",
    "ünïcödé.txt",
    "emoji 🎉",
    ":(top)magic*?[a]",
    "$(touch x);`y`",
];

#[tokio::test]
async fn odd_names_are_listed_and_compared() {
    let world = World::new().await;
    let repo = Repository::init(world.path().join("repo"));
    for name in ODD {
        repo.write(name, "old\n");
    }
    let first = repo.commit("odd");
    for name in ODD {
        repo.write(name, "new\n");
    }
    let mut expected: Vec<(String, String)> = ODD
        .iter()
        .map(|name| ("UPDATED".to_owned(), (*name).to_owned()))
        .collect();
    expected.sort_by(|a, b| a.1.cmp(&b.1));
    assert_eq!(changes(&world, repo.path()).await, expected);
    for name in ODD {
        let path = format!("{}/{name}", repo.path());
        let diff = ask(&world, "diff", &[("path", &path)]).await;
        assert_eq!(diff, sides("new", "old"), "{name:?}");
        let diff = ask(&world, "diff", &[("path", &path), ("commit", &first)]).await;
        assert_eq!(diff, sides("old", ""), "{name:?}");
    }
    let what = format!("commits/{first}/changes");
    let (_, body) = ask(&world, &what, &[("path", repo.path())]).await;
    assert_eq!(pairs(&body).len(), ODD.len());
    for name in ODD {
        std::fs::remove_file(repo.0.join(name)).unwrap();
        let path = format!("{}/{name}", repo.path());
        let diff = ask(&world, "diff", &[("path", &path)]).await;
        assert_eq!(diff, sides("", "old"), "{name:?}");
    }
    assert!(
        changes(&world, repo.path())
            .await
            .iter()
            .all(|(status, _)| status == "DELETED")
    );
}

#[tokio::test]
async fn a_name_that_is_no_text_is_shown_with_replacements() {
    let world = World::new().await;
    let repo = Repository::init(world.path().join("repo"));
    repo.write_bytes(b"tracked-\xff", "a");
    repo.commit("one");
    repo.write_bytes(b"tracked-\xff", "b");
    repo.write_bytes(b"untracked-\xff", "b");
    assert_eq!(
        changes(&world, repo.path()).await,
        [
            ("UPDATED".to_owned(), "tracked-\u{fffd}".to_owned()),
            ("ADDED".to_owned(), "untracked-\u{fffd}".to_owned()),
        ]
    );
}

#[tokio::test]
async fn a_child_repository_may_have_an_odd_name_too() {
    let world = World::new().await;
    let child = Repository::init(world.path().join("above/-child of\n'mine'"));
    child.write("a", "a");
    let above = world.path().join("above");
    assert_eq!(
        changes(&world, above.to_str().unwrap()).await,
        [("ADDED".to_owned(), "-child of\n'mine'/a".to_owned())]
    );
}
