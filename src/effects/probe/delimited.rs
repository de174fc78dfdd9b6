//! Delimited text with one column in another order, or with fewer rows.
//!
//! Cells are moved and rows are left out as they stand in the file, so that
//! delimiter, quotes, header, line ends, encoding and every other byte stay.

use std::collections::HashMap;
use std::ops::Range;

use crate::documents::table::number;
use crate::statistics::generator::Generator;

/// Separators that are tried, the usual ones first; a blank stands for any run of blanks.
const SEPARATORS: [u8; 5] = [b',', b'\t', b';', b'|', b' '];
/// Rows that a separator is judged by.
const LOOKED_AT: usize = 200;
/// The share of rows that a separator has to split as it splits the header.
const EVEN: f64 = 0.8;
/// How often a shuffle that changes nothing is made again.
const AGAIN: usize = 20;

/// A table as spans of the bytes that it stands in.
#[derive(Debug)]
pub struct Delimited<'a> {
    bytes: &'a [u8],
    header: Vec<String>,
    /// Where the first row after the header begins.
    start: usize,
    rows: Vec<Row>,
    /// A column of row names that the header does not name.
    shift: usize,
    separator: u8,
}

#[derive(Debug)]
struct Row {
    /// With its line end.
    whole: Range<usize>,
    cells: Vec<Range<usize>>,
}

/// A changed table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub bytes: Vec<u8>,
    /// Rows that there were, and those that are gone.
    pub rows: usize,
    pub dropped: usize,
}

impl<'a> Delimited<'a> {
    /// Reads a table whose first line names its columns; `None` where it is none,
    /// or in an encoding that its separators cannot be found in.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        // Of UTF-16 every other byte is zero.
        if bytes.iter().take(4096).any(|byte| *byte == 0) {
            return None;
        }
        let tables: Vec<Self> = SEPARATORS
            .into_iter()
            .filter_map(|separator| Self::split(bytes, separator))
            .collect();
        // Blanks stand inside of cells, too, so that any mark comes before them.
        let marked =
            |table: &Self| table.separator != b' ' && table.header.len() > 1 && table.evenness() > EVEN;
        let only_marked = tables.iter().any(marked);
        tables
            .into_iter()
            .filter(|table| !only_marked || marked(table))
            .max_by(|one, other| one.fit().total_cmp(&other.fit()))
    }

    fn split(bytes: &'a [u8], separator: u8) -> Option<Self> {
        let mark: &[u8] = b"\xef\xbb\xbf";
        let begin = if bytes.starts_with(mark) { mark.len() } else { 0 };
        let head = row(bytes, begin, separator)?;
        let header: Vec<String> = head
            .cells
            .iter()
            .map(|cell| unquoted(&bytes[cell.clone()]))
            .collect();
        if header.len() < 2 && separator != b',' {
            return None;
        }
        let start = head.whole.end;
        let mut rows = Vec::new();
        let mut at = start;
        while let Some(found) = row(bytes, at, separator) {
            at = found.whole.end;
            rows.push(found);
        }
        let shift = usize::from(
            !rows.is_empty()
                && rows
                    .iter()
                    .take(LOOKED_AT)
                    .all(|row| row.cells.len() == header.len() + 1),
        );
        Some(Self {
            bytes,
            header,
            start,
            rows,
            shift,
            separator,
        })
    }

    /// How well the separator fits: columns, where the rows have as many.
    fn fit(&self) -> f64 {
        // An uneven table is a wrong separator, however many columns it makes.
        self.evenness().powi(4) * ((self.header.len() + self.shift) as f64).sqrt()
    }

    /// The share of rows with as many cells as the header has.
    fn evenness(&self) -> f64 {
        let wanted = self.header.len() + self.shift;
        let looked_at = self.rows.len().min(LOOKED_AT);
        if looked_at == 0 {
            return 1.0;
        }
        let rows = self.rows.iter().take(LOOKED_AT);
        rows.filter(|row| row.cells.len() == wanted).count() as f64 / looked_at as f64
    }

    /// The names of the columns.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The table with the cells of one column in another order: row by row, or group by
    /// group if the column is constant within the groups of another one.
    pub fn permuted(&self, column: usize, groups: Option<usize>, seed: u64) -> Changed {
        if let Some(groups) = groups {
            return self.exchanged(column, groups, seed);
        }
        let column = column + self.shift;
        let places: Vec<Range<usize>> = self
            .rows
            .iter()
            .filter_map(|row| row.cells.get(column).cloned())
            .collect();
        let text = |place: &Range<usize>| &self.bytes[place.clone()];
        let mut generator = Generator::new(seed);
        let mut order = places.clone();
        for _ in 0..AGAIN {
            generator.shuffle(&mut order);
            if order
                .iter()
                .zip(&places)
                .any(|(one, other)| text(one) != text(other))
            {
                break;
            }
        }
        self.moved(&places, &order)
    }

    /// The table with each group's cell of a column exchanged for that of another group.
    fn exchanged(&self, column: usize, groups: usize, seed: u64) -> Changed {
        let cells = |row: &Row| {
            Some((
                row.cells.get(column + self.shift)?.clone(),
                row.cells.get(groups + self.shift)?.clone(),
            ))
        };
        let rows: Vec<(Range<usize>, Range<usize>)> = self.rows.iter().filter_map(cells).collect();
        let text = |cell: &Range<usize>| &self.bytes[cell.clone()];
        let mut numbers: HashMap<&[u8], usize> = HashMap::new();
        let mut first: Vec<Range<usize>> = Vec::new();
        let of_rows: Vec<usize> = rows
            .iter()
            .map(|(cell, group)| {
                *numbers.entry(text(group)).or_insert_with(|| {
                    first.push(cell.clone());
                    first.len() - 1
                })
            })
            .collect();
        let mut generator = Generator::new(seed);
        let mut order: Vec<usize> = (0..first.len()).collect();
        for _ in 0..AGAIN {
            generator.shuffle(&mut order);
            if order
                .iter()
                .zip(&first)
                .any(|(other, own)| text(&first[*other]) != text(own))
            {
                break;
            }
        }
        let places: Vec<Range<usize>> = rows.iter().map(|(place, _)| place.clone()).collect();
        let sources: Vec<Range<usize>> = of_rows.iter().map(|group| first[order[*group]].clone()).collect();
        self.moved(&places, &sources)
    }

    /// The table with each place filled by what stands at the source beside it; the
    /// places are in the order of the file.
    fn moved(&self, places: &[Range<usize>], sources: &[Range<usize>]) -> Changed {
        let mut bytes = Vec::with_capacity(self.bytes.len());
        let mut copied = 0;
        for (place, source) in places.iter().zip(sources) {
            bytes.extend_from_slice(&self.bytes[copied..place.start]);
            bytes.extend_from_slice(&self.bytes[source.clone()]);
            copied = place.end;
        }
        bytes.extend_from_slice(&self.bytes[copied..]);
        Changed {
            bytes,
            rows: self.rows.len(),
            dropped: 0,
        }
    }

    /// The table with the numbers of one column in the order of another one's, rising
    /// with it or falling, in the rows that have both; `None` where few have.
    pub fn aligned(&self, column: usize, by: usize, rising: bool) -> Option<Changed> {
        let both: Vec<(Range<usize>, f64, f64)> = self
            .rows
            .iter()
            .filter_map(|row| {
                let place = row.cells.get(column + self.shift)?;
                let other = row.cells.get(by + self.shift)?;
                Some((place.clone(), self.number(place)?, self.number(other)?))
            })
            .collect();
        if both.len() * 2 < self.rows.len() || both.len() < 2 {
            return None;
        }
        let mut targets: Vec<usize> = (0..both.len()).collect();
        targets.sort_by(|one, other| both[*one].2.total_cmp(&both[*other].2));
        if !rising {
            targets.reverse();
        }
        let mut values: Vec<usize> = (0..both.len()).collect();
        values.sort_by(|one, other| both[*one].1.total_cmp(&both[*other].1));
        let mut sources: Vec<usize> = (0..both.len()).collect();
        for (target, value) in targets.into_iter().zip(values) {
            sources[target] = value;
        }
        let places: Vec<Range<usize>> = both.iter().map(|(place, ..)| place.clone()).collect();
        let sources: Vec<Range<usize>> = sources.iter().map(|at| both[*at].0.clone()).collect();
        Some(self.moved(&places, &sources))
    }

    fn number(&self, cell: &Range<usize>) -> Option<f64> {
        let number = number::plain(&unquoted(&self.bytes[cell.clone()]))?;
        Some(number.value).filter(|value| value.is_finite())
    }

    /// The texts of two columns, in the rows that have both.
    pub fn pairs(&self, one: usize, other: usize) -> Vec<(String, String)> {
        let text = |cell: &Range<usize>| unquoted(&self.bytes[cell.clone()]);
        self.rows
            .iter()
            .filter_map(|row| {
                let one = row.cells.get(one + self.shift)?;
                let other = row.cells.get(other + self.shift)?;
                Some((text(one), text(other)))
            })
            .collect()
    }

    /// The table without a share of its rows, at least one where it has two.
    pub fn dropped(&self, share: f64, seed: u64) -> Changed {
        let count = self.rows.len();
        let gone = ((count as f64 * share).round() as usize).clamp(usize::from(count > 1), count);
        let mut order: Vec<usize> = (0..count).collect();
        Generator::new(seed).shuffle(&mut order);
        let mut keep = vec![true; count];
        for index in order.into_iter().take(gone) {
            keep[index] = false;
        }
        let mut bytes = self.bytes[..self.start].to_vec();
        for (row, _) in self.rows.iter().zip(&keep).filter(|(_, keep)| **keep) {
            // Only the last line may lack its end, and another one may follow it no more.
            bytes.extend_from_slice(&self.bytes[row.whole.clone()]);
        }
        Changed {
            bytes,
            rows: count,
            dropped: gone,
        }
    }
}

/// The row that begins at `start`; blank lines are passed over. `None` at the end.
fn row(bytes: &[u8], start: usize, separator: u8) -> Option<Row> {
    let mut begin = start;
    while bytes.get(begin).is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
        begin += 1;
    }
    if begin >= bytes.len() {
        return None;
    }
    let mut cells = Vec::new();
    let mut at = begin;
    if separator == b' ' {
        at = after_blanks(bytes, at);
    }
    loop {
        let cell_start = at;
        if matches!(bytes.get(at), Some(b'"')) {
            at = after_quotes(bytes, at);
        }
        while let Some(byte) = bytes.get(at) {
            if matches!(byte, b'\n' | b'\r') || is_separator(*byte, separator) {
                break;
            }
            at += 1;
        }
        cells.push(cell_start..at);
        match bytes.get(at) {
            Some(byte) if is_separator(*byte, separator) => {
                at += 1;
                if separator == b' ' {
                    at = after_blanks(bytes, at);
                    if matches!(bytes.get(at), None | Some(b'\n' | b'\r')) {
                        break;
                    }
                }
            }
            _ => break,
        }
    }
    let mut end = at;
    if bytes.get(end) == Some(&b'\r') {
        end += 1;
    }
    if bytes.get(end) == Some(&b'\n') {
        end += 1;
    }
    Some(Row {
        whole: start..end,
        cells,
    })
}

fn is_separator(byte: u8, separator: u8) -> bool {
    byte == separator || (separator == b' ' && byte == b'\t')
}

fn after_blanks(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// The place behind a quoted text; a doubled quote belongs to it.
fn after_quotes(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte == b'"' {
            if bytes.get(at) == Some(&b'"') {
                at += 1;
            } else {
                return at;
            }
        }
    }
    // A quote that never closes is a letter.
    start
}

fn unquoted(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(cell);
    let text = text.trim();
    let inner = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(text);
    inner.replace("\"\"", "\"")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cells(text: &str, column: usize) -> Vec<String> {
        let table = Delimited::read(text.as_bytes()).unwrap();
        table
            .rows
            .iter()
            .map(|row| text[row.cells[column + table.shift].clone()].to_owned())
            .collect()
    }

    #[test]
    fn quotes_line_ends_and_marks_stay() {
        let text = "\u{feff}id;\"a;b\";y\r\n1;\"x;\"\"1\"\"\";2\r\n2;\"two\nlines\";3\r\n3;plain;4";
        let table = Delimited::read(text.as_bytes()).unwrap();
        assert_eq!(table.header(), ["id", "a;b", "y"]);
        let changed = String::from_utf8(table.permuted(1, None, 5).bytes).unwrap();
        assert_eq!(changed.len(), text.len());
        assert!(changed.starts_with("\u{feff}id;\"a;b\";y\r\n1;") && changed.contains("\"two\nlines\""));
        assert_ne!(changed, text);
        assert_eq!(cells(&changed, 0), ["1", "2", "3"]);
        assert_eq!(cells(&changed, 2), ["2", "3", "4"]);
        let fewer = table.dropped(0.1, 5);
        assert_eq!((fewer.rows, fewer.dropped), (3, 1));
        let fewer = String::from_utf8(fewer.bytes).unwrap();
        assert_eq!(cells(&fewer, 0).len(), 2);
    }

    #[test]
    fn a_column_is_exchanged_between_groups_and_stays_constant_in_each() {
        let rows: String = (0..24)
            .map(|row| format!("{row},{},{}\n", row / 3, u8::from(row / 3 < 4)))
            .collect();
        let text = format!("pupil,class,tutoring\n{rows}");
        let table = Delimited::read(text.as_bytes()).unwrap();
        let changed = String::from_utf8(table.permuted(2, Some(1), 7).bytes).unwrap();
        let by_class: Vec<String> = cells(&changed, 2).chunks(3).map(|class| class.concat()).collect();
        assert!(
            by_class.iter().all(|class| class == "000" || class == "111"),
            "{changed}"
        );
        assert_eq!(by_class.iter().filter(|class| *class == "111").count(), 4);
        assert_ne!(changed, text);
    }

    #[test]
    fn numbers_take_the_order_of_another_column() {
        let text = "x,y,z\n3,10,a\n1,30,b\nNA,25,c\n2,20,d\n";
        let table = Delimited::read(text.as_bytes()).unwrap();
        let rising = String::from_utf8(table.aligned(1, 0, true).unwrap().bytes).unwrap();
        assert_eq!(rising, "x,y,z\n3,30,a\n1,10,b\nNA,25,c\n2,20,d\n");
        let falling = String::from_utf8(table.aligned(1, 0, false).unwrap().bytes).unwrap();
        assert_eq!(cells(&falling, 1), ["10", "30", "25", "20"]);
        assert!(table.aligned(2, 0, true).is_none());
    }

    #[test]
    fn separators_are_found_and_row_names_are_passed_over() {
        let tabs = "name\tx, y\n a b\t1\n c d\t2\n";
        assert_eq!(
            Delimited::read(tabs.as_bytes()).unwrap().header(),
            ["name", "x, y"]
        );
        let r = "\"x\" \"y\"\n\"1\" 10 20\n\"2\" 11 21\n\"3\"   12 22\n";
        let table = Delimited::read(r.as_bytes()).unwrap();
        assert_eq!(
            (table.header(), table.shift),
            (&["x".to_owned(), "y".to_owned()][..], 1)
        );
        assert_eq!(cells(r, 0), ["10", "11", "12"]);
        let changed = String::from_utf8(table.permuted(0, None, 1).bytes).unwrap();
        assert_eq!(cells(&changed, 1), ["20", "21", "22"]);
        assert!(Delimited::read(b"a\0b\0").is_none());
    }

    proptest! {
        #[test]
        fn a_permutation_keeps_every_other_cell(
            values in prop::collection::vec((0..1000_u32, "[a-z ,\"]{0,6}"), 2..40),
            seed in any::<u64>(),
        ) {
            let line = |(x, text): &(u32, String)| {
                format!("{x},\"{}\",{}\n", text.replace('"', "\"\""), x + 1)
            };
            let text = format!("x,text,y\n{}", values.iter().map(line).collect::<String>());
            let table = Delimited::read(text.as_bytes()).unwrap();
            let changed = String::from_utf8(table.permuted(0, None, seed).bytes).unwrap();
            prop_assert_eq!(cells(&changed, 1), cells(&text, 1));
            prop_assert_eq!(cells(&changed, 2), cells(&text, 2));
            let sorted = |text: &str| { let mut all = cells(text, 0); all.sort(); all };
            prop_assert_eq!(sorted(&changed), sorted(&text));
            let fewer = table.dropped(0.1, seed);
            let left = cells(std::str::from_utf8(&fewer.bytes).unwrap(), 1);
            prop_assert_eq!(left.len(), fewer.rows - fewer.dropped);
            prop_assert!(left.iter().all(|one| cells(&text, 1).contains(one)));
        }
    }
}
