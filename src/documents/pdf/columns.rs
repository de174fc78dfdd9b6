//! The columns that the rows of a table share, so that a blank cell keeps its place.

use std::ops::Range;

use crate::documents::pdf::median::median;
use crate::documents::pdf::words::{Gap, Piece};

/// Narrowest space in a row that may part two columns, as a part of the font size.
const NARROW: f32 = 0.4;
/// Narrowest space that the rows may leave in common where half of them have a
/// wide one there: cells set to the right under a heading that is set to the left
/// leave less than any row on its own.
const COMMON: f32 = 0.12;
/// Most columns of a table; more are a drawing.
const MOST: usize = 40;
/// Widest table in points.
const WIDEST: f32 = 5_000.0;

/// The spaces that part the columns of some rows: left and right end of each.
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
    pub fn find(rows: &[Vec<Piece>]) -> Option<Self> {
        let typical = median(rows.iter().flatten().map(|piece| piece.size));
        let (narrow, common) = (NARROW * typical, COMMON * typical);
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
        // Half points: how many rows hold text there, and how many have a wide gap there.
        let place = |x: f32| ((x - left) * 2.0).max(0.0) as usize;
        let mut covered = vec![0_usize; place(right) + 2];
        let mut open = vec![0_usize; covered.len()];
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
                for gap in piece.gaps.iter().filter(|gap| may_part(piece, gap, narrow)) {
                    add(from, gap.left);
                    from = gap.right;
                }
                add(from, piece.right);
                if end.is_finite() {
                    let area = place(end)..place(piece.left).min(open.len());
                    for count in open.get_mut(area).unwrap_or_default() {
                        *count += 1;
                    }
                }
                end = end.max(piece.right);
            }
        }
        // A heading over several columns does not take their borders away.
        let count = several().count();
        let few = count / 8;
        let first = covered.iter().position(|count| *count > few)?;
        let mut found = Vec::new();
        let mut start = first;
        for index in first..covered.len() {
            if covered[index] <= few {
                continue;
            }
            let width = (index - start) as f32 / 2.0;
            let wide = open[start..index].iter().copied().max().unwrap_or(0);
            if wide > 0 && (width >= narrow || (width >= common && wide * 2 >= count)) {
                found.push(Space {
                    places: start..index,
                    is_tight: width < narrow,
                });
            }
            start = index + 1;
        }
        let found = settled(found, first, &covered, count);
        let edge = |place: usize| left + place as f32 / 2.0;
        let spaces: Vec<(f32, f32)> = found
            .iter()
            .map(|space| (edge(space.places.start), edge(space.places.end)))
            .collect();
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
        let is_border = |gap: &Gap| {
            self.spaces
                .iter()
                .any(|space| gap.left < space.1 - 0.5 && gap.right > space.0 + 0.5)
        };
        while let Some(gap) = piece
            .gaps
            .iter()
            .position(|gap| may_part(&piece, gap, self.narrow) && is_border(gap))
        {
            let Some(rest) = piece.split_off(gap) else {
                break;
            };
            parts.push(std::mem::replace(&mut piece, rest));
        }
        parts.push(piece);
        parts
    }
}

/// A space that no row, or hardly any, has text in.
struct Space {
    /// Half points from the left edge.
    places: Range<usize>,
    /// Whether it is narrower than what parts columns by itself.
    is_tight: bool,
}

/// Leaves out the tight spaces that part off a column which most rows leave
/// blank: the last words of a few long rows are no column.
fn settled(mut spaces: Vec<Space>, first: usize, covered: &[usize], count: usize) -> Vec<Space> {
    if spaces.len() >= MOST {
        spaces.retain(|space| !space.is_tight);
    }
    let filled = |column: Range<usize>| {
        let most = covered.get(column).unwrap_or_default().iter().max();
        most.is_some_and(|most| most * 2 > count)
    };
    while let Some(at) = (0..spaces.len()).find(|&at| {
        let begin = at
            .checked_sub(1)
            .map_or(first, |before| spaces[before].places.end);
        let end = spaces.get(at + 1).map_or(covered.len(), |next| next.places.start);
        let Space { places, is_tight } = &spaces[at];
        *is_tight && !(filled(begin..places.start) && filled(places.end..end))
    }) {
        spaces.remove(at);
    }
    spaces
}

/// Whether a space within a piece may part two columns: a wide one, or any
/// between two numbers, which no phrase sets side by side without a comma.
fn may_part(piece: &Piece, gap: &Gap, narrow: f32) -> bool {
    gap.right - gap.left >= narrow || {
        let (before, behind) = piece.text.split_at_checked(gap.at).unwrap_or_default();
        let word = |word: Option<&str>| word.is_some_and(is_number);
        let listed = before.ends_with([',', ';']);
        !listed && word(before.rsplit(' ').next()) && word(behind.split_ascii_whitespace().next())
    }
}

/// Whether a word is a number as tables print it, or the dash in its place.
fn is_number(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let printed = |character: char| character.is_ascii_digit() || ".,−-–—()[]<>*†‡%".contains(character);
    word.chars().all(printed) && (digits > 0 || matches!(word, "–" | "—" | "−" | "-"))
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
        let columns = Columns::find(&rows).unwrap();
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

    /// Places as in a table of correlations, in points: no row is tighter than
    /// half the type size, and all of them together leave 3 points.
    #[test]
    fn columns_that_lie_close_stay_apart() {
        let row = |cells: &[(&str, f32, f32)]| -> Vec<Piece> {
            let mut row: Vec<Piece> = Vec::new();
            for (text, left, right) in cells {
                let next = Piece {
                    size: 9.0,
                    ..piece(text, *left, *right)
                };
                match row.last_mut().filter(|last| left - last.right < 8.0) {
                    Some(last) => last.append(next),
                    None => row.push(next),
                }
            }
            row
        };
        let rows = [
            row(&[
                ("Range", 462.8, 484.8),
                ("Pov.", 491.9, 506.0),
                ("Met.", 510.4, 526.0),
                ("Sin.", 530.4, 543.6),
            ]),
            row(&[
                ("82–2,922", 452.7, 484.8),
                (".51", 494.1, 504.5),
                (".54", 514.1, 524.4),
                (".84", 531.7, 542.0),
            ]),
            row(&[
                ("8.0–26.4", 455.0, 484.8),
                ("–", 499.5, 504.5),
                ("−.06", 509.1, 524.4),
                (".55", 531.7, 542.0),
            ]),
            row(&[
                ("24.0–100.0", 446.6, 484.8),
                ("−.06", 489.2, 504.5),
                ("–", 519.5, 524.4),
                (".26", 531.7, 542.0),
            ]),
            row(&[
                ("8.4–22.1", 455.0, 484.8),
                (".55", 494.1, 504.5),
                (".26", 514.1, 524.4),
                ("–", 537.1, 542.0),
            ]),
        ];
        let columns = Columns::find(&rows).unwrap();
        let texts: Vec<String> = rows.iter().map(|row| columns.cells(row).join("|")).collect();
        assert_eq!(
            texts,
            [
                "Range|Pov.|Met.|Sin.",
                "82–2,922|.51|.54|.84",
                "8.0–26.4|–|−.06|.55",
                "24.0–100.0|−.06|–|.26",
                "8.4–22.1|.55|.26|–"
            ]
        );
    }

    #[test]
    fn numbers_side_by_side_are_cells_and_words_are_not() {
        // Spaces of 2 points at a size of 10: less than between words.
        let pair = |one: &str, two: &str| {
            let mut both = piece(one, 80.0, 100.0);
            both.append(piece(two, 102.0, 120.0));
            vec![piece("a", 0.0, 10.0), both]
        };
        let wide = vec![
            piece("a", 0.0, 10.0),
            piece("1", 80.0, 90.0),
            piece("2", 112.0, 120.0),
        ];
        let numbers = [pair("0.12", "−3"), wide.clone(), wide.clone()];
        assert_eq!(
            Columns::find(&numbers).unwrap().cells(&numbers[0]),
            ["a", "0.12", "−3"]
        );
        let range = [pair("−3.57,", "2.64"), wide.clone(), wide.clone()];
        assert_eq!(
            Columns::find(&range).unwrap().cells(&range[0]),
            ["a", "−3.57, 2.64"]
        );
        let words = [pair("of", "men"), wide.clone(), wide];
        assert_eq!(Columns::find(&words).unwrap().cells(&words[0]), ["a", "of men"]);
    }

    #[test]
    fn the_last_word_of_a_long_row_is_no_column() {
        let row = |text: &str, right: f32| vec![piece(text, 0.0, right), piece("3.71", 200.0, 220.0)];
        let mut long = row("as I am", 170.0);
        let mut label = piece("as I am", 0.0, 150.0);
        label.append(piece("doing", 155.0, 170.0));
        long[0] = label;
        let rows = [
            row("one", 152.0),
            row("two", 90.0),
            long,
            row("four", 80.0),
            row("five", 95.0),
        ];
        let columns = Columns::find(&rows).unwrap();
        assert_eq!(columns.cells(&rows[2]), ["as I am doing", "3.71"]);
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
