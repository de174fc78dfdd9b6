//! Records in JSON: a list of objects, an object of lists, or one object a line.

use serde_json::{Map, Value};

use crate::documents::document::{Limits, ReadError};
use crate::documents::table::budget::Budget;
use crate::documents::table::column::{Column, Sort, Table};
use crate::documents::table::texts::Texts;
use crate::documents::text;

/// Reads records; `None` where the JSON holds something else.
pub fn read(bytes: &[u8], lines: bool, limits: &Limits) -> Result<Option<Table>, ReadError> {
    let mut budget = Budget::new(limits);
    // A parsed value takes several times the bytes that it was written in.
    budget.take(8 * bytes.len() as u64)?;
    let decoded = text::decode(bytes);
    let damaged = |error: serde_json::Error| ReadError::Damaged(format!("the JSON is not valid: {error}"));
    let records: Vec<Value> = if lines {
        let written = decoded.text.lines().filter(|line| !line.trim().is_empty());
        written
            .map(serde_json::from_str)
            .collect::<Result<_, _>>()
            .map_err(damaged)?
    } else {
        match serde_json::from_str(&decoded.text).map_err(damaged)? {
            Value::Array(records) => records,
            Value::Object(columns) => return by_columns(columns, &mut budget),
            _ => return Ok(None),
        }
    };
    let mut names: Vec<String> = Vec::new();
    let mut objects: Vec<&Map<String, Value>> = Vec::new();
    for record in &records {
        let Value::Object(object) = record else {
            return Ok(None);
        };
        objects.push(object);
    }
    if objects.is_empty() {
        return Ok(None);
    }
    let mut known = std::collections::HashSet::new();
    for name in objects.iter().flat_map(|object| object.keys()) {
        if known.insert(name) {
            names.push(name.clone());
        }
    }
    budget.take_cells(objects.len() as u64, names.len() as u64)?;
    let mut table = Table {
        rows: objects.len(),
        ..Table::default()
    };
    for name in names {
        let values: Vec<&Value> = objects
            .iter()
            .map(|object| object.get(&name).unwrap_or(&Value::Null))
            .collect();
        table.columns.push(column(name, &values, &mut budget)?);
    }
    Ok(Some(table))
}

fn by_columns(columns: Map<String, Value>, budget: &mut Budget) -> Result<Option<Table>, ReadError> {
    let mut table = Table::default();
    for (name, value) in columns {
        let Value::Array(values) = value else {
            return Ok(None);
        };
        if !table.columns.is_empty() && values.len() != table.rows {
            return Ok(None);
        }
        table.rows = values.len();
        budget.take_cells(values.len() as u64, 1)?;
        table
            .columns
            .push(column(name, &values.iter().collect::<Vec<_>>(), budget)?);
    }
    Ok((table.rows > 0).then_some(table))
}

fn column(name: String, values: &[&Value], budget: &mut Budget) -> Result<Column, ReadError> {
    let mut present = values.iter().filter(|value| !value.is_null()).peekable();
    let some = present.peek().is_some();
    let (mut numbers, mut bools, mut whole) = (true, some, true);
    for value in present {
        numbers &= value.is_number();
        bools &= value.is_boolean();
        whole &= value.is_i64() || value.is_u64();
    }
    if numbers || bools {
        let sort = match (bools, whole && some) {
            (true, _) => Sort::Bool,
            (_, true) => Sort::Integer,
            _ => Sort::Number,
        };
        let number = |value: &&Value| match value {
            Value::Bool(value) => f64::from(u8::from(*value)),
            value => value.as_f64().unwrap_or(f64::NAN),
        };
        return Ok(Column::numbers(name, sort, values.iter().map(number).collect()));
    }
    let mut texts = Texts::default();
    for value in values {
        match value {
            Value::Null => texts.push(None, budget)?,
            Value::String(text) => texts.push(Some(text), budget)?,
            other => texts.push(Some(&other.to_string()), budget)?,
        }
    }
    Ok(Column::texts(name, texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_may_lack_fields() {
        let table = read(b"[{\"a\": 1}, {\"a\": 2, \"b\": [1]}]", false, &Limits::default())
            .unwrap()
            .unwrap();
        assert_eq!((table.rows, table.columns.len()), (2, 2));
        assert_eq!(table.columns[0].mean(), Some(1.5));
        assert_eq!(table.columns[1].values.missing(), 1);
        assert!(read(b"[1, 2]", false, &Limits::default()).unwrap().is_none());
    }
}
