//! From a block's pieces to lines of text: table rows, paragraphs, joined hyphens.

use std::collections::HashSet;

use crate::documents::document::Line;
use crate::documents::pdf::columns::{self, Columns};
use crate::documents::pdf::median::median;
use crate::documents::pdf::words::Piece;

/// A line before it is final: its text, its area, and whether a blank line precedes it.
#[derive(Debug, Clone)]
pub struct Draft {
    pub line: Line,
    pub after_gap: bool,
}

impl Draft {
    /// A line that was recognised in a picture, its place unknown.
    pub fn recognised(text: &str, after_gap: bool) -> Self {
        Self {
            line: Line {
                text: text.trim_end().to_owned(),
                area: [0.0; 4],
            },
            after_gap,
        }
    }
}

/// The lines of one block from top to bottom.
pub fn lines(mut pieces: Vec<Piece>) -> Vec<Draft> {
    pieces.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    for piece in pieces {
        match rows.last_mut().and_then(|row| Some((row.first()?.clone(), row))) {
            Some((first, row)) if piece.baseline <= first.baseline + 0.3 * first.size.min(piece.size) => {
                row.push(piece);
            }
            _ => rows.push(vec![piece]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        columns::put_stars(row);
    }
    let many: Vec<bool> = rows.iter().map(|row| row.len() > 1).collect();
    let cells = cells(&rows);
    let step = median(rows.windows(2).map(|pair| match pair {
        [upper, lower] => lower[0].baseline - upper[0].baseline,
        _ => 0.0,
    }));
    let mut drafts = Vec::new();
    let mut last: Option<f32> = None;
    for (index, row) in rows.iter().enumerate() {
        // A lone row with a wide gap is an equation or a heading; rows of a table come together.
        let tabular = row.len() > 2
            || (row.len() == 2
                && (many.get(index + 1) == Some(&true)
                    || index.checked_sub(1).and_then(|above| many.get(above)) == Some(&true)));
        let separator = if tabular { " | " } else { "   " };
        let text = match cells.get(index) {
            Some(Some(cells)) => cells.join(" | ").trim_start().to_owned(),
            _ => apart(row, separator),
        };
        let baseline = row[0].baseline;
        let after_gap = last.is_none_or(|last| baseline - last > 1.35 * step.max(0.9 * row[0].size));
        last = Some(baseline);
        let area = [
            row.iter().map(|piece| piece.left).fold(f32::INFINITY, f32::min),
            row.iter().map(Piece::top).fold(f32::INFINITY, f32::min),
            row.iter()
                .map(|piece| piece.right)
                .fold(f32::NEG_INFINITY, f32::max),
            row.iter().map(Piece::bottom).fold(f32::NEG_INFINITY, f32::max),
        ];
        drafts.push(Draft {
            line: Line { text, area },
            after_gap,
        });
    }
    drafts
}

/// The cells of the rows that share columns with their neighbours.
fn cells(rows: &[Vec<Piece>]) -> Vec<Option<Vec<String>>> {
    let mut cells = vec![None; rows.len()];
    for run in columns::runs(rows) {
        let rows = &rows[run.clone()];
        let listed = rows.iter().filter(|row| is_item(row)).count();
        if listed * 2 > rows.len() {
            continue;
        }
        let Some(columns) = Columns::find(rows) else {
            continue;
        };
        for (place, row) in cells[run].iter_mut().zip(rows) {
            *place = (!is_item(row)).then(|| columns.cells(row));
        }
    }
    cells
}

/// The pieces of a row that shares no columns.
fn apart(row: &[Piece], separator: &str) -> String {
    let mut text = String::new();
    for (cell, piece) in row.iter().enumerate() {
        if cell > 0 {
            text.push_str(if cell == 1 && is_item(row) { " " } else { separator });
        }
        text.push_str(&piece.text);
    }
    text
}

/// Whether a row is an item of a list; a row of numbers in brackets heads a table.
fn is_item(row: &[Piece]) -> bool {
    match row {
        [first, second, ..] => is_marker(&first.text) && !is_marker(&second.text),
        _ => false,
    }
}

/// Whether a cell is the bullet or the number of a list item.
fn is_marker(text: &str) -> bool {
    let inner = text.trim_start_matches('(').trim_end_matches([')', '.']);
    let numbered = inner.len() < text.len()
        && inner.len() <= 3
        && !inner.is_empty()
        && inner.chars().all(|c| c.is_ascii_alphanumeric());
    numbered
        || matches!(
            text,
            "-" | "–" | "—" | "•" | "▪" | "◦" | "·" | "*" | "o" | "‣" | "●" | "○" | "■"
        )
}

/// The words of a document that hold a hyphen within a line, in lower case.
pub fn hyphenated<'a>(lines: impl Iterator<Item = &'a str>) -> HashSet<String> {
    lines
        .flat_map(str::split_whitespace)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'))
        .filter(|word| !word.ends_with('-') && !word.starts_with('-') && word.contains('-'))
        .map(str::to_lowercase)
        .collect()
}

/// Joins words that were broken at line ends, to the upper line. The hyphen
/// stays where the document writes the same word with one elsewhere.
pub fn join_hyphens(drafts: &mut Vec<Draft>, compounds: &HashSet<String>) {
    for index in 0..drafts.len().saturating_sub(1) {
        let upper = &drafts[index].line.text;
        let lower = &drafts[index + 1].line.text;
        let Some(stem) = upper.strip_suffix(['-', '\u{2010}']) else {
            continue;
        };
        let head = stem.rsplit(char::is_whitespace).next().unwrap_or_default();
        let (tail, rest) = match lower.split_once(char::is_whitespace) {
            Some((tail, rest)) => (tail.to_owned(), rest.trim_start().to_owned()),
            None => (lower.clone(), String::new()),
        };
        let broken = head.chars().next_back().is_some_and(char::is_lowercase)
            && tail.chars().next().is_some_and(char::is_lowercase);
        if !broken || rest.starts_with('|') {
            continue;
        }
        let whole = format!("{head}-{tail}");
        let known = compounds.contains(
            whole
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
                .as_str(),
        );
        let stem = if known {
            format!("{stem}-")
        } else {
            stem.to_owned()
        };
        drafts[index].line.text = stem + &tail;
        drafts[index + 1].line.text = rest;
    }
    drafts.retain(|draft| !draft.line.text.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, left: f32, baseline: f32) -> Piece {
        Piece {
            text: text.to_owned(),
            left,
            right: left + 40.0,
            baseline,
            size: 10.0,
            gaps: Vec::new(),
        }
    }

    fn joined(lines: &[&str]) -> Vec<String> {
        let mut drafts: Vec<Draft> = lines.iter().map(|line| Draft::recognised(line, false)).collect();
        let compounds = hyphenated(lines.iter().copied());
        join_hyphens(&mut drafts, &compounds);
        drafts.into_iter().map(|draft| draft.line.text).collect()
    }

    #[test]
    fn broken_words_are_joined_and_compounds_keep_their_hyphen() {
        assert_eq!(joined(&["a repli-", "cation of it"]), ["a replication", "of it"]);
        assert_eq!(
            joined(&["self-esteem, and self-", "esteem"]),
            ["self-esteem, and self-esteem"]
        );
        assert_eq!(
            joined(&["COVID-", "19 and SARS-", "CoV-2"]),
            ["COVID-", "19 and SARS-", "CoV-2"]
        );
    }

    #[test]
    fn rows_of_cells_are_parted_by_bars_and_list_items_are_not() {
        let pieces = vec![
            piece("a", 0.0, 10.0),
            piece("1.2", 100.0, 10.0),
            piece("b", 0.0, 22.0),
            piece("−3.4", 100.0, 22.0),
            piece("•", 0.0, 60.0),
            piece("item", 60.0, 60.0),
        ];
        let texts: Vec<String> = lines(pieces).into_iter().map(|draft| draft.line.text).collect();
        assert_eq!(texts, ["a | 1.2", "b | −3.4", "• item"]);
        let pieces = vec![
            piece("(1)", 100.0, 10.0),
            piece("(2)", 200.0, 10.0),
            piece("a", 0.0, 22.0),
            piece("1.2", 200.0, 22.0),
        ];
        let texts: Vec<String> = lines(pieces).into_iter().map(|draft| draft.line.text).collect();
        assert_eq!(texts, ["| (1) | (2)", "a |  | 1.2"]);
    }
}
