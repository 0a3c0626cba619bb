//! Dropping conversations from memory that nobody uses.

use std::time::Duration;

use crate::services::conversations::Conversations;

/// How often it is looked at the least.
const PERIOD: Duration = Duration::from_mins(1);

impl Conversations {
    /// Looks now and then for conversations that nobody uses, until the server ends.
    pub(super) fn evict_when_idle(&self) {
        let (Some(idle), Some(this)) = (self.config.conversation_idle_ttl, self.me.upgrade())
        else {
            return;
        };
        let period = PERIOD.max(idle / 2);
        let stop = self.stop.clone();
        let this = std::sync::Arc::downgrade(&this);
        self.tasks.spawn(async move {
            while stop
                .run_until_cancelled(tokio::time::sleep(period))
                .await
                .is_some()
            {
                let Some(this) = this.upgrade() else {
                    return;
                };
                this.evict(idle).await;
            }
        });
    }

    /// Drops from memory what has not been used for so long.
    pub(crate) async fn evict(&self, idle: Duration) {
        let entries: Vec<_> = self.catalog.read().values().cloned().collect();
        for entry in entries {
            entry.evict(&self.host, idle).await;
        }
        self.evict_sandboxes(idle).await;
    }
}
