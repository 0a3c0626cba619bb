use super::*;
use openhands_protocol::skills::{KeywordTrigger, PathTrigger, TaskTrigger};
use proptest::prelude::*;

fn skill(trigger: impl Into<SkillTrigger>) -> Skill {
    Skill {
        trigger: Some(trigger.into()),
        ..Skill::default()
    }
}

fn keyword(word: &str) -> Skill {
    skill(KeywordTrigger {
        keywords: vec![word.to_owned()],
        ..KeywordTrigger::default()
    })
}

#[test]
fn words_are_found_between_anything_but_latin_letters_and_digits() {
    for (message, word, expected) in [
        ("use git please", "git", true),
        ("github", "git", false),
        ("git_x", "git", true),
        ("x-git-y", "git", true),
        ("use GIT", "git", true),
        ("git!", "GIT", true),
        ("9git", "git", false),
        ("git9", "git", false),
        ("gitgit git", "git", true),
        ("ägit", "git", true),
        ("日本語", "本", true),
        ("c++ rocks", "c++", true),
        ("xc++", "c++", false),
        ("run /linear now", "/linear", true),
        ("a/linear", "/linear", false),
        ("/linearx", "/linear", false),
        ("a.net", ".net", false),
        ("these two words here", "two words", true),
        ("two  words", "two words", false),
        ("a b", " ", false),
        ("", "", false),
        ("a", "", false),
        ("aaa", "aa", false),
    ] {
        let skill = keyword(word);
        let found = word_in_message(&skill, message);
        assert_eq!(found, expected.then_some(word), "{message:?} {word:?}");
    }
}

#[test]
fn a_task_fires_on_its_words_and_a_path_rule_on_paths_alone() {
    let task = skill(TaskTrigger {
        triggers: vec!["/deploy".into(), "ship it".into()],
        ..TaskTrigger::default()
    });
    assert_eq!(word_in_message(&task, "please ship it"), Some("ship it"));
    assert_eq!(glob_for_path(&task, "/deploy"), None);
    let rule = skill(PathTrigger {
        paths: vec!["src/**".into(), "*.py".into()],
        ..PathTrigger::default()
    });
    assert_eq!(word_in_message(&rule, "src/a"), None);
    assert_eq!(glob_for_path(&rule, "src/a"), Some("src/**"));
    assert_eq!(glob_for_path(&rule, "x/a.py"), Some("*.py"));
    assert_eq!(glob_for_path(&rule, "x/a.rs"), None);
    assert_eq!(word_in_message(&Skill::default(), "anything"), None);
}

#[test]
fn globs_match_paths() {
    for (path, glob, expected) in [
        ("a.py", "*.py", true),
        ("src/a.py", "*.py", true),
        ("src/a.py", "/*.py", false),
        ("x/src", "src", true),
        ("src/a", "src", false),
        ("src/a", "src/", false),
        ("src/a.py", "src/*", true),
        ("src/x/a.py", "src/*", false),
        ("src/.a", "src/*", true),
        ("src/a.py", "src/**/a.py", true),
        ("src/x/y/a.py", "src/**/a.py", true),
        ("xsrc/a.py", "**/src/a.py", false),
        ("a.py", "**/a.py", true),
        ("xa.py", "**/a.py", false),
        ("src", "src/**", false),
        ("a/b/c", "a/**", true),
        ("a/b", "a/**/", false),
        ("a/c", "a/**/**/c", true),
        ("a/x/b", "a**b", true),
        ("x/xa.py", "**a.py", true),
        ("a/b", "***", true),
        ("ab", "a**/b", true),
        ("axb", "a**/b", false),
        ("ax/b", "a**/b", true),
        ("a/", "?**/*/", true),
        ("a/b/c1", "b**", true),
        ("a/b", "a?b", false),
        ("é", "?", true),
        ("a\nb", "a*b", true),
        ("A.PY", "*.py", false),
        ("a.py", "*.{py,js}", false),
        ("[a].py", "[a].py", true),
        ("a.py", "[a].py", false),
        ("aab", "a+b", false),
        ("./a.py", "a.py", true),
        ("./src/a.py", "src/a.py", false),
        ("/a.py", "a.py", true),
        ("a.py", "./a.py", false),
        ("a/", "a", false),
        ("", "*", true),
        ("", "**", true),
        ("a.py", "", false),
    ] {
        assert_eq!(path_matches(path, glob), expected, "{path:?} {glob:?}");
    }
}

proptest! {
    #[test]
    fn globs_agree_with_a_regular_expression(
        glob in "[ab/*?]{1,8}", path in "[ab/]{0,8}"
    ) {
        let mut pattern = String::from(if glob.contains('/') { "" } else { "(?:.*/)?" });
        let mut rest = glob.as_str();
        while !rest.is_empty() {
            let (read, piece) = if rest.starts_with("**/") {
                (3, "(?:.*/)?")
            } else if rest.starts_with("**") {
                (2, ".*")
            } else if rest.starts_with('*') {
                (1, "[^/]*")
            } else if rest.starts_with('?') {
                (1, "[^/]")
            } else {
                (1, rest.get(..1).unwrap())
            };
            pattern.push_str(piece);
            rest = rest.get(read..).unwrap();
        }
        let whole = regex::Regex::new(&format!(r"\A(?s:{pattern})\z")).unwrap();
        prop_assert_eq!(path_matches(&path, &glob), whole.is_match(&path));
    }

    #[test]
    fn any_path_and_glob_get_an_answer(path in ".{0,60}", glob in ".{0,60}") {
        path_matches(&path, &glob);
        word_in_message(&keyword(&glob), &path);
    }
}

#[test]
fn a_glob_of_many_stars_is_quick() {
    let started = std::time::Instant::now();
    assert!(!path_matches(
        &"a".repeat(2_000),
        &format!("{}b", "*a**/".repeat(200))
    ));
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
}
