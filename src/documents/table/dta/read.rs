//! From the bytes of a Stata file to a table.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::bytes::{Bytes, until_nul};
use crate::documents::table::column::{Column, Table, Values};
use crate::documents::table::dta::cells::{self, DtaCell};
use crate::documents::table::dta::header::{self, Header, Storage, Variable};
use crate::documents::table::dta::labels;
use crate::documents::table::string_column::StringColumn;

/// Reads a Stata file of a release from 105 to 119.
///
/// # Errors
/// A release that is not read, a header that is damaged or cut off, or more data than the limit of memory
/// holds.
pub fn read(bytes: &[u8], release: u32, limits: &Limits) -> Result<Table, ReadError> {
    if !(105..=119).contains(&release) {
        return Err(ReadError::Unsupported(format!(
            "Stata data of release {release}; save it anew in Stata, or read it with pandas"
        )));
    }
    let mut budget = MemoryBudget::new(limits);
    let mut place = Bytes::new(bytes, false);
    let header = header::read(&mut place, release)?;
    let mut decoder = Decoder::default();
    let width: usize = header
        .variables
        .iter()
        .map(|variable| variable.storage.width())
        .sum();
    let mut table = Table {
        label: Some(decoder.text(header.label)).filter(|label| !label.is_empty()),
        ..Table::default()
    };
    let (rows, data) = data(&mut place, &header, width, &mut table)?;
    table.rows = rows;
    budget.take_cells(rows as u64, header.variables.len() as u64)?;
    let big_endian = place.big_endian;
    let long_texts = match header.long_texts {
        Some(at)
            if header
                .variables
                .iter()
                .any(|variable| variable.storage == Storage::LongText) =>
        {
            let mut place = place.clone();
            place.seek(at)?;
            labels::long_texts(&mut place, release, &mut budget)?
        }
        _ => Default::default(),
    };
    let mut offset = 0;
    for variable in &header.variables {
        let cells = data
            .chunks_exact(width.max(1))
            .map(|row| &row[offset..offset + variable.storage.width()]);
        let name = decoder.text(variable.name);
        let mut column = match variable.storage {
            Storage::Text(_) => {
                let mut texts = StringColumn::default();
                for cell in cells {
                    texts.push(Some(&decoder.decode(until_nul(cell))), &mut budget)?;
                }
                Column::texts(name, texts)
            }
            Storage::LongText => {
                let mut texts = StringColumn::default();
                for cell in cells {
                    let content = long_texts.get(&labels::reference(cell, big_endian, release));
                    texts.push(
                        Some(&decoder.decode(content.copied().unwrap_or_default())),
                        &mut budget,
                    )?;
                }
                Column::texts(name, texts)
            }
            _ => numbers(name, variable, cells, big_endian, release),
        };
        column.label = Some(decoder.text(variable.label)).filter(|label| !label.is_empty());
        table.columns.push(column);
        offset += variable.storage.width();
    }
    if let Some(at) = header.value_labels {
        place.seek(at)?;
    }
    attach_labels(&mut table, &header, &mut place, &mut decoder);
    if decoder.western {
        table.notes.push(
            "Some strings are not UTF-8 and were read as Windows-1252, the usual encoding of \
                          Stata files before release 118."
                .to_owned(),
        );
    }
    Ok(table)
}

/// The rows that are there, and their bytes; a file that was cut short keeps its whole rows.
fn data<'a>(
    place: &mut Bytes<'a>,
    header: &Header<'_>,
    width: usize,
    table: &mut Table,
) -> Result<(usize, &'a [u8]), ReadError> {
    let there = place.remaining().checked_div(width).unwrap_or(0) as u64;
    let rows = header.rows.min(there) as usize;
    if (rows as u64) < header.rows && width > 0 {
        table.notes.push(format!(
            "The file was cut short: it promises {} rows and holds {rows}; fetch it again.",
            header.rows
        ));
    }
    Ok((rows, place.take(rows * width)?))
}

fn numbers<'a>(
    name: String,
    variable: &Variable<'_>,
    cells: impl Iterator<Item = &'a [u8]>,
    big_endian: bool,
    release: u32,
) -> Column {
    let format = String::from_utf8_lossy(variable.format);
    let (sort, convert) = cells::meaning(&format, variable.storage);
    let mut column = Column::numbers(name, sort, Vec::new());
    let mut values = Vec::new();
    for (row, cell) in cells.enumerate() {
        match cells::number(cell, variable.storage, big_endian, release) {
            DtaCell::Number(number) => values.push(convert(number)),
            DtaCell::Missing(letter) => {
                values.push(f64::NAN);
                if letter != '.' {
                    column.code_missing(&format!(".{letter}"), row as u32);
                }
            }
        }
    }
    column.values = Values::Numbers(values);
    column
}

fn attach_labels(table: &mut Table, header: &Header<'_>, place: &mut Bytes<'_>, decoder: &mut Decoder) {
    if header
        .variables
        .iter()
        .all(|variable| variable.value_labels.is_empty())
    {
        return;
    }
    let (labels, problem) = labels::value_labels(place, header.release);
    table.notes.extend(problem);
    for (column, variable) in table.columns.iter_mut().zip(&header.variables) {
        if let Some(labels) = labels.get(variable.value_labels) {
            column.labels = labels
                .iter()
                .map(|(key, text)| (key.clone(), decoder.text(text)))
                .collect();
        }
    }
}

/// Decodes strings: UTF-8 where they are, else Windows-1252.
#[derive(Debug, Default)]
struct Decoder {
    western: bool,
}

impl Decoder {
    fn text(&mut self, bytes: &[u8]) -> String {
        self.decode(bytes).into_owned()
    }

    fn decode<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.western = true;
                WINDOWS_1252.decode_without_bom_handling(bytes).0
            }
        }
    }
}
