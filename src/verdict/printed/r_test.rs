//! Tests as R prints its class 'htest': `data:`, a line of statistics, an
//! alternative, an interval and sample estimates.

use super::aligned::ReadRows;
use super::context::Context;
use super::label::Meaning;
use super::meaning::classify;
use super::number;
use super::printed_row::{Printed, PrintedGroup, PrintedInterval, PrintedKind, PrintedRow, PrintedStatistic};
use super::source_line::{SourceLine, before_column, tokens};
use super::table::interval;
use crate::domain::finding::Direction;
use crate::domain::scale::Scale;
use crate::domain::statistic::DegreesOfFreedom;

/// The most lines that one test prints.
const MOST_LINES: usize = 40;

/// Reads the test whose `data:` line stands at `at`.
pub fn read(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    let data = lines.get(at)?.text.strip_prefix("data:")?.trim();
    let mut row = PrintedRow {
        term: data.to_owned(),
        model: context.title.clone(),
        line: lines[at].number,
        lines: vec![lines[at].number],
        ..PrintedRow::default()
    };
    let mut next = at + 1;
    let end = lines.len().min(at + MOST_LINES);
    let mut sides = None;
    while next < end && !lines[next].is_blank() {
        let text = lines[next].text.trim();
        let used = if let Some(hypothesis) = text.strip_prefix("alternative hypothesis:") {
            sides = sides_of(hypothesis);
            1
        } else if let Some(level) = text.strip_suffix("percent confidence interval:") {
            row.interval = interval_below(lines.get(next + 1), level);
            2
        } else if text == "sample estimates:" {
            sample_estimates(lines.get(next + 1), lines.get(next + 2), &mut row);
            3
        } else {
            statistics(text, &mut row);
            1
        };
        let stop = end.min(next + used);
        row.lines.extend(lines[next..stop].iter().map(|line| line.number));
        next = stop;
    }
    if let (Some(p), Some((count, alternative))) = (row.p.as_mut(), sides) {
        p.sides = Some(count);
        p.alternative = alternative;
    }
    row.has_result().then(|| ReadRows {
        rows: vec![row],
        next,
    })
}

fn sides_of(hypothesis: &str) -> Option<(u8, Option<Direction>)> {
    let text = hypothesis.trim();
    if text.contains("not equal to") || text == "two.sided" {
        Some((2, None))
    } else if text.contains("greater than") || text == "greater" {
        Some((1, Some(Direction::Positive)))
    } else if text.contains("less than") || text == "less" {
        Some((1, Some(Direction::Negative)))
    } else {
        None
    }
}

fn interval_below(line: Option<&SourceLine>, level: &str) -> Option<PrintedInterval> {
    let words = tokens(&line?.text);
    let [lower, upper] = words.as_slice() else {
        return None;
    };
    let level: f64 = level.trim().parse().ok()?;
    let bound = |text: &str| number::parse(text).and_then(|cell| cell.exact());
    interval(bound(&lower.text), bound(&upper.text), Some(level / 100.0))
}

/// `t = 0.50701, df = 66.569, p-value = 0.6138`.
fn statistics(text: &str, row: &mut PrintedRow) {
    let mut df: Vec<f64> = Vec::new();
    for part in text.split(", ") {
        let Some(at) = part
            .find([' ', '=', '<', '>'])
            .and_then(|_| part.rfind(['=', '<', '>']))
        else {
            continue;
        };
        let (name, value) = (part[..at].trim(), part[at..].trim_start_matches('=').trim());
        let Some(cell) = number::parse(value) else {
            continue;
        };
        if name == "p-value" {
            row.p = row.p.take().or_else(|| cell.p_value(None));
        } else if matches!(name, "df" | "num df" | "denom df" | "parameter") {
            df.push(cell.printed.value);
        } else if let (None, Some(kind), Some(value)) = (&row.statistic, kind_of(name), cell.exact()) {
            row.statistic = Some(PrintedStatistic {
                kind,
                value,
                df: None,
            });
        }
    }
    if let Some(statistic) = row.statistic.as_mut() {
        let given = (1..=2).contains(&df.len()).then_some(DegreesOfFreedom(df));
        statistic.df = statistic.df.take().or(given);
    }
}

fn kind_of(name: &str) -> Option<PrintedKind> {
    if name.ends_with("chi-squared") || name == "X-squared" {
        return Some(PrintedKind::ChiSquared);
    }
    if name.is_empty() || name.len() > 40 {
        return None;
    }
    match classify(name).meaning {
        Meaning::Statistic(kind) => Some(kind),
        _ => Some(PrintedKind::Other),
    }
}

/// Names stand above their values and end in the same column.
fn sample_estimates(names: Option<&SourceLine>, values: Option<&SourceLine>, row: &mut PrintedRow) {
    let (Some(names), Some(values)) = (names, values) else {
        return;
    };
    let mut start = 0;
    let mut found: Vec<(String, Printed)> = Vec::new();
    for word in tokens(&values.text) {
        let before = before_column(&names.text, start).len();
        let until = before_column(&names.text, word.end).len();
        let name = names.text.get(before..until).unwrap_or("").trim().to_owned();
        start = word.end;
        if let Some(value) = number::parse(&word.text).and_then(|cell| cell.exact()) {
            found.push((name, value));
        }
    }
    if let [(name, value)] = found.as_slice() {
        row.scale = match name.as_str() {
            "cor" | "rho" | "tau" => Some(Scale::Correlation),
            "odds ratio" | "ratio of variances" | "ratio of scales" | "common odds ratio" | "rate ratio" => {
                Some(Scale::Ratio)
            }
            _ => None,
        };
        row.estimate = Some(value.clone());
        return;
    }
    row.groups = found
        .into_iter()
        .map(|(name, mean)| {
            let bare = ["mean in group ", "mean of ", "prop "]
                .iter()
                .fold(name.as_str(), |name, prefix| {
                    name.strip_prefix(prefix).unwrap_or(name)
                });
            PrintedGroup {
                name: bare.to_owned(),
                mean,
            }
        })
        .collect();
}
