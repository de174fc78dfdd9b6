//! Delimited text as a table.

use csv::ReaderBuilder;

use super::cut::grouped;
use super::table::{Cell, Column, Table, TableReader};
use super::text_file;

/// Most cells that are kept, and most columns.
const CELLS: usize = 5_000_000;
const COLUMNS: usize = 10_000;
/// Lines that the delimiter is chosen by.
const SNIFFED: usize = 30;
const MISSING: [&str; 8] = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "."];

/// Reads csv and tsv files.
pub struct DelimitedText;

impl TableReader for DelimitedText {
    fn read(&self, _: &str, bytes: &[u8]) -> Result<Table, String> {
        let file =
            text_file::decode(bytes).map_err(|other| format!("it is {other}, and no delimited text"))?;
        let (delimiter, word) = delimiter_of(&file.text);
        let mut reader = ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(file.text.as_bytes());
        let header = reader.headers().map_err(|error| error.to_string())?.clone();
        if header.len() > COLUMNS {
            return Err(format!(
                "it has {} columns, and at most {COLUMNS} are read",
                header.len()
            ));
        }
        let mut table = Table {
            format: format!("delimited text, separated by {word}"),
            columns: header.iter().enumerate().map(named).collect(),
            ..Table::default()
        };
        let width = table.columns.len().max(1);
        let (mut kept, mut uneven) = (0, 0);
        for record in reader.records() {
            let record = record.map_err(|error| error.to_string())?;
            table.rows += 1;
            uneven += usize::from(record.len() != header.len());
            if (kept + 1) * width > CELLS {
                continue;
            }
            kept += 1;
            for (index, column) in table.columns.iter_mut().enumerate() {
                column
                    .cells
                    .push(cell(record.get(index).unwrap_or_default(), delimiter));
            }
        }
        if kept < table.rows {
            table
                .notes
                .push(format!("Only the first {} rows are used.", grouped(kept)));
        }
        if uneven > 0 {
            table.notes.push(format!(
                "{} rows do not have {} cells as the header; cells beyond it are left out.",
                grouped(uneven),
                header.len()
            ));
        }
        Ok(table)
    }
}

fn named((index, name): (usize, &str)) -> Column {
    let name = name.trim();
    Column {
        name: if name.is_empty() {
            format!("(column {})", index + 1)
        } else {
            name.to_owned()
        },
        label: None,
        value_labels: Vec::new(),
        cells: Vec::new(),
    }
}

/// The delimiter that the first lines agree on, and its name.
fn delimiter_of(text: &str) -> (u8, &'static str) {
    let score = |delimiter: u8| {
        let mut counts = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()).take(SNIFFED) {
            let mut quoted = false;
            let mut count = 0_usize;
            for byte in line.bytes() {
                quoted ^= byte == b'"';
                count += usize::from(byte == delimiter && !quoted);
            }
            counts.push(count);
        }
        let first = counts.first().copied().unwrap_or(0);
        let agreeing = counts.iter().filter(|count| **count == first).count();
        if first == 0 {
            (0, 0)
        } else {
            (agreeing * 100 / counts.len().max(1), first)
        }
    };
    // The first of equal scores wins.
    let mut best = (b',', "commas");
    for candidate in [(b';', "semicolons"), (b'\t', "tabs"), (b'|', "bars")] {
        if score(candidate.0) > score(best.0) {
            best = candidate;
        }
    }
    best
}

fn cell(text: &str, delimiter: u8) -> Cell {
    let text = text.trim();
    if MISSING.contains(&text) {
        return Cell::Missing;
    }
    let digits = text.trim_start_matches(['-', '+']);
    // A leading zero marks a code, not a number.
    let is_code = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if !is_code && digits.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | ',')) {
        let parsed = text.parse::<f64>().or_else(|error| {
            if delimiter == b',' {
                Err(error)
            } else {
                text.replacen(',', ".", 1).parse()
            }
        });
        if let Ok(number) = parsed
            && number.is_finite()
        {
            return Cell::Number(number);
        }
    }
    Cell::Text(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::table::ColumnType;
    use super::*;

    #[test]
    fn delimiters_and_types() {
        for (text, format) in [
            (
                "id,x,y\n1,1.5,a\n2,NA,\"b,c\"\n",
                "delimited text, separated by commas",
            ),
            (
                "id;x;y\n1;1,5;a\n2;;b,c\n",
                "delimited text, separated by semicolons",
            ),
            (
                "id\tx\ty\n1\t1.5\ta\n2\t.\tb,c\n",
                "delimited text, separated by tabs",
            ),
        ] {
            let table = DelimitedText.read("d", text.as_bytes()).unwrap();
            assert_eq!((table.format.as_str(), table.rows), (format, 2));
            let kinds: Vec<_> = table.columns.iter().map(Column::kind).collect();
            assert_eq!(kinds, [ColumnType::Integer, ColumnType::Number, ColumnType::Text]);
            assert_eq!(table.columns[1].cells, [Cell::Number(1.5), Cell::Missing]);
            assert_eq!(table.columns[2].cells[1], Cell::Text("b,c".into()));
        }
        let codes = DelimitedText.read("d", b"zip\n00123\n90210\n").unwrap();
        assert_eq!(codes.columns[0].cells[0], Cell::Text("00123".into()));
    }

    #[test]
    fn uneven_and_huge_tables_are_noted() {
        let uneven = DelimitedText.read("d", b"a,b\n1\n1,2,3\n1,2\n").unwrap();
        assert!(uneven.notes[0].starts_with("2 rows do not have 2 cells"));
        assert_eq!(uneven.columns[1].cells[0], Cell::Missing);
        assert!(DelimitedText.read("d", b"\x89PNG").is_err());
        let wide = ",".repeat(COLUMNS + 1);
        assert!(
            DelimitedText
                .read("d", wide.as_bytes())
                .unwrap_err()
                .contains("columns")
        );
        let long = format!("a,b\n{}", "1,2\n".repeat(CELLS / 2 + 10));
        let table = DelimitedText.read("d", long.as_bytes()).unwrap();
        assert_eq!(
            (table.rows, table.columns[0].cells.len()),
            (CELLS / 2 + 10, CELLS / 2)
        );
        assert_eq!(table.notes, ["Only the first 2,500,000 rows are used."]);
    }
}
