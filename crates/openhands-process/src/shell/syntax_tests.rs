use super::parses;
use super::{Scan, Syntax, ask_bash, ends_in_continuation, scan};
use pretty_assertions::assert_eq;
use std::path::Path;

const SIMPLE: &[&str] = &[
    "true",
    "ls -la /tmp | sort -n && echo 'it''s' || echo \"a $HOME b\"",
    "sleep 1 & echo started",
    "sleep 1 &",
    "grep -rn foo . >out.txt 2>&1; cat <<<word",
    "echo a\\;b \\' x",
    "FOO=bar env | cat",
    "echo if then fi",
    "cat < in >> out |& tee log",
];

const UNCLEAR: &[&str] = &[
    "echo 'abc",
    "echo \"abc",
    "echo abc\\",
    "echo a |",
    "echo a &&",
    "cat <<EOF",
    "if true; then echo x; fi",
    "(exit 3)",
    "echo $(date)",
    "echo `date`",
    "{ echo a; }",
    "a=(1 2)",
    "echo ${x}",
    "echo a\necho b",
    "; ls",
    "ls ;; ls",
    "ls | | ls",
    "cat <",
    "cat < > x",
    "diff <(ls) x",
    "! true",
    "[[ -f x ]]",
    "# comment",
    "",
];

#[test]
fn the_scan_passes_only_what_cannot_be_unfinished() {
    for text in SIMPLE {
        assert_eq!(scan(text), Scan::Simple, "{text}");
    }
    for text in UNCLEAR {
        assert_ne!(scan(text), Scan::Simple, "{text}");
    }
}

#[tokio::test]
async fn bash_agrees_with_the_scan() {
    for text in SIMPLE {
        assert_eq!(
            ask_bash(Path::new("bash"), text, true).await,
            Syntax::WellFormed,
            "{text}"
        );
    }
}

#[tokio::test]
async fn unfinished_texts_are_told_from_wrong_ones() {
    let bash = Path::new("bash");
    for text in [
        "echo 'abc",
        "echo \"abc",
        "if true",
        "for i in 1 2; do echo $i",
        "cat <<EOF\nline",
        "echo a &&",
        "echo abc \\",
        "f() {",
        "echo $(date",
        "case x in",
    ] {
        assert_eq!(
            ask_bash(bash, text, false).await,
            Syntax::Incomplete,
            "{text}"
        );
    }
    for text in [
        "if then fi",
        "echo a; } ; { echo b",
        "echo a ) ; ( echo b",
        "fi",
    ] {
        assert_eq!(ask_bash(bash, text, true).await, Syntax::Other, "{text}");
    }
    for text in [
        "cat <<EOF\nline\nEOF",
        "if true; then echo x; fi",
        "(exit 3) # why",
        "! true",
    ] {
        assert_eq!(
            ask_bash(bash, text, true).await,
            Syntax::WellFormed,
            "{text}"
        );
    }
}

#[test]
fn only_an_unescaped_backslash_continues_a_line() {
    assert!(ends_in_continuation("echo a\\"));
    assert!(!ends_in_continuation("echo a\\\\"));
    assert!(!ends_in_continuation("echo a"));
}

#[test]
fn the_parser_never_takes_an_unfinished_text_for_whole() {
    for whole in [
        "(true)",
        "for f in a b; do\n  echo \"$f\"\ndone",
        "cat <<'EOF'\nx\nEOF",
        "x=$(date) && echo ${x:-none} | tr a b",
    ] {
        assert!(parses(whole), "{whole:?}");
    }
    let commands = [
        "for f in *.rs; do echo \"$f: $(wc -l < \"$f\")\"; done | sort -n",
        "if [ -f x ]; then cat x; elif [[ $a == b* ]]; then echo \"y\"; else echo 'z'; fi",
        "cat <<'EOF' > f.txt\nline one $HOME\nEOF",
        "case \"$1\" in\n a|b) echo ab;;\n *) echo other;;\nesac",
        "x=$((1 + 2 * (3 - 1))); arr=(a 'b c' \"d\"); echo ${arr[@]:1:2}",
        "echo $'a\\'b' \"a\\\"b\" 'a'\\''b' `echo \\`id\\``",
    ];
    for command in commands {
        for (end, _) in command.char_indices().skip(1) {
            let begun = command.get(..end).unwrap();
            if !parses(begun) {
                continue;
            }
            let bash = std::process::Command::new("bash")
                .args(["-n", "-c", begun])
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&bash.stderr);
            assert!(
                !said.contains("unexpected EOF")
                    && !said.contains("unexpected end of file")
                    && !said.contains("here-document"),
                "{begun:?}: {said}"
            );
        }
    }
}
