//! Which tools agents can be given here.

use openhands_protocol::server::ToolCatalogEntry;
use openhands_sdk_rs::is_builtin_tool;
use openhands_sdk_rs::tools::Registry;

/// The tools of the browser.
pub(crate) const BROWSER: &str = "browser_tool_set";

/// A tool that the API offers.
#[derive(Debug, Clone, Copy)]
struct Offer {
    /// The name under which it is registered.
    name: &'static str,
    /// What the catalog calls it, if not so.
    listed: Option<&'static str>,
    /// For people; only those that users may choose have one.
    description: &'static str,
    /// Whether agents get it that ask for nothing.
    is_default: bool,
}

const fn internal(name: &'static str) -> Offer {
    Offer {
        name,
        listed: None,
        description: "",
        is_default: false,
    }
}

const fn selectable(name: &'static str, is_default: bool, description: &'static str) -> Offer {
    Offer {
        name,
        listed: None,
        description,
        is_default,
    }
}

/// Every registered tool, in the order of the reference.
const REGISTERED: [Offer; 18] = [
    Offer {
        listed: Some("route_task_to_model"),
        ..internal("ClassifyAndSwitchLLMTool")
    },
    internal("ask_oracle"),
    selectable("file_editor", true, "Shows, writes and changes files."),
    selectable(
        "task_tool_set",
        false,
        "Gives pieces of work to sub-agents.",
    ),
    internal("task"),
    selectable(
        "task_tracker",
        true,
        "Keeps a list of what is to be done, and how far it is.",
    ),
    selectable(
        "terminal",
        true,
        "Runs commands in a shell that stays open.",
    ),
    internal("workflow_tool_set"),
    internal("workflow"),
    internal("start_child_conversation"),
    selectable(BROWSER, true, "Opens pages of the web and works with them."),
    internal("edit"),
    internal("list_directory"),
    internal("read_file"),
    internal("write_file"),
    selectable("glob", false, "Finds files by a pattern of their names."),
    selectable(
        "grep",
        false,
        "Finds text in files by a regular expression.",
    ),
    internal("planning_file_editor"),
];

/// Offered by the catalog, but part of every agent that wants it without being registered.
const BUILT_IN: Offer = selectable("switch_llm", true, "Goes on with another saved model.");

/// Registered, but its calls can only fail: its scripts are Python.
const NEVER_RUNS: [&str; 2] = ["workflow_tool_set", "workflow"];

/// The names of all registered tools.
pub(crate) fn names() -> Vec<String> {
    REGISTERED
        .iter()
        .map(|offer| offer.name.to_owned())
        .collect()
}

/// The names of the registered tools that can run here, where there is a browser or not.
pub(crate) fn usable_tools(registry: &Registry, has_browser: bool) -> Vec<String> {
    REGISTERED
        .iter()
        .filter(|offer| is_usable(offer, registry, has_browser))
        .map(|offer| offer.name.to_owned())
        .collect()
}

/// What the user interface offers when an agent is set up.
pub(crate) fn catalog(registry: &Registry, has_browser: bool) -> Vec<ToolCatalogEntry> {
    REGISTERED
        .iter()
        .chain([&BUILT_IN])
        .map(|offer| ToolCatalogEntry {
            name: offer.listed.unwrap_or(offer.name).to_owned(),
            user_selectable: !offer.description.is_empty(),
            usable: is_usable(offer, registry, has_browser),
            description: offer.description.to_owned(),
            in_default_set: offer.is_default,
            ..ToolCatalogEntry::default()
        })
        .collect()
}

fn is_usable(offer: &Offer, registry: &Registry, has_browser: bool) -> bool {
    let is_known = registry.knows(offer.name) || is_builtin_tool(offer.name);
    is_known && !NEVER_RUNS.contains(&offer.name) && (has_browser || offer.name != BROWSER)
}
