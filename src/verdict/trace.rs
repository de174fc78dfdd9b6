//! Traces of reported numbers in the output that they should come from.

use serde::{Deserialize, Serialize};

use crate::domain::bare_number::{BareNumber, NumberForm};
use crate::domain::excerpt;
use crate::domain::finding::{PValue, Relation};
use crate::domain::ids::ExecutionId;
use crate::domain::number_text;

/// One line of an execution's standard output that holds a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintedLine {
    pub execution: ExecutionId,
    /// Counted from 1.
    pub line: usize,
    pub text: String,
}

/// The numbers of an output, line by line, ready to be searched.
#[derive(Debug, Clone, Default)]
pub struct Output {
    lines: Vec<(PrintedLine, Vec<f64>)>,
}

/// A number as somebody wrote it down.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenNumber {
    pub text: String,
    value: f64,
    /// One unit of the last digit given.
    unit: f64,
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
                let text = excerpt::start(line.trim(), SHOWN).to_owned();
                self.lines.push((
                    PrintedLine {
                        execution,
                        line: index + 1,
                        text,
                    },
                    numbers,
                ));
            }
        }
    }

    /// The lines that hold a number, in order.
    pub fn lines(&self) -> impl Iterator<Item = &PrintedLine> {
        self.lines.iter().map(|(line, _)| line)
    }

    /// The first line with a number that rounds to `reported` at the digits
    /// that `reported` is given with.
    pub fn find(&self, reported: f64) -> Option<&PrintedLine> {
        let written = WrittenNumber::from_value(reported)?;
        self.place(|found| written.is_of(found))
    }

    /// Whether some number rounds to the written one.
    pub fn holds(&self, written: &WrittenNumber) -> bool {
        self.place(|found| written.is_of(found)).is_some()
    }

    /// The first line with a number that a p-value can be the report of: the
    /// value itself, or for a bound a p-value on its side.
    pub fn find_p(&self, reported: PValue) -> Option<&PrintedLine> {
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

    fn place(&self, fits: impl Fn(f64) -> bool) -> Option<&PrintedLine> {
        self.lines
            .iter()
            .find(|(_, numbers)| numbers.iter().any(|found| fits(*found)))
            .map(|(place, _)| place)
    }
}

impl WrittenNumber {
    /// Reads a text that is one number and nothing else.
    pub fn parse(text: &str, form: NumberForm) -> Option<Self> {
        let number = BareNumber::parse(text, form)?;
        Some(Self {
            text: text.to_owned(),
            value: number.value,
            unit: 10_f64.powi(-number.decimals),
        })
    }

    /// A number at the precision of its shortest decimal text.
    pub fn from_value(value: f64) -> Option<Self> {
        Self::parse(&format!("{value:e}"), NumberForm::Plain)
    }

    /// The value as it is written.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Whether `found`, rounded to the precision of this number, is it; a half is
    /// rounded either way.
    pub fn rounds(&self, found: f64) -> bool {
        let slack = 1e-9 * self.unit + 1e-12 * self.value.abs();
        (found - self.value).abs() <= 0.5 * self.unit + slack
    }

    /// Another number at the precision of this one.
    pub fn rounded(&self, found: f64) -> f64 {
        let decimals = (-self.unit.log10()).round();
        let rounded = if (0.0..=40.0).contains(&decimals) {
            // Through the decimal text, so that 1.05, which is a little more, becomes 1.1.
            format!("{found:.*}", decimals as usize).parse().ok()
        } else {
            Some((found / self.unit).round_ties_even() * self.unit)
        };
        rounded
            .filter(|rounded: &f64| rounded.is_finite())
            .unwrap_or(found)
    }

    /// Whether `found`, rounded to the precision of this number, is it; digits
    /// that were cut off instead of rounded are allowed too.
    pub fn is_of(&self, found: f64) -> bool {
        if !found.is_finite() {
            return false;
        }
        let beyond = found.abs() - self.value.abs();
        let slack = 1e-9 * self.unit + 1e-12 * self.value.abs();
        let same_sign = found.signum() == self.value.signum() || self.value == 0.0;
        found == self.value || (same_sign && (-0.5 * self.unit - slack..self.unit).contains(&beyond))
    }
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
