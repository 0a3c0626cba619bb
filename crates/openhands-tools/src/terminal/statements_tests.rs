use super::split;
use pretty_assertions::assert_eq;

#[test]
fn statements_are_split_as_the_reference_splits_them() {
    let cases: &[(&str, &[&str])] = &[
        ("echo a\necho b", &["echo a", "echo b"]),
        ("echo a\n# c\necho b", &["echo a\n# c", "echo b"]),
        ("# c\necho a", &["echo a"]),
        ("echo a # x\necho b", &["echo a # x", "echo b"]),
        ("echo a; echo b", &["echo a; echo b"]),
        ("echo a &\necho b", &["echo a &", "echo b"]),
        ("ls;\npwd", &["ls;", "pwd"]),
        ("if then fi", &["if then fi"]),
        ("echo 'abc", &["echo 'abc"]),
        ("", &[""]),
        ("# only comment", &["# only comment"]),
        ("a=1\nb=2", &["a=1", "b=2"]),
        ("\n\nls\n\n", &["ls"]),
        (
            "for i in 1; do\necho $i\ndone\necho x",
            &["for i in 1; do\necho $i\ndone", "echo x"],
        ),
        ("echo a |\n cat\nls", &["echo a |\n cat", "ls"]),
        (
            "echo a && \\\necho b\necho c",
            &["echo a && \\\necho b", "echo c"],
        ),
        ("f(){\n:\n}\nf\n", &["f(){\n:\n}", "f"]),
        ("echo $(\necho x\n)\nls", &["echo $(\necho x\n)", "ls"]),
        ("! true\nls", &["! true", "ls"]),
        ("(cd /;\nls)\nls", &["(cd /;\nls)", "ls"]),
        ("{ a;\nb; }\nc", &["{ a;\nb; }", "c"]),
        ("echo a\r\necho b", &["echo a", "echo b"]),
        (
            "while true; do\n x\ndone &\nls",
            &["while true; do\n x\ndone &", "ls"],
        ),
        (
            "case x in\na) b;;\nesac\nls",
            &["case x in\na) b;;\nesac", "ls"],
        ),
        ("python -c '\nx\n'\nls", &["python -c '\nx\n'", "ls"]),
        ("ls # a\n# b\n# c", &["ls # a\n# b\n# c"]),
        ("cat <<< x\nls", &["cat <<< x", "ls"]),
    ];
    for (command, expected) in cases {
        assert_eq!(&split(command), expected, "{command:?}");
    }
}

#[test]
fn what_follows_a_heredoc_stays_with_it() {
    let cases: &[(&str, &[&str])] = &[
        ("cat <<EOF\nx\nEOF\necho b", &["cat <<EOF\nx\nEOF\necho b"]),
        (
            "cat <<EOF\nx\nEOF\necho b\necho c",
            &["cat <<EOF\nx\nEOF\necho b", "echo c"],
        ),
        (
            "ls\ncat <<EOF\nx\nEOF\necho b\necho c",
            &["ls", "cat <<EOF\nx\nEOF\necho b", "echo c"],
        ),
        (
            "cat <<EOF\nx\nEOF\nls\ncat <<E2\ny\nE2\npwd\nid",
            &["cat <<EOF\nx\nEOF\nls", "cat <<E2\ny\nE2\npwd", "id"],
        ),
        (
            "cat <<EOF | wc\nx\nEOF\nls\nid",
            &["cat <<EOF | wc\nx\nEOF\nls", "id"],
        ),
        (
            "cat <<EOF && ls\nx\nEOF\nls\nid",
            &["cat <<EOF && ls\nx\nEOF\nls", "id"],
        ),
        (
            "f(){\ncat <<EOF\nx\nEOF\n}\nf",
            &["f(){\ncat <<EOF\nx\nEOF\n}", "f"],
        ),
        (
            "cat <<-EOF\n\tx\n\tEOF\nls",
            &["cat <<-EOF\n\tx\n\tEOF\nls"],
        ),
        (
            "cat <<EOF > f\nx\nEOF\n\necho b\n# tail\n",
            &["cat <<EOF > f\nx\nEOF\n\necho b\n# tail"],
        ),
        (
            "cat <<A <<B\n1\nA\n2\nB\nls\npwd",
            &["cat <<A <<B\n1\nA\n2\nB\nls\npwd"],
        ),
    ];
    for (command, expected) in cases {
        assert_eq!(&split(command), expected, "{command:?}");
    }
}
