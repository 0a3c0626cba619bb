use super::*;
use pretty_assertions::assert_eq;

fn skill(name: &str, description: Option<&str>, content: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        description: description.map(str::to_owned),
        content: content.to_owned(),
        ..Skill::default()
    }
}

#[test]
fn skills_are_listed_by_name_and_description() {
    let skills = [
        skill("pdf", Some("Reads <b> & PDFs"), "long text"),
        skill("bare", None, "# Title\n\n  First line.  \nMore\n"),
        skill("short", None, "Only line"),
        skill("empty", None, "# Title\n"),
    ];
    let listed = available_skills(skills.iter(), true).unwrap();
    let expected = "\
<available_skills>
  <skill>
    <name>pdf</name>
    <description>Reads &lt;b&gt; &amp; PDFs</description>
  </skill>
  <skill>
    <name>bare</name>
    <description>First line.... [6 more characters: call invoke_skill(name=\"bare\") for the whole skill]</description>
  </skill>
  <skill>
    <name>short</name>
    <description>Only line</description>
  </skill>
  <skill>
    <name>empty</name>
    <description></description>
  </skill>
</available_skills>";
    assert_eq!(listed, expected);
}

#[test]
fn without_the_tool_nobody_is_told_to_use_it() {
    let listed = available_skills([skill("bare", None, "One\nTwo")].iter(), false).unwrap();
    assert!(listed.contains("One... [4 more characters]") && !listed.contains("invoke_skill"));
}

#[test]
fn a_long_line_is_cut_by_characters() {
    let listed = available_skills([skill("long", None, &"é".repeat(2_000))].iter(), true).unwrap();
    assert!(listed.contains(&format!("{}... [976 more characters", "é".repeat(1024))));
    assert_eq!(available_skills([].iter(), true), None);
}
