//! Questions to the stored events: by name first, by content only for what is answered.

use std::ops::ControlFlow;
use std::path::Path;

use jiff::Timestamp;
use openhands_protocol::BashEventId;
use openhands_protocol::bash::{BashEvent, BashEventSortOrder};

use super::name;

/// The most events of a page.
pub(crate) const MAX_LIMIT: usize = 100;

/// What the events of a page may hold together; what is left out is the next page.
pub(crate) const MAX_PAGE_BYTES: usize = 16 << 20;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    /// `BashCommand` or `BashOutput`.
    pub(crate) kind: Option<&'static str>,
    /// Only output of this command.
    pub(crate) command: Option<BashEventId>,
    pub(crate) from: Option<Timestamp>,
    pub(crate) before: Option<Timestamp>,
    /// Only output that comes after this order. Commands have no order and pass.
    pub(crate) after_order: Option<i64>,
    pub(crate) sort: BashEventSortOrder,
    /// Name of the first event.
    pub(crate) page_id: Option<String>,
    pub(crate) limit: usize,
}

/// An answer.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) items: Vec<BashEvent>,
    /// Name of the first event of the next page.
    pub(crate) next: Option<String>,
}

impl Search {
    /// Whether the name passes.
    pub(super) fn admits(&self, name: &str) -> bool {
        self.kind
            .is_none_or(|kind| name::kind_of(name) == Some(kind))
            && self
                .command
                .is_none_or(|command| name::is_output_of(name, command))
            && self
                .from
                .is_none_or(|from| *name >= *name::time_prefix(from))
            && self
                .before
                .is_none_or(|before| *name < *name::time_prefix(before))
    }
}

/// Reads an event. What is no event, or is gone, is none.
pub(super) fn read(directory: &Path, name: &str) -> Option<BashEvent> {
    read_sized(directory, name).map(|(event, _)| event)
}

fn read_sized(directory: &Path, name: &str) -> Option<(BashEvent, usize)> {
    let text = std::fs::read(directory.join(name))
        .inspect_err(|error| tracing::warn!(%error, name, "a bash event cannot be read"))
        .ok()?;
    match BashEvent::from_slice(&text) {
        Ok(BashEvent::Unknown(unknown)) => {
            tracing::warn!(kind = unknown.kind(), name, "a file is no bash event");
            None
        }
        Ok(event) => Some((event, text.len())),
        Err(error) => {
            tracing::warn!(%error, name, "a bash event cannot be read");
            None
        }
    }
}

/// Reads event after event until told to stop.
pub(super) fn each(
    directory: &Path,
    names: impl IntoIterator<Item = Box<str>>,
    mut visit: impl FnMut(Box<str>, BashEvent, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for name in names {
        if let Some((event, size)) = read_sized(directory, &name) {
            visit(name, event, size)?;
        }
    }
    ControlFlow::Continue(())
}

/// The page among these names, which are in order and pass the search.
pub(super) fn page(directory: &Path, mut names: Vec<Box<str>>, search: &Search) -> Page {
    if let (Some(_), Some(order)) = (search.command, search.after_order) {
        names.drain(..seen_before(directory, &names, order));
    }
    if search.sort == BashEventSortOrder::TimestampDesc {
        names.reverse();
    }
    // A page that does not exist, or no more, is the first one.
    let first = search
        .page_id
        .as_deref()
        .and_then(|id| names.iter().position(|name| **name == *id));
    names.drain(..first.unwrap_or_default());

    let mut page = Page::default();
    let mut bytes = 0;
    let _ = each(directory, names, |name, event, size| {
        if search
            .after_order
            .is_some_and(|after| order_of(&event).is_some_and(|order| order <= after))
        {
            return ControlFlow::Continue(());
        }
        bytes += size;
        let full = page.items.len() >= search.limit || bytes > MAX_PAGE_BYTES;
        if full && !page.items.is_empty() {
            page.next = Some(name.into());
            return ControlFlow::Break(());
        }
        page.items.push(event);
        ControlFlow::Continue(())
    });
    page
}

fn order_of(event: &BashEvent) -> Option<i64> {
    match event {
        BashEvent::Output(output) => Some(output.order),
        BashEvent::Command(_) | BashEvent::Error(_) | BashEvent::Unknown(_) => None,
    }
}

/// How many of a command's outputs come up to that order. Their order grows with their names, so that a client that
/// polls a command with many outputs has only a few of them read.
fn seen_before(directory: &Path, names: &[Box<str>], order: i64) -> usize {
    let (mut low, mut high) = (0, names.len());
    while low < high {
        let middle = low.midpoint(high);
        let found = names
            .get(middle)
            .and_then(|name| read(directory, name))
            .as_ref()
            .and_then(order_of);
        match found {
            Some(found) if found <= order => low = middle + 1,
            Some(_) => high = middle,
            // Unreadable: what is below is known, the rest is looked at one by one.
            None => break,
        }
    }
    low
}
