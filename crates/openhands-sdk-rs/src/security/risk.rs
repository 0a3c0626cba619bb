//! Risks: their order, and how several become one.

use openhands_protocol::event::SecurityRisk;

/// Where a concrete risk stands; `UNKNOWN` stands nowhere.
pub fn rank(risk: SecurityRisk) -> Option<u8> {
    match risk {
        SecurityRisk::Unknown => None,
        SecurityRisk::Low => Some(1),
        SecurityRisk::Medium => Some(2),
        SecurityRisk::High => Some(3),
    }
}

/// Whether `risk` is concrete and at least `threshold`.
pub fn at_least(risk: SecurityRisk, threshold: SecurityRisk) -> bool {
    rank(risk).is_some_and(|risk| rank(threshold).is_none_or(|threshold| risk >= threshold))
}

/// The highest concrete risk; `UNKNOWN` when there is none.
pub fn highest(risks: impl IntoIterator<Item = SecurityRisk>) -> SecurityRisk {
    risks
        .into_iter()
        .max_by_key(|risk| rank(*risk))
        .unwrap_or(SecurityRisk::Unknown)
}

/// What a reading of shell text came to. The order is that in which findings win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finding {
    Nothing,
    /// Something that matters cannot be known before it runs.
    Unclear,
    Dangerous,
}

impl From<Finding> for SecurityRisk {
    fn from(finding: Finding) -> Self {
        match finding {
            Finding::Nothing => Self::Low,
            Finding::Unclear => Self::Unknown,
            Finding::Dangerous => Self::High,
        }
    }
}

#[cfg(test)]
#[path = "risk_tests.rs"]
mod tests;
