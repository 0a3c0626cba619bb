//! The tools as the protocol lists them.

use std::sync::Arc;

use openhands_protocol::tool::ToolSpec;
use rmcp::model::{Tool as Listed, ToolAnnotations};

use super::Hands;

impl Hands {
    /// Every tool that can be used here.
    pub(super) fn listing(&self) -> Vec<Listed> {
        let bench = self.make_bench(None);
        bench
            .definitions()
            .map(|definition| list(definition.spec()))
            .collect()
    }
}

fn list(spec: &ToolSpec) -> Listed {
    let mut tool = Listed::new(
        spec.name.clone(),
        spec.description.clone(),
        Arc::new(spec.input_schema.0.clone()),
    );
    tool.title = Some(spec.title.clone());
    tool.annotations = spec.annotations.as_ref().map(|hints| {
        ToolAnnotations::from_raw(
            hints.title.clone(),
            Some(hints.read_only_hint),
            Some(hints.destructive_hint),
            Some(hints.idempotent_hint),
            Some(hints.open_world_hint),
        )
    });
    tool
}
