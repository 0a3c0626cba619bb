use super::*;

fn left_out(pattern: &str, path: &str, is_directory: bool) -> bool {
    Excludes::new(false, vec![pattern.to_owned()]).leave_out(Path::new(path), is_directory)
}

#[test]
fn names_fit_as_in_python() {
    // Which of the names fit, as `fnmatch` says.
    let names = [
        "x.pyc", "aXbYc", "abc", "ax", "dx", "bz", "", "[", "]", "a[", "[a-", "a.b", "xx", "x[!",
        "-", "a", "éa", "abcbc",
    ];
    let cases: &[(&str, &[&str])] = &[
        ("*.pyc", &["x.pyc"]),
        ("a*b*c", &["aXbYc", "abc", "abcbc"]),
        ("?x", &["ax", "dx", "xx"]),
        ("[abc]x", &["ax"]),
        ("[!abc]x", &["dx", "xx"]),
        ("[a-c]?", &["ax", "bz", "a["]),
        (
            "*",
            &[
                "x.pyc", "aXbYc", "abc", "ax", "dx", "bz", "", "[", "]", "a[", "[a-", "a.b", "xx",
                "x[!", "-", "a", "éa", "abcbc",
            ],
        ),
        ("[]]", &["]"]),
        ("[!]]", &["[", "-", "a"]),
        ("[", &["["]),
        ("a[", &["a["]),
        ("[a-", &["[a-"]),
        ("*.*", &["x.pyc", "a.b"]),
        (
            "**",
            &[
                "x.pyc", "aXbYc", "abc", "ax", "dx", "bz", "", "[", "]", "a[", "[a-", "a.b", "xx",
                "x[!", "-", "a", "éa", "abcbc",
            ],
        ),
        ("x[!", &["x[!"]),
        ("[-a]", &["-", "a"]),
        ("[a-]", &["-", "a"]),
        ("é*", &["éa"]),
    ];
    for (pattern, expected) in cases {
        let found: Vec<&str> = names
            .into_iter()
            .filter(|name| fits(pattern, name))
            .collect();
        assert_eq!(found, *expected, "{pattern}");
    }
}

#[test]
fn patterns_match_as_git_ignores() {
    let cases = [
        ("build/", "build", true, true),
        ("build/", "build", false, false),
        ("build/", "a/build/x", false, true),
        ("*.pyc", "a/b/c.pyc", false, true),
        ("secrets/prod", "secrets/prod", false, true),
        ("secrets/prod", "secrets/prod/key", false, true),
        ("secrets/prod", "x/secrets/prod", false, false),
        ("*/test", "a/test", true, true),
        ("*/test", "a/b/test", true, false),
        ("a/*/c", "a/x/c", false, true),
        ("a/c/", "a/c", false, false),
        ("a/c/", "a/c", true, true),
    ];
    for (pattern, path, is_directory, expected) in cases {
        assert_eq!(
            left_out(pattern, path, is_directory),
            expected,
            "{pattern} {path}"
        );
    }
}

#[test]
fn what_may_hold_credentials_always_stays_out() {
    for path in [
        ".git/config",
        "sub/.git/config",
        ".git/modules/a/config",
        ".git/FETCH_HEAD",
        ".git/logs",
        ".git/logs/refs/heads/main",
        ".git/modules/a/logs/HEAD",
        ".git/.git-credentials",
        ".git/config.worktree",
    ] {
        assert!(left_out("nothing", path, false), "{path}");
    }
    for path in [
        ".git",
        ".git/HEAD",
        "config",
        "logs/x",
        ".gitconfig",
        ".git/hooks/pre-commit",
    ] {
        assert!(!left_out("nothing", path, false), "{path}");
    }
}

#[test]
fn git_gets_the_same_patterns() {
    let excludes = Excludes::new(
        false,
        ["a/", "*.x", "b/c", "d/e/", "/"]
            .map(str::to_owned)
            .to_vec(),
    );
    assert_eq!(
        excludes.pathspecs(),
        [
            ":(glob,exclude)**/a/**",
            ":(glob,exclude)**/*.x",
            ":(glob,exclude)**/*.x/**",
            ":(glob,exclude)b/c",
            ":(glob,exclude)b/c/**",
            ":(glob,exclude)d/e/**",
        ]
    );
}
