//! Numbers of lines at the margins of a manuscript, which are no text of it.

use crate::documents::pdf::words::Piece;

/// Fewest numbers of lines that are counted one by one, and of those that only every fifth has.
const FEWEST: usize = 5;
const FEWEST_SPARSE: usize = 4;
/// How far the edges of numbers of one margin lie apart, in points.
const SLACK: f32 = 2.0;
/// Pages with more pieces than this are left as they are.
const MOST: usize = 4_000;
/// Most digits of a line's number.
const DIGITS: usize = 5;

/// The place of a number: a piece of its own, or the first or the last word of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberPlace {
    Alone,
    First,
    Last,
}

#[derive(Debug, Clone, Copy)]
struct MarginNumber {
    piece: usize,
    place: NumberPlace,
    value: u32,
    left: f32,
    right: f32,
    baseline: f32,
}

/// The pieces without the numbers of lines, and how many numbers there were.
pub fn left_out(mut pieces: Vec<Piece>) -> (Vec<Piece>, usize) {
    if pieces.len() > MOST || pieces.len() < FEWEST {
        return (pieces, 0);
    }
    let numbers = numbers(&pieces);
    let mut found: Vec<MarginNumber> = Vec::new();
    for edge in [
        |number: &MarginNumber| number.right,
        |number: &MarginNumber| number.left,
    ] {
        let mut open: Vec<MarginNumber> = numbers
            .iter()
            .filter(|number| {
                !found
                    .iter()
                    .any(|other| other.piece == number.piece && other.place == number.place)
            })
            .copied()
            .collect();
        open.sort_by(|one, other| edge(one).total_cmp(&edge(other)));
        for margin in open.chunk_by(|one, next| edge(next) - edge(one) <= SLACK) {
            let mut margin = margin.to_vec();
            margin.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
            let run = counted(&margin);
            if is_of_prose(run, &pieces, &numbers) {
                found.extend(run);
                found.extend(further(run, &numbers));
            }
        }
    }
    let count = found.len();
    found.sort_by_key(|number| number.piece);
    for number in found.iter().rev() {
        match number.place {
            NumberPlace::Alone => drop(pieces.remove(number.piece)),
            NumberPlace::First => {
                if let Some(rest) = pieces[number.piece].split_off(0) {
                    pieces[number.piece] = rest;
                }
            }
            NumberPlace::Last => {
                let last = pieces[number.piece].gaps.len().saturating_sub(1);
                pieces[number.piece].split_off(last);
            }
        }
    }
    (pieces, count)
}

/// Every number that may count a line.
fn numbers(pieces: &[Piece]) -> Vec<MarginNumber> {
    let value = |text: &str| -> Option<u32> {
        let is_number =
            text.len() <= DIGITS && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    };
    let mut numbers = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let mut put = |place, text: &str, left, right| {
            numbers.extend(value(text).map(|value| MarginNumber {
                piece: at,
                place,
                value,
                left,
                right,
                baseline: piece.baseline,
            }));
        };
        match (piece.gaps.first(), piece.gaps.last()) {
            (Some(first), Some(last)) => {
                put(
                    NumberPlace::First,
                    &piece.text[..first.at],
                    piece.left,
                    first.left,
                );
                put(
                    NumberPlace::Last,
                    piece.text[last.at..].trim_start(),
                    last.right,
                    piece.right,
                );
            }
            _ => put(NumberPlace::Alone, &piece.text, piece.left, piece.right),
        }
    }
    numbers
}

/// The longest run of numbers that grow by one and the same step from line to line.
fn counted(margin: &[MarginNumber]) -> &[MarginNumber] {
    let mut best: &[MarginNumber] = &[];
    let mut start = 0;
    while start + 1 < margin.len() {
        let step = margin[start + 1].value.wrapping_sub(margin[start].value);
        let length = margin[start..]
            .windows(2)
            .take_while(|pair| {
                pair[1].value.wrapping_sub(pair[0].value) == step && pair[1].baseline > pair[0].baseline
            })
            .count();
        let run = &margin[start..=start + length];
        let fewest = if step == 1 { FEWEST } else { FEWEST_SPARSE };
        if matches!(step, 1 | 2 | 5 | 10) && run.len() >= fewest && run.len() > best.len() {
            best = run;
        }
        start += length.max(1);
    }
    best
}

/// The numbers that go on with a run, aligned by their other edge: `10` below `9`.
fn further(run: &[MarginNumber], numbers: &[MarginNumber]) -> Vec<MarginNumber> {
    let mut more = Vec::new();
    let [first, second, ..] = run else { return more };
    let step = second.value - first.value;
    let pitch = 2.5 * (run[run.len() - 1].baseline - first.baseline) / (run.len() - 1) as f32;
    let aligned = |one: &MarginNumber, other: &MarginNumber| {
        (one.left - other.left).abs() <= SLACK || (one.right - other.right).abs() <= SLACK
    };
    for (edge, forward) in [(run[run.len() - 1], true), (*first, false)] {
        let mut last = edge;
        while let Some(next) = numbers.iter().find(|next| {
            let (upper, lower) = if forward { (&last, *next) } else { (*next, &last) };
            let down = lower.baseline - upper.baseline;
            lower.value == upper.value.saturating_add(step)
                && down > 0.0
                && down <= pitch
                && aligned(next, &last)
        }) {
            more.push(*next);
            last = *next;
        }
    }
    more
}

/// Whether the numbers are next to lines of prose: of rows of a table and of items of a list,
/// most begin with a capital letter or hold numbers in cells of their own.
fn is_of_prose(run: &[MarginNumber], pieces: &[Piece], numbers: &[MarginNumber]) -> bool {
    let (mut prose, mut goes_on, mut tabular) = (0, 0, 0);
    for number in run {
        let row = pieces
            .iter()
            .enumerate()
            .filter(|(_, piece)| (piece.baseline - number.baseline).abs() < 0.5 * piece.size);
        let mut beside: Option<(f32, &str)> = None;
        for (at, piece) in row {
            let is_own = at == number.piece;
            let text = match number.place {
                NumberPlace::First if is_own => piece.text[piece.gaps[0].at..].trim_start(),
                _ => piece.text.as_str(),
            };
            let is_counted = numbers
                .iter()
                .any(|other| other.piece == at && other.place == NumberPlace::Alone);
            tabular += usize::from(!is_counted && !text.contains(char::is_alphabetic));
            let distance = if is_own && number.place != NumberPlace::Alone {
                0.0
            } else {
                (piece.left - number.right)
                    .max(number.left - piece.right)
                    .max(0.0)
            };
            let is_nearer = beside.is_none_or(|(nearest, _)| distance < nearest);
            if is_nearer && text.split_whitespace().count() >= 3 && text.contains(char::is_alphabetic) {
                beside = Some((distance, text));
            }
        }
        if let Some((_, text)) = beside {
            prose += 1;
            goes_on += usize::from(!text.starts_with(|first: char| first.is_uppercase()));
        }
    }
    !run.is_empty() && prose * 10 >= run.len() * 7 && goes_on * 5 >= prose * 2 && tabular * 3 <= run.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::pdf::words::Gap;

    /// A line whose words are five points apart, each letter as wide.
    fn piece(text: &str, left: f32, baseline: f32) -> Piece {
        let place = |at: usize| left + 5.0 * at as f32;
        let gaps = text.match_indices(' ').map(|(at, _)| Gap {
            at,
            left: place(at),
            right: place(at + 1),
        });
        Piece {
            text: text.to_owned(),
            left,
            right: place(text.len()),
            baseline,
            size: 10.0,
            gaps: gaps.collect(),
        }
    }

    const PROSE: [&str; 6] = [
        "We report a study with adults who",
        "rated 12 items. The slope was",
        "negative, b = 0.31, which is",
        "in line with the second hypothesis.",
        "The model with age as a control",
        "did not change the results of",
    ];

    fn texts(pieces: Vec<Piece>) -> Vec<String> {
        left_out(pieces).0.into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn numbers_of_lines_are_left_out_at_either_margin_and_in_the_text() {
        let y = |line: usize| 700.0 + 14.0 * line as f32;
        for first in [1, 97, 340] {
            let mut pieces = Vec::new();
            for (line, text) in PROSE.iter().enumerate() {
                let number = (first + line).to_string();
                pieces.push(piece(&number, 40.0 - 5.0 * number.len() as f32, y(line)));
                pieces.push(piece(text, 60.0, y(line)));
                pieces.push(piece(&number, 400.0, y(line)));
            }
            assert_eq!(texts(pieces), PROSE, "{first}");
        }
        // Aligned by their left edges, `10` ends further to the right than `9`.
        let mut left: Vec<Piece> = Vec::new();
        for line in 0..12 {
            left.push(piece(&(line + 1).to_string(), 30.0, y(line)));
            left.push(piece(PROSE[line % 6], 60.0, y(line)));
        }
        assert_eq!(left_out(left).1, 12);
        // Every fifth line alone has a number.
        let mut sparse: Vec<Piece> = (0..24)
            .map(|line| piece(PROSE[line % 6], 60.0, y(line)))
            .collect();
        for line in [4, 9, 14, 19] {
            sparse.push(piece(&(line + 1).to_string(), 30.0, y(line)));
        }
        sparse.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
        assert_eq!(left_out(sparse).1, 4);
        // A narrow gap makes the number a word of the line.
        let joined = PROSE.iter().enumerate();
        let joined = joined.map(|(line, text)| piece(&format!("{} {text}", line + 1), 50.0, y(line)));
        assert_eq!(texts(joined.collect()), PROSE);
    }

    #[test]
    fn numbers_of_rows_and_of_items_stay() {
        let y = |line: usize| 700.0 + 14.0 * line as f32;
        let items = [
            "I feel good today",
            "I am often sad",
            "My work is hard",
            "I sleep very well",
            "I see my friends",
            "I like to read",
        ];
        let list: Vec<Piece> = items
            .iter()
            .enumerate()
            .flat_map(|(line, text)| {
                [
                    piece(&(line + 1).to_string(), 40.0, y(line)),
                    piece(text, 60.0, y(line)),
                ]
            })
            .collect();
        assert_eq!(left_out(list).1, 0);
        let table: Vec<Piece> = (0..6)
            .flat_map(|line| {
                [
                    piece(&(line + 1).to_string(), 40.0, y(line)),
                    piece("share of the voters", 60.0, y(line)),
                    piece("0.12", 300.0, y(line)),
                ]
            })
            .collect();
        assert_eq!(left_out(table).1, 0);
        let columns: Vec<Piece> = (0..6)
            .flat_map(|line| {
                [
                    piece("label", 40.0, y(line)),
                    piece(&(line + 1).to_string(), 100.0, y(line)),
                ]
            })
            .collect();
        assert_eq!(left_out(columns).1, 0);
    }
}
