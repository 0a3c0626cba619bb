use super::*;
use pretty_assertions::assert_eq;

fn named(name: &str, tools: &[&str]) -> AgentDefinition {
    AgentDefinition {
        name: name.to_owned(),
        description: format!("does {name}"),
        tools: tools.iter().map(ToString::to_string).collect(),
        ..AgentDefinition::default()
    }
}

fn catalog() -> Catalog {
    Catalog::new([
        named("zeta", &[]),
        named("general-purpose", &["terminal", "grep"]),
        named("zeta", &["hidden"]),
    ])
}

#[test]
fn earlier_names_and_no_name_find_the_usual_one() {
    for name in ["general-purpose", "", "default", "default cli mode"] {
        assert_eq!(
            catalog().get(name).unwrap().name,
            "general-purpose",
            "{name}"
        );
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    assert_eq!(
        catalog().get("nobody").unwrap_err().to_string(),
        "Unknown agent 'nobody'. Available types: general-purpose, zeta."
    );
    assert_eq!(
        Catalog::default().get("bash").unwrap_err().to_string(),
        "Unknown agent 'bash'. Available types: none registered."
    );
}

#[test]
fn the_listing_names_tools_and_leaves_out_what_is_not_offered() {
    assert_eq!(
        catalog().listing(|_| true),
        "- **general-purpose**: does general-purpose (tools: terminal, grep)\n- **zeta**: does zeta"
    );
    assert_eq!(
        catalog().listing(|it| it.tools.is_empty()),
        "- **zeta**: does zeta"
    );
}
