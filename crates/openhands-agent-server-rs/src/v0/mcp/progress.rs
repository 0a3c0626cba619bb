//! A server's progress, told to the client under the name that the client gave it.

use std::future::Future;

use rmcp::model::ProgressNotificationParam;
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::mpsc;

/// Steps that a slow client may be behind; more are dropped, the later ones say it all.
const MAX_STEPS: usize = 64;

/// Asks, and passes on progress until there is an answer. Steps come before the answer.
pub(super) async fn with_progress<T, F: Future<Output = T>>(
    cx: &RequestContext<RoleServer>,
    ask: impl FnOnce(Option<mpsc::Sender<ProgressNotificationParam>>) -> F,
) -> T {
    let Some(token) = cx.meta.get_progress_token() else {
        return ask(None).await;
    };
    let (sender, mut steps) = mpsc::channel(MAX_STEPS);
    let mut reached = f64::NEG_INFINITY;
    let mut told = async |mut step: ProgressNotificationParam| {
        // Progress only grows. The library hands notifications to tasks of their own, so that one may overtake another.
        if step.progress > reached {
            reached = step.progress;
            step.progress_token = token.clone();
            // A client that is gone needs none.
            let _ = cx.peer.notify_progress(step).await;
        }
    };
    let answer = ask(Some(sender));
    tokio::pin!(answer);
    loop {
        tokio::select! {
            biased;
            Some(step) = steps.recv() => told(step).await,
            answer = &mut answer => {
                while let Ok(step) = steps.try_recv() {
                    told(step).await;
                }
                return answer;
            }
        }
    }
}
