//! Parquet and Arrow files, with the feature `columnar`.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType as ArrowType, Schema, TimeUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::documents::kind::Kind;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType, Key, Table};
use crate::documents::table::dates;
use crate::documents::table::string_column::StringColumn;

/// A column while its batches go by.
enum Gathered {
    Numbers(Vec<f64>),
    StringColumn(StringColumn),
    Factor(Vec<f64>, StringColumn),
}

/// Reads a Parquet file or an Arrow IPC file (Feather 2).
///
/// # Errors
/// A damaged file, or a table beyond the memory that is allowed.
pub fn read(bytes: Vec<u8>, kind: &Kind, limits: &Limits) -> Result<Table, ReadError> {
    let damaged = |error: &dyn std::fmt::Display| ReadError::Damaged(error.to_string());
    if *kind == Kind::Parquet {
        let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes))
            .map_err(|error| damaged(&error))?;
        let schema = builder.schema().clone();
        let batches = builder.build().map_err(|error| damaged(&error))?;
        return gather(
            &schema,
            batches.map(|batch| batch.map_err(|error| damaged(&error))),
            limits,
        );
    }
    let reader =
        arrow_ipc::reader::FileReader::try_new(Cursor::new(bytes), None).map_err(|error| damaged(&error))?;
    let schema = reader.schema();
    gather(
        &schema,
        reader.map(|batch| batch.map_err(|error| damaged(&error))),
        limits,
    )
}

fn gather(
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch, ReadError>>,
    limits: &Limits,
) -> Result<Table, ReadError> {
    let mut budget = MemoryBudget::new(limits);
    let mut table = Table::default();
    let meanings: Vec<(DataType, f64)> = schema
        .fields()
        .iter()
        .map(|field| meaning(field.data_type()))
        .collect();
    let mut columns: Vec<Gathered> = meanings
        .iter()
        .map(|(sort, _)| match sort {
            DataType::Text => Gathered::StringColumn(StringColumn::default()),
            DataType::Factor { .. } => Gathered::Factor(Vec::new(), StringColumn::default()),
            _ => Gathered::Numbers(Vec::new()),
        })
        .collect();
    for batch in batches {
        let batch = batch?;
        table.rows += batch.num_rows();
        budget.take_cells(batch.num_rows() as u64, batch.num_columns() as u64)?;
        for ((array, column), (sort, scale)) in batch.columns().iter().zip(&mut columns).zip(&meanings) {
            match column {
                Gathered::Numbers(numbers) => append_numbers(array, *sort, *scale, numbers)?,
                Gathered::StringColumn(texts) => append_texts(array, texts, &mut budget)?,
                Gathered::Factor(numbers, levels) => append_factor(array, numbers, levels, &mut budget)?,
            }
        }
    }
    for ((field, column), (sort, _)) in schema.fields().iter().zip(columns).zip(meanings) {
        table.columns.push(match column {
            Gathered::Numbers(numbers) => Column::numbers(field.name(), sort, numbers),
            Gathered::StringColumn(texts) => Column::texts(field.name(), texts),
            Gathered::Factor(numbers, levels) => {
                let mut column = Column::numbers(field.name(), sort, numbers);
                let keys = (1u32..).map(|position| Key::Number(f64::from(position)));
                column.labels = keys.zip(levels.distinct().iter().cloned()).collect();
                column
            }
        });
    }
    Ok(table)
}

/// What a type means, and how many of its units make one of ours.
fn meaning(kind: &ArrowType) -> (DataType, f64) {
    let per_second = |unit: &TimeUnit| match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    };
    match kind {
        ArrowType::Boolean => (DataType::Bool, 1.0),
        ArrowType::Float16 | ArrowType::Float32 | ArrowType::Float64 => (DataType::Number, 1.0),
        ArrowType::Decimal128(..) | ArrowType::Decimal256(..) => (DataType::Number, 1.0),
        kind if kind.is_integer() => (DataType::Integer, 1.0),
        ArrowType::Date32 => (DataType::Date, 1.0),
        ArrowType::Date64 => (DataType::Date, dates::DAY * 1e3),
        ArrowType::Timestamp(unit, _) => (DataType::DateTime, per_second(unit)),
        ArrowType::Time32(unit) | ArrowType::Time64(unit) | ArrowType::Duration(unit) => {
            (DataType::Time, per_second(unit))
        }
        ArrowType::Null => (DataType::Number, 1.0),
        ArrowType::Dictionary(_, values) if meaning(values).0 == DataType::Text => {
            (DataType::Factor { ordered: false }, 1.0)
        }
        _ => (DataType::Text, 1.0),
    }
}

fn append_numbers(
    array: &dyn Array,
    sort: DataType,
    scale: f64,
    numbers: &mut Vec<f64>,
) -> Result<(), ReadError> {
    // Temporal types become numbers through their integers.
    let step = match (sort, array.data_type()) {
        (DataType::Date, ArrowType::Date32) | (DataType::Time, ArrowType::Time32(_)) => {
            Some(ArrowType::Int32)
        }
        (DataType::Date | DataType::DateTime | DataType::Time, _) => Some(ArrowType::Int64),
        _ => None,
    };
    let convert = |array: &dyn Array, to: &ArrowType| {
        cast(array, to)
            .map_err(|error| ReadError::Unsupported(format!("a column of {}: {error}", array.data_type())))
    };
    let stepped = step.map(|step| convert(array, &step)).transpose()?;
    let floats = convert(stepped.as_deref().unwrap_or(array), &ArrowType::Float64)?;
    numbers.extend(
        floats
            .as_primitive::<Float64Type>()
            .iter()
            .map(|value| value.map_or(f64::NAN, |value| value / scale)),
    );
    Ok(())
}

/// Positions from 1 in the levels; a batch may bring levels of its own.
fn append_factor(
    array: &dyn Array,
    numbers: &mut Vec<f64>,
    levels: &mut StringColumn,
    budget: &mut MemoryBudget,
) -> Result<(), ReadError> {
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        return Err(ReadError::Damaged(
            "a batch does not hold the categories that its schema tells".to_owned(),
        ));
    };
    let mut own = StringColumn::default();
    append_texts(dictionary.values(), &mut own, budget)?;
    let mut places = Vec::with_capacity(own.len());
    for level in own.iter() {
        places.push(levels.place(level.unwrap_or_default(), budget)? as f64 + 1.0);
    }
    let keys = dictionary.normalized_keys();
    numbers.extend(
        (0..array.len()).map(|row| match keys.get(row).and_then(|key| places.get(*key)) {
            Some(place) if !array.is_null(row) => *place,
            _ => f64::NAN,
        }),
    );
    Ok(())
}

fn append_texts(
    array: &dyn Array,
    texts: &mut StringColumn,
    budget: &mut MemoryBudget,
) -> Result<(), ReadError> {
    match cast(array, &ArrowType::LargeUtf8) {
        Ok(strings) => {
            for text in strings.as_string::<i64>() {
                texts.push(text, budget)?;
            }
        }
        Err(_) => {
            let kind = format!("({})", array.data_type());
            for row in 0..array.len() {
                texts.push((!array.is_null(row)).then_some(kind.as_str()), budget)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, Float64Array,
        Int64Array, ListArray, StringArray, Time32SecondArray, TimestampMillisecondArray,
    };

    use super::*;
    use crate::documents::table::column::Values;

    /// Two rows of each type; the second is missing.
    fn batch() -> RecordBatch {
        let factor: DictionaryArray<Int8Type> = vec![Some("low"), None].into_iter().collect();
        let list = ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(vec![
            Some(vec![Some(1), Some(2)]),
            None,
        ]);
        let decimal = Decimal128Array::from(vec![Some(12_345), None])
            .with_precision_and_scale(10, 2)
            .unwrap();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("number", Arc::new(Float64Array::from(vec![Some(-1.5), None]))),
            ("whole", Arc::new(Int64Array::from(vec![Some(7), None]))),
            ("decimal", Arc::new(decimal)),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
            ("day", Arc::new(Date32Array::from(vec![Some(18_321), None]))),
            (
                "day64",
                Arc::new(Date64Array::from(vec![Some(18_321 * 86_400_000), None])),
            ),
            (
                "moment",
                Arc::new(TimestampMillisecondArray::from(vec![Some(-1_500), None])),
            ),
            ("time", Arc::new(Time32SecondArray::from(vec![Some(3_661), None]))),
            ("text", Arc::new(StringArray::from(vec![Some("José"), None]))),
            ("factor", Arc::new(factor)),
            ("list", Arc::new(list)),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
            .unwrap()
    }

    fn files() -> [(Kind, Vec<u8>); 2] {
        let batch = batch();
        let mut parquet = Vec::new();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut parquet, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let mut arrow = Vec::new();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(&mut arrow, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        drop(writer);
        [(Kind::Parquet, parquet), (Kind::Arrow, arrow)]
    }

    #[test]
    fn every_type_is_read_from_both_formats() {
        for (kind, bytes) in files() {
            let table = read(bytes, &kind, &Limits::default()).unwrap();
            assert_eq!(table.rows, 2, "{kind:?}");
            let first = |name: &str| match &table.column(name).unwrap().values {
                Values::Numbers(numbers) => {
                    assert!(numbers[1].is_nan(), "{kind:?} {name}");
                    numbers[0]
                }
                other => panic!("{kind:?} {name}: {other:?}"),
            };
            for (name, sort, expected) in [
                ("number", DataType::Number, -1.5),
                ("whole", DataType::Integer, 7.0),
                ("decimal", DataType::Number, 123.45),
                ("flag", DataType::Bool, 1.0),
                ("day", DataType::Date, 18_321.0),
                ("day64", DataType::Date, 18_321.0),
                ("moment", DataType::DateTime, -1.5),
                ("time", DataType::Time, 3_661.0),
                ("factor", DataType::Factor { ordered: false }, 1.0),
            ] {
                assert_eq!(first(name), expected, "{kind:?} {name}");
                assert_eq!(table.column(name).unwrap().sort, sort, "{kind:?} {name}");
            }
            assert_eq!(table.column("factor").unwrap().label_of(1.0), Some("low"));
            for (name, expected) in [("text", "José"), ("list", "[1, 2]")] {
                let Values::Strings(texts) = &table.column(name).unwrap().values else {
                    panic!("{kind:?} {name}");
                };
                let found: Vec<Option<&str>> = texts.iter().collect();
                assert!(found[1].is_none(), "{kind:?} {name}");
                assert_eq!(found[0], Some(expected), "{kind:?} {name}");
            }
        }
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        for (kind, bytes) in files() {
            for end in [0, 7, bytes.len() / 2, bytes.len() - 1] {
                let cut = bytes[..end].to_vec();
                assert!(
                    matches!(read(cut, &kind, &Limits::default()), Err(ReadError::Damaged(_))),
                    "{kind:?} cut at {end}"
                );
            }
        }
    }
}
