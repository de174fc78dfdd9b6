//! Text with fields between delimiters.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::around::table_records::TableRecords;
use crate::documents::table::around::text::Around;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::Table;
use crate::documents::table::guess::{self, ColumnDraft, ColumnEvidence, Filling, Notation};
use crate::documents::table::number;
use crate::documents::table::records::BLANKS;
use crate::documents::text;

/// Most columns of a table.
const MOST_COLUMNS: usize = 100_000;
/// Lines or columns that are named in a note.
const NAMED: usize = 5;

/// Reads delimited text in any encoding; a blank for a delimiter stands for
/// runs of blanks and tabs. The first record names the columns; records of
/// another length are filled or cut, and a note says where.
///
/// # Errors
/// More text than the limit of memory holds, or more than 100,000 columns.
pub fn read(bytes: &[u8], delimiter: u8, limits: &Limits) -> Result<Table, ReadError> {
    let mut budget = MemoryBudget::new(limits);
    let mut table = Table::default();
    if let Some(text) = text::as_it_is(bytes) {
        budget.take(bytes.len() as u64)?;
        fill(&mut table, text, delimiter, &mut budget)?;
        return Ok(table);
    }
    budget.take(2 * bytes.len() as u64)?;
    let mut decoded = text::decode(bytes);
    table.notes.append(&mut decoded.notes);
    let zeros = memchr::memchr_iter(0, decoded.text.as_bytes()).count();
    if zeros > 0 {
        decoded.text.retain(|character| character != '\0');
        table.notes.push(format!(
            "Zero bytes stand in the text at {zeros} places, which is a sign of damage; they were left out."
        ));
    }
    fill(&mut table, &decoded.text, delimiter, &mut budget)?;
    Ok(table)
}

/// The names of the columns, and whether the first record holds them.
fn names(first: &[Cow<'_, str>], delimiter: u8, notes: &mut Vec<String>) -> (Vec<String>, bool) {
    let numbers = first.iter().all(|name| number::plain(name).is_some());
    if numbers && delimiter == BLANKS {
        notes.push("The first line holds numbers: the file names no columns.".to_owned());
        return (vec![String::new(); first.len()], false);
    }
    if numbers {
        notes.push(
            "The first line, which names the columns here, holds numbers alone: the file may have no line of names."
                .to_owned(),
        );
    }
    (first.iter().map(|name| name.trim().to_owned()).collect(), true)
}

fn fill(table: &mut Table, text: &str, delimiter: u8, budget: &mut MemoryBudget) -> Result<(), ReadError> {
    // Columns are filled as their first value suggests. Those that turn out to
    // be of another type are filled by a second pass.
    let around = Around::from_text(text, delimiter);
    table.notes.extend(around.notes.iter().cloned());
    let mut records = TableRecords::new(text, delimiter, &around);
    let mut record = Vec::new();
    if records.names(&mut record).is_none() {
        return Ok(());
    }
    let (mut names, named) = names(&record, delimiter, &mut table.notes);
    if names.len() > MOST_COLUMNS {
        let count = names.len();
        return Err(ReadError::Unsupported(format!(
            "{count} columns are more than {MOST_COLUMNS}"
        )));
    }
    if !named {
        records = TableRecords::new(text, delimiter, &around);
    }
    let mut drafts: Vec<ColumnDraft> = Vec::new();
    let mut ragged: Vec<u64> = Vec::new();
    while let Some(line) = records.read(&mut record) {
        if table.rows == 0 {
            if around.has_row_names {
                names.insert(0, "(row names)".to_owned());
            }
            drafts.resize_with(names.len(), ColumnDraft::default);
        }
        if is_blank(&record, names.len()) {
            continue;
        }
        let is_cut = record
            .get(names.len()..)
            .is_some_and(|more| more.iter().any(|field| !field.is_empty()));
        if record.len() < names.len() || is_cut {
            ragged.push(line);
        }
        for (index, draft) in drafts.iter_mut().enumerate() {
            draft.push(record.get(index).map(Cow::as_ref), budget)?;
        }
        table.rows += 1;
    }
    drafts.resize_with(names.len(), ColumnDraft::default);
    let unclosed = std::mem::take(&mut records.records.unclosed);
    let evidence: Vec<ColumnEvidence> = drafts.iter().map(|draft| draft.evidence).collect();
    let notations = guess::notations(&evidence, delimiter);
    let mut columns: Vec<Filling> = drafts
        .into_iter()
        .zip(&notations)
        .map(|(draft, notation)| draft.settle(*notation, budget))
        .collect();
    let mut records = TableRecords::new(text, delimiter, &around);
    if named {
        records.names(&mut record);
    }
    refill(&mut columns, records, budget)?;
    let mut taken = HashSet::new();
    for (at, (name, column)) in names.into_iter().zip(columns).enumerate() {
        let name = unique(name, at + 1, &mut taken);
        let mut column = column.finish(name);
        column.label = around
            .second
            .labels
            .get(at)
            .filter(|label| !label.is_empty())
            .cloned();
        table.columns.push(column);
    }
    note_columns(table, &evidence, &notations, delimiter);
    note_lines(table, &ragged, &unclosed);
    Ok(())
}

/// Fills the columns that are not full.
fn refill(
    columns: &mut [Filling],
    mut records: TableRecords<'_, '_>,
    budget: &mut MemoryBudget,
) -> Result<(), ReadError> {
    let fields = columns.len();
    let mut left: Vec<(usize, &mut Filling)> = columns
        .iter_mut()
        .enumerate()
        .filter(|(_, column)| !column.full)
        .collect();
    if left.is_empty() {
        return Ok(());
    }
    let mut record = Vec::new();
    while records.read(&mut record).is_some() {
        if !is_blank(&record, fields) {
            for (index, column) in &mut left {
                column.push(record.get(*index).map(Cow::as_ref), budget)?;
            }
        }
    }
    Ok(())
}

/// Says how numbers were read where that had to be decided.
fn note_columns(table: &mut Table, evidence: &[ColumnEvidence], notations: &[Notation], delimiter: u8) {
    let of = |test: &dyn Fn(&ColumnEvidence, Notation) -> bool| -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        let mut more = 0;
        for ((column, evidence), notation) in table.columns.iter().zip(evidence).zip(notations) {
            if test(evidence, *notation) {
                if names.len() < NAMED {
                    names.push(format!("`{}`", column.name));
                } else {
                    more += 1;
                }
            }
        }
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        (!names.is_empty()).then(|| names.join(", ") + &more)
    };
    let padded = of(&|evidence, notation| evidence.is_padded() && notation == Notation::Plain);
    let long = of(&|evidence, _| evidence.is_too_long());
    let grouped = of(&|evidence, notation| notation == Notation::DecimalComma && evidence.is_grouped());
    let commas = of(&|evidence, notation| {
        notation == Notation::DecimalComma && !evidence.is_grouped() && delimiter != b';'
    });
    let minus = of(&|_, notation| notation == Notation::Minus);
    let notes = [
        padded.map(|names| {
            format!("Values of {names} begin with zeros, as codes do; they are numbers here, as pandas and R read them.")
        }),
        long.map(|names| {
            format!(
                "{names} holds whole numbers past 2^53, which doubles cannot tell apart: they are kept as text. \
                 In R, read them as character."
            )
        }),
        grouped.map(|names| {
            format!(
                "{names} was read with decimal commas and with points between thousands: `1.234` is 1234. \
                 pandas needs `decimal=\",\", thousands=\".\"` for that."
            )
        }),
        commas.map(|names| format!("{names} was read with decimal commas; pandas needs `decimal=\",\"` for that.")),
        minus.map(|names| format!("{names} has U+2212 for the minus sign, which pandas and R read as text.")),
    ];
    table.notes.extend(notes.into_iter().flatten());
}

/// Names the lines that are not as they should be.
fn note_lines(table: &mut Table, ragged: &[u64], unclosed: &[u64]) {
    let lines = |lines: &[u64]| {
        let shown: Vec<String> = lines.iter().take(NAMED).map(u64::to_string).collect();
        let more = if lines.len() > NAMED { " and more" } else { "" };
        format!("{}{more}", shown.join(", "))
    };
    if !unclosed.is_empty() {
        table.notes.push(format!(
            "A quote that nothing closes opens a field on {} {}: the field was read as it stands, quote \
             included. pandas and R fail on it or lose the records up to the next quote.",
            if unclosed.len() > 1 { "lines" } else { "line" },
            lines(unclosed)
        ));
    }
    if !ragged.is_empty() {
        table.notes.push(format!(
            "{} of {} records have more or fewer than {} fields (lines {}): fields were cut or left missing.",
            ragged.len(),
            table.rows,
            table.columns.len(),
            lines(ragged)
        ));
    }
}

/// A line of nothing between records of several fields.
fn is_blank(record: &[Cow<'_, str>], fields: usize) -> bool {
    fields > 1 && matches!(record, [only] if only.is_empty())
}

/// A name that no column has yet; an empty one is called by its position.
fn unique(name: String, position: usize, taken: &mut HashSet<String>) -> String {
    let name = match name.as_str() {
        "" => format!("(column {position})"),
        name if taken.contains(name) => format!("{name} (column {position})"),
        _ => name,
    };
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::table::column::{DataType, Values};

    fn table(text: &str, delimiter: u8) -> Table {
        read(text.as_bytes(), delimiter, &Limits::default()).unwrap()
    }

    #[test]
    fn types_come_from_the_values() {
        let table = table("i,x,d,t,b\n1,0.5,2020-01-01,a,TRUE\n2,NA,,\"b\nc\",FALSE\n", b',');
        let sorts: Vec<DataType> = table.columns.iter().map(|column| column.sort).collect();
        assert_eq!(
            sorts,
            [
                DataType::Integer,
                DataType::Number,
                DataType::Date,
                DataType::Text,
                DataType::Bool
            ]
        );
        let missing: Vec<usize> = table
            .columns
            .iter()
            .map(|column| column.values.missing())
            .collect();
        assert_eq!(missing, [0, 1, 1, 0, 0]);
        assert_eq!(table.rows, 2);
    }

    #[test]
    fn decimal_commas_are_numbers_between_semicolons() {
        let table = table("a;b\n1,5;x\n-2,25;y\n", b';');
        assert_eq!(table.columns[0].mean(), Some(-0.375));
    }

    #[test]
    fn ragged_records_are_reported_by_line() {
        let table = table("a,b\n1,2\n3\n4,5,6\n", b',');
        assert_eq!(table.rows, 3);
        assert!(table.notes[0].contains("lines 3, 4"), "{:?}", table.notes);
        assert_eq!(table.columns[1].values.missing(), 1);
    }

    #[test]
    fn codes_with_leading_zeros_are_noted() {
        let table = table("zip,x\n00123,0\n90210,0.5\n", b',');
        assert_eq!(table.columns[0].mean(), Some(45_166.5));
        assert!(
            table.notes[0].starts_with("Values of `zip` begin"),
            "{:?}",
            table.notes
        );
    }

    #[test]
    fn row_names_of_r_get_a_column() {
        let table = table("\"x\" \"y\"\n\"1\" 3 4\n", b' ');
        assert_eq!(table.columns[0].name, "(row names)");
        assert!(matches!(&table.columns[2].values, Values::Numbers(y) if y == &[4.0]));
    }

    #[test]
    fn the_cap_ends_the_reading() {
        let limits = Limits {
            memory: 200,
            ..Limits::default()
        };
        assert!(matches!(
            read(b"a,b\nlonger,text\nand,more\n", b',', &limits),
            Err(ReadError::TooBig(_))
        ));
    }

    #[test]
    fn an_unclosed_quote_loses_no_record() {
        let mut text = "a,b\n".to_owned();
        for row in 0..1000 {
            let said = if row == 500 { "\"oops" } else { "fine" };
            text.push_str(&format!("{said},{row}\n"));
        }
        let table = table(&text, b',');
        assert_eq!((table.rows, table.columns[1].values.missing()), (1000, 0));
        assert!(table.notes[0].contains("on line 502:"), "{:?}", table.notes);
    }

    #[test]
    fn long_identifiers_stay_apart() {
        let mut text = "id,x\n".to_owned();
        for row in 0..1000_u64 {
            text.push_str(&format!("{},{row}\n", 1_234_567_890_123_456_000 + row));
        }
        let table = table(&text, b',');
        let Values::Strings(ids) = &table.columns[0].values else {
            panic!("the ids are no text")
        };
        assert_eq!(ids.distinct().len(), 1000);
        assert_eq!(ids.get(999), Some("1234567890123456999"));
        assert!(
            table.notes[0].starts_with("`id` holds whole numbers past 2^53"),
            "{:?}",
            table.notes
        );
        assert_eq!(table.columns[1].sort, DataType::Integer);
    }

    #[test]
    fn a_point_is_never_both_decimals_and_thousands() {
        let numbers = |table: &Table, column: usize| match &table.columns[column].values {
            Values::Numbers(numbers) => numbers.clone(),
            Values::Strings(_) => Vec::new(),
        };
        let german = table(
            "id;wert;pop\n1;999,5;999\n2;1.234;1.200\n3;1.000,5;12.500\n",
            b';',
        );
        assert_eq!(numbers(&german, 1), [999.5, 1234.0, 1000.5]);
        assert_eq!(numbers(&german, 2), [999.0, 1200.0, 12_500.0]);
        assert!(
            german.notes[0].starts_with("`wert`, `pop` was read with decimal commas and"),
            "{:?}",
            german.notes
        );
        // Commas and decimal points in one column are no numbers; points alone are decimal ones.
        let mixed = table("a;b;c\n1,5;1.234;0,5\n1.5;2.5;1,5\n", b';');
        assert_eq!(mixed.columns[0].sort, DataType::Text);
        assert_eq!(numbers(&mixed, 1), [1.234, 2.5]);
        assert_eq!(numbers(&mixed, 2), [0.5, 1.5]);
    }

    #[test]
    fn decimal_commas_between_tabs_are_read_where_nothing_speaks_against_it() {
        let read = table("id\tx\n1\t2,5\n2\t3,5\n", b'\t');
        assert_eq!(read.columns[1].mean(), Some(3.0));
        assert!(
            read.notes[0].starts_with("`x` was read with decimal commas"),
            "{:?}",
            read.notes
        );
        let points = table("y\tx\n0.5\t2,5\n1.5\t3,5\n", b'\t');
        assert_eq!(points.columns[1].sort, DataType::Text);
        let chosen = table("id,chosen\n1,\"1,3\"\n2,\"2,5\"\n", b',');
        assert_eq!(chosen.columns[1].sort, DataType::Text);
    }

    #[test]
    fn a_minus_of_typesetters_is_a_minus() {
        let table = table("a\n\u{2212}1.5\n\u{2212}2\n3\n", b',');
        assert_eq!(table.columns[0].mean(), Some(-0.5 / 3.0));
        assert!(table.notes[0].contains("U+2212"), "{:?}", table.notes);
    }

    #[test]
    fn odd_bytes_are_read_with_a_note() {
        let zero = read(b"a,b\n1,2\0\n3,4\n", b',', &Limits::default()).unwrap();
        assert_eq!(zero.columns[1].mean(), Some(3.0));
        assert!(
            zero.notes[0].starts_with("Zero bytes stand in the text at 1 "),
            "{:?}",
            zero.notes
        );
        let wide: Vec<u8> = "id,x\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide = read(&wide, b',', &Limits::default()).unwrap();
        assert_eq!((wide.rows, wide.columns[1].name.as_str()), (1, "x"));
        assert!(wide.notes[0].contains("UTF-16LE"), "{:?}", wide.notes);
    }

    #[test]
    fn blanks_part_numbers_without_names() {
        let table = table(" 1   2.5\n 14  3.5\n", BLANKS);
        assert_eq!((table.rows, table.columns[1].mean()), (2, Some(3.0)));
        assert_eq!(table.columns[0].name, "(column 1)");
    }

    #[test]
    fn a_type_that_fits_no_longer_is_settled_over_all_rows() {
        let table = table("a,b,c\n1,2020-01-01,true\n,x,\nx,2020-01-01,no\n", b',');
        for column in &table.columns {
            assert_eq!(column.sort, DataType::Text, "{}", column.name);
        }
        let Values::Strings(first) = &table.columns[0].values else {
            panic!("no text")
        };
        assert_eq!(first.iter().collect::<Vec<_>>(), [Some("1"), None, Some("x")]);
    }
}
