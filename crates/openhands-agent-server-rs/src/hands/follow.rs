//! Watching a call on behalf of one request: its output as progress, a sign of life now and then, its answer.

use std::sync::Arc;

use openhands_sdk_rs::runtime::hands::{Fault, HEARTBEAT};
use rmcp::model::{CallToolResult, ErrorData, ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::calls::{Call, CallState};
use super::result;

/// What it means for a call that its request is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnCancel {
    /// The call is to end.
    End,
    /// A connection was lost: somebody will ask again.
    GoOn,
}

/// A request that waits for a call.
#[derive(Debug)]
pub(super) struct Follower {
    call: Arc<Call>,
    state: watch::Receiver<CallState>,
    output: broadcast::Receiver<Arc<str>>,
    on_cancel: OnCancel,
    /// Whether there is nobody else who could want the answer.
    is_only_one: bool,
}

impl Drop for Follower {
    fn drop(&mut self) {
        if self.is_only_one {
            self.call.cancel.cancel();
        }
    }
}

impl Follower {
    /// Sees everything from now on.
    pub(super) fn new(call: Arc<Call>, on_cancel: OnCancel, is_only_one: bool) -> Self {
        Self {
            state: call.state.subscribe(),
            output: call.output.subscribe(),
            call,
            on_cancel,
            is_only_one,
        }
    }

    /// Waits for the answer.
    pub(super) async fn answer(
        mut self,
        cx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let mut progress = cx.meta.get_progress_token().map(|token| Progress {
            peer: &cx.peer,
            token,
            step: 0.0,
        });
        let mut beat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut was_told = false;
        let mut has_output = progress.is_some();
        loop {
            if let Some(answer) = self.known_answer() {
                self.last_output(progress.as_mut()).await;
                return Ok(answer);
            }
            tokio::select! {
                biased;
                changed = self.state.changed() => {
                    if changed.is_err() {
                        return Ok(result::fault(Fault::Failed, "the call ended without an answer"));
                    }
                }
                () = cx.ct.cancelled(), if !was_told => match self.on_cancel {
                    OnCancel::End => {
                        was_told = true;
                        self.call.cancel.cancel();
                    }
                    OnCancel::GoOn => {
                        return Err(ErrorData::internal_error("the connection was lost", None));
                    }
                },
                piece = self.output.recv(), if has_output => match piece {
                    Ok(piece) => tell(progress.as_mut(), Some(&piece)).await,
                    // Some of the preview is lost, by design.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => has_output = false,
                },
                _ = beat.tick() => tell(progress.as_mut(), None).await,
            }
        }
    }

    fn known_answer(&mut self) -> Option<CallToolResult> {
        match &*self.state.borrow_and_update() {
            CallState::Running => None,
            CallState::Answered(answer) => Some(result::copy(answer)),
            CallState::Forgotten => Some(result::fault(
                Fault::Lost,
                "the call ended, but its answer is not kept any more",
            )),
        }
    }

    /// Output that came before the answer is shown before it.
    async fn last_output(&mut self, mut progress: Option<&mut Progress<'_>>) {
        // Not more than what may have waited.
        for _ in 0..self.output.len() {
            if let Ok(piece) = self.output.try_recv() {
                tell(progress.as_deref_mut(), Some(&piece)).await;
            }
        }
    }
}

/// The way to tell a client how far a call is.
struct Progress<'a> {
    peer: &'a Peer<RoleServer>,
    token: ProgressToken,
    step: f64,
}

async fn tell(progress: Option<&mut Progress<'_>>, output: Option<&str>) {
    let Some(progress) = progress else { return };
    progress.step += 1.0;
    let mut told = ProgressNotificationParam::new(progress.token.clone(), progress.step);
    told.message = output.map(ToOwned::to_owned);
    // A client that is gone needs none.
    let _ = progress.peer.notify_progress(told).await;
}
