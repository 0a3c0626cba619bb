//! Shadow roots that a page has closed to scripts: the browser's protocol opens them for ours.

use super::look::on_page;
use crate::browser::{BrowserError, IsolatedWorld, Tab};
use futures_util::future::join_all;
use serde_json::{Value, json};

const ADOPT: &str = "function (root) { globalThis.openhandsPage.adopt(this, root); }";

/// Hands the closed shadow roots of the elements that the last scan suspected to its world; says whether there were any.
pub(super) async fn adopt(tab: &Tab, world: &IsolatedWorld) -> Result<bool, BrowserError> {
    let list = tab
        .object_isolated(world, &on_page("page.suspects()"))
        .await?;
    let Some(list) = list.object_id else {
        return Ok(false);
    };
    let members = tab
        .call_in(
            &world.session,
            "Runtime.getProperties",
            json!({"objectId": list, "ownProperties": true}),
        )
        .await?;
    let hosts = members
        .get("result")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|member| member.pointer("/value/objectId")?.as_str());
    let adopted = join_all(hosts.map(|host| adopt_one(tab, world, host))).await;
    tab.call_in(
        &world.session,
        "Runtime.releaseObject",
        json!({"objectId": list}),
    )
    .await?;
    // An element may be gone by now.
    Ok(adopted.into_iter().any(Result::unwrap_or_default))
}

async fn adopt_one(tab: &Tab, world: &IsolatedWorld, host: &str) -> Result<bool, BrowserError> {
    let session = &world.session;
    let params = json!({"objectId": host, "depth": 1, "pierce": true});
    let node = tab.call_in(session, "DOM.describeNode", params).await?;
    let root = node
        .pointer("/node/shadowRoots")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .find(|root| root.get("shadowRootType").and_then(Value::as_str) == Some("closed"))
        .and_then(|root| root.get("backendNodeId"));
    let Some(root) = root else {
        return Ok(false);
    };
    let params = json!({"backendNodeId": root, "executionContextId": world.context});
    let found = tab.call_in(session, "DOM.resolveNode", params).await?;
    let Some(root) = found.pointer("/object/objectId") else {
        return Ok(false);
    };
    let params = json!({
        "functionDeclaration": ADOPT,
        "objectId": host,
        "arguments": [{"objectId": root}],
    });
    tab.call_in(session, "Runtime.callFunctionOn", params)
        .await?;
    Ok(true)
}
