use super::*;

#[test]
fn a_figure_that_both_have_is_a_bar_and_others_are_not() {
    let mut both = Figure::milliseconds("a <b>");
    both.add(Side::Ours, 1.0);
    both.add(Side::Python, 250.0);
    let mut alone = Figure::milliseconds("alone");
    alone.add(Side::Ours, 1.0);
    let mut table = Table::default();
    table.add("group", vec![both, alone]);
    let svg = svg(&table);
    assert_eq!(svg.matches("<rect").count(), 1);
    assert!(svg.contains(">a &lt;b><"), "{svg}");
    assert!(
        svg.contains("250x <tspan class=\"faint\">(250, 1.00 ms)"),
        "{svg}"
    );
    assert!(svg.contains(">1000x<"), "{svg}");
    assert!(svg.contains("prefers-color-scheme: dark"));
}
