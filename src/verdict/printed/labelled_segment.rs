//! The labelled values of one term, put together.

use super::label::Meaning;
use super::labelled_value::LabelledValue;
use super::printed_row::{PrintedKind, PrintedRow, PrintedStatistic};
use super::table::interval_of;
use crate::domain::scale::Scale;
use crate::domain::statistic::DegreesOfFreedom;

/// The values of one term.
pub struct Segment {
    pub term: String,
    pub values: Vec<LabelledValue>,
}

impl Segment {
    pub fn new(term: String) -> Self {
        Self {
            term,
            values: Vec::new(),
        }
    }

    pub fn name_if_empty(&mut self, name: &str) {
        if self.term.is_empty() {
            name.clone_into(&mut self.term);
        }
    }

    /// The only value of a meaning; two leave it open which one counts.
    fn only(&self, wanted: impl Fn(Meaning) -> bool) -> Option<&LabelledValue> {
        let mut found = self.values.iter().filter(|value| wanted(value.meaning));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    pub fn row(&self, line: usize) -> Option<PrintedRow> {
        let plain = self.only(|meaning| meaning == Meaning::Estimate(None));
        let scaled = self.only(|meaning| matches!(meaning, Meaning::Estimate(Some(_))));
        let estimates = self
            .values
            .iter()
            .filter(|value| matches!(value.meaning, Meaning::Estimate(_)))
            .count();
        let estimate = if estimates > 1 { plain } else { plain.or(scaled) };
        let scale = match estimate.map(|value| value.meaning) {
            Some(Meaning::Estimate(scale)) => scale,
            _ => None,
        };
        let statistic = self.only(|meaning| matches!(meaning, Meaning::Statistic(_)));
        let p = self
            .only(|meaning| matches!(meaning, Meaning::P(_)))
            .and_then(|value| match value.meaning {
                Meaning::P(sides) => value.cell.as_ref()?.p_value(value.sides.or(sides)),
                _ => None,
            });
        let bounds = self.only(|meaning| meaning == Meaning::Bounds);
        let low = self.only(|meaning| meaning == Meaning::Lower);
        let high = self.only(|meaning| meaning == Meaning::Upper);
        // Beside a ratio and its logarithm an interval does not say whose it is.
        let is_open = plain.is_some() && estimates > 1 && scaled.is_none_or(|value| value.meaning == RATIO);
        let interval = bounds
            .and_then(|value| interval_of(value.cell.as_ref(), value.second.as_ref(), value.level))
            .or_else(|| interval_of(low?.cell.as_ref(), high?.cell.as_ref(), low?.level))
            .filter(|_| !is_open);
        let row = PrintedRow {
            term: self.term.clone(),
            estimate: estimate.and_then(|value| value.cell.as_ref()?.exact()),
            scale,
            standard_error: self
                .only(|meaning| meaning == Meaning::StandardError)
                .and_then(|value| value.cell.as_ref()?.exact()),
            statistic: statistic.and_then(|value| self.statistic(value)),
            p,
            interval,
            n: self
                .only(|meaning| meaning == Meaning::Count)
                .and_then(|value| value.cell.as_ref()?.count()),
            line,
            lines: vec![line],
            ..PrintedRow::default()
        };
        (row.has_result() || row.n.is_some()).then_some(row)
    }

    fn statistic(&self, value: &LabelledValue) -> Option<PrintedStatistic> {
        let kind = match value.meaning {
            Meaning::Statistic(kind) => kind,
            _ => PrintedKind::Other,
        };
        let own = self
            .only(|meaning| meaning == Meaning::Df)
            .and_then(|df| Some(DegreesOfFreedom::one(df.cell.as_ref()?.exact()?.value)))
            .filter(|_| kind != PrintedKind::F);
        Some(PrintedStatistic {
            kind,
            value: value.cell.as_ref()?.exact()?,
            df: value.df.clone().or(own),
        })
    }
}

const RATIO: Meaning = Meaning::Estimate(Some(Scale::Ratio));
