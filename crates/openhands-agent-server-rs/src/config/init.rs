//! What a dormant server is told when it is needed: the settings of its user.

use std::path::Path;

use openhands_protocol::Secret;
use openhands_protocol::server::InitRequest;

use crate::config::Config;
use crate::config::variables::FIRST_SESSION_KEY;

impl Config {
    /// These settings with what a request says on top of them.
    #[must_use]
    pub(crate) fn initialized(&self, request: &InitRequest) -> Self {
        let mut config = Self {
            deferred_init: false,
            was_deferred: true,
            ..self.clone()
        };
        config.take_keys(request);
        let directory = self.surroundings.directory.clone();
        let take = |path: &mut std::path::PathBuf, given: Option<&String>| {
            if let Some(given) = given {
                *path = directory.join(Path::new(given));
            }
        };
        take(
            &mut config.conversations_path,
            request.conversations_path.as_ref(),
        );
        take(
            &mut config.bash_events_dir,
            request.bash_events_dir.as_ref(),
        );
        take(
            &mut config.conversation_worktree_root,
            request.conversation_worktree_root.as_ref(),
        );
        if let Some(webhooks) = &request.webhooks {
            config.webhooks.clone_from(webhooks);
        }
        if let Some(url) = &request.web_url {
            config.web_url = Some(url.clone());
        }
        if let Some(origins) = &request.allow_cors_origins {
            config.allow_cors_origins.clone_from(origins);
        }
        let runs = request.max_concurrent_runs;
        if let Some(runs) = runs.and_then(|runs| usize::try_from(runs).ok()) {
            config.max_concurrent_runs = runs.max(1);
        }
        if let Some(telemetry) = &request.telemetry {
            config.telemetry.clone_from(telemetry);
        }
        for (name, value) in request.env.iter().flatten() {
            config.set_env(name, value);
        }
        if let Some(key) = config.session_api_keys.first().cloned() {
            config.set_env(FIRST_SESSION_KEY, &key);
        }
        config
    }

    fn take_keys(&mut self, request: &InitRequest) {
        if let Some(keys) = &request.session_api_keys {
            self.session_api_keys.clone_from(keys);
        }
        let secret = request
            .secret_key
            .as_ref()
            .and_then(Secret::expose)
            .filter(|key| !key.trim().is_empty());
        if let Some(key) = secret {
            self.secret_key = Some(key.to_owned());
        } else if self.secret_key.is_none() {
            self.secret_key = request
                .session_api_keys
                .as_ref()
                .and_then(|keys| keys.first().cloned());
        }
        if let Some(keys) = &request.previous_secret_keys {
            self.previous_secret_keys = keys
                .iter()
                .filter_map(Secret::expose)
                .filter(|key| !key.is_empty())
                .map(str::to_owned)
                .collect();
        }
    }
}
