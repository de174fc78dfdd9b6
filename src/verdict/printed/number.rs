//! Numbers as cells of printed tables hold them.

use super::printed_row::{Printed, PrintedP};
use crate::domain::bare_number::{BareNumber, NumberForm};
use crate::domain::finding::Relation;

/// The longest text that is tried as a number.
const LONGEST: usize = 60;

/// One cell that holds a number.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberCell {
    pub printed: Printed,
    pub relation: Relation,
    /// Asterisks that follow at once.
    pub stars: u8,
    /// Whether the comma may separate thousands or decimals: `1,234`.
    pub is_ambiguous: bool,
}

impl NumberCell {
    /// The number, unless its comma or a relation before it leaves its value open.
    pub fn exact(&self) -> Option<Printed> {
        (!self.is_ambiguous && self.relation == Relation::Equal).then(|| self.printed.clone())
    }

    /// A count of observations.
    pub fn count(&self) -> Option<u64> {
        let value = self.printed.value;
        let is_count = value.fract() == 0.0 && (0.0..9e15).contains(&value);
        (is_count && self.relation == Relation::Equal)
            .then(|| format!("{value:.0}").parse().ok())
            .flatten()
    }

    /// The cell as a p-value. Printed zeros are a bound: `0.000` says below 0.0005.
    pub fn p_value(&self, sides: Option<u8>) -> Option<PrintedP> {
        let value = self.printed.value;
        if self.is_ambiguous || !(0.0..=1.0).contains(&value) {
            return None;
        }
        let (relation, value) = if value == 0.0 {
            (Relation::Less, smallest_rounded_up(&self.printed.text))
        } else {
            (self.relation, value)
        };
        Some(PrintedP {
            relation,
            value,
            text: self.printed.text.clone(),
            sides,
            alternative: None,
            adjusted: None,
            from_stars: false,
        })
    }
}

/// Half of the last digit printed: the bound that a rounded zero gives. `0e+00`
/// shares its digits with other rows, and nlme rounds to four decimals before.
fn smallest_rounded_up(zeros: &str) -> f64 {
    let (mantissa, is_scientific) = match zeros.split_once(['e', 'E']) {
        Some((mantissa, _)) => (mantissa, true),
        None => (zeros, false),
    };
    let printed = mantissa.find(['.', ',']).map_or(0, |at| mantissa.len() - at - 1);
    let decimals = if is_scientific { printed.max(3) } else { printed };
    format!("5e-{}", decimals + 1).parse().unwrap_or(0.5)
}

/// Whether a token stands for a value that was not printed.
pub fn is_placeholder(token: &str) -> bool {
    matches!(
        token,
        "NA" | "NaN"
            | "nan"
            | "<NA>"
            | "None"
            | "--"
            | "-"
            | "—"
            | "–"
            | "."
            | "..."
            | "…"
            | "Inf"
            | "-Inf"
            | "inf"
            | "-inf"
            | "True"
            | "False"
            | "TRUE"
            | "FALSE"
            | "NULL"
    )
}

/// The number that a whole cell holds: `-.12`, `<2e-16`, `.516**`, `1,234.5`, `[0.3,`.
pub fn parse(cell: &str) -> Option<NumberCell> {
    let mut rest = cell.trim();
    if rest.len() > LONGEST {
        return None;
    }
    rest = rest.trim_start_matches(['[', '(']).trim_start();
    let relation = match rest.chars().next()? {
        '<' | '≤' => Relation::Less,
        '>' | '≥' => Relation::Greater,
        _ => Relation::Equal,
    };
    rest = rest.trim_start_matches(['<', '>', '=', '≤', '≥']).trim_start();
    rest = rest.trim_end_matches([']', ')', ',', ';']).trim_end();
    let digits = rest.trim_end_matches('*').trim_end();
    let stars = u8::try_from(rest.len() - rest.trim_end_matches('*').len()).unwrap_or(u8::MAX);
    let number = BareNumber::parse(digits, NumberForm::Printed)?;
    Some(NumberCell {
        printed: Printed {
            value: number.value,
            text: digits.to_owned(),
        },
        relation,
        stars,
        is_ambiguous: number.is_ambiguous,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_programs_write_them() {
        for (text, value) in [
            ("-49.51222", -49.51222),
            (".027", 0.027),
            ("-.5", -0.5),
            ("1.8e-21", 1.8e-21),
            ("1,234.5", 1234.5),
            ("0,05", 0.05),
            (",031", 0.031),
            ("[0.3,", 0.3),
            ("1.2]", 1.2),
            (".516**", 0.516),
        ] {
            assert_eq!(parse(text).map(|cell| cell.printed.value), Some(value), "{text}");
        }
        for text in [
            "x1", "", "2.group", "1.2.3", "-", "12-14", "3%", "e5", "0x1F", "infinity", "1e",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn zeros_and_relations_are_bounds() {
        let p = |text: &str| parse(text).and_then(|cell| cell.p_value(Some(2))).unwrap();
        assert_eq!((p("0.000").relation, p("0.000").value), (Relation::Less, 0.0005));
        assert_eq!(p(".000").value, 0.0005);
        assert_eq!(p("0e+00").value, 0.0005);
        assert_eq!((p("<.001").relation, p("<.001").value), (Relation::Less, 0.001));
        assert_eq!(
            (p("< 2e-16").relation, p("< 2e-16").value),
            (Relation::Less, 2e-16)
        );
        assert_eq!(p("0.05").relation, Relation::Equal);
        assert_eq!(parse("1.3").unwrap().p_value(None), None);
    }

    #[test]
    fn a_comma_that_may_be_either_is_not_used() {
        assert_eq!(parse("1,234").unwrap().exact(), None);
        assert_eq!(parse("1,234").unwrap().count(), Some(1234));
    }
}
