//! From the bytes of an SPSS system file to a table.

use std::collections::HashMap;

use encoding_rs::Encoding;

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::bytes::Bytes;
use crate::documents::table::column::{Column, DataType, Key, Table, Values};
use crate::documents::table::dates;
use crate::documents::table::sav::cases::{self, Slot};
use crate::documents::table::sav::dictionary::{self, Dictionary, Missing, Variable};
use crate::documents::table::string_column::StringColumn;

/// Bytes that a full segment of a very long string contributes.
const SEGMENT: usize = 255;

/// SPSS's LOWEST lies below this, a few steps from the least double, and
/// HIGHEST above its opposite.
const LOWEST: f64 = -1.797e308;

/// A variable of the table: the slots that it takes in every case.
struct Field<'a> {
    variable: Variable<'a>,
    /// First slot and bytes of each segment; one for all but very long strings.
    segments: Vec<(usize, usize)>,
    missing: Missing<'a>,
}

/// The values of a variable, gathered while the cases go by.
enum Gathered {
    Numbers(Vec<f64>, Vec<(u32, f64)>),
    StringColumn(StringColumn, Vec<(u32, String)>),
}

/// Reads a system file of any packing.
///
/// # Errors
/// A header that is damaged or cut off, or more data than the limit of memory holds.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Table, ReadError> {
    let mut budget = MemoryBudget::new(limits);
    let mut place = Bytes::new(bytes, false);
    let dictionary = dictionary::read(&mut place)?;
    let big_endian = place.big_endian;
    let encoding = dictionary.extensions.encoding();
    let fields = fields(&dictionary, big_endian);
    let mut gathered: Vec<Gathered> = fields
        .iter()
        .map(|field| match field.variable.width {
            0 => Gathered::Numbers(Vec::new(), Vec::new()),
            _ => Gathered::StringColumn(StringColumn::default(), Vec::new()),
        })
        .collect();
    let mut slots = cases::slots(place, bytes, &dictionary)?;
    let mut case = vec![Slot::Missing; dictionary.slots];
    let promised = dictionary.extensions.cases.or(dictionary.cases);
    let mut rows = 0;
    'cases: while dictionary.slots > 0 && promised.is_none_or(|promised| (rows as u64) < promised) {
        for slot in &mut case {
            match slots.next()? {
                Some(value) => *slot = value,
                None => break 'cases,
            }
        }
        budget.take_cells(1, fields.len() as u64)?;
        for (field, gathered) in fields.iter().zip(&mut gathered) {
            gather(field, gathered, &case, rows, big_endian, encoding, &mut budget)?;
        }
        rows += 1;
    }
    let mut table = Table {
        rows,
        ..Table::default()
    };
    if let Some(promised) = promised.filter(|promised| *promised > rows as u64 && dictionary.slots > 0) {
        table.notes.push(format!(
            "The file was cut short: it promises {promised} rows and holds {rows}."
        ));
    }
    let label = decode(dictionary.label, encoding);
    table.label = (!label.is_empty()).then_some(label);
    let names = dictionary.extensions.long_names();
    for (field, gathered) in fields.iter().zip(gathered) {
        table.columns.push(column(field, gathered, &names, encoding));
    }
    attach_labels(&mut table, &dictionary, &fields, big_endian, encoding);
    Ok(table)
}

/// Joins the segments of very long strings.
fn fields<'a>(dictionary: &Dictionary<'a>, big_endian: bool) -> Vec<Field<'a>> {
    let long = dictionary.extensions.long_strings();
    let string_missing = dictionary.extensions.string_missing(big_endian);
    let mut variables = dictionary.variables.iter();
    let mut fields = Vec::new();
    while let Some(variable) = variables.next() {
        let mut segments = vec![(variable.slot, variable.width)];
        if let Some(width) = long.get(variable.name.trim_ascii_end()) {
            // Segments count 252 bytes of the width each, and hold 255.
            for _ in 1..width.div_ceil(252) {
                if let Some(next) = variables.next() {
                    segments.push((next.slot, next.width));
                }
            }
        }
        let mut missing = variable.missing.clone();
        if let Some((_, texts)) = string_missing
            .iter()
            .find(|(name, _)| *name == variable.name.trim_ascii_end())
        {
            missing.texts.extend(texts);
        }
        fields.push(Field {
            variable: variable.clone(),
            segments,
            missing,
        });
    }
    fields
}

fn gather(
    field: &Field<'_>,
    gathered: &mut Gathered,
    case: &[Slot],
    row: usize,
    big_endian: bool,
    encoding: &'static Encoding,
    budget: &mut MemoryBudget,
) -> Result<(), ReadError> {
    match gathered {
        Gathered::Numbers(numbers, coded) => {
            let number = number(case[field.variable.slot], big_endian);
            if is_missing(number, &field.missing) {
                coded.push((row as u32, number));
                numbers.push(f64::NAN);
            } else {
                numbers.push(convert(number, field.variable.format.0));
            }
        }
        Gathered::StringColumn(texts, coded) => {
            let bytes = string(field, case);
            let text = decode(&bytes, encoding);
            let declared = field.missing.texts.iter().any(|missing| {
                missing.trim_ascii_end()
                    == bytes
                        .get(..8.min(bytes.len()))
                        .unwrap_or_default()
                        .trim_ascii_end()
                    && bytes.get(8..).unwrap_or_default().trim_ascii_end().is_empty()
            });
            if declared {
                texts.push(None, budget)?;
                coded.push((row as u32, text));
            } else {
                texts.push(Some(&text), budget)?;
            }
        }
    }
    Ok(())
}

fn number(slot: Slot, big_endian: bool) -> f64 {
    match slot {
        Slot::Small(number) => number,
        Slot::Missing | Slot::Spaces => f64::NAN,
        Slot::Raw(raw) => {
            let number = if big_endian {
                f64::from_be_bytes(raw)
            } else {
                f64::from_le_bytes(raw)
            };
            if number == f64::MIN { f64::NAN } else { number }
        }
    }
}

fn is_missing(number: f64, missing: &Missing<'_>) -> bool {
    missing.numbers.contains(&number)
        || missing
            .range
            .is_some_and(|(low, high)| number >= low && number <= high)
}

/// SPSS counts dates in seconds; the print format tells which numbers are dates.
fn meaning(format: u8) -> Option<DataType> {
    match format {
        20 | 23 | 24 | 28 | 29 | 30 | 38 | 39 => Some(DataType::Date),
        22 | 41 => Some(DataType::DateTime),
        21 | 25 | 40 => Some(DataType::Time),
        _ => None,
    }
}

fn convert(number: f64, format: u8) -> f64 {
    match meaning(format) {
        Some(DataType::Date) => ((number - dates::SECONDS_1582) / dates::DAY).floor(),
        Some(DataType::DateTime) => number - dates::SECONDS_1582,
        _ => number,
    }
}

fn string(field: &Field<'_>, case: &[Slot]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, (slot, width)) in field.segments.iter().enumerate() {
        let mut segment = Vec::with_capacity(*width);
        for value in case.iter().skip(*slot).take(width.div_ceil(8)) {
            match value {
                Slot::Raw(raw) => segment.extend_from_slice(raw),
                _ => segment.extend_from_slice(b"        "),
            }
        }
        let last = index + 1 == field.segments.len();
        segment.truncate(if last { *width } else { SEGMENT });
        bytes.extend(segment);
    }
    bytes
}

fn column(
    field: &Field<'_>,
    gathered: Gathered,
    names: &HashMap<&[u8], &[u8]>,
    encoding: &'static Encoding,
) -> Column {
    let short = field.variable.name.trim_ascii_end();
    let name = decode(names.get(short).copied().unwrap_or(short), encoding);
    let mut column = match gathered {
        Gathered::Numbers(numbers, coded) => {
            let whole = numbers
                .iter()
                .all(|number| number.is_nan() || number.fract() == 0.0);
            let sort = meaning(field.variable.format.0).unwrap_or(match field.variable.format {
                (5, 0) if whole => DataType::Integer,
                _ => DataType::Number,
            });
            let mut column = Column::numbers(name, sort, numbers);
            for (row, number) in coded {
                column.code_missing(&number.to_string(), row);
            }
            column
        }
        Gathered::StringColumn(texts, coded) => {
            let mut column = Column::texts(name, texts);
            for (row, text) in coded {
                column.code_missing(&text, row);
            }
            column
        }
    };
    column.label = field
        .variable
        .label
        .map(|label| decode(label, encoding))
        .filter(|label| !label.is_empty());
    let missing = &field.missing;
    column
        .declared_missing
        .extend(missing.range.map(|(low, high)| range_words(low, high)));
    column
        .declared_missing
        .extend(missing.numbers.iter().map(f64::to_string));
    column
        .declared_missing
        .extend(missing.texts.iter().map(|text| decode(text, encoding)));
    column
}

/// A range of missing values, whose ends may be SPSS's LOWEST and HIGHEST.
pub fn range_words(low: f64, high: f64) -> String {
    match (low < LOWEST, high > -LOWEST) {
        (true, true) => "every number".to_owned(),
        (true, false) => format!("up to {high}"),
        (false, true) => format!("from {low}"),
        (false, false) => format!("{low} through {high}"),
    }
}

fn attach_labels(
    table: &mut Table,
    dictionary: &Dictionary<'_>,
    fields: &[Field<'_>],
    big_endian: bool,
    encoding: &'static Encoding,
) {
    for set in &dictionary.label_sets {
        for (field, column) in fields.iter().zip(&mut table.columns) {
            if !set.slots.contains(&field.variable.slot) {
                continue;
            }
            let text = matches!(column.values, Values::Strings(_));
            for (value, label) in &set.labels {
                let key = if text {
                    Key::Text(decode(value, encoding))
                } else {
                    Key::Number(convert(
                        Bytes::new(value, big_endian).f64().unwrap_or(f64::NAN),
                        field.variable.format.0,
                    ))
                };
                column.labels.push((key, decode(label, encoding)));
            }
        }
    }
    for (name, labels) in dictionary.extensions.string_labels(big_endian) {
        let of = |field: &Field<'_>| field.variable.name.trim_ascii_end() == name;
        let Some(column) = fields
            .iter()
            .position(of)
            .and_then(|index| table.columns.get_mut(index))
        else {
            continue;
        };
        let labels = labels
            .iter()
            .map(|(value, label)| (Key::Text(decode(value, encoding)), decode(label, encoding)));
        column.labels.extend(labels);
    }
}

fn decode(bytes: &[u8], encoding: &'static Encoding) -> String {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    text.trim_end_matches([' ', '\0']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_ranges_are_words() {
        let lowest = f64::from_bits(0xFFEF_FFFF_FFFF_FFFE);
        assert_eq!(range_words(lowest, 0.0), "up to 0");
        assert_eq!(range_words(f64::NEG_INFINITY, -1.5), "up to -1.5");
        assert_eq!(range_words(90.0, f64::MAX), "from 90");
        assert_eq!(range_words(lowest, f64::MAX), "every number");
        assert_eq!(range_words(97.0, 99.0), "97 through 99");
    }
}
