//! Who says how risky an action is.

use crate::llm::Llm;
use crate::schema::Telling;
use crate::secret::Secret;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// Believes the model itself.
    pub struct LlmSecurityAnalyzer ["kind" = "LLMSecurityAnalyzer"] (default) {
    }

    /// Looks for patterns; absent lists mean the built-in ones.
    pub struct PatternSecurityAnalyzer ["kind" = "PatternSecurityAnalyzer"] (default) {
        high_patterns when some: Option<Vec<(String, String, String)>> = None,
        medium_patterns when some: Option<Vec<(String, String, String)>> = None,
        injection_high_patterns when some: Option<Vec<(String, String, String)>> = None,
        injection_medium_patterns when some: Option<Vec<(String, String, String)>> = None,
    }

    /// Looks for combinations of steps.
    pub struct PolicyRailSecurityAnalyzer ["kind" = "PolicyRailSecurityAnalyzer"] (default) {
    }

    /// Asks several and takes the worst.
    pub struct EnsembleSecurityAnalyzer ["kind" = "EnsembleSecurityAnalyzer"] (default) {
        analyzers in [min_length(1)]: Vec<SecurityAnalyzer>,
        propagate_unknown: bool = false,
    }

    /// Asks a service.
    pub struct GraySwanAnalyzer ["kind" = "GraySwanAnalyzer"] (default) {
        history_limit: i64 = 20,
        max_message_chars: i64 = 30000,
        timeout: f64 = 30.0,
        low_threshold: f64 = 0.3,
        medium_threshold: f64 = 0.7,
        api_url: String = "https://api.grayswan.ai/cygnal/monitor".to_owned(),
        api_key: Option<Secret> = None,
        policy_id: Option<String> = None,
    }

    /// Asks another model.
    pub struct ToolShieldLlmSecurityAnalyzer ["kind" = "ToolShieldLLMSecurityAnalyzer"] (default) {
        llm: Box<Llm>,
        history_window: i64 = 20,
        safety_experiences: String = String::new(),
    }
}

union! {
    /// Says how risky an action is.
    pub enum SecurityAnalyzer by "kind" {
        Pattern(PatternSecurityAnalyzer),
        PolicyRail(PolicyRailSecurityAnalyzer),
        Ensemble(EnsembleSecurityAnalyzer),
        GraySwan(GraySwanAnalyzer),
        Llm(LlmSecurityAnalyzer),
        ToolShield(ToolShieldLlmSecurityAnalyzer),
    }
    told Telling::Class {
        path: "openhands.sdk.security.analyzer.SecurityAnalyzerBase",
        default: None,
    }
}
