//! Matrices as they stand, and tables and arrays of more ways as long tables.

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType, Key, Table};
use crate::documents::table::r::frame::column;
use crate::documents::table::r::value::{Object, Value};
use crate::documents::table::string_column::StringColumn;

/// The table of a vector with a `dim`; `None` where the two do not fit.
pub fn table(name: &str, object: Object, budget: &mut MemoryBudget) -> Result<Option<Table>, ReadError> {
    let extents: Vec<usize> = object
        .attribute("dim")
        .and_then(Object::numbers)
        .unwrap_or_default()
        .into_iter()
        .map(|extent| extent as usize)
        .collect();
    let cells = extents
        .iter()
        .try_fold(1usize, |cells, extent| cells.checked_mul(*extent));
    if cells != Some(object.len()) {
        return Ok(None);
    }
    match extents[..] {
        [rows, _] if !object.is("table") => matrix(name, object, rows, budget),
        _ => long(name, object, &extents, budget),
    }
}

/// The names of each way, where it has any.
fn dimnames(object: &Object) -> (Vec<Option<StringColumn>>, Vec<String>) {
    let Some(dimnames) = object.attribute("dimnames") else {
        return (Vec::new(), Vec::new());
    };
    let parts = match &dimnames.value {
        Value::List(parts) => parts
            .iter()
            .map(|part| match &part.value {
                Value::StringColumn(texts) => Some(texts.clone()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    (parts, dimnames.attribute_texts("names").unwrap_or_default())
}

fn matrix(
    name: &str,
    object: Object,
    rows: usize,
    budget: &mut MemoryBudget,
) -> Result<Option<Table>, ReadError> {
    let (mut parts, _) = dimnames(&object);
    if rows == 0 {
        return Ok(None);
    }
    let titles = parts.get_mut(1).and_then(Option::take);
    let title = |index: usize| {
        let own = titles.as_ref().and_then(|titles| titles.get(index));
        own.map_or_else(|| format!("[,{}]", index + 1), str::to_owned)
    };
    let mut columns = Vec::new();
    if let Some(names) = parts.get_mut(0).and_then(Option::take)
        && names.len() == rows
    {
        columns.push(Column::texts("(row names)", names));
    }
    let sort = match object.value {
        Value::Logicals(_) => DataType::Bool,
        Value::Integers(_) => DataType::Integer,
        _ => DataType::Number,
    };
    if let Value::StringColumn(texts) = &object.value {
        for index in 0..texts.len() / rows {
            let mut own = StringColumn::default();
            for row in 0..rows {
                own.push(texts.get(index * rows + row), budget)?;
            }
            columns.push(Column::texts(title(index), own));
        }
    } else {
        budget.take_cells(object.len() as u64, 1)?;
        let numbers = object.numbers().unwrap_or_default();
        for (index, values) in numbers.chunks_exact(rows).enumerate() {
            columns.push(Column::numbers(title(index), sort, values.to_vec()));
        }
    }
    Ok(Some(Table {
        name: name.to_owned(),
        columns,
        rows,
        ..Table::default()
    }))
}

/// One row a cell: the place in every way, and the value, as R's `as.data.frame.table` lays it out.
fn long(
    name: &str,
    mut object: Object,
    extents: &[usize],
    budget: &mut MemoryBudget,
) -> Result<Option<Table>, ReadError> {
    let rows = object.len();
    budget.take(256 * extents.len() as u64)?;
    budget.take_cells(rows as u64, extents.len() as u64 + 1)?;
    let (parts, titles) = dimnames(&object);
    let mut columns = Vec::new();
    let mut step = 1;
    for (way, extent) in extents.iter().enumerate() {
        let title = titles.get(way).filter(|title| !title.is_empty()).cloned();
        let title = title.unwrap_or_else(|| format!("Var{}", way + 1));
        let places = (0..rows).map(|row| (row / step % extent) as f64 + 1.0).collect();
        let mut column = Column::numbers(title, DataType::Integer, places);
        if let Some(Some(names)) = parts.get(way)
            && names.len() == *extent
        {
            column.sort = DataType::Factor { ordered: false };
            column.labels = names
                .iter()
                .enumerate()
                .map(|(place, name)| (Key::Number(place as f64 + 1.0), name.unwrap_or("NA").to_owned()))
                .collect();
        }
        columns.push(column);
        step *= extent;
    }
    let title = if object.is("table") { "Freq" } else { "value" };
    object
        .attributes
        .retain(|(name, _)| !matches!(name.as_str(), "dim" | "dimnames"));
    let Some(values) = column(title, object, budget)? else {
        return Ok(None);
    };
    columns.push(values);
    Ok(Some(Table {
        name: name.to_owned(),
        columns,
        rows,
        ..Table::default()
    }))
}
