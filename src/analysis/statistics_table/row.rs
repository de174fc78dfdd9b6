//! One effect of a table, and why a table cannot be read.

use crate::domain::finding::Finding;
use crate::domain::result_line::ResultLine;
use crate::domain::scale::Scale;
use crate::domain::statistic::StatisticKind;
use crate::verdict::coherence::reported::{ReportedEffect, ReportedP, ReportedStatistic, Rounded};

/// The columns that are read, whatever their order and case.
pub const COLUMNS: [&str; 13] = [
    "term",
    "estimate",
    "se",
    "statistic",
    "kind",
    "df",
    "p",
    "sides",
    "lower",
    "upper",
    "level",
    "n",
    "scale",
];
/// The most rows that are read.
pub const MOST: usize = 100_000;

/// One effect of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsRow {
    /// Counted from 1.
    pub line: u64,
    pub finding: Finding,
    /// The same numbers with the digits that are written.
    pub printed: ReportedEffect,
}

/// A table of statistics.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StatisticsTable {
    pub rows: Vec<StatisticsRow>,
    /// Why a row was not read, each with its line.
    pub unread: Vec<TableFault>,
    /// Columns whose names are not known.
    pub unknown: Vec<String>,
}

/// The fault of a table that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableFault {
    #[error(
        "it is empty: give a header with columns such as term, estimate, se, p, or lines of results.jsonl"
    )]
    Empty,
    #[error(
        "line 1: none of its columns ({found}) holds a number to check: name them {}",
        COLUMNS.join(", ")
    )]
    NoColumn { found: String },
    #[error("line {line}: {column} is {value}: {way_out}")]
    Cell {
        line: u64,
        column: &'static str,
        /// Between marks, or the word `empty`.
        value: String,
        way_out: String,
    },
    #[error("line {line}: {problem}")]
    Line { line: u64, problem: String },
    #[error("it has more than {MOST} rows: split it")]
    TooLong,
}

/// Numbers with the digits that they are written with.
#[derive(Debug, Clone, Default)]
pub struct WrittenNumbers {
    pub estimate: Option<Rounded>,
    pub error: Option<Rounded>,
    pub statistic: Option<Rounded>,
    /// Whether the statistic is a t.
    pub is_t: bool,
    pub p: Option<Rounded>,
    pub bounds: Option<(Rounded, Rounded)>,
}

impl WrittenNumbers {
    /// The numbers of a recorded line, with the digits of their shortest form.
    pub fn from_line(line: &ResultLine) -> Self {
        let number = |value: f64| Rounded::parse(&value.to_string());
        Self {
            estimate: line.estimate.and_then(number),
            error: line.se.and_then(number),
            statistic: line.statistic.as_ref().and_then(|one| number(one.value)),
            is_t: false,
            p: line.p.as_ref().and_then(|p| number(p.value)),
            bounds: line
                .interval
                .as_ref()
                .and_then(|one| number(one.lower).zip(number(one.upper))),
        }
    }
}

/// The numbers of a finding as they are written.
pub fn printed(finding: &Finding, written: &WrittenNumbers) -> ReportedEffect {
    let whole = |value: f64| Rounded { value, decimals: 0 };
    // A t without degrees of freedom gives no p-value, but its size is known.
    let size = written
        .statistic
        .filter(|_| written.is_t)
        .map(|size| (ReportedStatistic::Z, size));
    let statistic = finding.statistic.as_ref().map_or(size, |statistic| {
        let kind = match (&statistic.kind, statistic.df.0.as_slice()) {
            (StatisticKind::T, [df, ..]) => ReportedStatistic::T { df: whole(*df) },
            (StatisticKind::T | StatisticKind::Z, _) => ReportedStatistic::Z,
            // Its size alone is looked at, which needs no degrees of freedom.
            (StatisticKind::R, df) => ReportedStatistic::R {
                df: whole(df.first().copied().unwrap_or_default()),
            },
            _ => return None,
        };
        Some((kind, written.statistic?))
    });
    ReportedEffect {
        passage: finding.name.clone(),
        estimate: written.estimate,
        is_ratio: finding.scale == Some(Scale::Ratio),
        standard_error: written.error,
        statistic,
        p: finding.p_value.zip(written.p).map(|(p, value)| ReportedP {
            relation: p.relation,
            value,
        }),
        interval: written.bounds,
        level: finding.interval.map(|interval| interval.level),
        ..ReportedEffect::default()
    }
}
