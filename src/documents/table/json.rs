//! Tables in JSON: records, columns, and the shapes that pandas writes.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType, Table};
use crate::documents::table::string_column::StringColumn;
use crate::documents::text;

/// Reads a table; `None` where the JSON holds something else.
///
/// A table is a list of objects or of lists, an object of lists or of objects
/// (pandas' default: column, index, value), or an object in which `columns`
/// and `data` are lists. One list of records among other values is taken, too.
///
/// # Errors
/// JSON that is not valid, or more of it than the limit of memory holds.
pub fn read(bytes: &[u8], lines: bool, limits: &Limits) -> Result<Option<Table>, ReadError> {
    let mut budget = MemoryBudget::new(limits);
    // A parsed value takes several times the bytes that it was written in.
    budget.take(8 * bytes.len() as u64)?;
    let decoded = text::decode(bytes);
    let damaged = |error: serde_json::Error| ReadError::Damaged(format!("the JSON is not valid: {error}"));
    let value = if lines {
        let written = decoded.text.lines().filter(|line| !line.trim().is_empty());
        let records = written.map(serde_json::from_str).collect::<Result<_, _>>();
        Value::Array(records.map_err(damaged)?)
    } else {
        serde_json::from_str(&decoded.text).map_err(damaged)?
    };
    let mut shaping = Shaping {
        table: Table::default(),
        budget,
    };
    let found = match &value {
        Value::Array(records) => shaping.list(records)?,
        Value::Object(object) => shaping.object(object)?,
        _ => false,
    };
    Ok(found.then_some(shaping.table))
}

/// A table in the making.
struct Shaping {
    table: Table,
    budget: MemoryBudget,
}

impl Shaping {
    /// Objects as records or lists as rows; whether it was either.
    fn list(&mut self, items: &[Value]) -> Result<bool, ReadError> {
        if let Some(objects) = all(items, Value::as_object) {
            return self.records(&objects);
        }
        let Some(rows) = all(items, Value::as_array) else {
            return Ok(false);
        };
        // A first row of strings above other values names the columns.
        let strings = |row: &Vec<Value>| row.iter().all(Value::is_string);
        let named = rows.len() > 1 && strings(rows[0]) && !rows.iter().all(|row| strings(row));
        if named {
            let names = rows[0].iter().map(spelled).collect();
            return self.rows(names, &rows[1..]);
        }
        let width = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        self.rows(
            (1..=width).map(|column| format!("(column {column})")).collect(),
            &rows,
        )
    }

    fn object(&mut self, object: &Map<String, Value>) -> Result<bool, ReadError> {
        let part = |name: &str| object.get(name).and_then(Value::as_array);
        if let (Some(names), Some(data)) = (part("columns"), part("data"))
            && let Some(rows) = all(data, Value::as_array)
        {
            self.index(part("index").map(Vec::as_slice).unwrap_or_default(), rows.len())?;
            return self.rows(names.iter().map(spelled).collect(), &rows);
        }
        let values: Vec<&Value> = object.values().collect();
        let lists: Vec<&Vec<Value>> = values.iter().filter_map(|value| value.as_array()).collect();
        let even = lists.windows(2).all(|pair| pair[0].len() == pair[1].len());
        let records = |list: &[Value]| !list.is_empty() && all(list, Value::as_object).is_some();
        if lists.len() == values.len() && even && !(lists.len() == 1 && records(lists[0])) {
            return self.columns(object);
        }
        if let Some(columns) = all_of(&values, Value::as_object) {
            return self.by_index(object, &columns);
        }
        let mut held = object.iter().filter_map(|(name, value)| {
            let list = value.as_array()?;
            (records(list) || (name == "data" && !list.is_empty())).then_some((name, list))
        });
        let (Some((name, list)), None) = (held.next(), held.next()) else {
            return Ok(false);
        };
        if object.len() > 1 {
            self.table.notes.push(format!(
                "The rows are those of `{name}`; {} other values beside it are not shown here.",
                object.len() - 1
            ));
        }
        self.list(list)
    }

    fn records(&mut self, objects: &[&Map<String, Value>]) -> Result<bool, ReadError> {
        let mut known = HashSet::new();
        let mut names: Vec<&String> = Vec::new();
        for name in objects.iter().flat_map(|object| object.keys()) {
            if known.insert(name) {
                names.push(name);
            }
        }
        self.table.rows = objects.len();
        for name in names {
            let values = objects
                .iter()
                .map(|object| object.get(name).unwrap_or(&Value::Null));
            self.column(name.clone(), &values.collect::<Vec<_>>())?;
        }
        Ok(!objects.is_empty())
    }

    fn rows(&mut self, names: Vec<String>, rows: &[&Vec<Value>]) -> Result<bool, ReadError> {
        self.table.rows = rows.len();
        let ragged = rows.iter().filter(|row| row.len() != names.len()).count();
        if ragged > 0 {
            self.table.notes.push(format!(
                "{ragged} of {} rows have more or fewer than {} values: values were cut or left missing.",
                rows.len(),
                names.len()
            ));
        }
        for (place, name) in names.into_iter().enumerate() {
            let values = rows.iter().map(|row| row.get(place).unwrap_or(&Value::Null));
            self.column(name, &values.collect::<Vec<_>>())?;
        }
        Ok(!rows.is_empty() && !self.table.columns.is_empty())
    }

    fn columns(&mut self, columns: &Map<String, Value>) -> Result<bool, ReadError> {
        for (name, value) in columns {
            let values: Vec<&Value> = value.as_array().into_iter().flatten().collect();
            self.table.rows = values.len();
            self.column(name.clone(), &values)?;
        }
        Ok(self.table.rows > 0)
    }

    /// Values by column and index; by index and column where only the outer keys count rows.
    fn by_index(
        &mut self,
        object: &Map<String, Value>,
        inner: &[&Map<String, Value>],
    ) -> Result<bool, ReadError> {
        let Some(first) = inner.first().filter(|first| !first.is_empty()) else {
            return Ok(false);
        };
        let alike = |map: &&Map<String, Value>| {
            map.len() == first.len()
                && first.keys().all(|key| map.contains_key(key))
                && map.values().all(|value| !value.is_object() && !value.is_array())
        };
        if !inner.iter().all(alike) {
            return Ok(false);
        }
        let counts = |key: &String| key.parse::<i64>().is_ok();
        if object.keys().all(counts) && !first.keys().all(counts) {
            let index: Vec<Value> = object.keys().cloned().map(Value::String).collect();
            self.index(&index, index.len())?;
            return self.records(inner);
        }
        let index: Vec<Value> = first.keys().cloned().map(Value::String).collect();
        self.index(&index, index.len())?;
        self.table.rows = index.len();
        for (name, map) in object.keys().zip(inner) {
            let values = first.keys().map(|key| map.get(key).unwrap_or(&Value::Null));
            self.column(name.clone(), &values.collect::<Vec<_>>())?;
        }
        Ok(true)
    }

    /// A column of the index, unless it counts the rows from 0.
    fn index(&mut self, index: &[Value], rows: usize) -> Result<(), ReadError> {
        let counted = index
            .iter()
            .enumerate()
            .all(|(row, value)| spelled(value) == row.to_string());
        if counted || index.len() != rows {
            return Ok(());
        }
        self.column("(index)".to_owned(), &index.iter().collect::<Vec<_>>())
    }

    fn column(&mut self, name: String, values: &[&Value]) -> Result<(), ReadError> {
        self.budget.take_cells(values.len() as u64, 1)?;
        let mut present = values.iter().filter(|value| !value.is_null()).peekable();
        let some = present.peek().is_some();
        let (mut numbers, mut bools, mut whole, mut long) = (true, some, true, false);
        for value in present {
            numbers &= value.is_number();
            bools &= value.is_boolean();
            whole &= value.is_i64() || value.is_u64();
            long |= is_too_long(value);
        }
        long &= whole && numbers;
        if (numbers || bools) && !long {
            let sort = match (bools, whole && some) {
                (true, _) => DataType::Bool,
                (_, true) => DataType::Integer,
                _ => DataType::Number,
            };
            let number = |value: &&Value| match value {
                Value::Bool(value) => f64::from(u8::from(*value)),
                value => value.as_f64().unwrap_or(f64::NAN),
            };
            let column = Column::numbers(name, sort, values.iter().map(number).collect());
            self.table.columns.push(column);
            return Ok(());
        }
        if long {
            self.table.notes.push(format!(
                "`{name}` holds whole numbers past 2^53, which doubles cannot tell apart: they are kept as text."
            ));
        }
        let mut texts = StringColumn::default();
        for value in values {
            match value {
                Value::Null => texts.push(None, &mut self.budget)?,
                value => texts.push(Some(&spelled(value)), &mut self.budget)?,
            }
        }
        self.table.columns.push(Column::texts(name, texts));
        Ok(())
    }
}

/// Every item in the form that is asked for, or none of them.
fn all<'v, T>(items: &'v [Value], form: impl Fn(&'v Value) -> Option<T>) -> Option<Vec<T>> {
    items
        .iter()
        .map(form)
        .collect::<Option<Vec<T>>>()
        .filter(|items| !items.is_empty())
}

/// The same of items that are borrowed one by one.
fn all_of<'v, T>(items: &[&'v Value], form: impl Fn(&'v Value) -> Option<T>) -> Option<Vec<T>> {
    items
        .iter()
        .map(|item| form(item))
        .collect::<Option<Vec<T>>>()
        .filter(|items| !items.is_empty())
}

/// Strings as they are, the rest as JSON.
fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Whether a whole number is no double.
fn is_too_long(value: &Value) -> bool {
    let exact = value
        .as_i64()
        .map(i128::from)
        .or_else(|| value.as_u64().map(i128::from));
    exact.is_some_and(|exact| exact as f64 as i128 != exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::table::moments::distinct;

    fn table(json: &str) -> Option<Table> {
        read(json.as_bytes(), false, &Limits::default()).unwrap()
    }

    #[test]
    fn records_may_lack_fields() {
        let table = table("[{\"a\": 1}, {\"a\": 2, \"b\": [1]}]").unwrap();
        assert_eq!((table.rows, table.columns.len()), (2, 2));
        assert_eq!(table.columns[0].mean(), Some(1.5));
        assert_eq!(table.columns[1].values.missing(), 1);
    }

    #[test]
    fn every_shape_of_pandas_is_the_same_table() {
        for json in [
            r#"{"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}}"#,
            r#"{"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]}"#,
            r#"{"0": {"a": 1, "b": "x"}, "1": {"a": 2, "b": "y"}}"#,
            r#"{"data": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], "meta": {"n": 2}}"#,
            r#"{"data": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}"#,
            r#"{"schema": {"fields": []}, "data": [["a", "b"], [1, "x"], [2, "y"]]}"#,
            r#"[["a", "b"], [1, "x"], [2, "y"]]"#,
            r#"{"a": [1, 2], "b": ["x", "y"]}"#,
        ] {
            let table = table(json).unwrap();
            let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            assert_eq!((table.rows, names), (2, vec!["a", "b"]), "{json}");
            assert_eq!(table.columns[0].mean(), Some(1.5), "{json}");
        }
    }

    #[test]
    fn an_index_that_says_something_is_a_column() {
        let table = table(r#"{"a": {"kim": 1, "lee": 2}}"#).unwrap();
        assert_eq!(table.columns[0].name, "(index)");
        assert_eq!((table.rows, table.columns[1].mean()), (2, Some(1.5)));
    }

    #[test]
    fn what_is_no_table_is_none() {
        for json in [
            "[1, 2]",
            "3",
            "[]",
            "{}",
            r#"{"a": 1}"#,
            r#"{"a": {"x": 1}, "b": {"y": 2}}"#,
            r#"{"a": [], "b": 1}"#,
        ] {
            assert_eq!(table(json), None, "{json}");
        }
        assert_eq!(table("[[1, 2], [3, 4]]").unwrap().columns[1].mean(), Some(3.0));
    }

    #[test]
    fn long_identifiers_stay_apart() {
        let table = table(r#"[{"id": 12345678901234567}, {"id": 12345678901234568}]"#).unwrap();
        assert_eq!(distinct(&table.columns[0]), 2);
        assert!(table.notes[0].contains("past 2^53"), "{:?}", table.notes);
    }
}
