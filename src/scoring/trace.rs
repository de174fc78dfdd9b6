//! Where a reported number stands in the output that it should come from.

use serde::{Deserialize, Serialize};

use crate::domain::finding::{PValue, Relation};
use crate::domain::ids::ExecutionId;
use crate::domain::number_text;

/// One line of an execution's standard output that holds a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub execution: ExecutionId,
    /// Counted from 1.
    pub line: usize,
    pub text: String,
}

/// The numbers of an output, line by line, ready to be searched.
#[derive(Debug, Clone, Default)]
pub struct Output {
    lines: Vec<(Place, Vec<f64>)>,
}

/// The longest piece of a line that a place shows, in characters.
const SHOWN: usize = 160;

impl Output {
    /// Adds the output of one execution.
    pub fn add(&mut self, execution: ExecutionId, stdout: &str) {
        for (index, line) in stdout.lines().enumerate() {
            let numbers: Vec<f64> = number_text::numbers(line)
                .iter()
                .map(|number| number.value)
                .collect();
            if !numbers.is_empty() {
                let text = line.trim().chars().take(SHOWN).collect();
                self.lines.push((
                    Place {
                        execution,
                        line: index + 1,
                        text,
                    },
                    numbers,
                ));
            }
        }
    }

    /// The first line with a number that rounds to `reported` at the digits
    /// that `reported` is given with.
    pub fn find(&self, reported: f64) -> Option<&Place> {
        self.place(|found| rounds_to(found, reported))
    }

    /// The first line with a number that a p-value can be the report of: the
    /// value itself, or for a bound a p-value on its side.
    pub fn find_p(&self, reported: PValue) -> Option<&Place> {
        match reported.relation {
            Relation::Equal => self.find(reported.value),
            Relation::Less => self
                .find(reported.value)
                .or_else(|| self.place(|found| (0.0..reported.value).contains(&found))),
            Relation::Greater => self
                .find(reported.value)
                .or_else(|| self.place(|found| found > reported.value && found <= 1.0)),
        }
    }

    fn place(&self, fits: impl Fn(f64) -> bool) -> Option<&Place> {
        self.lines
            .iter()
            .find(|(_, numbers)| numbers.iter().any(|found| fits(*found)))
            .map(|(place, _)| place)
    }
}

/// Whether `found`, rounded to the precision of `reported`, is `reported`.
///
/// The precision is that of the shortest decimal text of `reported`; digits that
/// were cut off instead of rounded are allowed too.
fn rounds_to(found: f64, reported: f64) -> bool {
    if !found.is_finite() || !reported.is_finite() {
        return false;
    }
    if found == reported {
        return true;
    }
    let text = format!("{reported:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return false;
    };
    let digits = mantissa.split_once('.').map_or(0, |(_, digits)| digits.len());
    let Ok(exponent) = exponent.parse::<i32>() else {
        return false;
    };
    let unit = 10_f64.powi(exponent - i32::try_from(digits).unwrap_or(0));
    let beyond = found.abs() - reported.abs();
    let same_sign = found.signum() == reported.signum() || reported == 0.0;
    same_sign && (-0.5 * unit..unit).contains(&beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> Output {
        let mut output = Output::default();
        output.add(
            ExecutionId(2),
            "Model: prestige ~ income + education\nincome   0.00136117   0.000224212   6.07089   2.35520e-08\n",
        );
        output
    }

    #[test]
    fn rounded_reports_are_found_and_others_are_not() {
        let output = output();
        for reported in [0.00136, 0.001361, 0.00136117, 0.000224, 6.07, 2.36e-8] {
            assert_eq!(
                output.find(reported).map(|place| place.line),
                Some(2),
                "{reported}"
            );
        }
        for invented in [0.599, -0.00136, 0.00137, 0.0015, 6.2, 0.000_225_5] {
            assert_eq!(output.find(invented), None, "{invented}");
        }
    }

    #[test]
    fn a_bound_is_found_by_what_it_bounds() {
        let p = |relation, value| PValue { relation, value };
        assert!(output().find_p(p(Relation::Less, 0.001)).is_some());
        assert!(output().find_p(p(Relation::Greater, 0.05)).is_none());
    }
}
