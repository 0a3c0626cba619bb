//! Samples, their quantiles, and the table of them.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use serde_json::{Value, json};

/// One line of the table: samples of ours and of what stands beside it.
#[derive(Debug)]
pub(crate) struct Row {
    name: String,
    unit: &'static str,
    ours: Vec<f64>,
    other: Vec<f64>,
}

/// What a sample is made of.
pub(crate) trait Sample {
    fn value(self) -> f64;
}

impl Sample for Duration {
    fn value(self) -> f64 {
        self.as_secs_f64() * 1e3
    }
}

/// Bytes.
impl Sample for u64 {
    #[allow(clippy::cast_precision_loss)] // memory of a machine
    fn value(self) -> f64 {
        self as f64 / 1e6
    }
}

impl Row {
    pub(crate) fn milliseconds(name: impl Into<String>) -> Self {
        Self::new(name.into(), "ms")
    }

    pub(crate) fn megabytes(name: impl Into<String>) -> Self {
        Self::new(name.into(), "MB")
    }

    fn new(name: String, unit: &'static str) -> Self {
        Self {
            name,
            unit,
            ours: Vec::new(),
            other: Vec::new(),
        }
    }

    pub(crate) fn ours(&mut self, sample: impl Sample) {
        self.ours.push(sample.value());
    }

    pub(crate) fn other(&mut self, sample: impl Sample) {
        self.other.push(sample.value());
    }

    /// How many times larger the other's median is.
    fn ratio(&self) -> Option<f64> {
        Some(quantile(&self.other, 0.5)? / quantile(&self.ours, 0.5)?)
    }

    fn json(&self) -> Value {
        let side = |samples: &[f64]| {
            json!({
                "count": samples.len(),
                "median": quantile(samples, 0.5),
                "p99": quantile(samples, 0.99),
            })
        };
        json!({
            "name": self.name,
            "unit": self.unit,
            "ours": side(&self.ours),
            "beside": side(&self.other),
            "ratio": self.ratio(),
        })
    }
}

/// The nearest rank; none without samples.
fn quantile(samples: &[f64], part: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )] // small counts
    let rank = ((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len().max(1));
    sorted.get(rank - 1).copied()
}

/// All lines.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn extend(&mut self, rows: impl IntoIterator<Item = Row>) {
        for row in rows {
            eprintln!("measured: {}", row.name);
            self.rows.push(row);
        }
    }

    pub(crate) fn json(&self) -> Value {
        Value::Array(self.rows.iter().map(Row::json).collect())
    }
}

impl Display for Table {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            to,
            "| What | Python: median | p99 | Ours: median | p99 | Ratio |"
        )?;
        writeln!(to, "|---|---|---|---|---|---|")?;
        for row in &self.rows {
            let cell = |samples: &[f64], part| {
                quantile(samples, part).map_or_else(
                    || "–".to_owned(),
                    |value| format!("{value:.2} {}", row.unit),
                )
            };
            let ratio = row
                .ratio()
                .map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1}x"));
            writeln!(
                to,
                "| {} | {} | {} | {} | {} | {ratio} |",
                row.name,
                cell(&row.other, 0.5),
                cell(&row.other, 0.99),
                cell(&row.ours, 0.5),
                cell(&row.ours, 0.99),
            )?;
        }
        Ok(())
    }
}
