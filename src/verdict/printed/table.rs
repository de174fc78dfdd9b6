//! A table whose cells have found their columns, and the rows that it yields.

use super::context::Context;
use super::label::{Label, Meaning};
use super::number::NumberCell;
use super::printed_row::{Printed, PrintedInterval, PrintedKind, PrintedP, PrintedRow, PrintedStatistic};
use crate::domain::finding::Relation;
use crate::domain::scale::Scale;
use crate::domain::statistic::DegreesOfFreedom;

/// Columns and rows of one table. [`Meaning::Bounds`] is split before: a table
/// holds one cell for each column.
#[derive(Debug, Default)]
pub struct PrintedTable {
    pub labels: Vec<Label>,
    pub entries: Vec<TableEntry>,
}

/// One row: its name and a cell for each column.
#[derive(Debug, Clone, Default)]
pub struct TableEntry {
    pub term: String,
    pub outcome: Option<String>,
    pub model: Option<String>,
    pub cells: Vec<Option<NumberCell>>,
    pub lines: Vec<usize>,
}

/// Labels with an interval under one label split into its two bounds.
pub fn split_bounds(labels: &[Label]) -> Vec<Label> {
    labels
        .iter()
        .flat_map(|label| match label.meaning {
            Meaning::Bounds => vec![
                Label {
                    meaning: Meaning::Lower,
                    ..*label
                },
                Label {
                    meaning: Meaning::Upper,
                    ..*label
                },
            ],
            _ => vec![*label],
        })
        .collect()
}

/// The columns that a table's rows are built from: each quantity at most once.
struct ColumnIndex<'a> {
    labels: &'a [Label],
}

impl ColumnIndex<'_> {
    /// The only column of which `wanted` holds; several leave it open.
    fn only(&self, wanted: impl Fn(&Label) -> bool) -> Option<usize> {
        let mut found = (0..self.labels.len()).filter(|index| wanted(&self.labels[*index]));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    fn meaning(&self, meaning: Meaning) -> Option<usize> {
        self.only(|label| label.meaning == meaning)
    }

    /// The p-value of two sides before one of unknown sides, and that before an adjusted
    /// one; of two columns the one that the row fills.
    fn p(&self, entry: &TableEntry) -> Option<usize> {
        let exists = |meaning: Meaning| self.labels.iter().any(|label| label.meaning == meaning);
        let meaning = [
            Meaning::P(Some(2)),
            Meaning::P(None),
            Meaning::P(Some(1)),
            Meaning::AdjustedP,
        ]
        .into_iter()
        .find(|meaning| exists(*meaning))?;
        let mut filled = (0..self.labels.len())
            .filter(|index| self.labels[*index].meaning == meaning && cell(entry, Some(*index)).is_some());
        let first = filled.next()?;
        filled.next().is_none().then_some(first)
    }

    /// The only statistic; of a rank test the z to which its p belongs.
    fn statistic(&self) -> Option<usize> {
        let is_rank = |label: &Label| {
            matches!(
                label.meaning,
                Meaning::Statistic(PrintedKind::U | PrintedKind::W | PrintedKind::V)
            )
        };
        self.only(|label| matches!(label.meaning, Meaning::Statistic(_)) && !is_rank(label))
            .or_else(|| self.only(is_rank))
    }
}

impl PrintedTable {
    /// The rows of the table, in order. A row that yields estimates on two scales is two.
    pub fn rows(&self, context: &Context) -> Vec<PrintedRow> {
        let columns = ColumnIndex { labels: &self.labels };
        let residual = self.residual_df(&columns);
        let scales: Vec<Option<Scale>> = [
            None,
            Some(Scale::Ratio),
            Some(Scale::Correlation),
            Some(Scale::Standardized),
        ]
        .into_iter()
        .filter(|scale| columns.meaning(Meaning::Estimate(*scale)).is_some())
        .collect();
        let first = scales.first().copied().flatten();
        let others = scales.get(1..).unwrap_or_default();
        let mut rows = Vec::new();
        for entry in &self.entries {
            let row = self.row(entry, &columns, first, others, residual, context);
            if !row.has_result() {
                continue;
            }
            let again: Vec<PrintedRow> = others
                .iter()
                .map(|scale| self.row_of_scale(entry, &columns, *scale, &row))
                .filter(|other| other.estimate.is_some())
                .collect();
            rows.push(row);
            rows.extend(again);
        }
        rows
    }

    fn row(
        &self,
        entry: &TableEntry,
        columns: &ColumnIndex<'_>,
        scale: Option<Scale>,
        others: &[Option<Scale>],
        residual: Option<f64>,
        context: &Context,
    ) -> PrintedRow {
        let exact = |index: Option<usize>| cell(entry, index).and_then(NumberCell::exact);
        let statistic_column = columns.statistic();
        let kind = statistic_column.and_then(|index| match self.labels[index].meaning {
            Meaning::Statistic(kind) => Some(kind),
            _ => None,
        });
        let statistic = kind
            .zip(exact(statistic_column))
            .map(|(kind, value)| PrintedStatistic {
                kind,
                value,
                df: self
                    .degrees(entry, columns, kind, residual)
                    .or_else(|| context.df_of(kind)),
            });
        let has_ratio = others.contains(&Some(Scale::Ratio));
        let interval = self.interval(entry, |label| match label.of_ratio {
            // Beside two estimates a bound must say whose it is.
            None => !has_ratio || scale.is_some(),
            Some(of_ratio) => of_ratio == (scale == Some(Scale::Ratio)) || !has_ratio,
        });
        PrintedRow {
            term: entry.term.clone(),
            estimate: exact(columns.meaning(Meaning::Estimate(scale))),
            scale,
            standard_error: exact(columns.meaning(Meaning::StandardError)),
            statistic,
            p: self.p(entry, columns),
            interval,
            groups: Vec::new(),
            n: cell(entry, columns.meaning(Meaning::Count))
                .and_then(NumberCell::count)
                .or(context.n),
            outcome: entry.outcome.clone().or_else(|| context.outcome.clone()),
            model: entry.model.clone().or_else(|| context.model.clone()),
            line: entry.lines.first().copied().unwrap_or(0),
            lines: entry.lines.clone(),
        }
    }

    /// The same test with its estimate on another scale; standard errors belong to the first.
    fn row_of_scale(
        &self,
        entry: &TableEntry,
        columns: &ColumnIndex<'_>,
        scale: Option<Scale>,
        row: &PrintedRow,
    ) -> PrintedRow {
        let is_ratio = scale == Some(Scale::Ratio);
        PrintedRow {
            estimate: cell(entry, columns.meaning(Meaning::Estimate(scale))).and_then(NumberCell::exact),
            scale,
            standard_error: None,
            interval: self.interval(entry, |label| is_ratio && label.of_ratio == Some(true)),
            ..row.clone()
        }
    }

    fn p(&self, entry: &TableEntry, columns: &ColumnIndex<'_>) -> Option<PrintedP> {
        let index = columns.p(entry)?;
        let (sides, adjusted) = match self.labels[index].meaning {
            Meaning::P(sides) => (sides, None),
            _ => (None, Some("as its column says".to_owned())),
        };
        let p = cell(entry, Some(index)).and_then(|cell| cell.p_value(sides))?;
        Some(PrintedP { adjusted, ..p })
    }

    fn interval(&self, entry: &TableEntry, is_wanted: impl Fn(&Label) -> bool) -> Option<PrintedInterval> {
        let wanted: Vec<Label> = self.labels.clone();
        let columns = ColumnIndex { labels: &wanted };
        let at = |meaning: Meaning| columns.only(|label| label.meaning == meaning && is_wanted(label));
        let (lower, upper) = (at(Meaning::Lower)?, at(Meaning::Upper)?);
        let level = match (self.labels[lower].level, self.labels[upper].level) {
            (Some(one), Some(other)) if (one - other).abs() > 1e-9 => return None,
            (one, other) => one.or(other),
        };
        interval_of(cell(entry, Some(lower)), cell(entry, Some(upper)), level)
    }

    fn degrees(
        &self,
        entry: &TableEntry,
        columns: &ColumnIndex<'_>,
        kind: PrintedKind,
        residual: Option<f64>,
    ) -> Option<DegreesOfFreedom> {
        let value = |meaning| {
            cell(entry, columns.meaning(meaning))
                .and_then(NumberCell::exact)
                .map(|printed| printed.value)
        };
        let own = value(Meaning::Df);
        if kind != PrintedKind::F {
            return own.map(DegreesOfFreedom::one);
        }
        let numerator = value(Meaning::NumeratorDf).or(own)?;
        let denominator = value(Meaning::DenominatorDf).or(residual)?;
        Some(DegreesOfFreedom::two(numerator, denominator))
    }

    /// The df of the row of residuals, where the table has exactly one.
    fn residual_df(&self, columns: &ColumnIndex<'_>) -> Option<f64> {
        let is_residual = |term: &str| {
            matches!(
                term.trim().to_lowercase().as_str(),
                "residuals" | "residual" | "error" | "within groups" | "within"
            )
        };
        let mut found = self.entries.iter().filter(|entry| is_residual(&entry.term));
        let first = found.next()?;
        if found.next().is_some() {
            return None;
        }
        cell(first, columns.meaning(Meaning::Df))
            .and_then(NumberCell::exact)
            .map(|printed| printed.value)
    }
}

fn cell(entry: &TableEntry, index: Option<usize>) -> Option<&NumberCell> {
    entry.cells.get(index?)?.as_ref()
}

/// The interval of two cells, where they are in order.
pub fn interval_of(
    lower: Option<&NumberCell>,
    upper: Option<&NumberCell>,
    level: Option<f64>,
) -> Option<PrintedInterval> {
    let (lower, upper) = (lower?.exact()?, upper?.exact()?);
    interval(Some(lower), Some(upper), level)
}

/// An interval in order, with at least one bound.
pub fn interval(
    lower: Option<Printed>,
    upper: Option<Printed>,
    level: Option<f64>,
) -> Option<PrintedInterval> {
    let is_ordered = match (&lower, &upper) {
        (Some(lower), Some(upper)) => lower.value <= upper.value,
        (None, None) => false,
        _ => true,
    };
    is_ordered.then_some(PrintedInterval { lower, upper, level })
}

/// A p-value that was bounded by `value`.
pub fn p_bound(relation: Relation, value: f64, text: &str) -> PrintedP {
    PrintedP {
        relation,
        value,
        text: text.to_owned(),
        sides: None,
        alternative: None,
        adjusted: None,
        from_stars: true,
    }
}
