//! The tables of settings and variables as a document: for `--list-variables` and for `docs/configuration.md`.

use crate::config::kind::Setting;
use crate::config::settings::{MARKETPLACE, SETTINGS, TELEMETRY, WEBHOOK};
use crate::config::variables::VARIABLES;

const HEAD: &str = "| Name | Value | Default | Meaning |\n|---|---|---|---|\n";

/// Every table by its name, in Markdown.
pub(crate) fn tables() -> [(&'static str, String); 5] {
    [
        (
            "settings",
            settings(SETTINGS, |name| format!("OH_{}", name.to_uppercase())),
        ),
        ("webhook", settings(WEBHOOK, str::to_owned)),
        ("telemetry", settings(TELEMETRY, str::to_owned)),
        ("marketplace", settings(MARKETPLACE, str::to_owned)),
        ("variables", variables()),
    ]
}

/// All tables, one after the other.
pub fn list_variables() -> String {
    let tables = tables().map(|(name, table)| format!("## {name}\n\n{table}"));
    tables.join("\n")
}

fn settings(settings: &[Setting], name: impl Fn(&str) -> String) -> String {
    let rows = settings.iter().map(|setting| {
        let default = match setting.default {
            Some(text) => format!("`{text}`"),
            None => "*required*".to_owned(),
        };
        let (name, wanted) = (name(setting.name), setting.kind.wanted());
        format!(
            "| `{name}` | {wanted} | {default} | {} |\n",
            setting.meaning
        )
    });
    rows.fold(HEAD.to_owned(), |table, row| table + &row)
}

fn variables() -> String {
    let rows = VARIABLES.iter().map(|variable| {
        let (name, kind) = (variable.name, variable.kind);
        format!(
            "| `{name}` | {kind} | {} | {} |\n",
            variable.default, variable.meaning
        )
    });
    rows.fold(HEAD.to_owned(), |table, row| table + &row)
}
