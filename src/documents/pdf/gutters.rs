//! Narrow gutters between columns, and stretched lines within them: where the
//! width of one gap tells nothing, the lines above and below it do.

use std::ops::Range;

use crate::documents::pdf::median::median;
use crate::documents::pdf::words::Piece;

/// Narrowest gutter, as a part of the font size.
const NARROW: f32 = 0.5;
/// Fewest lines whose text begins at a gutter's right edge.
const FEWEST: usize = 5;
/// Fewest words that the lines of a column hold on the average.
const WORDS: usize = 3;
/// How far edges of one column lie apart, in points.
const SLACK: f32 = 1.5;
/// Pages with more pieces than this are left as they are.
const MOST: usize = 4_000;

/// A gutter's right edge, and the first and the last baseline beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gutter {
    edge: f32,
    first: f32,
    last: f32,
}

/// The gaps of one line that may be a gutter.
struct Row {
    pieces: Range<usize>,
    baseline: f32,
    left: f32,
    right: f32,
    openings: Vec<Opening>,
    words: usize,
}

/// A gap of a line that is wide enough for a gutter.
struct Opening {
    left: f32,
    right: f32,
    /// Words of the line before it.
    before: usize,
}

/// Parts pieces at the gutters of a page, and joins lines that were stretched
/// to fill a column; pieces come and go sorted by baseline.
pub fn settle(mut pieces: Vec<Piece>) -> Vec<Piece> {
    if pieces.len() > MOST || pieces.len() < FEWEST {
        return pieces;
    }
    let typical = median(pieces.iter().map(|piece| piece.size));
    let rows = rows(&mut pieces, NARROW * typical);
    let gutters = gutters(&rows, NARROW * typical);
    let mut settled: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut ends = Vec::new();
    for row in &rows {
        for piece in pieces.get(row.pieces.clone()).unwrap_or_default() {
            part(piece.clone(), &gutters, row.baseline, &mut settled);
        }
        ends.push(settled.len());
    }
    joined(settled, &ends, &gutters, typical)
}

fn rows(pieces: &mut [Piece], narrow: f32) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = 0;
    while start < pieces.len() {
        let reach = pieces[start].baseline + 0.3 * pieces[start].size;
        let length = pieces[start..].partition_point(|piece| piece.baseline <= reach);
        let end = start + length.max(1);
        pieces[start..end].sort_by(|a, b| a.left.total_cmp(&b.left));
        let line = &pieces[start..end];
        let mut row = Row {
            pieces: start..end,
            baseline: line[0].baseline,
            left: line[0].left,
            right: f32::NEG_INFINITY,
            openings: Vec::new(),
            words: 0,
        };
        for piece in line {
            if piece.left - row.right >= narrow && row.words > 0 {
                row.openings.push(Opening {
                    left: row.right,
                    right: piece.left,
                    before: row.words,
                });
            }
            for gap in &piece.gaps {
                row.words += 1;
                if gap.right - gap.left >= narrow {
                    row.openings.push(Opening {
                        left: gap.left,
                        right: gap.right,
                        before: row.words,
                    });
                }
            }
            row.words += 1;
            row.right = row.right.max(piece.right);
        }
        rows.push(row);
        start = end;
    }
    rows
}

fn gutters(rows: &[Row], narrow: f32) -> Vec<Gutter> {
    let mut edges: Vec<f32> = rows
        .iter()
        .flat_map(|row| row.openings.iter().map(|opening| opening.right))
        .collect();
    edges.sort_by(f32::total_cmp);
    let mut found = Vec::new();
    let mut start = 0;
    while start < edges.len() {
        let end = start + edges[start..].partition_point(|edge| *edge <= edges[start] + SLACK);
        if end - start >= FEWEST {
            runs(rows, edges[start], narrow, &mut found);
        }
        start = end.max(start + 1);
    }
    found
}

/// The runs of lines that leave a gap before an edge, most of which begin there.
fn runs(rows: &[Row], edge: f32, narrow: f32, found: &mut Vec<Gutter>) {
    let mut run = Run::default();
    for row in rows {
        if row.right <= edge || row.left >= edge - 1.0 {
            continue;
        }
        let probe = edge - 0.6 * narrow;
        match row
            .openings
            .iter()
            .find(|opening| opening.left <= probe && opening.right >= edge - 0.1)
        {
            Some(opening) => run.add(row, opening, opening.right <= edge + SLACK),
            None => found.extend(std::mem::take(&mut run).gutter(edge)),
        }
    }
    found.extend(run.gutter(edge));
}

#[derive(Default)]
struct Run {
    lines: usize,
    hits: usize,
    before: usize,
    behind: usize,
    first: Option<f32>,
    last: f32,
}

impl Run {
    fn add(&mut self, row: &Row, opening: &Opening, hit: bool) {
        self.lines += 1;
        self.first.get_or_insert(row.baseline);
        self.last = row.baseline;
        if hit {
            // Columns beyond the next opening count too: their words are prose as well.
            self.hits += 1;
            self.before += opening.before;
            self.behind += row.words - opening.before;
        }
    }

    fn gutter(self, edge: f32) -> Option<Gutter> {
        let prose = self.before.min(self.behind) >= WORDS * self.hits;
        (self.hits >= FEWEST && self.hits * 10 >= self.lines * 6 && prose).then_some(Gutter {
            edge,
            first: self.first?,
            last: self.last,
        })
    }
}

impl Gutter {
    fn is_beside(&self, baseline: f32) -> bool {
        baseline >= self.first - 0.1 && baseline <= self.last + 0.1
    }
}

/// A piece taken apart at the gutters beside it.
fn part(mut piece: Piece, gutters: &[Gutter], baseline: f32, settled: &mut Vec<Piece>) {
    while let Some(gap) = piece.gaps.iter().position(|gap| {
        gutters.iter().any(|gutter| {
            gutter.is_beside(baseline) && gap.left < gutter.edge - 2.0 && gap.right >= gutter.edge - 0.1
        })
    }) {
        let Some(rest) = piece.split_off(gap) else {
            break;
        };
        settled.push(std::mem::replace(&mut piece, rest));
    }
    settled.push(piece);
}

/// Joins the pieces of lines that are stretched to a column's width: all their
/// gaps are alike, and a line nearby fills the same width without a wide gap.
fn joined(pieces: Vec<Piece>, ends: &[usize], gutters: &[Gutter], typical: f32) -> Vec<Piece> {
    let mut result: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut start = 0;
    for end in ends {
        let mut from = start;
        while from < *end {
            let baseline = pieces[start].baseline;
            let parted = |at: &usize| {
                gutters.iter().any(|gutter| {
                    gutter.is_beside(baseline)
                        && pieces[at - 1].left < gutter.edge - 1.0
                        && pieces[*at].left >= gutter.edge - 1.0
                })
            };
            let to = (from + 1..*end).find(parted).unwrap_or(*end);
            let group = &pieces[from..to];
            if group.len() > 1 && is_stretched(group, &pieces, from..to, typical) {
                let mut group = group.iter().cloned();
                if let Some(mut whole) = group.next() {
                    group.for_each(|next| whole.append(next));
                    result.push(whole);
                }
            } else {
                result.extend(group.iter().cloned());
            }
            from = to;
        }
        start = *end;
    }
    result
}

fn is_stretched(group: &[Piece], all: &[Piece], place: Range<usize>, typical: f32) -> bool {
    let (left, right) = (group[0].left, group[group.len() - 1].right);
    let between = group.windows(2).map(|pair| pair[1].left - pair[0].right);
    let inner = group
        .iter()
        .flat_map(|piece| piece.gaps.iter().map(|gap| gap.right - gap.left));
    let gaps: Vec<f32> = between.chain(inner).collect();
    let least = gaps.iter().copied().fold(f32::INFINITY, f32::min);
    let most = gaps.iter().copied().fold(0.0, f32::max);
    let lettered = group
        .iter()
        .flat_map(|piece| piece.text.split(' '))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .count();
    if most > 1.3 * least || most > 6.0 * typical || lettered * 10 < 6 * (gaps.len() + 1) {
        return false;
    }
    // The lines of a paragraph: those nearby in the order of the page.
    let indent = if gaps.len() > 1 { 2.5 * typical } else { SLACK };
    let near = all[place.start.saturating_sub(24)..(place.end + 24).min(all.len())].iter();
    let mut full = near.filter(|piece| {
        (piece.baseline - group[0].baseline).abs() < 5.0 * typical
            && (piece.right - right).abs() <= SLACK
            && (piece.left - left).abs() <= indent
            && piece.gaps.len() >= WORDS - 1
    });
    full.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::pdf::words::Gap;

    /// A piece of words at the given places.
    fn piece(words: &[(&str, f32, f32)], baseline: f32) -> Piece {
        let (text, left, right) = words[0];
        let mut piece = Piece {
            text: text.to_owned(),
            left,
            right,
            baseline,
            size: 10.0,
            gaps: Vec::new(),
        };
        for (text, left, right) in &words[1..] {
            piece.append(Piece {
                text: (*text).to_owned(),
                left: *left,
                right: *right,
                gaps: Vec::new(),
                ..piece.clone()
            });
        }
        piece
    }

    fn texts(pieces: &[Piece]) -> Vec<&str> {
        pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    #[test]
    fn a_piece_is_parted_and_put_together_at_its_gaps() {
        let mut whole = piece(&[("ab", 0.0, 10.0), ("cd", 12.0, 20.0), ("é", 26.0, 30.0)], 5.0);
        let mut rest = whole.split_off(0).unwrap();
        assert_eq!((whole.text.as_str(), whole.right), ("ab", 10.0));
        assert_eq!((rest.text.as_str(), rest.left, rest.right), ("cd é", 12.0, 30.0));
        assert_eq!(
            rest.gaps,
            [Gap {
                at: 2,
                left: 20.0,
                right: 26.0
            }]
        );
        assert_eq!(rest.split_off(0).unwrap().text, "é");
    }

    #[test]
    fn a_gutter_as_narrow_as_a_space_parts_the_columns() {
        let lines = (0..6).map(|line| {
            let y = 12.0 * line as f32;
            let words = [
                ("one", 0.0, 30.0 + line as f32),
                ("two", 33.0 + line as f32, 60.0),
                ("three", 63.0, 95.0),
                ("uno", 102.0, 130.0),
                ("due", 133.0 - line as f32, 160.0),
                ("tre", 163.0, 195.0),
            ];
            piece(&words, y)
        });
        let settled = settle(lines.collect());
        assert_eq!(settled.len(), 12);
        assert_eq!(texts(&settled[..2]), ["one two three", "uno due tre"]);
    }

    #[test]
    fn a_stretched_line_is_one_piece_and_a_row_of_cells_is_not() {
        let full = piece(
            &[("of", 0.0, 20.0), ("one", 23.0, 50.0), ("kind", 53.0, 100.0)],
            0.0,
        );
        let stretched = |words: [&str; 3], y: f32| {
            [(0.0, 20.0), (34.0, 60.0), (74.0, 100.0)]
                .into_iter()
                .zip(words)
                .map(|((left, right), word)| piece(&[(word, left, right)], y))
                .collect::<Vec<_>>()
        };
        let mut page = vec![full.clone()];
        page.extend(stretched(["so", "it", "goes"], 12.0));
        page.extend(stretched(["0.1", "0.2", "0.3"], 24.0));
        page.push(piece(&[("end", 0.0, 20.0)], 36.0));
        let settled = settle(page);
        assert_eq!(
            texts(&settled),
            ["of one kind", "so it goes", "0.1", "0.2", "0.3", "end"]
        );
    }
}
