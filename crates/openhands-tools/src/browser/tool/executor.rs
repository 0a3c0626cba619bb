//! Calls of the browser tools: their limits, and what becomes of a browser that does not answer.

use super::hands::{Answer, Hands};
use super::params::Params;
use super::{NAME, picture};
use crate::browser::BrowserError;
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::{CreateError, Machine};
use futures_util::future::BoxFuture;
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{Action, BrowserObservation, Observation};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::time::timeout;

/// After this many calls in a row that took too long, the browser is ended.
const MAX_TIMEOUTS: u32 = 3;
/// The limit of the last call before that.
const LAST_LIMIT: Duration = Duration::from_secs(30);
/// How long the end of a browser that does not answer may take.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
const RESET: &str = "The browser session has been reset after multiple consecutive failures (possible crash). The browser will be \
                     restarted on the next action. Please retry your action.";

/// The acting half of all browser tools of a conversation. The browser starts with the first call.
#[derive(Debug)]
pub struct BrowserExecutor {
    hands: Hands,
    action_timeout: Duration,
    save_dir: Option<PathBuf>,
    timeouts: AtomicU32,
    /// One call at a time: the tools share a window.
    turn: tokio::sync::Mutex<()>,
}

impl BrowserExecutor {
    /// An executor without a browser yet; an error if there is none to start.
    pub fn new(machine: &Machine, params: &JsonObject) -> Result<Self, CreateError> {
        let params = Params::new(machine, params)?;
        Ok(Self {
            hands: Hands::new(params.browser, params.scripts, params.recordings),
            action_timeout: params.action_timeout,
            save_dir: params.save_dir,
            timeouts: AtomicU32::new(0),
            turn: tokio::sync::Mutex::default(),
        })
    }

    async fn run(&self, action: Action) -> Result<BrowserObservation, ToolError> {
        let _turn = self.turn.lock().await;
        let limit = if self.timeouts.load(Ordering::Relaxed) + 1 >= MAX_TIMEOUTS {
            LAST_LIMIT.min(self.action_timeout)
        } else {
            self.action_timeout
        };
        match timeout(limit, self.hands.perform(&action)).await {
            Ok(Ok(Some(answer))) => {
                self.timeouts.store(0, Ordering::Relaxed);
                Ok(self.observe(answer).await)
            }
            Ok(Ok(None)) => Err(ToolError::wrong_action(NAME, &action)),
            Ok(Err(error @ BrowserError::Timeout { .. })) => {
                Ok(self.took_too_long(&error.to_string()).await)
            }
            Ok(Err(error)) => {
                // A mistake of the caller is no sign of a browser that hangs.
                self.timeouts.store(0, Ordering::Relaxed);
                Ok(self.failed(&error.to_string()))
            }
            Err(_) => {
                let text = format!("Operation timed out after {} seconds", limit.as_secs());
                Ok(self.took_too_long(&text).await)
            }
        }
    }

    async fn observe(&self, answer: Answer) -> BrowserObservation {
        if let (Some(data), Some(directory)) = (&answer.picture, &self.save_dir) {
            picture::save(data, directory).await;
        }
        BrowserObservation {
            screenshot_data: answer.picture,
            full_output_save_dir: self.saved_in(),
            ..BrowserObservation::with_text(answer.text)
        }
    }

    fn saved_in(&self) -> Option<String> {
        let directory = self.save_dir.as_ref()?;
        Some(directory.display().to_string())
    }

    fn failed(&self, problem: &str) -> BrowserObservation {
        BrowserObservation {
            full_output_save_dir: self.saved_in(),
            ..BrowserObservation::with_error(format!("Browser operation failed: {problem}"))
        }
    }

    /// Counts a call that took too long; the third in a row ends the browser.
    async fn took_too_long(&self, problem: &str) -> BrowserObservation {
        let timeouts = self.timeouts.fetch_add(1, Ordering::Relaxed) + 1;
        if timeouts < MAX_TIMEOUTS {
            return self.failed(problem);
        }
        tracing::warn!(timeouts, "the browser does not answer and is ended");
        self.timeouts.store(0, Ordering::Relaxed);
        let _ = timeout(CLOSE_LIMIT, self.hands.close()).await;
        self.failed(&format!("{problem}\n\n{RESET}"))
    }
}

impl ToolExecutor for BrowserExecutor {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cx.cancel.cancelled() => Err(ToolError::Cancelled),
                answer = self.run(action) => answer.map(Observation::Browser),
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let _ = timeout(LAST_LIMIT, self.hands.close()).await;
        })
    }
}
