//! Who judges the work of an agent.

use indexmap::IndexMap;

use crate::json::JsonObject;
use crate::schema::Telling;
use crate::secret::Secret;
use crate::text::words;
use crate::union::union;
use crate::wire::wire;

words! {
    /// When a critic is asked.
    pub open enum CriticMode {
        FinishAndMessage = "finish_and_message",
        AllActions = "all_actions",
    }
}

wire! {
    /// When work is good enough, and how often to try again.
    pub struct IterativeRefinementConfig (default) {
        success_threshold in [ge(0.0) le(1.0)]: f64 = 0.6,
        max_iterations in [ge(1.0)]: i64 = 3,
    }

    /// What a critic said.
    pub struct CriticResult (default) {
        score: f64,
        message: Option<String>,
        metadata: Option<JsonObject> = None,
    }

    /// Finds everything good.
    pub struct PassCritic ["kind" = "PassCritic"] (default) {
        mode: CriticMode = CriticMode::FinishAndMessage,
        iterative_refinement: Option<IterativeRefinementConfig> = None,
    }

    /// Asks whether the agent finished by itself.
    pub struct AgentFinishedCritic ["kind" = "AgentFinishedCritic"] (default) {
        mode: CriticMode = CriticMode::FinishAndMessage,
        iterative_refinement: Option<IterativeRefinementConfig> = None,
    }

    /// Asks whether anything was changed.
    pub struct EmptyPatchCritic ["kind" = "EmptyPatchCritic"] (default) {
        mode: CriticMode = CriticMode::FinishAndMessage,
        iterative_refinement: Option<IterativeRefinementConfig> = None,
    }

    /// Asks a judging model.
    pub struct ApiBasedCritic ["kind" = "APIBasedCritic"] {
        server_url: String = "https://llm-proxy.app.all-hands.dev/vllm".to_owned(),
        api_key: Secret,
        model_name: String = "critic".to_owned(),
        tokenizer_name: String = "Qwen/Qwen3-4B-Instruct-2507".to_owned(),
        pass_tools_definitions: bool = true,
        timeout_seconds: f64 = 300.0,
        has_success_label: bool = true,
        sentiment_labels: Vec<String> = vec!["sentiment_positive".to_owned(), "sentiment_neutral".to_owned(), "sentiment_negative".to_owned()],
        agent_issue_labels: Vec<String> = vec!["misunderstood_intention".to_owned(), "did_not_follow_instruction".to_owned(), "insufficient_analysis".to_owned(), "insufficient_clarification".to_owned(), "improper_tool_use_or_setup".to_owned(), "loop_behavior".to_owned(), "insufficient_testing".to_owned(), "insufficient_debugging".to_owned(), "incomplete_implementation".to_owned(), "file_management_errors".to_owned(), "scope_creep".to_owned(), "risky_actions_or_permission".to_owned(), "other_agent_issue".to_owned()],
        infra_labels: Vec<String> = vec!["infrastructure_external_issue".to_owned(), "infrastructure_agent_caused_issue".to_owned()],
        user_followup_labels: Vec<String> = vec!["clarification_or_restatement".to_owned(), "correction".to_owned(), "direction_change".to_owned(), "vcs_update_requests".to_owned(), "progress_or_scope_concern".to_owned(), "frustration_or_complaint".to_owned(), "removal_or_reversion_request".to_owned(), "other_user_issue".to_owned()],
        sentiment_map: IndexMap<String, String> = default_sentiments(),
        mode: CriticMode = CriticMode::FinishAndMessage,
        iterative_refinement: Option<IterativeRefinementConfig> = None,
        issue_threshold in [ge(0.0) le(1.0)]: f64 = 0.75,
    }
}

union! {
    /// A judge of the work.
    pub enum Critic by "kind" {
        AgentFinished(AgentFinishedCritic),
        ApiBased(ApiBasedCritic),
        EmptyPatch(EmptyPatchCritic),
        Pass(PassCritic),
    }
    told Telling::Class {
        path: "openhands.sdk.critic.base.CriticBase",
        default: None,
    }
}

fn default_sentiments() -> IndexMap<String, String> {
    ["positive", "neutral", "negative"]
        .into_iter()
        .zip(["Positive", "Neutral", "Negative"])
        .map(|(label, name)| (name.to_owned(), format!("sentiment_{label}")))
        .collect()
}
