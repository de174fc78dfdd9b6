//! Models side by side: estimates with stars and, in parentheses below them,
//! standard errors, as `esttab`, `summary_col`, `screenreg` and stargazer print.

use super::aligned::ReadRows;
use super::alignment::{self, ColumnSpan};
use super::number::{self, NumberCell};
use super::printed_row::{Printed, PrintedKind, PrintedP, PrintedRow, PrintedStatistic};
use super::source_line::{SourceLine, Token, before_column, tokens};
use super::table::p_bound;
use crate::domain::finding::Relation;
use crate::domain::lazy_regex::LazyRegex;

/// The most lines of one table.
const MOST_LINES: usize = 400;

/// Lines of notes below a table.
const MOST_NOTES: usize = 8;

static LEGEND: LazyRegex = LazyRegex::new(r"(?:^|[^*])(\*{1,4})\s*[pP]?\s*(?:<|=<|≤|&lt;)\s*(0?\.\d+)");

/// The figure in parentheses below an estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Below {
    StandardError,
    Statistic(PrintedKind),
    P,
}

/// The notes below a table.
#[derive(Debug, Default)]
struct Notes {
    below: Option<Below>,
    /// Stars and the bound that they stand for.
    stars: Vec<(u8, String)>,
}

impl Notes {
    fn read(lines: &[SourceLine]) -> Self {
        let mut notes = Self::default();
        for line in lines.iter().take(MOST_NOTES) {
            let text = line.text.to_lowercase();
            if text.contains("in parentheses") {
                notes.below = notes.below.or_else(|| below(&text));
            }
            for legend in LEGEND.captures_iter(&text) {
                let stars = u8::try_from(legend[1].len()).unwrap_or(u8::MAX);
                notes.stars.push((stars, legend[2].to_owned()));
            }
        }
        notes
    }

    /// The bound that the stars of an estimate give; without stars, where a test was
    /// printed below it, the largest bound from the other side.
    fn p(&self, stars: u8, is_tested: bool) -> Option<PrintedP> {
        let (relation, text) = if stars > 0 {
            (
                Relation::Less,
                self.stars.iter().find(|(count, _)| *count == stars)?.1.as_str(),
            )
        } else {
            let fewest = self
                .stars
                .iter()
                .min_by_key(|(count, _)| *count)
                .filter(|_| is_tested)?;
            (Relation::Greater, fewest.1.as_str())
        };
        Some(p_bound(relation, text.parse().ok()?, text))
    }
}

fn below(text: &str) -> Option<Below> {
    let before = text.split("in parentheses").next().unwrap_or(text);
    if before.contains("standard error") || before.contains("std. err") {
        Some(Below::StandardError)
    } else if before.contains("t stat") || before.contains("t-stat") || before.contains("t value") {
        Some(Below::Statistic(PrintedKind::T))
    } else if before.contains("z stat") || before.contains("z-stat") {
        Some(Below::Statistic(PrintedKind::Z))
    } else if before.contains("p-value") || before.contains("p value") {
        Some(Below::P)
    } else {
        None
    }
}

/// The estimates of one term, one for each model.
struct TermLine {
    term: String,
    line: usize,
    estimates: Vec<Option<NumberCell>>,
    below: Vec<Option<NumberCell>>,
    below_line: Option<usize>,
}

/// Reads the table that begins with the rule at `at`.
pub fn read(lines: &[SourceLine], at: usize) -> Option<ReadRows> {
    if !lines.get(at)?.is_rule() || lines[at].text.contains(['|', '+']) {
        return None;
    }
    let rules: Vec<usize> = (at..lines.len().min(at + MOST_LINES))
        .filter(|index| lines[*index].is_rule())
        .take(4)
        .collect();
    let (body, end) = (*rules.get(1)?, *rules.get(2)?);
    let body_lines = &lines[body + 1..end];
    // The cheapest sign of such a table: an estimate with a line of parentheses below it.
    if body > at + 8 || !body_lines.iter().any(|line| is_below(&words_of(line))) {
        return None;
    }
    let last = rules
        .get(3)
        .copied()
        .filter(|last| has_statistics(&lines[end + 1..*last]));
    let foot = last.unwrap_or(end);
    let notes = Notes::read(lines.get(foot + 1..)?);
    if notes.below.is_none() && notes.stars.is_empty() {
        return None;
    }
    let spans = model_spans(body_lines)?;
    let terms = term_lines(body_lines, &spans);
    let counts = last.map_or_else(
        || counts(body_lines, &spans),
        |last| counts(&lines[end + 1..last], &spans),
    );
    let heads: Vec<(Option<String>, Option<String>)> = (0..spans.len())
        .map(|column| heads(&lines[at + 1..body], &spans, column))
        .collect();
    let mut rows = Vec::new();
    for (column, (model, outcome)) in heads.iter().enumerate() {
        for term in &terms {
            if let Some(mut row) = row(term, column, &notes) {
                row.n = counts.get(column).copied().flatten();
                row.model.clone_from(model);
                row.outcome.clone_from(outcome);
                rows.push(row);
            }
        }
    }
    (!rows.is_empty()).then_some(ReadRows { rows, next: foot + 1 })
}

fn words_of(line: &SourceLine) -> Vec<Token> {
    tokens(&line.text)
}

/// Whether a line holds only numbers in parentheses.
fn is_below(words: &[Token]) -> bool {
    !words.is_empty()
        && words.iter().all(|word| {
            word.text.starts_with('(')
                && word.text.trim_end_matches('*').ends_with(')')
                && number::parse(&word.text).is_some()
        })
}

fn has_statistics(lines: &[SourceLine]) -> bool {
    lines.len() <= 30 && !lines.iter().any(|line| is_below(&words_of(line)))
}

/// The columns of the models: where the row with the most numbers has them.
fn model_spans(lines: &[SourceLine]) -> Option<Vec<ColumnSpan>> {
    let rows: Vec<Vec<Token>> = lines
        .iter()
        .map(words_of)
        .filter(|words| is_below(words))
        .collect();
    let most = rows.iter().map(Vec::len).max()?;
    let mut spans: Vec<ColumnSpan> = Vec::new();
    for row in rows.iter().filter(|row| row.len() == most) {
        for (index, word) in row.iter().enumerate() {
            match spans.get_mut(index) {
                Some(span) => {
                    span.start = span.start.min(word.start);
                    span.end = span.end.max(word.end);
                }
                None => spans.push(ColumnSpan {
                    start: word.start,
                    end: word.end,
                }),
            }
        }
    }
    // Stars stand behind the column of parentheses.
    for span in &mut spans {
        span.end += 1;
    }
    Some(spans)
}

/// The numbers of a line under the models, each under one alone.
fn under(words: &[Token], spans: &[ColumnSpan]) -> Option<(Vec<Option<NumberCell>>, usize)> {
    let first_value = words.len()
        - words
            .iter()
            .rev()
            .take_while(|word| alignment::is_value(&word.text))
            .count();
    let mut found = vec![None; spans.len()];
    let mut first = None;
    for word in &words[first_value..] {
        let mut hits = spans
            .iter()
            .enumerate()
            .filter(|(_, span)| word.start < span.end && span.start < word.end);
        match (hits.next(), hits.next()) {
            (Some((at, _)), None) if found[at].is_none() => {
                found[at] = number::parse(&word.text);
                first = first.or(Some(word.start));
            }
            (None, _) if first.is_none() => {}
            _ => return None,
        }
    }
    first.map(|first| (found, first))
}

fn term_lines(lines: &[SourceLine], spans: &[ColumnSpan]) -> Vec<TermLine> {
    let mut terms: Vec<TermLine> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let words = words_of(line);
        if is_below(&words) {
            if let (true, Some(term), Some((cells, _))) = (is_open, terms.last_mut(), under(&words, spans)) {
                term.below = cells;
                term.below_line = Some(line.number);
            }
            is_open = false;
            continue;
        }
        let Some((estimates, start)) = under(&words, spans) else {
            is_open = false;
            continue;
        };
        let term = before_column(&line.text, start).trim().to_owned();
        is_open = !term.is_empty();
        if is_open {
            terms.push(TermLine {
                term,
                line: line.number,
                estimates,
                below: vec![None; spans.len()],
                below_line: None,
            });
        }
    }
    terms.retain(|term| term.below_line.is_some());
    terms
}

fn counts(lines: &[SourceLine], spans: &[ColumnSpan]) -> Vec<Option<u64>> {
    for line in lines {
        let Some((cells, start)) = under(&words_of(line), spans) else {
            continue;
        };
        let name = before_column(&line.text, start).trim().to_lowercase();
        if matches!(
            name.as_str(),
            "n" | "observations" | "num. obs." | "nobs" | "no. observations" | "n obs"
        ) {
            return cells
                .iter()
                .map(|cell| cell.as_ref().and_then(NumberCell::count))
                .collect();
        }
    }
    Vec::new()
}

/// The number of the model and its outcome, from the lines above the estimates.
fn heads(lines: &[SourceLine], spans: &[ColumnSpan], column: usize) -> (Option<String>, Option<String>) {
    let mut said: Vec<String> = Vec::new();
    for line in lines {
        let words: Vec<String> = words_of(line)
            .into_iter()
            .filter(|word| {
                let middle = usize::midpoint(word.start, word.end);
                let nearest = (0..spans.len()).min_by_key(|index| {
                    usize::midpoint(spans[*index].start, spans[*index].end).abs_diff(middle)
                });
                nearest == Some(column)
            })
            .map(|word| word.text)
            .collect();
        if !words.is_empty() {
            said.push(words.join(" "));
        }
    }
    let is_number = |text: &String| text.starts_with('(') && text.ends_with(')');
    let model = said.iter().find(|text| is_number(text)).cloned();
    let outcome = said.iter().rev().find(|text| !is_number(text)).cloned();
    match model {
        Some(model) => (Some(model), outcome),
        None => (outcome, None),
    }
}

fn row(term: &TermLine, column: usize, notes: &Notes) -> Option<PrintedRow> {
    let cell = term.estimates.get(column)?.as_ref()?;
    let estimate = cell.exact()?;
    let below = term.below.get(column)?.as_ref();
    let exact: Option<Printed> = below.and_then(NumberCell::exact);
    let mut row = PrintedRow {
        term: term.term.clone(),
        estimate: Some(estimate),
        line: term.line,
        lines: std::iter::once(term.line).chain(term.below_line).collect(),
        ..PrintedRow::default()
    };
    match notes.below {
        Some(Below::StandardError) => row.standard_error = exact,
        Some(Below::Statistic(kind)) => {
            row.statistic = exact.map(|value| PrintedStatistic {
                kind,
                value,
                df: None,
            });
        }
        Some(Below::P) => row.p = below.and_then(|cell| cell.p_value(None)),
        None => {}
    }
    row.p = row.p.take().or_else(|| notes.p(cell.stars, below.is_some()));
    Some(row)
}
