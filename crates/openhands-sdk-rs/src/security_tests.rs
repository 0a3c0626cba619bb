use super::*;
use openhands_protocol::event::{EventHeader, Source};
use openhands_protocol::message::MessageToolCall;
use openhands_protocol::security::{
    EnsembleSecurityAnalyzer, GraySwanAnalyzer, LlmSecurityAnalyzer, PatternSecurityAnalyzer,
    PolicyRailSecurityAnalyzer,
};
use openhands_protocol::{Extra, ResponseId, ToolCallId};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A call of a tool with these arguments, as text.
pub(super) fn call(tool: &str, arguments: &str) -> ActionEvent {
    ActionEvent {
        header: EventHeader::now(Source::Agent),
        thought: Vec::new(),
        reasoning_content: None,
        thinking_blocks: Vec::new(),
        responses_reasoning_item: None,
        action: None,
        tool_name: tool.to_owned(),
        tool_call_id: ToolCallId::new("call"),
        tool_call: MessageToolCall {
            name: tool.to_owned(),
            arguments: arguments.to_owned(),
            ..MessageToolCall::default()
        },
        llm_response_id: ResponseId::new("response"),
        security_risk: SecurityRisk::Unknown,
        critic_result: None,
        summary: None,
        extra: Extra::EMPTY,
    }
}

/// A command for the terminal.
pub(super) fn shell(command: &str) -> ActionEvent {
    call("terminal", &json!({ "command": command }).to_string())
}

fn built_in_patterns() -> &'static PatternAnalyzer {
    static ANALYZER: LazyLock<PatternAnalyzer> =
        LazyLock::new(|| PatternAnalyzer::new(&PatternSecurityAnalyzer::default()).unwrap());
    &ANALYZER
}

#[test]
fn shell_commands_get_the_risks_of_the_reference() {
    let recorded: Value =
        serde_json::from_str(include_str!("../tests/fixtures/shell_risks.json")).unwrap();
    let patterns = built_in_patterns();
    let mut wrong = Vec::new();
    for case in recorded["cases"].as_array().unwrap() {
        let command = case[0].as_str().unwrap();
        let action = shell(command);
        let risks = json!([
            patterns.risk(&action).to_string(),
            PolicyRailAnalyzer.risk(&action).to_string()
        ]);
        let expected = json!([case[1], case[2]]);
        if risks != expected {
            wrong.push(format!("{command:?}: {risks}, recorded {expected}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn settings_choose_the_analyzer() {
    let ensemble = SecurityAnalyzer::Ensemble(EnsembleSecurityAnalyzer {
        analyzers: vec![
            SecurityAnalyzer::Llm(LlmSecurityAnalyzer::default()),
            SecurityAnalyzer::Pattern(PatternSecurityAnalyzer::default()),
            SecurityAnalyzer::PolicyRail(PolicyRailSecurityAnalyzer::default()),
        ],
        ..EnsembleSecurityAnalyzer::default()
    });
    let analyzer = analyzer(&ensemble).unwrap();
    let assess = |action: &ActionEvent| analyzer.assess(action).now_or_never().unwrap().unwrap();
    assert_eq!(assess(&shell("ls")), SecurityRisk::Low);
    assert_eq!(assess(&shell("curl https://x")), SecurityRisk::Medium);
    assert_eq!(assess(&shell("curl x | jq")), SecurityRisk::High);
    let mut rated = shell("ls");
    rated.security_risk = SecurityRisk::Medium;
    assert_eq!(assess(&rated), SecurityRisk::Medium);
}

#[test]
fn an_analyzer_that_needs_the_network_is_not_silently_left_out() {
    let remote = SecurityAnalyzer::GraySwan(GraySwanAnalyzer::default());
    let ensemble = SecurityAnalyzer::Ensemble(EnsembleSecurityAnalyzer {
        analyzers: vec![remote],
        ..EnsembleSecurityAnalyzer::default()
    });
    let error = analyzer(&ensemble).unwrap_err().to_string();
    assert_eq!(
        error,
        "security analyzer 'GraySwanAnalyzer' is not available"
    );
}

#[test]
fn deeply_nested_text_is_unclear_and_does_not_overflow_the_stack() {
    let patterns = built_in_patterns();
    for (open, close) in [
        ("$(", ")"),
        ("(", ")"),
        ("\"$(", ")\""),
        ("{ ", "; }"),
        ("if a; then ", "; fi"),
        ("`", "`"),
        ("${x:-", "}"),
        ("$((", "))"),
        ("<(", ")"),
        ("! ", ""),
    ] {
        for closed in [true, false] {
            let end = if closed {
                close.repeat(3_000)
            } else {
                String::new()
            };
            let action = shell(&format!("echo {}rm -rvf x{end}", open.repeat(3_000)));
            // Whatever the verdict, there is one, and danger that is too deep to be seen is not taken for none.
            let _ = patterns.risk(&action);
            let _ = PolicyRailAnalyzer.risk(&action);
        }
    }
    let deep = format!("echo {}ls{}", "$(".repeat(500), ")".repeat(500));
    assert_eq!(
        PolicyRailAnalyzer.risk(&shell(&deep)),
        SecurityRisk::Unknown
    );
    assert_eq!(patterns.risk(&shell(&deep)), SecurityRisk::Unknown);
}

#[test]
fn scripts_within_scripts_are_followed_only_so_far() {
    let nested = |levels: usize| format!("{}rm -rf /etc", "eval ".repeat(levels));
    assert_eq!(
        PolicyRailAnalyzer.risk(&shell(&nested(5))),
        SecurityRisk::High
    );
    assert_eq!(
        PolicyRailAnalyzer.risk(&shell(&nested(20))),
        SecurityRisk::Unknown
    );
}

proptest! {
    #[test]
    fn arbitrary_arguments_are_judged(tool in ".{0,20}", arguments in ".{0,200}") {
        let action = call(&tool, &arguments);
        built_in_patterns().risk(&action);
        PolicyRailAnalyzer.risk(&action);
    }

    #[test]
    fn arbitrary_shell_text_is_judged(
        parts in prop::collection::vec(prop::sample::select(vec![
            "rm", "-rf", "/", " ", "\n", ";", "|", "&", "(", ")", "{", "}", "<", "<<", "<<<", ">", "EOF", "\"", "'", "`", "$", "$(",
            "${", "\\", "if", "then", "fi", "for", "in", "do", "done", "case", "esac", "bash", "-c", "eval", "curl", "sudo", "=", "X",
            "#", "*", "~", "[[", "]]", "((", "))", "é", "\u{200b}", "!", "1", "dd", "of=/dev/x", "echo", "|&", "-",
        ]), 0..40)
    ) {
        let action = shell(&parts.concat());
        built_in_patterns().risk(&action);
        PolicyRailAnalyzer.risk(&action);
    }
}
