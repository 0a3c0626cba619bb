//! The figures with a Python side as a bar chart: how many times better ours is, on a logarithmic scale.
//!
//! Colours follow the reader's scheme, so that the picture can stand in a README on light and on dark pages.

use std::fmt::Write as _;

use crate::figures::Figure;
use crate::servers::Side;
use crate::table::{Table, rounded};

const WIDTH: f64 = 900.0;
const LABELS: f64 = 390.0;
/// Room for the text behind the longest bar.
const VALUES: f64 = 190.0;
const ROW: f64 = 24.0;
const TOP: f64 = 64.0;

const STYLE: &str = "<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; }
  .faint { fill: #59636e; font-size: 12px; }
  .bar { fill: #d9480f; }
  .slower { fill: #8250df; }
  .grid { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .faint { fill: #9198a1; }
    .bar { fill: #ff922b; }
    .slower { fill: #ab7df8; }
    .grid { stroke: #3d444d; }
  }
</style>
";

/// One bar for each figure that both servers have.
pub(crate) fn svg(table: &Table) -> String {
    let bars: Vec<(&Figure, f64)> = table
        .figures()
        .filter_map(|figure| Some((figure, figure.ratio().filter(|ratio| ratio.is_finite())?)))
        .collect();
    let most = bars.iter().map(|(_, ratio)| *ratio).fold(10.0, f64::max);
    let decades = most.log10().ceil();
    let scale = (WIDTH - LABELS - VALUES) / decades;
    let rows = crate::figures::number(bars.len());
    let bottom = TOP + rows * ROW;
    let height = bottom + 16.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"How many times better than the Python server\">\n{STYLE}"
    );
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<text class=\"title\" x=\"12\" y=\"24\">How many times better than the Python server</text>\n\
         <text class=\"faint\" x=\"12\" y=\"43\">Medians of one run, logarithmic; in brackets: Python, ours</text>\n"
    );
    grid(&mut svg, decades, scale, bottom);
    let mut y = TOP;
    for (figure, ratio) in &bars {
        bar(&mut svg, figure, *ratio, y, scale);
        y += ROW;
    }
    svg.push_str("</svg>\n");
    svg
}

/// A line for each power of ten.
fn grid(svg: &mut String, decades: f64, scale: f64, bottom: f64) {
    let mut decade = 0.0;
    while decade <= decades {
        let x = LABELS + decade * scale;
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{}\" y2=\"{bottom:.1}\"/>\
             <text class=\"faint\" x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}x</text>",
            TOP - 4.0,
            TOP - 8.0,
            10_f64.powf(decade)
        );
        decade += 1.0;
    }
}

fn bar(svg: &mut String, figure: &Figure, ratio: f64, y: f64, scale: f64) {
    let (class, length) = if ratio >= 1.0 {
        ("bar", ratio.log10() * scale)
    } else {
        ("slower", 2.0)
    };
    let side = |side| figure.median(side).map_or_else(String::new, rounded);
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
         <rect class=\"{class}\" x=\"{LABELS}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" rx=\"2\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\">{}x <tspan class=\"faint\">({}, {} {})</tspan></text>",
        LABELS - 8.0,
        y + 16.0,
        escaped(&figure.name),
        y + 4.0,
        length.max(2.0),
        ROW - 8.0,
        LABELS + length.max(2.0) + 6.0,
        y + 16.0,
        rounded(ratio),
        side(Side::Python),
        side(Side::Ours),
        figure.unit,
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('`', "")
}

#[cfg(test)]
#[path = "chart_tests.rs"]
mod tests;
