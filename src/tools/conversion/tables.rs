//! Tables that a conversion wrote, in the one shape of tables.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::documents::helper::Helper;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::column::{Column, DataType, Key, Table};

/// Most bytes of a file that a conversion wrote.
const MOST: u64 = 512 << 20;
/// Most tables of one file.
const TABLES: usize = 200;

/// A table as `convert.py` describes it.
#[derive(Debug, Deserialize)]
struct Described {
    name: String,
    rows: usize,
    columns: Vec<Named>,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
    sort: String,
    label: Option<String>,
    labels: Vec<(Value, String)>,
}

/// Reads what R wrote: one list of data frames.
pub fn read_r(helper: &Helper, folder: &Path, limits: &Limits) -> Result<Vec<Table>, ReadError> {
    let bytes = whole(&folder.join("frames.rds"))?;
    Ok(helper.read("frames.rds", &bytes, limits)?.tables)
}

/// Reads what pandas wrote.
pub fn read_pandas(helper: &Helper, folder: &Path, limits: &Limits) -> Result<Vec<Table>, ReadError> {
    let described: Vec<Described> = serde_json::from_slice(&whole(&folder.join("tables.json"))?)
        .map_err(|error| ReadError::Damaged(format!("its description is not valid: {error}")))?;
    let mut tables = Vec::new();
    for (number, described) in described.into_iter().enumerate().take(TABLES) {
        let file = format!("{number}.json");
        let bytes = whole(&folder.join(&file))?;
        let values = helper
            .read(&file, &bytes, limits)?
            .tables
            .pop()
            .unwrap_or_default();
        tables.push(joined(described, values));
    }
    Ok(tables)
}

/// Gives the columns their names, sorts and labels.
fn joined(described: Described, values: Table) -> Table {
    let mut found: Vec<Option<Column>> = values.columns.into_iter().map(Some).collect();
    let columns = described.columns.into_iter().enumerate().map(|(at, named)| {
        let values = found.get_mut(at).and_then(Option::take);
        let mut column = values.unwrap_or_else(|| Column::numbers("", DataType::Number, Vec::new()));
        column.name = named.name;
        column.label = named.label.filter(|label| !label.is_empty());
        column.sort = match (named.sort.as_str(), column.sort) {
            ("date", DataType::Integer | DataType::Number) => DataType::Date,
            ("datetime", DataType::Integer | DataType::Number) => DataType::DateTime,
            ("number", DataType::Integer) => DataType::Number,
            (_, found) => found,
        };
        column.labels = named
            .labels
            .into_iter()
            .filter_map(|(key, text)| Some((meant(key)?, text)))
            .collect();
        column
    });
    Table {
        name: described.name,
        columns: columns.collect(),
        rows: values.rows.min(described.rows),
        ..Table::default()
    }
}

fn meant(key: Value) -> Option<Key> {
    match key {
        Value::Number(number) => number.as_f64().map(Key::Number),
        Value::String(text) => Some(Key::Text(text)),
        _ => None,
    }
}

/// A file of at most [`MOST`] bytes; nothing but a plain file is opened.
fn whole(path: &Path) -> Result<Vec<u8>, ReadError> {
    let name = path.file_name().unwrap_or_default().display();
    let failed =
        |error: std::io::Error| ReadError::Damaged(format!("the conversion left no {name}: {error}"));
    let found = path.symlink_metadata().map_err(failed)?;
    if !found.is_file() || found.len() > MOST {
        return Err(ReadError::TooBig(MOST >> 20));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST).read_to_end(&mut bytes))
        .map_err(failed)?;
    Ok(bytes)
}
