//! `POST /execute_action`: one action in, one observation out.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use openhands_protocol::Form;
use openhands_protocol::v0::{ErrorObservation, V0Action, V0Observation};
use openhands_sdk_rs::tools::OutputSink;

use super::actions::{browse, edit, read, run, run_ipython, write};
use super::refusal::Refusal;
use super::sandbox::Sandbox;
use super::{envelope, read_body};

pub(super) async fn execute_action(State(sandbox): State<Arc<Sandbox>>, body: Bytes) -> Response {
    let action = match parse(&body) {
        Ok(action) => action,
        Err(refusal) => return refusal.into_response(),
    };
    match perform(sandbox, action, OutputSink::none()).await {
        Ok(observation) => answer(&observation),
        Err(refusal) => refusal.into_response(),
    }
}

/// Reads the action of a body.
pub(super) fn parse(body: &Bytes) -> Result<V0Action, Refusal> {
    let members = read_body::object(body)?;
    envelope::action(&members)
}

/// Carries an action out, after those before it. It goes on when whoever asked for it has gone.
pub(super) async fn perform(
    sandbox: Arc<Sandbox>,
    action: V0Action,
    output: OutputSink,
) -> Result<V0Observation, Refusal> {
    let actions = sandbox.actions.clone();
    let performing = actions.spawn(async move {
        let _turn = sandbox.turn.lock().await;
        sandbox.touch();
        dispatch(&sandbox, action, output).await
    });
    performing.await.unwrap_or_else(|lost| {
        tracing::error!(%lost, "an action was lost");
        Err(Refusal::action(lost))
    })
}

async fn dispatch(
    sandbox: &Arc<Sandbox>,
    action: V0Action,
    output: OutputSink,
) -> Result<V0Observation, Refusal> {
    match action {
        V0Action::Run(action) => Ok(run::run(sandbox, &action, &output).await),
        V0Action::Read(action) => read::read(sandbox, action).await,
        V0Action::Write(action) => write::write(sandbox, action).await,
        V0Action::Edit(action) => edit::edit(sandbox, action).await,
        V0Action::RunIpython(action) => run_ipython::run_ipython(sandbox, action, &output).await,
        V0Action::Browse(action) => Ok(browse::browse(sandbox, action).await),
        V0Action::BrowseInteractive(action) => {
            Ok(browse::browse_interactive(sandbox, action).await)
        }
        V0Action::Unknown(_) => Err(Refusal::unexpected()),
    }
}

/// An observation as the answer of a request.
fn answer(observation: &V0Observation) -> Response {
    match Form::REST.to_vec(observation) {
        Ok(body) => {
            let json = [(header::CONTENT_TYPE, "application/json")];
            (StatusCode::OK, json, Body::from(body)).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "an observation could not be written");
            Refusal::unexpected().into_response()
        }
    }
}

/// Something that the agent should know went wrong.
pub(super) fn error(text: impl Into<String>) -> V0Observation {
    let text = text.into();
    V0Observation::Error(ErrorObservation {
        message: text.clone(),
        content: text,
        ..ErrorObservation::default()
    })
}
