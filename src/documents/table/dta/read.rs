//! From the bytes of a Stata file to a table.

use std::collections::HashMap;

use dta::stata::dta::dta_error::DtaError;
use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::long_string_ref::LongStringRef;
use dta::stata::dta::record_reader::RecordReader;
use dta::stata::dta::release::Release;
use dta::stata::dta::value::Value;
use dta::stata::dta::value_label::ValueLabelSet;
use dta::stata::dta::variable::Variable;
use dta::stata::dta::variable_type::VariableType;
use dta::stata::missing_value::MissingValue;
use dta::stata::stata_double::StataDouble;
use encoding_rs::X_USER_DEFINED;

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::bytes::until_nul;
use crate::documents::table::column::{Column, DataType, Key, Table, Values};
use crate::documents::table::dta::text::Decoder;
use crate::documents::table::dta::units::{self, Convert};
use crate::documents::table::string_column::StringColumn;

/// Most variables of a data set (Stata/MP allows 120,000).
const MOST_VARIABLES: u32 = 131_072;
/// The plain missing value of a whole number of four bytes; the lettered ones follow it.
const FIRST_MISSING: i32 = 2_147_483_621;

type Records<'a> = RecordReader<&'a [u8]>;

/// A column while the rows go by.
enum Gathered {
    Numbers(Column, Vec<f64>, Convert),
    Texts(StringColumn),
    /// Which of the long strings, which follow the rows, each row has.
    LongTexts(Vec<LongStringRef>),
}

/// Reads a Stata file.
///
/// # Errors
/// A header that is damaged or cut off, or more data than the limit of memory holds.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Table, ReadError> {
    let mut budget = MemoryBudget::new(limits);
    let mut decoder = Decoder::default();
    let mut records = open(bytes)?;
    let variables = records.schema().variables().to_vec();
    let mut table = Table {
        label: decoder.label(records.header().dataset_label()),
        ..Table::default()
    };
    if variables.is_empty() {
        return Ok(table);
    }
    let mut columns: Vec<Gathered> = variables
        .iter()
        .map(|variable| begin(variable, &mut decoder))
        .collect();
    table.rows = rows(&mut records, &mut columns, &mut decoder, &mut budget)?;
    let promised = records.header().observation_count();
    let mut after = AfterRows::default();
    let ending = if (table.rows as u64) < promised {
        table.notes.push(format!(
            "The file was cut short: it promises {promised} rows and holds {}; fetch it again.",
            table.rows
        ));
        Ok(())
    } else {
        after.read(records, &mut decoder, &mut budget)
    };
    match ending {
        Err(Ending::TooBig(error)) => return Err(error),
        Err(Ending::Damaged(error)) => table.notes.push(format!(
            "The file is damaged after its rows, and long strings or value labels are missing: {error}."
        )),
        Ok(()) => {}
    }
    for (variable, gathered) in variables.iter().zip(columns) {
        let mut column = finish(variable, gathered, &after, &mut decoder, &mut budget)?;
        column.label = decoder.label(variable.label());
        if let Some(labels) = after.labels.get(variable.value_label_name()) {
            column.labels.clone_from(labels);
        }
        table.columns.push(column);
    }
    if decoder.western {
        table.notes.push(
            "Some strings are not UTF-8 and were read as Windows-1252, the usual encoding of \
             Stata files before release 118."
                .to_owned(),
        );
    }
    Ok(table)
}

/// The rows of a file, whose header was read.
fn open(bytes: &[u8]) -> Result<Records<'_>, ReadError> {
    let schema = DtaReader::new()
        .encoding(X_USER_DEFINED)
        .from_reader(bytes)
        .read_header()
        .map_err(damaged)?;
    let count = schema.header().variable_count();
    if count > MOST_VARIABLES {
        return Err(ReadError::Damaged(format!("it claims {count} variables")));
    }
    let mut characteristics = schema.read_schema().map_err(damaged)?;
    characteristics.skip_to_end().map_err(damaged)?;
    characteristics.into_record_reader().map_err(damaged)
}

fn damaged(error: DtaError) -> ReadError {
    ReadError::Damaged(format!("{error}; fetch it again"))
}

fn begin(variable: &Variable, decoder: &mut Decoder) -> Gathered {
    let plain: (DataType, Convert) = match variable.variable_type() {
        VariableType::FixedString(_) => return Gathered::Texts(StringColumn::default()),
        VariableType::LongString => return Gathered::LongTexts(Vec::new()),
        VariableType::Float | VariableType::Double => (DataType::Number, |value| value),
        _ => (DataType::Integer, |value| value),
    };
    let (sort, convert) = units::meaning(variable.format()).unwrap_or(plain);
    let column = Column::numbers(decoder.text(variable.name()), sort, Vec::new());
    Gathered::Numbers(column, Vec::new(), convert)
}

/// Reads the rows that are there and counts them; a file that was cut short keeps its whole rows.
fn rows(
    records: &mut Records<'_>,
    columns: &mut [Gathered],
    decoder: &mut Decoder,
    budget: &mut MemoryBudget,
) -> Result<usize, ReadError> {
    let mut row = 0;
    while let Ok(Some(record)) = records.read_lazy_record() {
        budget.take_cells(1, columns.len() as u64)?;
        for (index, column) in columns.iter_mut().enumerate() {
            // A bit pattern that is neither a number nor one of the 27 missing values is the plain one.
            let plain = Value::Double(StataDouble::Missing(MissingValue::System));
            let value = record.value(index).unwrap_or(plain);
            match column {
                Gathered::Numbers(column, numbers, convert) => match number(value) {
                    StataDouble::Present(value) => numbers.push(convert(value)),
                    StataDouble::Missing(code) => {
                        numbers.push(f64::NAN);
                        if code != MissingValue::System {
                            column.code_missing(&code.to_string(), row as u32);
                        }
                    }
                },
                Gathered::Texts(texts) => {
                    let text = if let Value::String(text) = &value {
                        text
                    } else {
                        ""
                    };
                    texts.push(Some(&decoder.text(text)), budget)?;
                }
                Gathered::LongTexts(references) => {
                    if let Value::LongStringRef(reference) = value {
                        budget.take(8)?;
                        references.push(reference);
                    }
                }
            }
        }
        row += 1;
    }
    Ok(row)
}

fn number(value: Value<'_>) -> StataDouble {
    match value {
        Value::Byte(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Long(value) => value.into(),
        Value::Float(value) => value.into(),
        Value::Double(value) => value,
        Value::String(_) | Value::LongStringRef(_) => StataDouble::Missing(MissingValue::System),
    }
}

/// The reason for which the sections after the rows were not read to their end.
enum Ending {
    Damaged(DtaError),
    TooBig(ReadError),
}

impl From<DtaError> for Ending {
    fn from(error: DtaError) -> Self {
        Self::Damaged(error)
    }
}

impl From<ReadError> for Ending {
    fn from(error: ReadError) -> Self {
        Self::TooBig(error)
    }
}

/// The sections after the rows.
#[derive(Default)]
struct AfterRows {
    long_texts: HashMap<LongStringRef, String>,
    labels: HashMap<String, Vec<(Key, String)>>,
}

impl AfterRows {
    fn read(
        &mut self,
        mut records: Records<'_>,
        decoder: &mut Decoder,
        budget: &mut MemoryBudget,
    ) -> Result<(), Ending> {
        let lettered = records.header().release() >= Release::V113;
        // The end of the rows.
        records.read_lazy_record()?;
        let mut strings = records.into_long_string_reader()?;
        while let Some(string) = strings.read_long_string()? {
            budget.take(64 + string.data().len() as u64)?;
            let content = if string.is_text() {
                until_nul(string.data())
            } else {
                string.data()
            };
            let text = decoder.bytes(content).into_owned();
            self.long_texts.insert(LongStringRef::from(&string), text);
        }
        let mut labels = strings.into_value_label_reader()?;
        while let Some(set) = labels.read_value_label_set()? {
            self.labels
                .insert(set.name().to_owned(), meanings(&set, lettered, decoder));
        }
        Ok(())
    }
}

fn meanings(set: &ValueLabelSet, lettered: bool, decoder: &mut Decoder) -> Vec<(Key, String)> {
    let first = if lettered { FIRST_MISSING } else { i32::MAX };
    set.entries()
        .iter()
        .map(|entry| {
            let key = match u8::try_from(entry.value().saturating_sub(first)) {
                Ok(0) => Key::Missing(".".to_owned()),
                Ok(past) => Key::Missing(format!(".{}", char::from(b'a' + past - 1))),
                Err(_) => Key::Number(entry.value().into()),
            };
            (key, decoder.text(entry.label()).into_owned())
        })
        .collect()
}

fn finish(
    variable: &Variable,
    gathered: Gathered,
    after: &AfterRows,
    decoder: &mut Decoder,
    budget: &mut MemoryBudget,
) -> Result<Column, ReadError> {
    Ok(match gathered {
        Gathered::Numbers(mut column, numbers, _) => {
            column.values = Values::Numbers(numbers);
            column
        }
        Gathered::Texts(texts) => Column::texts(decoder.text(variable.name()), texts),
        Gathered::LongTexts(references) => {
            let mut texts = StringColumn::default();
            for reference in references {
                // No string is kept for the empty one, which is at 0.
                let empty = (reference.observation() == 0).then_some("");
                let text = after.long_texts.get(&reference).map(String::as_str);
                texts.push(text.or(empty), budget)?;
            }
            Column::texts(decoder.text(variable.name()), texts)
        }
    })
}
