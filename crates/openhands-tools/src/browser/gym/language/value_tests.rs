//! Numbers as Python prints them.

use super::*;

#[test]
fn numbers_are_printed_as_python_does() {
    let printed = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.5e300, "1.5e+300"),
        (1e16, "1e+16"),
        (9_999_999_999_999_998.0, "9999999999999998.0"),
        (0.0001, "0.0001"),
        (0.000_01, "1e-05"),
        (1.25e-7, "1.25e-07"),
        (f64::INFINITY, "inf"),
    ];
    for (number, expected) in printed {
        assert_eq!(Literal::Float(number).repr(), expected);
    }
}
