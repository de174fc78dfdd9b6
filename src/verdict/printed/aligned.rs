//! Tables set apart by spaces, as R, Python and scripts print them, with blocks
//! that a narrow page broke joined by their row names.

use super::alignment::{self, ColumnSpan};
use super::context::Context;
use super::header::{self, HeaderColumn};
use super::label::{Label, Meaning};
use super::number;
use super::printed_row::PrintedRow;
use super::row_name;
use super::source_line::{SourceLine, Token, before_column, tokens};
use super::table::{PrintedTable, TableEntry, split_bounds};

/// Rows that tell where the numbers of a table stand.
const ROWS_FITTED: usize = 30;

/// Rows that a reader found and the line to go on with.
#[derive(Debug)]
pub struct ReadRows {
    pub rows: Vec<PrintedRow>,
    pub next: usize,
}

/// One block of columns with the names of its rows.
struct Block {
    labels: Vec<Label>,
    entries: Vec<BlockEntry>,
    next: usize,
    /// Whether the header says that more columns follow.
    goes_on: bool,
}

struct BlockEntry {
    /// The text before the numbers, as printed.
    name: String,
    entry: TableEntry,
}

/// The header of a block, cut into columns of names and of numbers.
struct BlockHeader {
    names: Vec<HeaderColumn>,
    values: Vec<HeaderColumn>,
    first_row: usize,
    goes_on: bool,
}

/// Reads the table whose header stands at `at`.
pub fn read(lines: &[SourceLine], at: usize, context: &Context) -> Option<ReadRows> {
    let mut block = read_block(lines, at, None)?;
    while let Some(more) = continuation(lines, &block) {
        block.labels.extend(more.labels);
        for (own, other) in block.entries.iter_mut().zip(more.entries) {
            own.entry.cells.extend(other.entry.cells);
            own.entry.lines.extend(other.entry.lines);
        }
        block.next = more.next;
        block.goes_on = more.goes_on;
    }
    let table = PrintedTable {
        labels: block.labels,
        entries: block.entries.into_iter().map(|named| named.entry).collect(),
    };
    let rows = table.rows(&with_group(lines, at, context));
    Some(ReadRows {
        rows,
        next: block.next,
    })
}

/// emmeans writes the group of a table above it: `sex = female:`.
fn with_group(lines: &[SourceLine], at: usize, context: &Context) -> Context {
    let above = at
        .checked_sub(1)
        .and_then(|above| lines.get(above))
        .map_or("", |line| line.text.trim_end());
    let mut context = context.clone();
    if let Some(group) = above
        .strip_suffix(':')
        .filter(|group| group.contains(" = ") && !group.starts_with(' '))
    {
        context.model = Some(group.to_owned());
    }
    context
}

/// The next block of the same rows, where a page that is too narrow broke the table.
fn continuation(lines: &[SourceLine], block: &Block) -> Option<Block> {
    let mut at = block.next;
    // pandas ends the header of a block that goes on with a backslash, and leaves a line blank.
    if lines.get(at)?.is_blank() {
        if !block.goes_on {
            return None;
        }
        at += 1;
    }
    let more = read_block(lines, at, Some(block.entries.len()))?;
    let is_same = more.entries.len() == block.entries.len()
        && more.entries.iter().zip(&block.entries).all(|(other, own)| {
            other.name == own.name || own.name.split_whitespace().next() == Some(other.name.as_str())
        });
    // A quantity that comes again heads another table of the same rows.
    let is_repeated = more
        .labels
        .iter()
        .any(|label| label.is_known() && block.labels.contains(label));
    (is_same && !is_repeated).then_some(more)
}

/// Reads one block; `expected` is the number of rows where it continues another.
fn read_block(lines: &[SourceLine], at: usize, expected: Option<usize>) -> Option<Block> {
    let is_continuation = expected.is_some();
    let header = block_header(lines, at, is_continuation)?;
    let labels: Vec<Label> = header.values.iter().map(|column| column.label).collect();
    let mut spans = header::value_spans(&header.values);
    let last_is_text = header
        .values
        .last()
        .is_some_and(|column| !column.label.is_known());
    let mut entries = Vec::new();
    let mut next = header.first_row;
    let mut is_fitted = false;
    while let Some(line) = lines.get(next).filter(|line| !line.is_blank() && !line.is_rule()) {
        if expected.is_some_and(|expected| entries.len() == expected) {
            break;
        }
        let mut words = alignment::join_relations(tokens(&line.text));
        if last_is_text {
            drop_trailing_text(&mut words, &header.values);
        }
        if !words.last().is_some_and(|word| alignment::is_value(&word.text)) {
            // A name whose cells are all blank in this block.
            if !is_continuation || words.is_empty() {
                break;
            }
            entries.push(empty_entry(line, spans.len()));
            next += 1;
            continue;
        }
        // Numbers without a name below named rows head another table.
        let is_nameless = words.iter().all(|word| alignment::is_value(&word.text));
        if is_nameless
            && entries
                .last()
                .is_some_and(|last: &BlockEntry| !is_number(&last.name))
        {
            break;
        }
        if !is_fitted {
            spans = fitted(&spans, lines, header.first_row);
            is_fitted = true;
        }
        if let Some(row) = alignment::align(&spans, &words).filter(|row| has_room(&spans, &words, row)) {
            entries.push(entry_of(line, &words, &row, &header.names));
        } else if !looks_like_row(&words) {
            break;
        }
        next += 1;
    }
    if entries.is_empty() {
        return None;
    }
    Some(Block {
        labels: split_bounds(&labels),
        entries,
        next,
        goes_on: header.goes_on,
    })
}

/// Whether a name is no more than the number of a row, or nothing.
fn is_number(name: &str) -> bool {
    name.is_empty() || number::parse(name).is_some()
}

/// Whether the name of a row leaves room for the cells that it lacks.
fn has_room(spans: &[ColumnSpan], words: &[Token], row: &alignment::AlignedRow) -> bool {
    let lacks_first = row.tokens.first().is_none_or(Option::is_none);
    let name_end = row
        .first
        .checked_sub(1)
        .and_then(|last| words.get(last))
        .map_or(0, |word| word.end);
    !lacks_first || spans.first().is_none_or(|span| name_end <= span.start)
}

/// Whether a row that fits no column may still be one of the table.
fn looks_like_row(words: &[Token]) -> bool {
    let values = words
        .iter()
        .filter(|word| alignment::is_value(&word.text))
        .count();
    values * 2 >= words.len()
}

/// Columns where the label is, or where the numbers of full rows are. Rows are
/// looked at once more, and only the first of them.
fn fitted(spans: &[ColumnSpan], lines: &[SourceLine], first_row: usize) -> Vec<ColumnSpan> {
    let are_right_aligned = lines.get(first_row).is_some_and(|line| {
        let words = alignment::join_relations(tokens(&line.text));
        spans
            .iter()
            .all(|span| words.iter().any(|word| word.end == span.end))
    });
    if are_right_aligned {
        return spans.to_vec();
    }
    let rows: Vec<Vec<Token>> = lines[first_row..]
        .iter()
        .take(ROWS_FITTED)
        .take_while(|line| !line.is_blank() && !line.is_rule())
        .map(|line| alignment::join_relations(tokens(&line.text)))
        .collect();
    alignment::covered(spans, &rows)
}

fn block_header(lines: &[SourceLine], at: usize, is_continuation: bool) -> Option<BlockHeader> {
    let text = lines.get(at)?.text.trim_end();
    let goes_on = text.ends_with('\\');
    let text = text.strip_suffix('\\').unwrap_or(text);
    let columns = if is_continuation {
        header::any_columns(text)
    } else {
        header::columns(text)
    }?;
    if header::has_numbers(&columns) {
        return None;
    }
    let mut first_row = at + 1;
    while lines
        .get(first_row)
        .is_some_and(|line| line.is_rule() || is_type_line(&line.text))
    {
        first_row += 1;
        if first_row > at + 3 {
            return None;
        }
    }
    // pandas prints the name of an index on a line of its own.
    let first = lines.get(first_row).filter(|line| !line.is_blank())?;
    let mut words = alignment::join_relations(tokens(&first.text));
    if words.len() == 1 && !is_continuation && !alignment::is_value(&words[0].text) && words[0].start == 0 {
        first_row += 1;
        words = alignment::join_relations(tokens(&lines.get(first_row)?.text));
    }
    let names = name_columns(&columns, &words);
    let values = columns[names..].to_vec();
    let known = values.iter().filter(|column| column.label.is_known()).count();
    let is_table = match known {
        0 => is_continuation,
        1 => is_continuation || ends_under(&values, &words),
        _ => true,
    };
    if values.is_empty() || !is_table {
        return None;
    }
    Some(BlockHeader {
        names: columns[..names].to_vec(),
        values,
        first_row,
        goes_on,
    })
}

/// A single known column heads a table only where its number ends below it.
fn ends_under(values: &[HeaderColumn], words: &[Token]) -> bool {
    values.len() == 1 && words.len() > 1 && words.last().is_some_and(|word| word.end == values[0].end)
}

/// `<chr> <dbl> <dbl>` below the header of a tibble.
fn is_type_line(text: &str) -> bool {
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| word.starts_with('<') && word.ends_with('>'))
}

/// How many of the leading columns hold names.
fn name_columns(columns: &[HeaderColumn], first_row: &[Token]) -> usize {
    let is_name = |column: &HeaderColumn| {
        matches!(
            column.label.meaning,
            Meaning::Term | Meaning::Outcome | Meaning::Model
        )
    };
    let certain = columns.iter().rposition(is_name).map_or(0, |at| at + 1);
    let possible = columns
        .iter()
        .take_while(|column| is_name(column) || !column.label.is_known())
        .count()
        .max(certain);
    let run = first_row
        .iter()
        .rev()
        .take_while(|word| alignment::is_value(&word.text))
        .count();
    let values = |names: usize| {
        columns[names..]
            .iter()
            .map(|column| {
                if column.label.meaning == Meaning::Bounds {
                    2
                } else {
                    1
                }
            })
            .sum::<usize>()
    };
    (certain..=possible)
        .find(|names| values(*names) == run)
        .unwrap_or(certain)
}

fn drop_trailing_text(words: &mut Vec<Token>, values: &[HeaderColumn]) {
    let [.., before, _] = values else { return };
    while words.len() > 1
        && words
            .last()
            .is_some_and(|word| !alignment::is_value(&word.text) && word.start > before.end)
    {
        words.pop();
    }
}

fn empty_entry(line: &SourceLine, columns: usize) -> BlockEntry {
    let words = alignment::join_relations(tokens(&line.text));
    let name = words
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<&str>>()
        .join(" ");
    let entry = TableEntry {
        term: name.clone(),
        cells: vec![None; columns],
        ..TableEntry::default()
    };
    BlockEntry { name, entry }
}

fn entry_of(
    line: &SourceLine,
    words: &[Token],
    row: &alignment::AlignedRow,
    names: &[HeaderColumn],
) -> BlockEntry {
    let start = words.get(row.first).map_or(0, |word| word.start);
    let name = before_column(&line.text, start).trim().to_owned();
    let mut entry = TableEntry {
        cells: row
            .tokens
            .iter()
            .map(|index| number::parse(&words.get((*index)?)?.text))
            .collect(),
        lines: vec![line.number],
        ..TableEntry::default()
    };
    row_name::label(&mut entry, &name, &words[..row.first], names);
    BlockEntry { name, entry }
}
