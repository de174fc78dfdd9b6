//! MATLAB files of level 5, after "MAT-File Format" (MathWorks): numeric
//! matrices as tables, and a word on everything else.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::bytes::{Bytes, until_nul};
use crate::documents::table::column::{Column, DataType, Table};

/// Array classes by their numbers.
const CLASSES: [&str; 18] = [
    "unknown",
    "cell array",
    "struct",
    "object",
    "char",
    "sparse matrix",
    "double",
    "single",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "function",
    "opaque object",
];

/// The matrices of a file, and what was left out.
///
/// # Errors
/// A version that is not read, a damaged file, or more data than the limit of memory holds.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<(Vec<Table>, Vec<String>), ReadError> {
    if !bytes.starts_with(b"MATLAB 5.0") {
        return Err(ReadError::Unsupported(
            "MATLAB files of level 4; open it with scipy.io.loadmat".to_owned(),
        ));
    }
    let mut budget = MemoryBudget::new(limits);
    let mut place = Bytes::new(bytes, bytes.get(126..128) == Some(b"MI"));
    place.seek(128)?;
    let (mut tables, mut notes) = (Vec::new(), Vec::new());
    while place.remaining() >= 8 {
        let (kind, content) = match element(&mut place) {
            Ok(element) => element,
            Err(error) => {
                notes.push(format!(
                    "The file was cut short after {} variables: {error}.",
                    tables.len()
                ));
                break;
            }
        };
        if kind == 15 {
            let mut inner = Vec::new();
            let most = budget.left();
            ZlibDecoder::new(content)
                .take(most.saturating_add(1))
                .read_to_end(&mut inner)
                .map_err(|error| ReadError::Damaged(format!("a compressed variable is broken: {error}")))?;
            budget.take(inner.len() as u64)?;
            let mut inside = Bytes::new(&inner, place.big_endian);
            let (kind, content) = element(&mut inside)?;
            if kind == 14 {
                matrix(content, place.big_endian, &mut budget, &mut tables, &mut notes)?;
            }
        } else if kind == 14 {
            matrix(content, place.big_endian, &mut budget, &mut tables, &mut notes)?;
        }
    }
    Ok((tables, notes))
}

/// One element: its type and content, with the padding behind it skipped.
fn element<'a>(place: &mut Bytes<'a>) -> Result<(u32, &'a [u8]), ReadError> {
    let word = place.u32()?;
    // Short elements keep type and length in one word.
    if word >> 16 != 0 {
        let content = place.take(4)?;
        let length = ((word >> 16) as usize).min(4);
        return Ok((word & 0xFFFF, &content[..length]));
    }
    let length = place.u32()? as usize;
    let content = place.take(length)?;
    if word != 15 {
        let padding = (length.next_multiple_of(8) - length).min(place.remaining());
        place.take(padding)?;
    }
    Ok((word, content))
}

fn matrix(
    content: &[u8],
    big_endian: bool,
    budget: &mut MemoryBudget,
    tables: &mut Vec<Table>,
    notes: &mut Vec<String>,
) -> Result<(), ReadError> {
    let mut place = Bytes::new(content, big_endian);
    let (_, flags) = element(&mut place)?;
    let flags = Bytes::new(flags, big_endian).u32()?;
    let (class, logical, complex) = (flags & 0xFF, flags & 0x200 != 0, flags & 0x800 != 0);
    let (_, sizes) = element(&mut place)?;
    let (_, name) = element(&mut place)?;
    let name = String::from_utf8_lossy(until_nul(name)).into_owned();
    let mut dimensions = Vec::new();
    let mut inside = Bytes::new(sizes, big_endian);
    while inside.remaining() >= 4 {
        dimensions.push(inside.i32()?.max(0) as usize);
    }
    let [rows, columns] = dimensions[..] else {
        notes.push(format!(
            "`{name}` has {} dimensions and was left out.",
            dimensions.len()
        ));
        return Ok(());
    };
    if !(6..=15).contains(&class) {
        let class = CLASSES.get(class as usize).unwrap_or(&"unknown");
        notes.push(format!(
            "`{name}` is a {class} of {rows} x {columns} and was left out."
        ));
        return Ok(());
    }
    if complex {
        notes.push(format!("Of the complex `{name}` only the real part was read."));
    }
    let (kind, values) = element(&mut place)?;
    budget.take_cells(rows as u64, columns as u64)?;
    let numbers = numbers(kind, values, big_endian)?;
    if numbers.len() != rows.saturating_mul(columns) {
        return Err(ReadError::Damaged(format!(
            "`{name}` promises {rows} x {columns} values and holds {}",
            numbers.len()
        )));
    }
    let sort = match (logical, class) {
        (true, _) => DataType::Bool,
        (_, 6 | 7) => DataType::Number,
        _ => DataType::Integer,
    };
    let columns = numbers
        .chunks_exact(rows.max(1))
        .enumerate()
        .map(|(index, values)| Column::numbers(format!("{}", index + 1), sort, values.to_vec()))
        .collect();
    tables.push(Table {
        name,
        columns,
        rows,
        ..Table::default()
    });
    Ok(())
}

/// The numbers of a data element; MATLAB stores whole doubles in smaller types.
fn numbers(kind: u32, values: &[u8], big_endian: bool) -> Result<Vec<f64>, ReadError> {
    let width = match kind {
        1 | 2 => 1,
        3 | 4 => 2,
        5..=7 => 4,
        9 | 12 | 13 => 8,
        other => return Err(ReadError::Unsupported(format!("MATLAB data of type {other}"))),
    };
    let number = |bytes: &[u8]| {
        let mut raw = [0; 8];
        for (place, byte) in raw.iter_mut().enumerate().take(width) {
            *byte = bytes[if big_endian { width - 1 - place } else { place }];
        }
        let bits = u64::from_le_bytes(raw);
        match kind {
            1 => f64::from(bits as i8),
            3 => f64::from(bits as i16),
            5 => f64::from(bits as i32),
            7 => f64::from(f32::from_bits(bits as u32)),
            9 => f64::from_bits(bits),
            12 => bits as i64 as f64,
            _ => bits as f64,
        }
    };
    Ok(values.chunks_exact(width).map(number).collect())
}
