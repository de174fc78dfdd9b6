//! SAS data files (`sas7bdat`), with the feature `sas`.

use std::ops::ControlFlow;

use sas7bdat::{CellValue, Dataset, LogicalType};

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType, Table};
use crate::documents::table::string_column::StringColumn;

/// A column while the rows go by.
enum Gathered {
    Numbers(DataType, Vec<f64>),
    StringColumn(StringColumn),
}

/// Reads a SAS data file, compressed or not.
///
/// # Errors
/// A damaged file, or a table beyond the memory that is allowed.
pub fn read(bytes: Vec<u8>, limits: &Limits) -> Result<Table, ReadError> {
    let mut budget = MemoryBudget::new(limits);
    let damaged =
        |error: sas7bdat::Error| ReadError::Damaged(format!("the SAS file cannot be read: {error}"));
    let dataset = Dataset::from_bytes(bytes).map_err(damaged)?;
    let mut columns: Vec<Gathered> = dataset
        .columns()
        .iter()
        .map(|column| match column.logical_type {
            LogicalType::String | LogicalType::Bytes => Gathered::StringColumn(StringColumn::default()),
            LogicalType::Integer => Gathered::Numbers(DataType::Integer, Vec::new()),
            LogicalType::Date => Gathered::Numbers(DataType::Date, Vec::new()),
            LogicalType::DateTime => Gathered::Numbers(DataType::DateTime, Vec::new()),
            LogicalType::Time => Gathered::Numbers(DataType::Time, Vec::new()),
            _ => Gathered::Numbers(DataType::Number, Vec::new()),
        })
        .collect();
    let (mut rows, mut full) = (0, None);
    dataset
        .visit_rows(|row| {
            rows += 1;
            for (column, cell) in columns.iter_mut().zip(row.iter()) {
                if let Err(error) = put(column, cell, &mut budget) {
                    full = Some(error);
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
        .map_err(damaged)?;
    if let Some(error) = full {
        return Err(error);
    }
    let mut table = Table {
        rows,
        label: dataset
            .metadata()
            .file_label
            .clone()
            .filter(|label| !label.is_empty()),
        ..Table::default()
    };
    for (described, gathered) in dataset.columns().iter().zip(columns) {
        let mut column = match gathered {
            Gathered::Numbers(sort, numbers) => Column::numbers(&described.name, sort, numbers),
            Gathered::StringColumn(texts) => Column::texts(&described.name, texts),
        };
        column.label = described.label.clone().filter(|label| !label.is_empty());
        table.columns.push(column);
    }
    Ok(table)
}

fn put(column: &mut Gathered, cell: &CellValue<'_>, budget: &mut MemoryBudget) -> Result<(), ReadError> {
    match column {
        Gathered::StringColumn(texts) => match cell {
            CellValue::Str(text) => texts.push(Some(text), budget),
            CellValue::Bytes(bytes) => texts.push(Some(&String::from_utf8_lossy(bytes)), budget),
            _ => texts.push(None, budget),
        },
        Gathered::Numbers(_, numbers) => {
            budget.take(8)?;
            numbers.push(match cell {
                CellValue::Int32(value) => f64::from(*value),
                CellValue::Int64(value) => *value as f64,
                CellValue::Float64(value) => *value,
                CellValue::Date(date) => f64::from(date.unix_days()),
                CellValue::DateTime(moment) => moment.unix_seconds() as f64,
                CellValue::Time(time) => f64::from(time.seconds_since_midnight),
                CellValue::Null | CellValue::Str(_) | CellValue::Bytes(_) => f64::NAN,
            });
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::documents::table::column::Values;

    /// Three rows, written by haven's `write_sas`.
    fn people() -> Vec<u8> {
        let packed = include_bytes!("../../../tests/fixtures/data/people.sas7bdat.gz");
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice())
            .read_to_end(&mut bytes)
            .unwrap();
        bytes
    }

    #[test]
    fn texts_numbers_days_and_labels() {
        let table = read(people(), &Limits::default()).unwrap();
        assert_eq!(table.rows, 3);
        let Values::Strings(names) = &table.column("name").unwrap().values else {
            panic!("{:?}", table.column("name"));
        };
        let names: Vec<Option<&str>> = names.iter().collect();
        assert_eq!(names[..2], [Some("Anna"), Some("José")]);
        let height = table.column("height").unwrap();
        assert_eq!(height.label.as_deref(), Some("in metres"));
        assert_eq!(height.values.missing(), 1);
        assert_eq!(height.mean(), Some((1.5 - 2e10) / 2.0));
        let day = table.column("day").unwrap();
        assert_eq!(day.sort, DataType::Date);
        // 29 February 2020 and 1 January 1950, in days since 1970.
        assert_eq!(day.mean(), Some(f64::from(18_321 - 7_305) / 2.0));
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let bytes = people();
        for end in [0, 100, 1_000] {
            assert!(
                matches!(
                    read(bytes[..end].to_vec(), &Limits::default()),
                    Err(ReadError::Damaged(_))
                ),
                "cut at {end}"
            );
        }
    }
}
