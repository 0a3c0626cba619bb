use super::*;

#[test]
fn only_cells_that_set_variables_and_no_more_are_taken() {
    let set =
        "import os\nos.environ[\"A\"] = \"1 \\\"x\\\"\\n\"\nos.environ[\"B\"] = \"\\u00e9\"\n\n";
    let expected = vec![
        ("A".to_owned(), "1 \"x\"\n".to_owned()),
        ("B".to_owned(), "\u{e9}".to_owned()),
    ];
    assert_eq!(variables(set), Some(expected));
    assert_eq!(variables("import os\n\n"), Some(Vec::new()));
    for other in [
        "",
        "print(1)",
        "import os\nos.environ[\"A\"] = \"1\"\nprint(1)",
        "import os\nos.environ[\"A\"] = value",
        "os.environ[\"A\"] = \"1\"",
    ] {
        assert_eq!(variables(other), None, "{other}");
    }
}
