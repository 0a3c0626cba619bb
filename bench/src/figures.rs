//! Samples of one metric, what they are held against, and what follows from them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::servers::Side;

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Better {
    Lower,
    Higher,
}

/// What ours has to reach. All figures are of the same run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// So many times better than Python.
    Times(f64),
    /// At most so many times the limit, or at least this part of it.
    OfLimit(f64),
    /// The median is below this.
    Below(f64),
    /// The 99th percentile is below this.
    TailBelow(f64),
}

/// One metric: samples of both servers and of the machine's limit.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) unit: &'static str,
    better: Better,
    targets: Vec<Target>,
    limit_name: &'static str,
    ours: Vec<f64>,
    python: Vec<f64>,
    limit: Vec<f64>,
}

impl Figure {
    fn new(name: impl Into<String>, unit: &'static str, better: Better) -> Self {
        Self {
            name: name.into(),
            unit,
            better,
            targets: Vec::new(),
            limit_name: "",
            ours: Vec::new(),
            python: Vec::new(),
            limit: Vec::new(),
        }
    }

    pub(crate) fn milliseconds(name: impl Into<String>) -> Self {
        Self::new(name, "ms", Better::Lower)
    }

    pub(crate) fn megabytes(name: impl Into<String>) -> Self {
        Self::new(name, "MB", Better::Lower)
    }

    pub(crate) fn kilobytes(name: impl Into<String>) -> Self {
        Self::new(name, "kB", Better::Lower)
    }

    /// Something in a second: the more the better.
    pub(crate) fn rate(name: impl Into<String>, unit: &'static str) -> Self {
        Self::new(name, unit, Better::Higher)
    }

    pub(crate) fn target(mut self, target: Target) -> Self {
        self.targets.push(target);
        self
    }

    /// Names what the machine itself allows.
    pub(crate) fn limited_by(mut self, name: &'static str) -> Self {
        self.limit_name = name;
        self
    }

    pub(crate) fn add(&mut self, side: Side, sample: f64) {
        side.pick(&mut self.ours, &mut self.python).push(sample);
    }

    pub(crate) fn add_time(&mut self, side: Side, sample: Duration) {
        self.add(side, in_milliseconds(sample));
    }

    pub(crate) fn add_times(&mut self, side: Side, samples: &[Duration]) {
        for sample in samples {
            self.add_time(side, *sample);
        }
    }

    pub(crate) fn add_limit(&mut self, sample: f64) {
        self.limit.push(sample);
    }

    pub(crate) fn median(&self, side: Side) -> Option<f64> {
        quantile(side.pick(&self.ours, &self.python), 0.5)
    }

    /// What is worse than 99 of 100: for a rate, that is the low end.
    pub(crate) fn tail(&self, side: Side) -> Option<f64> {
        let part = match self.better {
            Better::Lower => 0.99,
            Better::Higher => 0.01,
        };
        quantile(side.pick(&self.ours, &self.python), part)
    }

    pub(crate) fn limit(&self) -> Option<f64> {
        quantile(&self.limit, 0.5)
    }

    /// How many times better ours is than Python.
    pub(crate) fn ratio(&self) -> Option<f64> {
        let (ours, python) = (quantile(&self.ours, 0.5)?, quantile(&self.python, 0.5)?);
        let ratio = match self.better {
            Better::Lower => python / ours,
            Better::Higher => ours / python,
        };
        // Nothing is not so many times less than something.
        ratio.is_finite().then_some(ratio)
    }

    /// Ours divided by the limit.
    pub(crate) fn of_limit(&self) -> Option<f64> {
        Some(quantile(&self.ours, 0.5)? / self.limit()?)
    }

    /// Whether all targets are met; none without targets, or when a side was not measured.
    pub(crate) fn met(&self) -> Option<bool> {
        let verdicts: Option<Vec<bool>> = self.targets.iter().map(|t| self.is_met(*t)).collect();
        verdicts
            .filter(|verdicts| !verdicts.is_empty())
            .map(|verdicts| verdicts.iter().all(|met| *met))
    }

    fn is_met(&self, target: Target) -> Option<bool> {
        Some(match (target, self.better) {
            (Target::Times(times), _) => self.ratio()? >= times,
            (Target::OfLimit(part), Better::Lower) => self.of_limit()? <= part,
            (Target::OfLimit(part), Better::Higher) => self.of_limit()? >= part,
            (Target::Below(most), _) => quantile(&self.ours, 0.5)? < most,
            (Target::TailBelow(most), _) => self.tail(Side::Ours)? < most,
        })
    }

    /// The targets in words.
    pub(crate) fn aim(&self) -> String {
        let words: Vec<String> = self
            .targets
            .iter()
            .map(|target| match (target, self.better) {
                (Target::Times(times), _) => format!("≥ {times}x"),
                (Target::OfLimit(part), Better::Lower) => format!("≤ {part}x of limit"),
                (Target::OfLimit(part), Better::Higher) => {
                    format!("≥ {:.0} % of limit", part * 100.0)
                }
                (Target::Below(most), _) => format!("< {most} {}", self.unit),
                (Target::TailBelow(most), _) => format!("p99 < {most} {}", self.unit),
            })
            .collect();
        words.join(", ")
    }

    pub(crate) fn limit_name(&self) -> &'static str {
        self.limit_name
    }

    pub(crate) fn json(&self) -> Value {
        let side = |side: Side| {
            json!({
                "count": side.pick(&self.ours, &self.python).len(),
                "median": self.median(side),
                "p99": self.tail(side),
            })
        };
        json!({
            "name": self.name,
            "unit": self.unit,
            "ours": side(Side::Ours),
            "python": side(Side::Python),
            "limit": {"name": self.limit_name, "count": self.limit.len(), "median": self.limit()},
            "ratio": self.ratio(),
            "of_limit": self.of_limit(),
            "target": self.aim(),
            "met": self.met(),
        })
    }
}

pub(crate) fn in_milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A number of bytes or of things, as a number to divide.
#[allow(clippy::cast_precision_loss)] // far below 2^52
pub(crate) fn number(count: impl TryInto<u64>) -> f64 {
    count.try_into().unwrap_or(u64::MAX) as f64
}

/// The nearest rank; none without samples.
pub(crate) fn quantile(samples: &[f64], part: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and the count
    let rank = (number(sorted.len()) * part).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

#[cfg(test)]
#[path = "figures_tests.rs"]
mod tests;
