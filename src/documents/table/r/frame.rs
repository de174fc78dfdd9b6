//! From R's vectors and data frames to columns and tables.

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType, Key, Table};
use crate::documents::table::r::missing::{DeclaredMissing, tag};
use crate::documents::table::r::value::{Object, Value};
use crate::documents::table::string_column::StringColumn;

/// The table of a data frame.
pub fn frame(name: &str, object: Object, budget: &mut MemoryBudget) -> Result<Table, ReadError> {
    let names = object.attribute_texts("names").unwrap_or_default();
    let mut table = Table {
        name: name.to_owned(),
        ..Table::default()
    };
    let row_names = object.attribute("row.names").cloned();
    table.rows = rows(row_names.as_ref());
    let Value::List(columns) = object.value else {
        return Ok(table);
    };
    if let Some(first) = columns.iter().find(|column| column.attribute("dim").is_none()) {
        table.rows = first.len();
    }
    if let Some(Object {
        value: Value::StringColumn(texts),
        ..
    }) = row_names
        && texts.len() == table.rows
    {
        let plain = texts
            .iter()
            .enumerate()
            .all(|(row, text)| text == Some((row + 1).to_string().as_str()));
        if !plain {
            table.columns.push(Column::texts("(row names)", texts));
        }
    }
    for (index, object) in columns.into_iter().enumerate() {
        let name = names
            .get(index)
            .cloned()
            .unwrap_or_else(|| format!("(column {})", index + 1));
        let class = object.describe();
        table.notes.extend(zone(&name, &object));
        match column(&name, object, budget)? {
            Some(column) if column.values.len() == table.rows => {
                table.notes.extend(too_long(&column, &class));
                table.columns.push(column);
            }
            _ => table
                .notes
                .push(format!("Column `{name}` is of class {class} and was left out.")),
        }
    }
    Ok(table)
}

/// Rows that `row.names` tell, also in its compact form `c(NA, -n)`.
pub fn rows(names: Option<&Object>) -> usize {
    match names.map(|names| &names.value) {
        Some(Value::Integers(values)) => match values[..] {
            [i32::MIN, count] => count.unsigned_abs() as usize,
            _ => values.len(),
        },
        Some(Value::StringColumn(texts)) => texts.len(),
        _ => 0,
    }
}

/// In which time zone the moments of a vector are shown, where that is not the vector's own.
pub fn zone(name: &str, object: &Object) -> Option<String> {
    if !object.is("POSIXct") {
        return None;
    }
    match object.attribute_text("tzone").as_deref() {
        Some("UTC" | "GMT" | "Etc/UTC" | "Etc/GMT") => None,
        None | Some("") => Some(format!(
            "The times of `{name}` are in UTC: the file names no time zone, and R shows them in the reader's own."
        )),
        Some(zone) => Some(format!(
            "The times of `{name}` are in UTC; R shows them in {zone}, where the day can be another."
        )),
    }
}

/// Says that a column of numbers became text.
fn too_long(column: &Column, class: &str) -> Option<String> {
    (class == "integer64" && column.sort == DataType::Text).then(|| {
        format!(
            "`{}` holds whole numbers past 2^53, which doubles cannot tell apart: they are kept as text.",
            column.name
        )
    })
}

/// The column of a vector; `None` for what is no vector of one value a row.
pub fn column(name: &str, object: Object, budget: &mut MemoryBudget) -> Result<Option<Column>, ReadError> {
    if object.is("POSIXlt") || object.attribute("dim").is_some_and(|dim| dim.len() > 1) {
        return Ok(None);
    }
    let label = object.attribute_text("label").filter(|label| !label.is_empty());
    let levels = object.attribute_texts("levels");
    let labels = labels(&object);
    let missing = DeclaredMissing::from_object(&object);
    let sort = infer_type(&object, levels.is_some());
    let seconds = match object.attribute_text("units").as_deref() {
        Some("mins") => 60.0,
        Some("hours") => 3600.0,
        Some("days") => 86_400.0,
        Some("weeks") => 604_800.0,
        _ => 1.0,
    };
    let bits = object.is("integer64");
    let mut column = match object.value {
        Value::StringColumn(texts) => Column::texts(name, texts),
        _ => {
            let Some(mut numbers) = object.numbers() else {
                return Ok(None);
            };
            if bits {
                return integers(name, label, &numbers, budget).map(Some);
            } else if sort == DataType::Time {
                numbers.iter_mut().for_each(|number| *number *= seconds);
            }
            Column::numbers(name, sort, numbers)
        }
    };
    column.label = label;
    missing.apply(&mut column, budget)?;
    column.labels = match levels {
        Some(levels) => levels
            .into_iter()
            .enumerate()
            .map(|(index, level)| (Key::Number(index as f64 + 1.0), level))
            .collect(),
        None => labels,
    };
    Ok(Some(column))
}

/// The bit64 package stores 64-bit integers in the bytes of doubles.
fn integers(
    name: &str,
    label: Option<String>,
    bits: &[f64],
    budget: &mut MemoryBudget,
) -> Result<Column, ReadError> {
    let integer = |number: &f64| Some(number.to_bits() as i64).filter(|integer| *integer != i64::MIN);
    let held = |integer: i64| integer as f64 as i128 == i128::from(integer);
    let mut column = if bits.iter().filter_map(integer).all(held) {
        let numbers = bits
            .iter()
            .map(|number| integer(number).map_or(f64::NAN, |integer| integer as f64));
        Column::numbers(name, DataType::Integer, numbers.collect())
    } else {
        let mut texts = StringColumn::default();
        for number in bits {
            let spelled = integer(number).map(|integer| integer.to_string());
            texts.push(spelled.as_deref(), budget)?;
        }
        Column::texts(name, texts)
    };
    column.label = label;
    Ok(column)
}

fn infer_type(object: &Object, factor: bool) -> DataType {
    if factor && (object.is("factor") || object.is("ordered")) {
        return DataType::Factor {
            ordered: object.is("ordered"),
        };
    }
    if object.is("Date") {
        return DataType::Date;
    }
    if object.is("POSIXct") {
        return DataType::DateTime;
    }
    if object.is("difftime") || object.is("hms") {
        return DataType::Time;
    }
    match &object.value {
        Value::Logicals(_) => DataType::Bool,
        Value::Integers(_) => DataType::Integer,
        _ if object.is("integer64") => DataType::Integer,
        _ => DataType::Number,
    }
}

/// The `labels` attribute that the haven package keeps: values named by their labels.
fn labels(object: &Object) -> Vec<(Key, String)> {
    let Some(labels) = object.attribute("labels") else {
        return Vec::new();
    };
    let names = labels.attribute_texts("names").unwrap_or_default();
    let keys: Vec<Key> = match &labels.value {
        Value::StringColumn(texts) => texts
            .iter()
            .map(|text| Key::Text(text.unwrap_or_default().to_owned()))
            .collect(),
        _ => labels
            .numbers()
            .unwrap_or_default()
            .into_iter()
            .map(|number| tag(number).map_or(Key::Number(number), |tag| Key::Missing(format!(".{tag}"))))
            .collect(),
    };
    keys.into_iter().zip(names).collect()
}
