//! Alignment of a row's numbers with the columns that they stand under.

use super::number;
use super::source_line::Token;

/// The display columns of a label or of the numbers below it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnSpan {
    pub start: usize,
    pub end: usize,
}

/// The tokens of a row found under columns.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedRow {
    /// For each column the index of its token, if any.
    pub tokens: Vec<Option<usize>>,
    /// The first token that stands under a column.
    pub first: usize,
}

/// Whether a token can fill a column of numbers.
pub fn is_value(token: &str) -> bool {
    number::is_placeholder(token) || number::parse(token).is_some()
}

/// Tokens with a relation joined to its number (`< 2e-16`), without stars behind the last number.
pub fn join_relations(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match joined.last_mut() {
            // A tibble sets exponents apart: `4   e- 4`.
            Some(last)
                if (matches!(token.text.as_str(), "e-" | "e+") || is_exponent(&token.text))
                    && number::parse(&last.text).is_some() =>
            {
                last.text.push_str(&token.text);
                last.end = token.end;
            }
            Some(last)
                if last.text.ends_with(['-', '+'])
                    && last.text.contains('e')
                    && number::parse(&format!("{}{}", last.text, token.text)).is_some() =>
            {
                last.text.push_str(&token.text);
                last.end = token.end;
            }
            Some(last)
                if matches!(last.text.as_str(), "<" | ">" | "=" | "≤")
                    && number::parse(&token.text).is_some()
                    && token.start <= last.end + 2 =>
            {
                last.text.push_str(&token.text);
                last.end = token.end;
            }
            _ => joined.push(token),
        }
    }
    if joined.len() > 1 && joined.last().is_some_and(|last| is_mark(&last.text)) {
        joined.pop();
    }
    joined
}

fn is_exponent(token: &str) -> bool {
    token
        .strip_prefix("e-")
        .or_else(|| token.strip_prefix("e+"))
        .is_some_and(|digits| (1..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_mark(token: &str) -> bool {
    matches!(
        token,
        "*" | "**" | "***" | "****" | "." | "+" | "†" | "ns" | "n.s."
    )
}

/// Finds the columns of a row's numbers.
///
/// Where there are as many numbers as columns they go in order, unless one of
/// them ends exactly where another column ends. Otherwise every number has to end
/// where a column ends, or to overlap with one column alone. A row for which
/// neither holds is refused, since its numbers could be another column's.
pub fn align(columns: &[ColumnSpan], tokens: &[Token]) -> Option<AlignedRow> {
    let run = tokens
        .iter()
        .rev()
        .take_while(|token| is_value(&token.text))
        .count();
    let first_value = tokens.len() - run;
    // A row of nothing but numbers has no name that could hold one of them.
    if run == columns.len() && (first_value == 0 || !contradicts(columns, &tokens[first_value..])) {
        let tokens = (first_value..tokens.len()).map(Some).collect();
        return Some(AlignedRow {
            tokens,
            first: first_value,
        });
    }
    exact(columns, tokens, first_value).or_else(|| {
        if run < columns.len() {
            overlapping(columns, tokens, first_value)
        } else {
            None
        }
    })
}

fn contradicts(columns: &[ColumnSpan], values: &[Token]) -> bool {
    values.iter().enumerate().any(|(index, token)| {
        columns
            .iter()
            .enumerate()
            .any(|(other, column)| other != index && column.end == token.end)
    })
}

fn exact(columns: &[ColumnSpan], tokens: &[Token], first_value: usize) -> Option<AlignedRow> {
    let mut found = vec![None; columns.len()];
    let mut first = None;
    let mut next = 0;
    for (index, token) in tokens.iter().enumerate().skip(first_value) {
        let at = columns[next..]
            .iter()
            .position(|column| column.end == token.end)
            .map(|at| at + next);
        match at {
            Some(at) => {
                found[at] = Some(index);
                first = first.or(Some(index));
                next = at + 1;
            }
            // Numbers before the first column are part of the name.
            None if first.is_none() && columns.first().is_none_or(|column| token.end <= column.start) => {}
            None => return None,
        }
    }
    first.map(|first| AlignedRow { tokens: found, first })
}

fn overlapping(columns: &[ColumnSpan], tokens: &[Token], first_value: usize) -> Option<AlignedRow> {
    let mut found = vec![None; columns.len()];
    let mut last = None;
    for (index, token) in tokens.iter().enumerate().skip(first_value) {
        let mut hits = columns
            .iter()
            .enumerate()
            .filter(|(_, column)| token.start < column.end && column.start < token.end);
        let (at, _) = hits.next()?;
        if hits.next().is_some() || last.is_some_and(|last| at <= last) {
            return None;
        }
        found[at] = Some(index);
        last = Some(at);
    }
    last.map(|_| AlignedRow {
        tokens: found,
        first: first_value,
    })
}

/// The columns that full rows cover, for rows that lack cells.
pub fn covered(columns: &[ColumnSpan], rows: &[Vec<Token>]) -> Vec<ColumnSpan> {
    let mut spans: Vec<Option<ColumnSpan>> = vec![None; columns.len()];
    for tokens in rows {
        let Some(row) = align(columns, tokens) else {
            continue;
        };
        if row.tokens.iter().any(Option::is_none) {
            continue;
        }
        for (span, index) in spans.iter_mut().zip(&row.tokens) {
            let Some(token) = index.and_then(|index| tokens.get(index)) else {
                continue;
            };
            let own = ColumnSpan {
                start: token.start,
                end: token.end,
            };
            *span = Some(span.map_or(own, |span| ColumnSpan {
                start: span.start.min(own.start),
                end: span.end.max(own.end),
            }));
        }
    }
    spans
        .iter()
        .zip(columns)
        .map(|(span, column)| span.unwrap_or(*column))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_under_their_columns() {
        let header = super::super::header::columns("            Df Sum Sq   F value    Pr(>F)").unwrap();
        let columns: Vec<ColumnSpan> = header
            .iter()
            .map(|column| ColumnSpan {
                start: column.start,
                end: column.end,
            })
            .collect();
        let row = |line: &str| align(&columns, &join_relations(super::super::source_line::tokens(line)));
        let full = row("group        2  1.955    1.0528    0.3531").unwrap();
        assert_eq!((full.first, full.tokens.len()), (1, 4));
        let short = row("Residuals   93 86.355                    ").unwrap();
        assert_eq!(short.tokens, [Some(1), Some(2), None, None]);
        let shifted = row("Residuals   93                     0.3531").unwrap();
        assert_eq!(shifted.tokens, [Some(1), None, None, Some(2)]);
    }
}
