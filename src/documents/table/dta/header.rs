//! The header of a Stata file: sizes, names, types, formats and labels.

use crate::documents::limits::ReadError;
use crate::documents::table::bytes::{Bytes, until_nul};

/// Most variables of a data set (Stata/MP allows 120,000).
const MOST_VARIABLES: usize = 131_072;

/// The storage type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    Byte,
    Int,
    Long,
    Float,
    Double,
    Text(usize),
    /// A reference into the long strings.
    LongText,
}

impl Storage {
    /// Bytes of a value.
    pub fn width(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Int => 2,
            Self::Long | Self::Float => 4,
            Self::Double | Self::LongText => 8,
            Self::Text(width) => width,
        }
    }
}

/// One variable's description, its strings not yet decoded.
#[derive(Debug)]
pub struct Variable<'a> {
    pub name: &'a [u8],
    pub storage: Storage,
    pub format: &'a [u8],
    pub value_labels: &'a [u8],
    pub label: &'a [u8],
}

/// Everything before the data.
#[derive(Debug)]
pub struct Header<'a> {
    pub release: u32,
    pub rows: u64,
    pub label: &'a [u8],
    pub variables: Vec<Variable<'a>>,
    /// Where the long strings and the value labels start; for releases before
    /// 117 the labels follow the data.
    pub long_texts: Option<u64>,
    pub value_labels: Option<u64>,
}

/// Widths of the fixed fields of a release.
struct Widths {
    name: usize,
    format: usize,
    value_labels: usize,
    label: usize,
}

fn widths(release: u32) -> Widths {
    let name = match release {
        ..110 => 9,
        110..118 => 33,
        _ => 129,
    };
    let format = match release {
        ..114 => 12,
        114..118 => 49,
        _ => 57,
    };
    let label = match release {
        ..108 => 32,
        108..118 => 81,
        _ => 321,
    };
    Widths {
        name,
        format,
        value_labels: name,
        label,
    }
}

/// Reads the header; `bytes` then stands at the first value.
pub fn read<'a>(bytes: &mut Bytes<'a>, release: u32) -> Result<Header<'a>, ReadError> {
    if release >= 117 {
        tagged(bytes, release)
    } else {
        plain(bytes, release)
    }
}

fn plain<'a>(bytes: &mut Bytes<'a>, release: u32) -> Result<Header<'a>, ReadError> {
    bytes.u8()?;
    bytes.big_endian = bytes.u8()? == 1;
    bytes.take(2)?;
    let count = usize::from(bytes.u16()?);
    let rows = u64::from(bytes.u32()?);
    let label = until_nul(bytes.take(if release < 108 { 32 } else { 81 })?);
    bytes.take(18)?;
    let types = bytes.take(count)?;
    let mut storages = Vec::with_capacity(count);
    for code in types {
        storages.push(plain_storage(*code, release)?);
    }
    let widths = widths(release);
    let names = fields(bytes, count, widths.name)?;
    bytes.take(2 * (count + 1))?;
    let formats = fields(bytes, count, widths.format)?;
    let value_labels = fields(bytes, count, widths.value_labels)?;
    let labels = fields(bytes, count, widths.label)?;
    // Expansion fields: a type and a length each, ended by two zeros.
    loop {
        let kind = bytes.u8()?;
        let length = if release < 110 {
            u32::from(bytes.u16()?)
        } else {
            bytes.u32()?
        };
        if kind == 0 && length == 0 {
            break;
        }
        bytes.take(length as usize)?;
    }
    Ok(Header {
        release,
        rows,
        label,
        variables: variables(storages, names, formats, value_labels, labels),
        long_texts: None,
        value_labels: None,
    })
}

fn plain_storage(code: u8, release: u32) -> Result<Storage, ReadError> {
    Ok(match (code, release) {
        (251, 111..) => Storage::Byte,
        (252, 111..) => Storage::Int,
        (253, 111..) => Storage::Long,
        (254, 111..) => Storage::Float,
        (255, 111..) => Storage::Double,
        (1..=244, 111..) => Storage::Text(code.into()),
        (b'b', _) => Storage::Byte,
        (b'i', _) => Storage::Int,
        (b'l', _) => Storage::Long,
        (b'f', _) => Storage::Float,
        (b'd', _) => Storage::Double,
        (0x80.., ..111) => Storage::Text(usize::from(code) - 0x7F),
        _ => {
            return Err(ReadError::Damaged(format!(
                "there is no Stata variable type {code}"
            )));
        }
    })
}

fn tagged<'a>(bytes: &mut Bytes<'a>, release: u32) -> Result<Header<'a>, ReadError> {
    bytes.expect(b"<stata_dta><header><release>")?;
    bytes.take(3)?;
    bytes.expect(b"</release><byteorder>")?;
    bytes.big_endian = bytes.take(3)? == b"MSF";
    bytes.expect(b"</byteorder><K>")?;
    let count = if release >= 119 {
        bytes.u32()? as usize
    } else {
        usize::from(bytes.u16()?)
    };
    bytes.expect(b"</K><N>")?;
    let rows = if release >= 118 {
        bytes.u64()?
    } else {
        u64::from(bytes.u32()?)
    };
    bytes.expect(b"</N><label>")?;
    let length = if release >= 118 {
        usize::from(bytes.u16()?)
    } else {
        usize::from(bytes.u8()?)
    };
    let label = bytes.take(length)?;
    bytes.expect(b"</label><timestamp>")?;
    let length = usize::from(bytes.u8()?);
    bytes.take(length)?;
    bytes.expect(b"</timestamp></header><map>")?;
    let mut map = [0; 14];
    for place in &mut map {
        *place = bytes.u64()?;
    }
    bytes.expect(b"</map><variable_types>")?;
    if count > MOST_VARIABLES {
        return Err(ReadError::Damaged(format!("it claims {count} variables")));
    }
    let mut storages = Vec::new();
    for _ in 0..count {
        storages.push(match bytes.u16()? {
            width @ 1..=2045 => Storage::Text(width.into()),
            32768 => Storage::LongText,
            65526 => Storage::Double,
            65527 => Storage::Float,
            65528 => Storage::Long,
            65529 => Storage::Int,
            65530 => Storage::Byte,
            code => {
                return Err(ReadError::Damaged(format!(
                    "there is no Stata variable type {code}"
                )));
            }
        });
    }
    let widths = widths(release);
    bytes.expect(b"</variable_types><varnames>")?;
    let names = fields(bytes, count, widths.name)?;
    bytes.expect(b"</varnames><sortlist>")?;
    bytes.take((count + 1) * if release >= 119 { 4 } else { 2 })?;
    bytes.expect(b"</sortlist><formats>")?;
    let formats = fields(bytes, count, widths.format)?;
    bytes.expect(b"</formats><value_label_names>")?;
    let value_labels = fields(bytes, count, widths.value_labels)?;
    bytes.expect(b"</value_label_names><variable_labels>")?;
    let labels = fields(bytes, count, widths.label)?;
    bytes.expect(b"</variable_labels>")?;
    bytes.seek(map[9])?;
    bytes.expect(b"<data>")?;
    Ok(Header {
        release,
        rows,
        label,
        variables: variables(storages, names, formats, value_labels, labels),
        long_texts: Some(map[10]),
        value_labels: Some(map[11]),
    })
}

fn fields<'a>(bytes: &mut Bytes<'a>, count: usize, width: usize) -> Result<Vec<&'a [u8]>, ReadError> {
    Ok(bytes
        .take(count * width)?
        .chunks_exact(width)
        .map(until_nul)
        .collect())
}

fn variables<'a>(
    storages: Vec<Storage>,
    names: Vec<&'a [u8]>,
    formats: Vec<&'a [u8]>,
    value_labels: Vec<&'a [u8]>,
    labels: Vec<&'a [u8]>,
) -> Vec<Variable<'a>> {
    let described = names.into_iter().zip(formats).zip(value_labels).zip(labels);
    storages
        .into_iter()
        .zip(described)
        .map(|(storage, (((name, format), value_labels), label))| Variable {
            name,
            storage,
            format,
            value_labels,
            label,
        })
        .collect()
}
