//! Scripts of ours in a frame, where the page can neither see nor disturb them.

use super::error::BrowserError;
use super::tab::{RemoteObject, Tab, of_form};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The name of our world in every frame.
const WORLD: &str = "openhands";

/// Our world in one document of a frame.
#[derive(Debug, Clone)]
pub struct IsolatedWorld {
    /// The session that answers for the frame.
    pub session: String,
    /// CDP's number of the world there.
    pub context: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    execution_context_id: i64,
}

impl Tab {
    /// Our world in what a frame shows now. It is made at the first time, and the same one afterwards.
    pub async fn isolated_world(
        &self,
        session: &str,
        frame: &str,
    ) -> Result<IsolatedWorld, BrowserError> {
        self.named_world(session, frame, WORLD).await
    }

    /// Another world of ours, by its name.
    pub(crate) async fn named_world(
        &self,
        session: &str,
        frame: &str,
        name: &str,
    ) -> Result<IsolatedWorld, BrowserError> {
        let params = json!({"frameId": frame, "worldName": name});
        let made: Made = self
            .call_as(session, "Page.createIsolatedWorld", params)
            .await?;
        Ok(IsolatedWorld {
            session: session.to_owned(),
            context: made.execution_context_id,
        })
    }

    /// The value of an expression in our world. Promises are waited for.
    pub async fn evaluate_isolated<T: DeserializeOwned>(
        &self,
        world: &IsolatedWorld,
        expression: &str,
    ) -> Result<T, BrowserError> {
        of_form(self.run_isolated(world, expression, true).await?.value)
    }

    /// An object of our world that stays in the page.
    pub async fn object_isolated(
        &self,
        world: &IsolatedWorld,
        expression: &str,
    ) -> Result<RemoteObject, BrowserError> {
        self.run_isolated(world, expression, false).await
    }

    async fn run_isolated(
        &self,
        world: &IsolatedWorld,
        expression: &str,
        by_value: bool,
    ) -> Result<RemoteObject, BrowserError> {
        let params: Value = json!({
            "expression": expression,
            "contextId": world.context,
            "returnByValue": by_value,
            "awaitPromise": true,
            "userGesture": true,
        });
        self.run_script(&world.session, params).await
    }
}
