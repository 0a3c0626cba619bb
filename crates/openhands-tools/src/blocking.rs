//! Blocking work off the async threads.

use crate::executor::ToolError;
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// Searches use every core themselves: more of them at once than cores only slows each other down.
static CORES: LazyLock<Semaphore> = LazyLock::new(|| {
    Semaphore::new(std::thread::available_parallelism().map_or(2, std::num::NonZero::get))
});

/// Runs a short piece of file work on the blocking pool and waits for it.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|broken| ToolError::Failed(format!("the tool stopped unexpectedly: {broken}")))
}

/// Runs work that keeps the cores busy (a walk, a search), at most one per core at a time, so that quick
/// edits never wait behind a long search.
pub async fn blocking_on_all_cores<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ToolError> {
    let _permit = CORES
        .acquire()
        .await
        .map_err(|closed| ToolError::Fatal(closed.into()))?;
    blocking(work).await
}
