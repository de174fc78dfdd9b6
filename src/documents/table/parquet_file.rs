//! Parquet files that are written, with the feature `columnar`.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// The values of a column; absent ones are null.
#[derive(Debug, Clone, PartialEq)]
pub enum WrittenValues {
    Text(Vec<Option<String>>),
    Number(Vec<Option<f64>>),
    Count(Vec<Option<i64>>),
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenColumn {
    pub name: String,
    pub values: WrittenValues,
}

/// Columns that make no file: of different lengths, or of none.
#[derive(Debug, thiserror::Error)]
#[error("the columns cannot be written as Parquet: {0}")]
pub struct UnwrittenParquet(String);

/// A file of these columns, compressed by Snappy.
///
/// # Errors
/// Columns of different lengths, or two of one name.
pub fn write(columns: Vec<WrittenColumn>) -> Result<Vec<u8>, UnwrittenParquet> {
    let failed = |error: &dyn std::fmt::Display| UnwrittenParquet(error.to_string());
    let arrays = columns.into_iter().map(|column| {
        let array: ArrayRef = match column.values {
            WrittenValues::Text(values) => Arc::new(StringArray::from(values)),
            WrittenValues::Number(values) => Arc::new(Float64Array::from(values)),
            WrittenValues::Count(values) => Arc::new(Int64Array::from(values)),
        };
        (column.name, array, true)
    });
    let batch = RecordBatch::try_from_iter_with_nullable(arrays).map_err(|error| failed(&error))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let mut bytes = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).map_err(|error| failed(&error))?;
    writer.write(&batch).map_err(|error| failed(&error))?;
    writer.close().map_err(|error| failed(&error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::kind::Kind;
    use crate::documents::limits::Limits;
    use crate::documents::table::columnar;

    fn column(name: &str, values: WrittenValues) -> WrittenColumn {
        WrittenColumn {
            name: name.to_owned(),
            values,
        }
    }

    #[test]
    fn what_is_written_is_what_our_reader_finds() {
        let columns = vec![
            column("task", WrittenValues::Text(vec![Some("a".to_owned()), None])),
            column("score", WrittenValues::Number(vec![Some(0.1), None])),
            column("tokens", WrittenValues::Count(vec![Some(7), Some(1 << 40)])),
        ];
        let bytes = write(columns).unwrap();
        let table = columnar::read(bytes, &Kind::Parquet, &Limits::default()).unwrap();
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!((names, table.rows), (vec!["task", "score", "tokens"], 2));
    }

    #[test]
    fn columns_of_different_lengths_are_no_table() {
        let columns = vec![
            column("a", WrittenValues::Count(vec![Some(1)])),
            column("b", WrittenValues::Count(vec![])),
        ];
        assert!(write(columns).is_err());
    }
}
