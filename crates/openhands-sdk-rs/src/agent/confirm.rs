//! Before a batch of calls runs: it is announced, its risk is judged, and it may have to wait.

use std::sync::Arc;

use openhands_protocol::Event;
use openhands_protocol::event::{EventHeader, SecurityAnalysisEvent, SecurityRisk, Source};

use crate::agent::PlannedCall;
use crate::agent::step::{Step, StepError};
use crate::event_log::StoredEvent;
use crate::security::batch_waits;

impl Step<'_> {
    /// Writes the calls down, those that cannot be executed with their reason. Gives those that can.
    pub(crate) async fn announce(
        self,
        calls: Vec<PlannedCall>,
    ) -> Result<Vec<Arc<StoredEvent>>, StepError> {
        let mut batch = Vec::with_capacity(calls.len());
        for mut call in calls {
            self.mask_action(&mut call.event).await;
            self.judge_action(&mut call.event).await;
            let stored = self.announce_action(call.event).await?;
            match call.refusal {
                Some(refusal) => {
                    self.conversation.writer().await.emit(refusal).await?;
                }
                None => batch.push(stored),
            }
        }
        Ok(batch)
    }

    /// Whether the batch waits for the user. Says how risky it was found, if somebody was asked.
    pub(crate) async fn waits_for_confirmation(
        self,
        batch: &[Arc<StoredEvent>],
    ) -> Result<bool, StepError> {
        let policy = self.conversation.state.read().confirmation_policy.clone();
        let mut risks = Vec::with_capacity(batch.len());
        for stored in batch {
            let Event::Action(action) = stored.event() else {
                continue;
            };
            let risk = match &self.equipment.analyzer {
                None => SecurityRisk::Unknown,
                Some(analyzer) => analyzer.assess(action).await.unwrap_or_else(|error| {
                    // What cannot be judged is treated as the worst.
                    tracing::warn!(%error, "the security analyzer failed");
                    SecurityRisk::High
                }),
            };
            risks.push((stored, action, risk));
        }
        if self.equipment.analyzer.is_some() {
            let analyzer = self.conversation.state.read().security_analyzer.clone();
            let event = SecurityAnalysisEvent {
                header: EventHeader::now(Source::Environment),
                analyzer: analyzer.map_or_else(String::new, |it| it.kind().to_owned()),
                policy: policy.kind().to_owned(),
                risks: risks
                    .iter()
                    .map(|(stored, _, risk)| (stored.id().clone(), *risk))
                    .collect(),
                details: indexmap::IndexMap::new(),
                extra: openhands_protocol::Extra::default(),
            };
            self.conversation.writer().await.emit(event).await?;
        }
        let judged = risks.iter().map(|(_, action, risk)| (*action, *risk));
        Ok(batch_waits(&policy, judged))
    }
}
