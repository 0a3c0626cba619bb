//! All figures as a table and as JSON.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

use crate::figures::Figure;
use crate::servers::Side;

/// The figures of a run, in groups.
#[derive(Debug, Default)]
pub(crate) struct Table {
    groups: Vec<(&'static str, Vec<Figure>)>,
    failures: Vec<String>,
}

impl Table {
    pub(crate) fn add(&mut self, group: &'static str, figures: Vec<Figure>) {
        self.groups.push((group, figures));
    }

    pub(crate) fn fail(&mut self, group: &str, error: &anyhow::Error) {
        self.failures.push(format!("{group}: {error:#}"));
    }

    pub(crate) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    pub(crate) fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.groups.iter().flat_map(|(_, figures)| figures)
    }

    pub(crate) fn json(&self, quick: bool) -> Value {
        let groups: Vec<Value> = self
            .groups
            .iter()
            .map(|(name, figures)| {
                let figures: Vec<Value> = figures.iter().map(Figure::json).collect();
                json!({"group": name, "figures": figures})
            })
            .collect();
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        json!({"quick": quick, "cores": cores, "groups": groups, "failures": self.failures})
    }
}

/// Three digits, or all before the point.
pub(crate) fn rounded(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.095 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), rounded)
}

fn cells(figure: &Figure) -> [String; 10] {
    let limit = figure.limit().map_or_else(String::new, |limit| {
        format!("{} ({})", rounded(limit), figure.limit_name())
    });
    [
        format!("{}, {}", figure.name, figure.unit),
        shown(figure.median(Side::Python)),
        shown(figure.tail(Side::Python)),
        shown(figure.median(Side::Ours)),
        shown(figure.tail(Side::Ours)),
        figure
            .ratio()
            .map_or_else(|| "–".to_owned(), |ratio| format!("{}x", rounded(ratio))),
        limit,
        figure
            .of_limit()
            .map_or_else(String::new, |part| format!("{}x", rounded(part))),
        figure.aim(),
        match figure.met() {
            Some(true) => "yes".to_owned(),
            Some(false) => "NO".to_owned(),
            None => String::new(),
        },
    ]
}

const HEADER: [&str; 10] = [
    "What", "Python", "p99", "Ours", "p99", "Ratio", "Limit", "Of limit", "Target", "Met",
];

impl Display for Table {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let rows: Vec<[String; 10]> = self.figures().map(cells).collect();
        let mut widths = HEADER.map(|title| title.chars().count());
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        write_row(to, &HEADER.map(str::to_owned), &widths)?;
        write_row(to, &widths.map(|width| "-".repeat(width)), &widths)?;
        for row in &rows {
            write_row(to, row, &widths)?;
        }
        for failure in &self.failures {
            writeln!(to, "failed: {failure}")?;
        }
        Ok(())
    }
}

fn write_row(to: &mut Formatter<'_>, cells: &[String; 10], widths: &[usize; 10]) -> fmt::Result {
    for (cell, width) in cells.iter().zip(widths) {
        write!(to, "| {cell:<width$} ")?;
    }
    writeln!(to, "|")
}
