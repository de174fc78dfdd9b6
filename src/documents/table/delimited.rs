//! Text with fields between delimiters.

use std::collections::HashSet;

use csv::StringRecord;

use crate::documents::document::{Limits, ReadError};
use crate::documents::table::budget::Budget;
use crate::documents::table::column::Table;
use crate::documents::table::guess::{Evidence, Filling};
use crate::documents::text;

/// Most columns of a table.
const MOST_COLUMNS: usize = 100_000;
/// Lines that are named in a note.
const NAMED: usize = 5;

/// Reads delimited text in any encoding. The first record names the columns;
/// records of another length are filled or cut, and a note says where.
pub fn read(bytes: &[u8], delimiter: u8, limits: &Limits) -> Result<Table, ReadError> {
    let mut budget = Budget::new(limits);
    budget.take(2 * bytes.len() as u64)?;
    let decoded = text::decode(bytes);
    let damaged = |error: csv::Error| ReadError::Damaged(format!("the delimited text breaks off: {error}"));
    // The first pass settles names and types, so that the second can store numbers as numbers.
    let mut records = reader(&decoded.text, delimiter);
    let mut record = StringRecord::new();
    if !records.read_record(&mut record).map_err(damaged)? {
        return Ok(Table::default());
    }
    let mut names: Vec<String> = record.iter().map(|name| name.trim().to_owned()).collect();
    if names.len() > MOST_COLUMNS {
        let count = names.len();
        return Err(ReadError::Unsupported(format!(
            "{count} columns are more than {MOST_COLUMNS}"
        )));
    }
    let mut evidence: Vec<Evidence> = Vec::new();
    let mut ragged: Vec<u64> = Vec::new();
    let mut rows = 0;
    while records.read_record(&mut record).map_err(damaged)? {
        if rows == 0 {
            // Tables written by R name every column but the row names.
            if record.len() == names.len() + 1 {
                names.insert(0, "(row names)".to_owned());
            }
            evidence.resize(names.len(), Evidence::new(delimiter == b';'));
        }
        if is_blank(&record, names.len()) {
            continue;
        }
        if record.len() != names.len() {
            ragged.push(record.position().map_or(0, csv::Position::line));
        }
        for (evidence, field) in evidence.iter_mut().zip(&record) {
            evidence.observe(field);
        }
        rows += 1;
    }
    evidence.resize(names.len(), Evidence::new(false));
    let padded: Vec<bool> = evidence.iter().map(|evidence| evidence.is_padded()).collect();
    let mut columns: Vec<Filling> = evidence.into_iter().map(Filling::new).collect();
    let mut records = reader(&decoded.text, delimiter);
    records.read_record(&mut record).map_err(damaged)?;
    while records.read_record(&mut record).map_err(damaged)? {
        if !is_blank(&record, names.len()) {
            for (index, column) in columns.iter_mut().enumerate() {
                column.push(record.get(index), &mut budget)?;
            }
        }
    }
    let mut table = Table {
        rows,
        ..Table::default()
    };
    let mut taken = HashSet::new();
    for (name, column) in names.into_iter().zip(columns) {
        let name = unique(name, table.columns.len() + 1, &mut taken);
        table.columns.push(column.finish(name));
    }
    let codes: Vec<String> = table
        .columns
        .iter()
        .zip(padded)
        .filter(|(_, padded)| *padded)
        .take(NAMED)
        .map(|(column, _)| format!("`{}`", column.name))
        .collect();
    if !codes.is_empty() {
        table.notes.push(format!(
            "Values of {} begin with zeros, as codes do; they are numbers here, as pandas and R read them.",
            codes.join(", ")
        ));
    }
    if decoded.replaced > 0 {
        table.notes.push(format!(
            "{} places do not fit {}, the encoding that was decided on, and hold U+FFFD.",
            decoded.replaced, decoded.encoding
        ));
    }
    if !ragged.is_empty() {
        let shown: Vec<String> = ragged.iter().take(NAMED).map(u64::to_string).collect();
        table.notes.push(format!(
            "{} of {rows} records have more or fewer than {} fields (lines {}{}): fields were cut or left missing.",
            ragged.len(),
            table.columns.len(),
            shown.join(", "),
            if ragged.len() > NAMED { " and more" } else { "" }
        ));
    }
    Ok(table)
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes())
}

/// A line of nothing between records of several fields.
fn is_blank(record: &StringRecord, fields: usize) -> bool {
    record.len() == 1 && fields > 1 && record.get(0).is_some_and(str::is_empty)
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
    use crate::documents::table::column::{Sort, Values};

    fn table(text: &str, delimiter: u8) -> Table {
        read(text.as_bytes(), delimiter, &Limits::default()).unwrap()
    }

    #[test]
    fn types_come_from_the_values() {
        let table = table("i,x,d,t,b\n1,0.5,2020-01-01,a,TRUE\n2,NA,,\"b\nc\",FALSE\n", b',');
        let sorts: Vec<Sort> = table.columns.iter().map(|column| column.sort).collect();
        assert_eq!(
            sorts,
            [Sort::Integer, Sort::Number, Sort::Date, Sort::Text, Sort::Bool]
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
}
