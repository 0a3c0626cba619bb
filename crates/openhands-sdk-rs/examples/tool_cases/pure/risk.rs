//! Analyzer cases: the risk that each analyzer and ensemble gives a terminal command.

use crate::format::string;
use openhands_protocol::event::{ActionEvent, EventHeader, SecurityRisk, Source};
use openhands_protocol::message::{MessageToolCall, TextContent};
use openhands_protocol::security::{
    EnsembleSecurityAnalyzer, LlmSecurityAnalyzer, PatternSecurityAnalyzer,
    PolicyRailSecurityAnalyzer, SecurityAnalyzer,
};
use openhands_protocol::{Extra, ResponseId, ToolCallId};
use openhands_sdk_rs::security;
use serde_json::{Map, Value, json};

pub(super) async fn run(case: &Value) -> anyhow::Result<Value> {
    let mut risks = Map::new();
    for name in case
        .get("expect")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::keys)
    {
        let Some((analyzer, said)) = setting(name) else {
            continue;
        };
        let mut action = action(case);
        action.security_risk = said;
        let risk = security::analyzer(&analyzer)?.assess(&action).await?;
        risks.insert(name.clone(), json!(risk.to_string()));
    }
    Ok(Value::Object(risks))
}

/// The analyzer that a recording's name stands for, and the risk that the model wrote.
fn setting(name: &str) -> Option<(SecurityAnalyzer, SecurityRisk)> {
    let pattern = || SecurityAnalyzer::Pattern(PatternSecurityAnalyzer::default());
    let rails = || SecurityAnalyzer::PolicyRail(PolicyRailSecurityAnalyzer::default());
    let llm = || SecurityAnalyzer::Llm(LlmSecurityAnalyzer::default());
    let all = |propagate_unknown| ensemble(vec![pattern(), rails(), llm()], propagate_unknown);
    Some(match name {
        "pattern" => (pattern(), SecurityRisk::Unknown),
        "policy_rails" => (rails(), SecurityRisk::Unknown),
        "ensemble_pattern_rails" => (
            ensemble(vec![pattern(), rails()], false),
            SecurityRisk::Unknown,
        ),
        "ensemble_with_llm_low" => (all(false), SecurityRisk::Low),
        "ensemble_with_llm_high" => (all(false), SecurityRisk::High),
        "ensemble_propagate_unknown_llm_unknown" => (all(true), SecurityRisk::Unknown),
        _ => return None,
    })
}

fn ensemble(analyzers: Vec<SecurityAnalyzer>, propagate_unknown: bool) -> SecurityAnalyzer {
    SecurityAnalyzer::Ensemble(EnsembleSecurityAnalyzer {
        analyzers,
        propagate_unknown,
        ..EnsembleSecurityAnalyzer::default()
    })
}

fn action(case: &Value) -> ActionEvent {
    let thought = string(case, "thought");
    ActionEvent {
        header: EventHeader::now(Source::Agent),
        thought: vec![TextContent::new(thought)],
        reasoning_content: None,
        thinking_blocks: Vec::new(),
        responses_reasoning_item: None,
        action: None,
        tool_name: "terminal".to_owned(),
        tool_call_id: ToolCallId::new("case"),
        tool_call: MessageToolCall {
            name: "terminal".to_owned(),
            arguments: json!({ "command": string(case, "command") }).to_string(),
            ..MessageToolCall::default()
        },
        llm_response_id: ResponseId::new("case"),
        security_risk: SecurityRisk::Unknown,
        critic_result: None,
        summary: None,
        extra: Extra::EMPTY,
    }
}
