//! The columns that the rows of a table share, so that a blank cell keeps its place.

use std::ops::Range;

use crate::documents::pdf::layout::median;
use crate::documents::pdf::words::Piece;

/// Narrowest space between columns, as a part of the font size.
const NARROW: f32 = 0.4;
/// Most columns of a table; more are a drawing.
const MOST: usize = 40;
/// Widest table in points.
const WIDEST: f32 = 5_000.0;

/// Where the columns of some rows are parted: left and right end of each space.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    spaces: Vec<(f32, f32)>,
    narrow: f32,
}

/// Runs of rows that stand in columns: they begin and end with a row of several
/// pieces, and no more than one row of a single piece stands between two such.
pub fn runs(rows: &[Vec<Piece>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, _) in rows.iter().enumerate().filter(|(_, row)| row.len() > 1) {
        match runs.last_mut() {
            Some(run) if index <= run.end + 1 => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs.retain(|run| run.len() > 1);
    runs
}

/// Stars of significance go to the cell before them.
pub fn put_stars(row: &mut Vec<Piece>) {
    let mut index = 1;
    while index < row.len() {
        let stars = row[index]
            .text
            .chars()
            .all(|character| matches!(character, '*' | '†' | '‡'));
        let near = row[index].left - row[index - 1].right < 6.0 * row[index - 1].size;
        if stars
            && near
            && row[index - 1]
                .text
                .ends_with(|c: char| c.is_ascii_digit() || c == ')')
        {
            let stars = row.remove(index);
            row[index - 1].text.push_str(&stars.text);
            row[index - 1].right = stars.right;
        } else {
            index += 1;
        }
    }
}

impl Columns {
    /// The columns of a run; `None` where its rows share none.
    pub fn of(rows: &[Vec<Piece>]) -> Option<Self> {
        let narrow = NARROW * median(rows.iter().flatten().map(|piece| piece.size));
        let several = || rows.iter().filter(|row| row.len() > 1);
        let left = several()
            .flatten()
            .map(|piece| piece.left)
            .fold(f32::INFINITY, f32::min);
        let right = several()
            .flatten()
            .map(|piece| piece.right)
            .fold(f32::NEG_INFINITY, f32::max);
        if !(right - left).is_finite() || right <= left || right - left > WIDEST {
            return None;
        }
        // Half points: how many rows hold text there, and whether a wide gap is there in one.
        let place = |x: f32| ((x - left) * 2.0).max(0.0) as usize;
        let mut covered = vec![0_usize; place(right) + 2];
        let mut open = vec![false; covered.len()];
        for row in several() {
            let mut end = f32::NEG_INFINITY;
            for piece in row {
                let mut from = piece.left;
                let mut add = |from: f32, to: f32| {
                    let area = place(from)..place(to).min(covered.len());
                    for count in covered.get_mut(area).unwrap_or_default() {
                        *count += 1;
                    }
                };
                for gap in piece.gaps.iter().filter(|gap| gap.right - gap.left >= narrow) {
                    add(from, gap.left);
                    from = gap.right;
                }
                add(from, piece.right);
                if end.is_finite() {
                    let area = place(end)..place(piece.left).min(open.len());
                    open.get_mut(area).unwrap_or_default().fill(true);
                }
                end = end.max(piece.right);
            }
        }
        // A heading over several columns does not take their borders away.
        let few = several().count() / 8;
        let first = covered.iter().position(|count| *count > few)?;
        let mut spaces = Vec::new();
        let mut start = first;
        for index in first..covered.len() {
            if covered[index] <= few {
                continue;
            }
            let width = (index - start) as f32 / 2.0;
            if width >= narrow && open[start..index].contains(&true) {
                spaces.push((left + start as f32 / 2.0, left + index as f32 / 2.0));
            }
            start = index + 1;
        }
        (!spaces.is_empty() && spaces.len() < MOST).then_some(Self { spaces, narrow })
    }

    /// The text of each column of a row, blank where it has none; columns behind
    /// its last cell are left out.
    pub fn cells(&self, row: &[Piece]) -> Vec<String> {
        let mut cells: Vec<String> = Vec::new();
        let mut last = None;
        for piece in row.iter().flat_map(|piece| self.parted(piece.clone())) {
            let (first, end) = self.place(&piece);
            match cells.last_mut() {
                Some(cell) if last.is_some_and(|last| first <= last) => {
                    cell.push_str(" | ");
                    cell.push_str(&piece.text);
                }
                _ => {
                    cells.resize(first, String::new());
                    cells.push(piece.text);
                }
            }
            // What stands over several columns takes the place of all of them.
            if row.len() > 1 && end > first {
                cells.resize(end + 1, String::new());
            }
            last = Some(end.max(first));
        }
        while cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        cells
    }

    /// The first and the last column over which a piece stands.
    fn place(&self, piece: &Piece) -> (usize, usize) {
        let before = |x: f32| {
            self.spaces
                .iter()
                .filter(|space| f32::midpoint(space.0, space.1) < x)
                .count()
        };
        let crosses = |space: &(f32, f32)| piece.left <= space.0 + 0.5 && piece.right >= space.1 - 0.5;
        if self.spaces.iter().any(crosses) {
            (before(piece.left), before(piece.right))
        } else {
            let column = before(f32::midpoint(piece.left, piece.right));
            (column, column)
        }
    }

    fn parted(&self, mut piece: Piece) -> Vec<Piece> {
        let mut parts = Vec::new();
        let is_border = |(left, right): (f32, f32)| {
            right - left >= self.narrow
                && self
                    .spaces
                    .iter()
                    .any(|space| left < space.1 - 0.5 && right > space.0 + 0.5)
        };
        while let Some(gap) = piece.gaps.iter().position(|gap| is_border((gap.left, gap.right))) {
            let Some(rest) = piece.split_off(gap) else {
                break;
            };
            parts.push(std::mem::replace(&mut piece, rest));
        }
        parts.push(piece);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str, left: f32, right: f32) -> Piece {
        Piece {
            text: text.to_owned(),
            left,
            right,
            baseline: 0.0,
            size: 10.0,
            gaps: Vec::new(),
        }
    }

    fn table() -> Vec<Vec<Piece>> {
        // A space of 6 points is too narrow to part pieces, and parts these columns.
        let mut errors = piece("(0.105)", 126.0, 160.0);
        errors.append(piece("(0.098)", 166.0, 200.0));
        vec![
            vec![
                piece("Income", 0.0, 40.0),
                piece("0.599", 80.0, 110.0),
                piece("0.311", 166.0, 190.0),
            ],
            vec![piece("(0.120)", 80.0, 114.0), piece("(0.100)", 166.0, 200.0)],
            vec![
                piece("Education", 0.0, 50.0),
                piece("0.900", 126.0, 150.0),
                piece("0.546", 166.0, 190.0),
            ],
            vec![errors],
            vec![
                piece("N", 0.0, 10.0),
                piece("45", 80.0, 90.0),
                piece("46", 126.0, 136.0),
                piece("47", 166.0, 176.0),
            ],
        ]
    }

    #[test]
    fn a_blank_cell_keeps_its_place() {
        let rows = table();
        assert_eq!(runs(&rows), vec![0..5]);
        let columns = Columns::of(&rows).unwrap();
        let texts: Vec<String> = rows.iter().map(|row| columns.cells(row).join("|")).collect();
        assert_eq!(
            texts,
            [
                "Income|0.599||0.311",
                "|(0.120)||(0.100)",
                "Education||0.900|0.546",
                "||(0.105)|(0.098)",
                "N|45|46|47"
            ]
        );
    }

    #[test]
    fn stars_belong_to_the_number_before_them() {
        let mut row = vec![
            piece("0.5", 0.0, 20.0),
            piece("**", 30.0, 40.0),
            piece("*", 400.0, 404.0),
        ];
        put_stars(&mut row);
        assert_eq!(row.len(), 2);
        assert_eq!((row[0].text.as_str(), row[0].right), ("0.5**", 40.0));
    }
}
