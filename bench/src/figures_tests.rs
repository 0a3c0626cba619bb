use super::*;

fn figure(better: Better, ours: f64, python: f64, limit: f64) -> Figure {
    let mut figure = Figure::new("x", "ms", better);
    figure.add(Side::Ours, ours);
    figure.add(Side::Python, python);
    figure.add_limit(limit);
    figure
}

#[test]
fn quantiles_are_nearest_ranks() {
    let samples: Vec<f64> = (1..=200).rev().map(f64::from).collect();
    assert_eq!(quantile(&samples, 0.5), Some(100.0));
    assert_eq!(quantile(&samples, 0.99), Some(198.0));
    assert_eq!(quantile(&[7.0], 0.01), Some(7.0));
    assert_eq!(quantile(&[], 0.5), None);
}

#[test]
fn a_ratio_above_one_means_that_ours_is_better() {
    assert_eq!(figure(Better::Lower, 2.0, 10.0, 1.0).ratio(), Some(5.0));
    assert_eq!(figure(Better::Higher, 10.0, 2.0, 20.0).ratio(), Some(5.0));
}

#[test]
fn every_target_has_to_be_met() {
    let fast = figure(Better::Lower, 2.0, 10.0, 1.0);
    assert_eq!(fast.met(), None);
    let fast = fast.target(Target::Times(5.0));
    assert_eq!(fast.met(), Some(true));
    let fast = fast.target(Target::OfLimit(1.5));
    assert_eq!(fast.met(), Some(false));
    assert_eq!(fast.aim(), "≥ 5x, ≤ 1.5x of limit");
    let rate = figure(Better::Higher, 10.0, 2.0, 20.0).target(Target::OfLimit(0.5));
    assert_eq!(rate.met(), Some(true));
    assert_eq!(rate.aim(), "≥ 50 % of limit");
}

#[test]
fn a_missing_side_is_not_a_verdict() {
    let mut alone = Figure::milliseconds("x").target(Target::Times(2.0));
    alone.add(Side::Ours, 1.0);
    assert_eq!(alone.met(), None);
}
