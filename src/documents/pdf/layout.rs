//! The order in which people read a page: columns, and what spans them.

use crate::documents::pdf::glyphs::Rule;
use crate::documents::pdf::median::median;
use crate::documents::pdf::words::Piece;

/// Columns inside columns are looked for this deep.
const DEPTH: u32 = 3;
/// A column's text has to fill this part of the region's width.
const PROSE: f32 = 0.2;
/// How far past a column's edge a piece has to reach before it spans columns.
const SPAN: f32 = 12.0;
/// Deepest hanging indent in points.
const INDENT: f32 = 25.0;
/// Pages with more pieces than this have no margin of notes.
const MOST_LINES: usize = 2000;
/// Fewest lines that stand side by side before they count as columns.
const FEWEST_LINES: f32 = 4.0;
/// Fewest lines where they fill their columns.
const FEWEST_FULL: usize = 3;
/// Over how many lines' height such lines stand beside each other: their baselines may be a little apart.
const FULL_HEIGHT: f32 = 2.5;
/// A line of this part of the region's width fills one of two columns.
const FULL: f32 = 0.38;

/// Splits a page into blocks, each to be read from top to bottom, in reading order.
pub fn blocks(pieces: Vec<Piece>, rules: &[Rule]) -> Vec<Vec<Piece>> {
    let mut blocks = Vec::new();
    split(pieces, rules, 0, &mut blocks);
    blocks
}

fn split(pieces: Vec<Piece>, rules: &[Rule], depth: u32, blocks: &mut Vec<Vec<Piece>>) {
    if pieces.is_empty() {
        return;
    }
    let edge = if depth < DEPTH { column_edge(&pieces) } else { None };
    let Some(edge) = edge else {
        blocks.push(pieces);
        return;
    };
    let bands = spanning_bands(&pieces, rules, edge);
    let mut sections: Vec<[Vec<Piece>; 3]> = (0..=bands.len()).map(|_| Default::default()).collect();
    for piece in pieces {
        let middle = piece.baseline - 0.3 * piece.size;
        // Section i holds the columns above band i, and then band i itself.
        let index = bands.partition_point(|band| band.1 < middle);
        let inside = bands.get(index).is_some_and(|band| band.0 <= middle);
        let slot = if inside {
            2
        } else {
            usize::from(piece.left >= edge - SPAN)
        };
        sections[index][slot].push(piece);
    }
    for [left, right, spanning] in sections {
        split(left, rules, depth + 1, blocks);
        split(right, rules, depth + 1, blocks);
        if !spanning.is_empty() {
            blocks.push(spanning);
        }
    }
}

/// The left edge of the column to the right, where two columns of prose stand side by side.
fn column_edge(pieces: &[Piece]) -> Option<f32> {
    let left = pieces.iter().map(|p| p.left).fold(f32::INFINITY, f32::min);
    let right = pieces.iter().map(|p| p.right).fold(f32::NEG_INFINITY, f32::max);
    let width = right - left;
    let mut edges: Vec<f32> = pieces
        .iter()
        .filter(|piece| piece.width() >= PROSE * width)
        .map(|piece| piece.left)
        .collect();
    edges.sort_by(f32::total_cmp);
    let mut best: Option<(f32, f32)> = None;
    let mut start = 0;
    while start < edges.len() {
        let end = start + edges[start..].partition_point(|edge| *edge <= edges[start] + 3.0);
        // Hanging indents: the lines that stick out to the left belong to the column too.
        let near = edges.partition_point(|other| *other < edges[start] - INDENT);
        let edge = edges[near];
        if end - start >= FEWEST_FULL && edge > left + PROSE * width {
            // Lines that fill their columns count for more.
            let full = side_by_side(pieces, edge, FULL * width) * FEWEST_LINES / FULL_HEIGHT;
            let mut beside = full;
            if end - start >= FEWEST_LINES as usize {
                beside = beside
                    .max(side_by_side(pieces, edge, PROSE * width))
                    .max(margin_beside(pieces, edge, 0.45 * width));
            }
            if best.is_none_or(|(most, _)| beside > most) {
                best = Some((beside, edge));
            }
        }
        start = end;
    }
    let typical = median(pieces.iter().map(|piece| piece.size));
    best.filter(|(beside, _)| *beside >= FEWEST_LINES * typical)
        .map(|(_, edge)| edge)
}

/// Over how many points of height prose stands on both sides of an edge, with nothing across.
fn side_by_side(pieces: &[Piece], edge: f32, prose: f32) -> f32 {
    let bottom = pieces
        .iter()
        .map(Piece::bottom)
        .fold(0.0, f32::max)
        .clamp(0.0, 20_000.0);
    let top = pieces
        .iter()
        .map(Piece::top)
        .fold(bottom, f32::min)
        .max(-20_000.0);
    let mut sides = vec![0u8; (bottom - top) as usize + 2];
    for piece in pieces {
        let side = if piece.right <= edge - 1.0 {
            if piece.width() < prose {
                continue;
            }
            1
        } else if piece.left >= edge - 1.0 {
            if piece.width() < prose {
                continue;
            }
            2
        } else {
            4
        };
        let from = (piece.top() - top).max(0.0) as usize;
        let to = ((piece.bottom() - top).max(0.0) as usize + 1).min(sides.len());
        for place in sides.get_mut(from..to).unwrap_or_default() {
            *place |= side;
        }
    }
    sides.iter().filter(|side| **side == 3).count() as f32
}

/// Height of a margin of short notes beside wide prose: in a table, the lines
/// on both sides would stand on common baselines.
fn margin_beside(pieces: &[Piece], edge: f32, wide: f32) -> f32 {
    let prose: Vec<&Piece> = pieces
        .iter()
        .filter(|piece| piece.left >= edge - 1.0 && piece.width() >= wide)
        .collect();
    let (Some(first), Some(last)) = (prose.first(), prose.last()) else {
        return 0.0;
    };
    let notes: Vec<&Piece> = pieces
        .iter()
        .filter(|piece| piece.right <= edge - 1.0)
        .filter(|piece| piece.baseline >= first.baseline && piece.baseline <= last.baseline)
        .collect();
    if prose.len() > MOST_LINES || notes.len() > MOST_LINES {
        return 0.0;
    }
    let level = |note: &&&Piece| {
        prose
            .iter()
            .any(|piece| (piece.baseline - note.baseline).abs() < 1.0)
    };
    if notes.iter().filter(level).count() * 5 > notes.len() * 3 {
        return 0.0;
    }
    notes.iter().map(|note| note.size).sum()
}

/// Vertical ranges whose content spans both sides of the edge, from top to bottom.
fn spanning_bands(pieces: &[Piece], rules: &[Rule], edge: f32) -> Vec<(f32, f32)> {
    let mut bands: Vec<(f32, f32)> = pieces
        .iter()
        .filter(|piece| piece.left < edge - SPAN && piece.right > edge + SPAN)
        .map(|piece| (piece.top(), piece.bottom()))
        .collect();
    bands.extend(ruled_bands(pieces, rules, edge));
    bands.extend(row_bands(pieces, edge));
    bands.sort_by(|a, b| a.0.total_cmp(&b.0));
    let typical = median(pieces.iter().map(|piece| piece.size));
    let mut merged: Vec<(f32, f32)> = Vec::new();
    for band in bands {
        match merged.last_mut() {
            // The short last line of a spanning paragraph lies between its bands.
            Some(last) if band.0 <= last.1 + 1.2 * typical => last.1 = last.1.max(band.1),
            _ => merged.push(band),
        }
    }
    merged
}

/// Table bodies between rules that cross the edge.
fn ruled_bands(pieces: &[Piece], rules: &[Rule], edge: f32) -> Vec<(f32, f32)> {
    let left = pieces.iter().map(|p| p.left).fold(f32::INFINITY, f32::min);
    let right = pieces.iter().map(|p| p.right).fold(f32::NEG_INFINITY, f32::max);
    let mut levels: Vec<f32> = rules
        .iter()
        .filter(|rule| rule.left < edge - 2.0 * SPAN && rule.right > edge + 2.0 * SPAN)
        .map(|rule| rule.y)
        .collect();
    levels.sort_by(f32::total_cmp);
    levels.dedup_by(|a, b| (*a - *b).abs() < 1.0);
    levels.truncate(500);
    let mut bands = Vec::new();
    for pair in levels.windows(2) {
        let [upper, lower] = pair else { continue };
        let between = pieces
            .iter()
            .filter(|piece| piece.baseline > *upper && piece.baseline - 0.5 * piece.size < *lower);
        let widths = between.map(Piece::width);
        let typical = median(widths);
        if typical > 0.0 && typical < PROSE * (right - left) {
            bands.push((*upper, *lower));
        }
    }
    bands
}

/// Runs of at least three rows with two or more pieces on either side of the edge.
fn row_bands(pieces: &[Piece], edge: f32) -> Vec<(f32, f32)> {
    let mut bands = Vec::new();
    let mut run: Option<(f32, f32, usize)> = None;
    let mut start = 0;
    // Pieces come sorted by baseline.
    while start < pieces.len() {
        let reach = pieces[start].baseline + 0.3 * pieces[start].size;
        let end = start
            + pieces[start..]
                .partition_point(|piece| piece.baseline <= reach)
                .max(1);
        let row = &pieces[start..end];
        let right = row.iter().filter(|piece| piece.left >= edge - SPAN).count();
        let (top, bottom) = (pieces[start].top(), pieces[start].bottom());
        if right >= 2 && row.len() - right >= 2 {
            run = Some(match run {
                Some((from, _, rows)) => (from, bottom, rows + 1),
                None => (top, bottom, 1),
            });
        } else if let Some((from, to, rows)) = run.take()
            && rows >= 3
        {
            bands.push((from, to));
        }
        start = end;
    }
    if let Some((from, to, rows)) = run
        && rows >= 3
    {
        bands.push((from, to));
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, left: f32, right: f32, baseline: f32) -> Piece {
        Piece {
            text: text.to_owned(),
            left,
            right,
            baseline,
            size: 10.0,
            gaps: Vec::new(),
        }
    }

    /// Two columns of prose with a heading above them and a spanning table between.
    fn page() -> Vec<Piece> {
        let mut pieces = vec![piece("heading", 50.0, 500.0, 50.0)];
        for line in 0..6 {
            let y = 80.0 + 12.0 * line as f32;
            pieces.push(piece(&format!("a{line}"), 50.0, 260.0, y));
            pieces.push(piece(&format!("b{line}"), 290.0, 500.0, y + 3.0));
        }
        for row in 0..4 {
            let y = 180.0 + 12.0 * row as f32;
            for (cell, left) in [50.0, 150.0, 330.0, 450.0].into_iter().enumerate() {
                pieces.push(piece(&format!("t{row}{cell}"), left, left + 30.0, y));
            }
        }
        for line in 6..12 {
            let y = 180.0 + 12.0 * line as f32;
            pieces.push(piece(&format!("a{line}"), 50.0, 260.0, y));
            pieces.push(piece(&format!("b{line}"), 290.0, 500.0, y));
        }
        pieces
    }

    #[test]
    fn a_table_across_the_columns_keeps_its_rows() {
        let read: Vec<Vec<String>> = blocks(page(), &[])
            .into_iter()
            .map(|block| block.into_iter().map(|piece| piece.text).collect())
            .collect();
        let firsts: Vec<&str> = read.iter().map(|block| block[0].as_str()).collect();
        assert_eq!(firsts, ["heading", "a0", "b0", "t00", "a6", "b6"]);
        assert_eq!(read[3].len(), 16);
    }

    #[test]
    fn short_cells_side_by_side_are_no_columns() {
        let table = (0..8)
            .flat_map(|row| {
                let y = 12.0 * row as f32;
                [
                    piece("label", 50.0, 200.0, y),
                    piece("0.12", 300.0, 330.0, y),
                    piece("0.34", 470.0, 500.0, y),
                ]
            })
            .collect();
        assert_eq!(blocks(table, &[]).len(), 1);
    }
}
