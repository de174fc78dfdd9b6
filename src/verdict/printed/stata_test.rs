//! Stata's `ttest` and `test`.

use regex::Regex;

use super::aligned::ReadRows;
use super::alignment;
use super::context::Context;
use super::header::HeaderColumn;
use super::label::Meaning;
use super::number;
use super::printed_row::{PrintedGroup, PrintedKind, PrintedP, PrintedRow, PrintedStatistic};
use super::source_line::SourceLine;
use super::stata_cells::{cells, spans, split_at_bar};
use super::table::interval_of;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::statistic::DegreesOfFreedom;

/// The most constraints of one joint test.
const MOST_CONSTRAINTS: usize = 20;

/// Lines below the table of `ttest` that belong to it.
const BELOW: usize = 10;

static CONSTRAINT: LazyRegex = LazyRegex::new(r"^\s*\(\s*\d+\)\s+(\S.*)$");
static JOINT: LazyRegex = LazyRegex::new(r"^\s*(F|chi2)\(\s*([\d.]+)(?:,\s*([\d.]+))?\s*\)\s*=\s*(\S+)\s*$");
static PROBABILITY: LazyRegex = LazyRegex::new(r"^\s*Prob > (?:F|chi2)\s*=\s*(\S+)\s*$");
static T_VALUE: LazyRegex = LazyRegex::new(r"\bt\s*=\s*(\S+)\s*$");
static T_DF: LazyRegex = LazyRegex::new(r"(?i)degrees of freedom\s*=\s*(\S+)\s*$");
static T_P: LazyRegex = LazyRegex::new(r"Pr\(\|T\| > \|t\|\)\s*=\s*(\S+)");
static BY: LazyRegex = LazyRegex::new(r"^ttest\s+(\w+)\b.*,\s*.*\bby\((\w+)\)");

fn first<'a>(pattern: &Regex, text: &'a str) -> Option<&'a str> {
    pattern.captures(text)?.get(1).map(|group| group.as_str())
}

/// The text of a numbered constraint, without `= 0`: `( 1)  mpg = 0` is `mpg`.
pub fn constraint(text: &str) -> Option<&str> {
    let text = first(&CONSTRAINT, text)?.trim();
    Some(text.strip_suffix("= 0").map_or(text, str::trim))
}

/// Reads the joint test whose first constraint stands at `at`.
pub fn read_joint(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    let mut constraints = Vec::new();
    let mut next = at;
    while let Some(constraint) = lines
        .get(next)
        .filter(|_| constraints.len() < MOST_CONSTRAINTS)
        .and_then(|line| constraint(&line.text))
    {
        constraints.push(constraint);
        next += 1;
    }
    if constraints.is_empty() {
        return None;
    }
    while lines.get(next).is_some_and(SourceLine::is_blank) && next < at + constraints.len() + 3 {
        next += 1;
    }
    let line = lines.get(next)?;
    let test = JOINT.captures(&line.text)?;
    let below = lines.get(next + 1)?;
    let p = number::parse(first(&PROBABILITY, &below.text)?)?.p_value(None);
    let value = number::parse(test.get(4)?.as_str())?.exact()?;
    let df: Option<f64> = test.get(2)?.as_str().parse().ok();
    let denominator: Option<f64> = test.get(3).and_then(|group| group.as_str().parse().ok());
    let (kind, df) = match denominator {
        Some(denominator) => (
            PrintedKind::F,
            df.map(|df| DegreesOfFreedom::two(df, denominator)),
        ),
        None => (PrintedKind::ChiSquared, df.map(DegreesOfFreedom::one)),
    };
    let row = PrintedRow {
        term: constraints.join(" & "),
        statistic: Some(PrintedStatistic { kind, value, df }),
        p,
        model: context.model.clone(),
        line: lines[at].number,
        lines: vec![lines[at].number, line.number, below.number],
        ..PrintedRow::default()
    };
    Some(ReadRows {
        rows: vec![row],
        next: next + 2,
    })
}

/// Reads the table of `ttest`: means of groups, their difference and the test below.
pub fn read_t_test(
    lines: &[SourceLine],
    at: usize,
    end: usize,
    columns: &[HeaderColumn],
    context: &Context,
) -> Option<ReadRows> {
    let column = |wanted: &str| {
        columns
            .iter()
            .position(|column| column.text.to_lowercase() == wanted)
    };
    let (mean, _, _) = (column("mean")?, column("obs")?, column("std. dev.")?);
    let error = columns
        .iter()
        .position(|column| column.label.meaning == Meaning::StandardError)?;
    let level = columns
        .iter()
        .find(|column| column.label.meaning == Meaning::Bounds)?
        .label
        .level;
    let spans = spans(columns, lines, at + 2, end);
    let mut row = PrintedRow {
        term: "diff".to_owned(),
        model: context.model.clone(),
        ..PrintedRow::default()
    };
    let mut single_count = None;
    for line in lines[at + 2..end].iter().filter(|line| !line.is_rule()) {
        let Some((left, right)) = split_at_bar(&line.text) else {
            continue;
        };
        let words = cells(right);
        let Some(found) = alignment::align(&spans, &words) else {
            continue;
        };
        let cell = |index: usize| number::parse(&words.get((*found.tokens.get(index)?)?)?.text);
        let name = left.trim();
        let is_difference = name == "diff";
        let Some(mean) = cell(mean).and_then(|cell| cell.exact()) else {
            continue;
        };
        if name.eq_ignore_ascii_case("combined") {
            row.n = cell(0).and_then(|cell| cell.count());
            continue;
        }
        // The difference comes last; a test of one mean has one row alone.
        let count = found.tokens.len();
        row.standard_error = cell(error).and_then(|cell| cell.exact());
        row.interval = interval_of(
            cell(count.checked_sub(2)?).as_ref(),
            cell(count - 1).as_ref(),
            level,
        );
        row.line = line.number;
        row.lines = vec![line.number];
        if is_difference {
            row.estimate = Some(mean);
        } else {
            row.groups.push(PrintedGroup {
                name: name.to_owned(),
                mean,
            });
            single_count = cell(0).and_then(|cell| cell.count());
        }
    }
    if row.estimate.is_none() {
        let [group] = row.groups.as_slice() else {
            return None;
        };
        row.term.clone_from(&group.name);
        row.estimate = Some(group.mean.clone());
        row.groups.clear();
        row.n = single_count;
    } else if let Some(by) = BY.captures(context.model.as_deref().unwrap_or("")) {
        row.term = format!("{} by {}", &by[1], &by[2]);
        row.outcome = by.get(1).map(|outcome| outcome.as_str().to_owned());
    }
    let next = below(lines, end, &mut row);
    row.has_result().then(|| ReadRows {
        rows: vec![row],
        next,
    })
}

/// t, its df and the two-sided p of three alternatives.
fn below(lines: &[SourceLine], end: usize, row: &mut PrintedRow) -> usize {
    let mut next = end;
    for (index, line) in lines.iter().enumerate().skip(end).take(BELOW) {
        if let Some(value) = first(&T_VALUE, &line.text)
            .and_then(number::parse)
            .and_then(|cell| cell.exact())
        {
            row.statistic = Some(PrintedStatistic {
                kind: PrintedKind::T,
                value,
                df: None,
            });
            row.lines.push(line.number);
        }
        if let Some(df) = first(&T_DF, &line.text).and_then(|df| df.parse().ok())
            && let Some(statistic) = row.statistic.as_mut()
        {
            statistic.df = Some(DegreesOfFreedom::one(df));
        }
        if let Some(cell) = first(&T_P, &line.text).and_then(number::parse) {
            row.p = cell.p_value(Some(2)).map(|p| PrintedP { sides: Some(2), ..p });
            row.lines.push(line.number);
            next = index + 1;
            break;
        }
    }
    next
}
