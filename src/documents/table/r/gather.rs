//! Every table that a saved value holds, and a list of what else is in it.

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, Table};
use crate::documents::table::describe::cells::brief;
use crate::documents::table::r::array;
use crate::documents::table::r::frame::{column, frame, rows, zone};
use crate::documents::table::r::value::{Object, Value};
use crate::documents::table::string_column::StringColumn;

/// The table that lists the parts of objects.
const CONTENTS: &str = "(contents)";
/// Most parts that are listed.
const PARTS: usize = 500;
/// Parts of parts are listed down to this depth.
const DEEPEST: usize = 4;
/// Longest vector whose values are shown.
const SHOWN: usize = 8;
/// Most notes on values without a table.
const NOTES: usize = 50;

/// Tables, notes and parts, as they are found.
pub struct Gathering<'budget> {
    tables: Vec<Table>,
    notes: Vec<String>,
    /// Path, class, size and values.
    parts: Vec<[String; 4]>,
    /// Parts past [`PARTS`].
    unlisted: usize,
    /// Whether a part is no data frame.
    others: bool,
    budget: &'budget mut MemoryBudget,
}

impl<'budget> Gathering<'budget> {
    /// Nothing yet.
    pub fn new(budget: &'budget mut MemoryBudget) -> Self {
        Self {
            tables: Vec::new(),
            notes: Vec::new(),
            parts: Vec::new(),
            unlisted: 0,
            others: false,
            budget,
        }
    }

    /// Takes a value with all that is in it; the name is empty for the one value of a file.
    pub fn value(&mut self, name: &str, object: Object) -> Result<(), ReadError> {
        let class = object.describe();
        let named = if name.is_empty() {
            "The saved value".to_owned()
        } else {
            format!("`{name}`")
        };
        if object.is("data.frame") {
            self.tables.push(frame(name, object, self.budget)?);
        } else if is_vector(&object) {
            let table = match object.attribute("dim").map(Object::len) {
                None | Some(0) => vector(name, object, self.budget)?,
                _ => array::table(name, object, self.budget)?,
            };
            match table {
                Some(table) => self.tables.push(table),
                None => self.note(format!("{named} is of class {class} and was left out.")),
            }
        } else if is_container(&object) {
            if class != "list" {
                self.note(format!(
                    "{named} is of class {class}: what it holds is listed in the table `{CONTENTS}`."
                ));
                self.others = true;
            }
            self.contents(name, object, 0)?;
        } else {
            self.note(format!(
                "{named} is of class {class}, which holds no table; open it in R."
            ));
        }
        Ok(())
    }

    /// The tables, the list of parts last, and what was left out.
    pub fn finish(mut self) -> Result<(Vec<Table>, Vec<String>), ReadError> {
        if self.others {
            let mut table = Table {
                name: CONTENTS.to_owned(),
                rows: self.parts.len(),
                ..Table::default()
            };
            for (place, title) in ["part", "class", "size", "values"].into_iter().enumerate() {
                let mut texts = StringColumn::default();
                for part in &self.parts {
                    texts.push(
                        Some(part[place].as_str()).filter(|text| !text.is_empty()),
                        self.budget,
                    )?;
                }
                table.columns.push(Column::texts(title, texts));
            }
            if self.unlisted > 0 {
                table
                    .notes
                    .push(format!("{} more parts are not listed.", self.unlisted));
            }
            self.tables.push(table);
        }
        Ok((self.tables, self.notes))
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < NOTES {
            self.notes.push(note);
        }
    }

    /// Lists the parts of an object, and takes the data frames among them.
    fn contents(&mut self, path: &str, object: Object, depth: usize) -> Result<(), ReadError> {
        for (name, item) in entries(path, object) {
            self.budget.take(64)?;
            let frame_of = item.is("data.frame");
            let of_lists = is_container(&item) && item.describe() == "list";
            self.others |= !frame_of && !of_lists;
            if depth < DEEPEST && self.parts.len() < PARTS {
                self.budget.take(name.len() as u64 + 200)?;
                self.parts
                    .push([name.clone(), item.describe(), size(&item), values(&item)]);
            } else {
                self.unlisted += 1;
            }
            if frame_of {
                self.tables.push(frame(&name, item, self.budget)?);
            } else if is_container(&item) {
                self.contents(&name, item, depth + 1)?;
            }
        }
        Ok(())
    }
}

fn is_vector(object: &Object) -> bool {
    matches!(
        object.value,
        Value::Logicals(_) | Value::Integers(_) | Value::Reals(_) | Value::StringColumn(_)
    )
}

fn is_container(object: &Object) -> bool {
    matches!(
        object.value,
        Value::List(_) | Value::Environment(_) | Value::Slots
    )
}

/// The parts of an object under the paths by which R reaches them.
fn entries(path: &str, object: Object) -> Vec<(String, Object)> {
    let join = |sign: &str, own: &str| {
        if path.is_empty() {
            own.to_owned()
        } else {
            format!("{path}{sign}{own}")
        }
    };
    let names = object.attribute_texts("names").unwrap_or_default();
    match object.value {
        Value::Slots => object
            .attributes
            .into_iter()
            .filter(|(name, _)| name != "class")
            .map(|(name, slot)| (join("@", &name), slot))
            .collect(),
        Value::Environment(variables) => variables
            .into_iter()
            .map(|(name, variable)| (join("$", &name), variable))
            .collect(),
        Value::List(items) => items
            .into_iter()
            .enumerate()
            .map(
                |(index, item)| match names.get(index).filter(|name| !name.is_empty()) {
                    Some(name) => (join("$", name), item),
                    None => (format!("{path}[[{}]]", index + 1), item),
                },
            )
            .collect(),
        _ => Vec::new(),
    }
}

/// Rows and columns, the extents of an array, or a length.
fn size(object: &Object) -> String {
    if object.is("data.frame") {
        return format!("{} × {}", rows(object.attribute("row.names")), object.len());
    }
    let extents = object.attribute("dim").and_then(Object::numbers);
    match extents {
        Some(extents) => {
            let extents: Vec<String> = extents.iter().take(SHOWN).map(f64::to_string).collect();
            extents.join(" × ")
        }
        None if is_vector(object) || is_container(object) => match &object.value {
            Value::Slots => object.attributes.len().saturating_sub(1).to_string(),
            _ => object.len().to_string(),
        },
        None => String::new(),
    }
}

/// The values of a short plain vector, with their names where they have any.
fn values(object: &Object) -> String {
    if object.len() > SHOWN || object.attribute("class").is_some() {
        return String::new();
    }
    let spelled: Vec<String> = match &object.value {
        // Longer texts can be answers of persons.
        Value::StringColumn(texts) if texts.len() == 1 => texts.iter().flatten().map(str::to_owned).collect(),
        Value::Logicals(_) | Value::Integers(_) | Value::Reals(_) => {
            let numbers = object.numbers().unwrap_or_default();
            numbers.into_iter().map(brief).collect()
        }
        _ => return String::new(),
    };
    let names = object.attribute_texts("names").unwrap_or_default();
    let parts: Vec<String> = spelled
        .into_iter()
        .enumerate()
        .map(
            |(index, value)| match names.get(index).filter(|name| !name.is_empty()) {
                Some(name) => format!("{name} = {value}"),
                None => value,
            },
        )
        .collect();
    parts.join(", ")
}

/// A vector as a table of one column.
fn vector(name: &str, object: Object, budget: &mut MemoryBudget) -> Result<Option<Table>, ReadError> {
    let rows = object.len();
    let title = if name.is_empty() { "value" } else { name };
    let notes = zone(title, &object).into_iter().collect();
    Ok(column(title, object, budget)?.map(|column| Table {
        name: name.to_owned(),
        columns: vec![column],
        rows,
        notes,
        ..Table::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;

    fn object(value: Value, attributes: &[(&str, Object)]) -> Object {
        Object {
            value,
            attributes: attributes
                .iter()
                .map(|(name, object)| ((*name).to_owned(), object.clone()))
                .collect(),
        }
    }

    fn texts(values: &[&str]) -> Object {
        let mut texts = StringColumn::default();
        let mut budget = MemoryBudget::new(&Limits::default());
        for value in values {
            texts.push(Some(value), &mut budget).unwrap();
        }
        object(Value::StringColumn(texts), &[])
    }

    fn gathered(object: Object) -> (Vec<Table>, Vec<String>) {
        let mut budget = MemoryBudget::new(&Limits::default());
        let mut gathering = Gathering::new(&mut budget);
        gathering.value("", object).unwrap();
        gathering.finish().unwrap()
    }

    #[test]
    fn objects_are_described_and_their_data_frames_offered() {
        let data = object(
            Value::List(vec![object(Value::Reals(vec![1.0, 2.0]), &[])]),
            &[
                ("class", texts(&["data.frame"])),
                ("names", texts(&["x"])),
                ("row.names", object(Value::Integers(vec![i32::MIN, -2]), &[])),
            ],
        );
        let fit = object(
            Value::List(vec![object(
                Value::Reals(vec![0.5]),
                &[("names", texts(&["slope"]))],
            )]),
            &[("class", texts(&["lm"])), ("names", texts(&["coefficients"]))],
        );
        let slots = object(
            Value::Slots,
            &[
                ("data", data),
                (
                    "scope",
                    object(Value::Environment(vec![("fit".to_owned(), fit)]), &[]),
                ),
                ("class", texts(&["Study"])),
            ],
        );
        let (tables, notes) = gathered(slots);
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["data", "(contents)"]);
        assert_eq!(tables[0].columns[0].mean(), Some(1.5));
        assert!(
            notes[0].starts_with("The saved value is of class Study"),
            "{notes:?}"
        );
        let listed: Vec<String> = (0..tables[1].rows)
            .map(|row| {
                let cells = tables[1].columns.iter().map(|column| match &column.values {
                    crate::documents::table::column::Values::Strings(texts) => texts.get(row).unwrap_or("-"),
                    crate::documents::table::column::Values::Numbers(_) => "?",
                });
                cells.collect::<Vec<_>>().join("|")
            })
            .collect();
        assert_eq!(
            listed,
            [
                "data|data.frame|2 × 1|-",
                "scope|environment|1|-",
                "scope$fit|lm|1|-",
                "scope$fit$coefficients|numeric|1|slope = 0.5"
            ]
        );
    }

    #[test]
    fn a_table_of_three_ways_is_long() {
        let numbers = (1..=12).map(f64::from).collect();
        let titles = object(
            Value::List(vec![
                texts(&["a", "b"]),
                object(Value::Null, &[]),
                texts(&["x", "y"]),
            ]),
            &[("names", texts(&["g", "", "h"]))],
        );
        let dim = object(Value::Integers(vec![2, 3, 2]), &[]);
        let (tables, _) = gathered(object(
            Value::Reals(numbers),
            &[("dim", dim), ("dimnames", titles), ("class", texts(&["table"]))],
        ));
        let names: Vec<&str> = tables[0]
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!((tables[0].rows, names), (12, vec!["g", "Var2", "h", "Freq"]));
        let row = |row| {
            let values = tables[0].columns.iter();
            let cells = values.map(|column| crate::documents::table::describe::cells::value(column, row));
            cells.flatten().collect::<Vec<_>>().join(" ")
        };
        assert_eq!((row(3).as_str(), row(6).as_str()), ("b 2 x 4", "a 1 y 7"));
    }

    #[test]
    fn moments_name_their_zone_and_long_integers_stay_apart() {
        let moments = object(
            Value::Reals(vec![1_577_939_400.0]),
            &[
                ("class", texts(&["POSIXct", "POSIXt"])),
                ("tzone", texts(&["America/New_York"])),
            ],
        );
        let bits = [9_007_199_254_740_992_i64, 9_007_199_254_740_993].map(|id| f64::from_bits(id as u64));
        let ids = object(Value::Reals(bits.to_vec()), &[("class", texts(&["integer64"]))]);
        let (tables, _) = gathered(object(
            Value::List(vec![moments]),
            &[("class", texts(&["data.frame"])), ("names", texts(&["t"]))],
        ));
        assert!(tables[0].notes[0].contains("in UTC; R shows them in America/New_York"));
        let (tables, _) = gathered(object(
            Value::List(vec![ids]),
            &[("class", texts(&["data.frame"])), ("names", texts(&["id"]))],
        ));
        assert_eq!(
            crate::documents::table::moments::distinct(&tables[0].columns[0]),
            2
        );
        assert!(tables[0].notes[0].contains("past 2^53"), "{:?}", tables[0].notes);
    }
}
