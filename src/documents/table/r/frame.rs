//! From R's values to tables: data frames, and what can be seen as one.

use crate::documents::table::column::{Column, Key, Sort, Table};
use crate::documents::table::r::value::{Object, Value};

/// Collects every data frame in a value; what is none is named in the notes.
pub fn tables(name: &str, object: Object, tables: &mut Vec<Table>, notes: &mut Vec<String>) {
    if object.is("data.frame") {
        tables.push(frame(name, object));
        return;
    }
    let matrix = object.attribute("dim").is_some_and(|dim| dim.len() == 2);
    match object.value {
        Value::Logicals(_) | Value::Integers(_) | Value::Reals(_) | Value::Texts(_) if matrix => {
            tables.extend(matrix_table(name, object));
        }
        Value::Logicals(_) | Value::Integers(_) | Value::Reals(_) | Value::Texts(_) => {
            let rows = object.len();
            let columns = column(if name.is_empty() { "value" } else { name }, object)
                .into_iter()
                .collect();
            tables.push(Table {
                name: name.to_owned(),
                columns,
                rows,
                ..Table::default()
            });
        }
        Value::List(_) if !object.is("lm") && object.attribute("class").is_none() => {
            let names = object.attribute_texts("names").unwrap_or_default();
            let Value::List(items) = object.value else { return };
            for (index, item) in items.into_iter().enumerate() {
                let own = names.get(index).filter(|name| !name.is_empty()).cloned();
                let own = own.unwrap_or_else(|| format!("[[{}]]", index + 1));
                let path = if name.is_empty() {
                    own
                } else {
                    format!("{name}${own}")
                };
                if item.is("data.frame") || matches!(item.value, Value::List(_)) {
                    self::tables(&path, item, tables, notes);
                } else if notes.len() < 50 {
                    notes.push(format!(
                        "`{path}` is of class {} and was left out.",
                        item.describe()
                    ));
                }
            }
        }
        _ => {
            let named = if name.is_empty() {
                "The saved value".to_owned()
            } else {
                format!("`{name}`")
            };
            notes.push(format!(
                "{named} is of class {}, which holds no table; open it in R.",
                object.describe()
            ));
        }
    }
}

fn frame(name: &str, object: Object) -> Table {
    let names = object.attribute_texts("names").unwrap_or_default();
    let mut table = Table {
        name: name.to_owned(),
        ..Table::default()
    };
    let row_names = object.attribute("row.names").cloned();
    table.rows = rows(row_names.as_ref());
    let Value::List(columns) = object.value else {
        return table;
    };
    if let Some(first) = columns.iter().find(|column| column.attribute("dim").is_none()) {
        table.rows = first.len();
    }
    if let Some(Object {
        value: Value::Texts(texts),
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
        match column(&name, object) {
            Some(column) if column.values.len() == table.rows => table.columns.push(column),
            _ => table
                .notes
                .push(format!("Column `{name}` is of class {class} and was left out.")),
        }
    }
    table
}

/// Rows that `row.names` tell, also in its compact form `c(NA, -n)`.
fn rows(names: Option<&Object>) -> usize {
    match names.map(|names| &names.value) {
        Some(Value::Integers(values)) => match values[..] {
            [i32::MIN, count] => count.unsigned_abs() as usize,
            _ => values.len(),
        },
        Some(Value::Texts(texts)) => texts.len(),
        _ => 0,
    }
}

fn column(name: &str, object: Object) -> Option<Column> {
    if object.is("POSIXlt") || object.attribute("dim").is_some_and(|dim| dim.len() > 1) {
        return None;
    }
    let label = object.attribute_text("label").filter(|label| !label.is_empty());
    let levels = object.attribute_texts("levels");
    let labels = labels(&object);
    let declared: Vec<String> = object
        .attribute("na_values")
        .and_then(Object::numbers)
        .map(|numbers| numbers.iter().map(f64::to_string).collect())
        .unwrap_or_default();
    let sort = sort(&object, levels.is_some());
    let seconds = match object.attribute_text("units").as_deref() {
        Some("mins") => 60.0,
        Some("hours") => 3600.0,
        Some("days") => 86_400.0,
        Some("weeks") => 604_800.0,
        _ => 1.0,
    };
    let bits = object.is("integer64");
    let mut column = match object.value {
        Value::Texts(texts) => Column::texts(name, texts),
        _ => {
            let mut numbers = object.numbers()?;
            if bits {
                numbers.iter_mut().for_each(|number| *number = whole(*number));
            } else if sort == Sort::Time {
                numbers.iter_mut().for_each(|number| *number *= seconds);
            }
            Column::numbers(name, sort, numbers)
        }
    };
    column.label = label;
    column.declared_missing = declared;
    column.labels = match levels {
        Some(levels) => levels
            .into_iter()
            .enumerate()
            .map(|(index, level)| (Key::Number(index as f64 + 1.0), level))
            .collect(),
        None => labels,
    };
    Some(column)
}

fn sort(object: &Object, factor: bool) -> Sort {
    if factor && (object.is("factor") || object.is("ordered")) {
        return Sort::Factor {
            ordered: object.is("ordered"),
        };
    }
    if object.is("Date") {
        return Sort::Date;
    }
    if object.is("POSIXct") {
        return Sort::DateTime;
    }
    if object.is("difftime") || object.is("hms") {
        return Sort::Time;
    }
    match &object.value {
        Value::Logicals(_) => Sort::Bool,
        Value::Integers(_) => Sort::Integer,
        _ if object.is("integer64") => Sort::Integer,
        _ => Sort::Number,
    }
}

/// The `labels` attribute that the haven package keeps: values named by their labels.
fn labels(object: &Object) -> Vec<(Key, String)> {
    let Some(labels) = object.attribute("labels") else {
        return Vec::new();
    };
    let names = labels.attribute_texts("names").unwrap_or_default();
    let keys: Vec<Key> = match &labels.value {
        Value::Texts(texts) => texts
            .iter()
            .map(|text| Key::Text(text.unwrap_or_default().to_owned()))
            .collect(),
        _ => labels
            .numbers()
            .unwrap_or_default()
            .into_iter()
            .map(Key::Number)
            .collect(),
    };
    keys.into_iter().zip(names).collect()
}

/// The bit64 package stores 64-bit integers in the bytes of doubles.
fn whole(number: f64) -> f64 {
    match number.to_bits() as i64 {
        i64::MIN => f64::NAN,
        integer => integer as f64,
    }
}

fn matrix_table(name: &str, object: Object) -> Option<Table> {
    let size = object.attribute("dim")?.numbers()?;
    let [rows, columns] = size[..] else { return None };
    let (rows, columns) = (rows as usize, columns as usize);
    let names = match object.attribute("dimnames").map(|names| &names.value) {
        Some(Value::List(parts)) => parts.get(1).cloned(),
        _ => None,
    };
    let name_of = |index: usize| match &names {
        Some(Object {
            value: Value::Texts(texts),
            ..
        }) => texts.get(index).map(str::to_owned),
        _ => None,
    };
    let numbers = object.numbers()?;
    if rows == 0 || numbers.len() != rows.checked_mul(columns)? {
        return None;
    }
    let columns = numbers
        .chunks_exact(rows)
        .enumerate()
        .map(|(index, values)| {
            let name = name_of(index).unwrap_or_else(|| format!("[,{}]", index + 1));
            Column::numbers(name, Sort::Number, values.to_vec())
        })
        .collect();
    Some(Table {
        name: name.to_owned(),
        columns,
        rows,
        ..Table::default()
    })
}
