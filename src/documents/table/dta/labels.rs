//! The tables of value labels, and the long strings, that follow the data.

use std::collections::HashMap;

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::bytes::{Bytes, until_nul};
use crate::documents::table::column::Key;
use crate::documents::table::dta::cells::{self, DtaCell};
use crate::documents::table::dta::header::Storage;

/// Labels of one table, undecoded.
pub type Labels<'a> = Vec<(Key, &'a [u8])>;

/// All tables by name. Damage ends the reading of labels, not of the data:
/// the text says what was lost.
pub fn value_labels<'a>(
    bytes: &mut Bytes<'a>,
    release: u32,
) -> (HashMap<&'a [u8], Labels<'a>>, Option<String>) {
    let mut tables = HashMap::new();
    let mut read = || -> Result<(), ReadError> {
        if release >= 117 {
            bytes.expect(b"<value_labels>")?;
        }
        while bytes.remaining() > 4 {
            if release >= 117 && bytes.take(5)? != b"<lbl>" {
                break;
            }
            let (name, labels) = if release < 108 {
                old_table(bytes)?
            } else {
                table(bytes, release)?
            };
            tables.insert(name, labels);
            if release >= 117 {
                bytes.expect(b"</lbl>")?;
            }
        }
        Ok(())
    };
    let problem = read().err();
    (
        tables,
        problem.map(|error| format!("Some value labels could not be read: {error}.")),
    )
}

fn table<'a>(bytes: &mut Bytes<'a>, release: u32) -> Result<(&'a [u8], Labels<'a>), ReadError> {
    bytes.u32()?;
    let width = match release {
        ..110 => 9,
        110..118 => 33,
        _ => 129,
    };
    let name = until_nul(bytes.take(width)?);
    bytes.take(3)?;
    let count = bytes.u32()? as usize;
    let length = bytes.u32()? as usize;
    let offsets = bytes.take(count.saturating_mul(4))?;
    let values = bytes.take(count.saturating_mul(4))?;
    let text = bytes.take(length)?;
    let mut labels = Vec::with_capacity(count);
    for (offset, value) in offsets.chunks_exact(4).zip(values.chunks_exact(4)) {
        let at = Bytes::new(offset, bytes.big_endian).u32()? as usize;
        let key = match cells::number(value, Storage::Long, bytes.big_endian, release) {
            DtaCell::Number(value) => Key::Number(value),
            DtaCell::Missing('.') => Key::Missing(".".to_owned()),
            DtaCell::Missing(letter) => Key::Missing(format!(".{letter}")),
        };
        labels.push((key, until_nul(text.get(at..).unwrap_or_default())));
    }
    Ok((name, labels))
}

/// Releases before 108: labels of eight bytes for values of two.
fn old_table<'a>(bytes: &mut Bytes<'a>) -> Result<(&'a [u8], Labels<'a>), ReadError> {
    let count = usize::from(bytes.u16()?) / 8;
    let name = until_nul(bytes.take(9)?);
    bytes.take(1)?;
    let mut keys = Vec::new();
    for _ in 0..count {
        keys.push(Key::Number(f64::from(bytes.u16()? as i16)));
    }
    let texts = bytes.take(8 * count)?;
    Ok((
        name,
        keys.into_iter()
            .zip(texts.chunks_exact(8).map(until_nul))
            .collect(),
    ))
}

/// Long strings by their variable and observation numbers.
pub fn long_texts<'a>(
    bytes: &mut Bytes<'a>,
    release: u32,
    budget: &mut MemoryBudget,
) -> Result<HashMap<(u64, u64), &'a [u8]>, ReadError> {
    let mut texts = HashMap::new();
    bytes.expect(b"<strls>")?;
    while bytes.remaining() >= 3 {
        if bytes.take(3)? != b"GSO" {
            break;
        }
        let variable = u64::from(bytes.u32()?);
        let observation = if release >= 118 {
            bytes.u64()?
        } else {
            u64::from(bytes.u32()?)
        };
        let kind = bytes.u8()?;
        let length = bytes.u32()? as usize;
        let content = bytes.take(length)?;
        budget.take(64)?;
        // Type 130 is text with a closing NUL, 129 is binary.
        let content = if kind == 130 { until_nul(content) } else { content };
        texts.insert((variable, observation), content);
    }
    Ok(texts)
}

/// The variable and observation numbers that a cell of eight bytes points to.
pub fn reference(cell: &[u8], big_endian: bool, release: u32) -> (u64, u64) {
    let split = match release {
        117 => 4,
        118 => 2,
        _ => 3,
    };
    let (variable, observation) = cell.split_at(split.min(cell.len()));
    (whole(variable, big_endian), whole(observation, big_endian))
}

fn whole(bytes: &[u8], big_endian: bool) -> u64 {
    let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    if big_endian {
        bytes.iter().fold(0, add)
    } else {
        bytes.iter().rev().fold(0, add)
    }
}
