//! The records before the data: variables, value labels and missing values.

use crate::documents::limits::ReadError;
use crate::documents::table::bytes::Bytes;
use crate::documents::table::sav::extensions::Extensions;

/// Most values of eight bytes in a case.
const MOST_SLOTS: usize = 1 << 20;

/// The values that a file declares as missing for a variable.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Missing<'a> {
    pub range: Option<(f64, f64)>,
    pub numbers: Vec<f64>,
    pub texts: Vec<&'a [u8]>,
}

/// One variable record; a string takes a slot for every eight bytes.
#[derive(Debug, Clone)]
pub struct Variable<'a> {
    /// The first of its slots, from 0.
    pub slot: usize,
    /// 0 for a number, else the bytes of a string (at most 255).
    pub width: usize,
    pub name: &'a [u8],
    pub label: Option<&'a [u8]>,
    pub missing: Missing<'a>,
    /// Type and decimals of the print format.
    pub format: (u8, u8),
}

/// Labels of the values of some variables, by their slots.
#[derive(Debug)]
pub struct LabelSet<'a> {
    pub labels: Vec<(&'a [u8], &'a [u8])>,
    pub slots: Vec<usize>,
}

/// Everything before the cases.
#[derive(Debug)]
pub struct Dictionary<'a> {
    /// 0 none, 1 by opcodes, 2 by opcodes in zlib blocks.
    pub compression: i32,
    pub cases: Option<u64>,
    pub bias: f64,
    pub label: &'a [u8],
    /// Slots of a case.
    pub slots: usize,
    pub variables: Vec<Variable<'a>>,
    pub label_sets: Vec<LabelSet<'a>>,
    pub extensions: Extensions<'a>,
}

/// Reads the dictionary; `bytes` then stands at the first case.
pub fn read<'a>(bytes: &mut Bytes<'a>) -> Result<Dictionary<'a>, ReadError> {
    bytes.take(64)?;
    let layout = bytes.u32()?;
    if layout > 0xFFFF {
        bytes.big_endian = true;
    }
    bytes.u32()?;
    let compression = bytes.i32()?;
    bytes.u32()?;
    let cases = bytes.i32()?;
    let bias = bytes.f64()?;
    bytes.take(17)?;
    let label = bytes.take(64)?;
    bytes.take(3)?;
    let mut dictionary = Dictionary {
        compression,
        cases: u64::try_from(cases).ok(),
        bias,
        label,
        slots: 0,
        variables: Vec::new(),
        label_sets: Vec::new(),
        extensions: Extensions::default(),
    };
    loop {
        match bytes.u32()? {
            2 => variable(bytes, &mut dictionary)?,
            3 => {
                let set = label_set(bytes)?;
                dictionary.label_sets.push(set);
            }
            6 => {
                let lines = bytes.u32()? as usize;
                bytes.take(lines.saturating_mul(80))?;
            }
            7 => dictionary.extensions.record(bytes)?,
            999 => {
                bytes.u32()?;
                return Ok(dictionary);
            }
            other => {
                let at = bytes.position();
                return Err(ReadError::Damaged(format!(
                    "there is no SPSS record type {other} (before byte {at})"
                )));
            }
        }
        if dictionary.slots > MOST_SLOTS {
            return Err(ReadError::Unsupported(
                "more than a million values in a case".to_owned(),
            ));
        }
    }
}

fn variable<'a>(bytes: &mut Bytes<'a>, dictionary: &mut Dictionary<'a>) -> Result<(), ReadError> {
    let width = bytes.i32()?;
    let labelled = bytes.i32()? != 0;
    let missing_count = bytes.i32()?;
    let format = bytes.u32()?;
    bytes.u32()?;
    let name = bytes.take(8)?;
    let label = if labelled {
        let length = bytes.u32()? as usize;
        let label = bytes.take(length)?;
        bytes.take(length.next_multiple_of(4) - length)?;
        Some(label)
    } else {
        None
    };
    let missing = missing(bytes, missing_count, width)?;
    let slot = dictionary.slots;
    dictionary.slots += 1;
    // A width of -1 marks a slot that continues the string before it.
    if let Ok(width) = usize::try_from(width) {
        dictionary.variables.push(Variable {
            slot,
            width,
            name,
            label,
            missing,
            format: ((format >> 16) as u8, format as u8),
        });
    }
    Ok(())
}

fn missing<'a>(bytes: &mut Bytes<'a>, count: i32, width: i32) -> Result<Missing<'a>, ReadError> {
    if !(-3..=3).contains(&count) {
        return Err(ReadError::Damaged(format!(
            "a variable has {count} missing values"
        )));
    }
    let mut missing = Missing::default();
    let mut singles = count;
    if count < 0 {
        missing.range = Some((bytes.f64()?, bytes.f64()?));
        singles = -count - 2;
    }
    for _ in 0..singles {
        if width > 0 {
            missing.texts.push(bytes.take(8)?);
        } else {
            missing.numbers.push(bytes.f64()?);
        }
    }
    Ok(missing)
}

fn label_set<'a>(bytes: &mut Bytes<'a>) -> Result<LabelSet<'a>, ReadError> {
    let count = bytes.u32()?;
    let mut labels = Vec::new();
    for _ in 0..count {
        let value = bytes.take(8)?;
        let length = usize::from(bytes.u8()?);
        let label = bytes.take(length)?;
        bytes.take((length + 1).next_multiple_of(8) - length - 1)?;
        labels.push((value, label));
    }
    if bytes.u32()? != 4 {
        return Err(ReadError::Damaged(
            "value labels are not followed by their variables".to_owned(),
        ));
    }
    let count = bytes.u32()?;
    let mut slots = Vec::new();
    for _ in 0..count {
        slots.push((bytes.u32()? as usize).saturating_sub(1));
    }
    Ok(LabelSet { labels, slots })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_missing_values_that_cannot_be_is_refused() {
        for count in [i32::MIN, -4, 4, i32::MAX] {
            let refused = missing(&mut Bytes::new(&[0; 64], false), count, 0);
            assert!(matches!(refused, Err(ReadError::Damaged(_))), "{count}");
        }
        let both = missing(&mut Bytes::new(&[0; 64], false), -3, 0).unwrap();
        assert!(both.range.is_some() && both.numbers.len() == 1);
    }
}
