//! Security: which actions wait, and who says how risky they are.

mod analyzer;
mod policy;

pub use analyzer::{
    EnsembleSecurityAnalyzer, GraySwanAnalyzer, LlmSecurityAnalyzer, PatternSecurityAnalyzer,
    PolicyRailSecurityAnalyzer, SecurityAnalyzer, ToolShieldLlmSecurityAnalyzer,
};
pub use policy::{AlwaysConfirm, ConfirmRisky, ConfirmationPolicy, NeverConfirm};
