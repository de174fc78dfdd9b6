//! Numbers in sentences: short, and as precise as a reader can use.

use crate::domain::finding::{PValue, Relation};

/// Six significant digits, without zeros at the end.
pub fn figure(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    let size = rounded.abs();
    if (1e-5..1e15).contains(&size) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// A p-value with its relation.
pub fn p_figure(p: PValue) -> String {
    let rounded: f64 = format!("{:.5e}", p.value).parse().unwrap_or(p.value);
    PValue { value: rounded, ..p }.to_string()
}

/// An exact p-value.
pub fn p_exact(value: f64) -> String {
    p_figure(PValue {
        relation: Relation::Equal,
        value,
    })
}

/// Half a unit of the last digit that a number is given with; zero of one that
/// has more digits than anybody prints. Zeros at the end of a whole number of one
/// or two other digits are digits too: 1200 is not 1249. Of one with three or more,
/// as `1.234e+05` leaves them, they may be what was not printed, half a percent at
/// the utmost.
pub fn half_unit(value: f64) -> f64 {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let decimals = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
    if decimals >= 12 {
        return 0.0;
    }
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let unit = exponent - i32::try_from(decimals).unwrap_or(0);
    let exact = unit > 0 && decimals < 2;
    0.5 * 10_f64.powi(if exact { 0 } else { unit })
}

/// The same of a number beside another one, whose unit a zero shares.
pub fn half_unit_beside(value: f64, other: f64) -> f64 {
    half_unit(if value == 0.0 { other } else { value })
}

/// Names between backticks and commas.
pub fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(figure(0.001_361_165_5), "0.00136117");
        assert_eq!(figure(1.94), "1.94");
        assert_eq!(figure(-0.8), "-0.8");
        assert_eq!(figure(2.5e-7), "2.5e-7");
        assert_eq!(p_exact(0.002_171_670_245), "= 0.00217167");
        assert_eq!(p_exact(2.355_204_9e-8), "= 2.3552e-8");
    }

    #[test]
    fn a_number_stands_for_what_rounds_to_it() {
        assert!((half_unit(0.38) - 0.005).abs() < 1e-12);
        assert!((half_unit(2e-5) - 5e-6).abs() < 1e-12);
        assert_eq!(half_unit(0.123_456_789_012_345_6), 0.0);
    }

    #[test]
    fn zeros_at_the_end_of_a_whole_number_are_digits() {
        for value in [1.0, 10.0, 1000.0, -1200.0, 1234.0, 5e6] {
            assert!((half_unit(value) - 0.5).abs() < 1e-12, "{value}");
        }
        // 1.234e+05, as R prints it.
        assert!((half_unit(123_400.0) - 50.0).abs() < 1e-9);
        assert!((half_unit_beside(0.0, 0.38) - 0.005).abs() < 1e-12);
    }
}
