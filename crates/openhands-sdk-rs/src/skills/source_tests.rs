use pretty_assertions::assert_eq;

use super::*;

fn git<'a>(url: &str, git_ref: Option<&'a str>, path: Option<&'a str>) -> Source<'a> {
    Source::Git {
        url: url.to_owned(),
        git_ref,
        path,
    }
}

#[test]
fn every_form_of_a_source_is_read() {
    let github = "https://github.com/o/r.git";
    for (text, source) in [
        ("github:o/r", git(github, None, None)),
        ("github:o/r@v1/a/b", git(github, Some("v1"), Some("a/b"))),
        (" github:o/r/a ", git(github, None, Some("a"))),
        ("https://h/x/", git("https://h/x.git", None, None)),
        ("https://h/x.git", git("https://h/x.git", None, None)),
        (
            "https://dev.azure.com/o/p/_git/r",
            git("https://dev.azure.com/o/p/_git/r", None, None),
        ),
        ("git@h:o/r.git", git("git@h:o/r.git", None, None)),
        ("file:///a/b", git("file:///a/b", None, None)),
        ("/a/b", Source::Directory("/a/b")),
        ("~/b", Source::Directory("~/b")),
        ("./b", Source::Directory("./b")),
        ("plugins/b", Source::Directory("plugins/b")),
    ] {
        assert_eq!(Source::read(text), Ok(source), "{text}");
    }
    for text in ["", "word", "github:o", "github:/r", "odd://h/x"] {
        assert!(Source::read(text).is_err(), "{text}");
    }
}

#[test]
fn checkouts_of_different_addresses_have_different_names() {
    let one = cache_name("https://h/tools.git", "main");
    assert!(one.starts_with("tools-"), "{one}");
    assert_ne!(one, cache_name("https://other/tools.git", "main"));
    assert_ne!(one, cache_name("https://h/tools.git", "v1"));
}

#[tokio::test]
async fn nothing_leads_out_of_a_source() {
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap().join("base");
    tokio::fs::create_dir_all(base.join("in")).await.unwrap();
    std::os::unix::fs::symlink("/", base.join("link")).unwrap();
    assert_eq!(below(&base, "./in").await, Ok(base.join("in")));
    for bad in ["..", "in/../..", "/etc", "link/etc", "link"] {
        assert!(below(&base, bad).await.is_err(), "{bad}");
    }
}
