//! Extension records: encoding, long names, long strings.

use std::collections::HashMap;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::documents::limits::ReadError;
use crate::documents::table::bytes::Bytes;

/// The extension records that reading needs, undecoded.
#[derive(Debug, Default)]
pub struct Extensions<'a> {
    code_page: Option<i32>,
    encoding: Option<&'a [u8]>,
    pub cases: Option<u64>,
    long_names: &'a [u8],
    long_strings: &'a [u8],
    string_labels: &'a [u8],
    string_missing: &'a [u8],
}

/// Labels of a long string variable: its name, then values and labels.
pub type StringLabels<'a> = (&'a [u8], Vec<(&'a [u8], &'a [u8])>);

impl<'a> Extensions<'a> {
    /// Reads one extension record.
    pub fn record(&mut self, bytes: &mut Bytes<'a>) -> Result<(), ReadError> {
        let kind = bytes.u32()?;
        let size = bytes.u32()? as usize;
        let count = bytes.u32()? as usize;
        let content = bytes.take(size.saturating_mul(count))?;
        let mut inside = Bytes::new(content, bytes.big_endian);
        match kind {
            3 if content.len() >= 32 => {
                inside.take(28)?;
                self.code_page = Some(inside.i32()?);
            }
            13 => self.long_names = content,
            14 => self.long_strings = content,
            16 if content.len() >= 16 => {
                inside.take(8)?;
                self.cases = Some(inside.u64()?);
            }
            20 => self.encoding = Some(content),
            21 => self.string_labels = content,
            22 => self.string_missing = content,
            _ => {}
        }
        Ok(())
    }

    /// The encoding of strings: the one named, else the code page, else Windows-1252.
    pub fn encoding(&self) -> &'static Encoding {
        if let Some(encoding) = self
            .encoding
            .and_then(|name| Encoding::for_label(name.trim_ascii()))
        {
            return encoding;
        }
        match self.code_page {
            Some(65001) => UTF_8,
            Some(page) => Encoding::for_label(format!("windows-{page}").as_bytes()).unwrap_or(WINDOWS_1252),
            None => WINDOWS_1252,
        }
    }

    /// Long names by the short names of eight bytes.
    pub fn long_names(&self) -> HashMap<&'a [u8], &'a [u8]> {
        pairs(self.long_names, b"\t")
    }

    /// Widths of strings over 255 bytes by short names.
    pub fn long_strings(&self) -> HashMap<&'a [u8], usize> {
        pairs(self.long_strings, b"\0\t")
            .into_iter()
            .filter_map(|(name, width)| {
                let digits = std::str::from_utf8(width).ok()?.trim_matches(['\0', ' ', '\t']);
                Some((name, digits.parse().ok()?))
            })
            .collect()
    }

    /// Labels of the values of long strings, as far as they are whole.
    pub fn string_labels(&self, big_endian: bool) -> Vec<StringLabels<'a>> {
        let mut bytes = Bytes::new(self.string_labels, big_endian);
        let mut sets = Vec::new();
        let mut one = || -> Result<StringLabels<'a>, ReadError> {
            let name = sized(&mut bytes)?;
            bytes.u32()?;
            let count = bytes.u32()?;
            let mut labels = Vec::new();
            for _ in 0..count {
                labels.push((sized(&mut bytes)?, sized(&mut bytes)?));
            }
            Ok((name, labels))
        };
        while let Ok(set) = one() {
            sets.push(set);
        }
        sets
    }

    /// Missing values of long strings, as far as they are whole.
    pub fn string_missing(&self, big_endian: bool) -> Vec<(&'a [u8], Vec<&'a [u8]>)> {
        let mut bytes = Bytes::new(self.string_missing, big_endian);
        let mut sets = Vec::new();
        let mut one = || -> Result<(&'a [u8], Vec<&'a [u8]>), ReadError> {
            let name = sized(&mut bytes)?;
            let count = bytes.u8()?;
            let width = bytes.u32()? as usize;
            let mut values = Vec::new();
            for _ in 0..count {
                values.push(bytes.take(width)?);
            }
            Ok((name, values))
        };
        while let Ok(set) = one() {
            sets.push(set);
        }
        sets
    }
}

fn sized<'a>(bytes: &mut Bytes<'a>) -> Result<&'a [u8], ReadError> {
    let length = bytes.u32()? as usize;
    bytes.take(length)
}

/// `key=value` pairs between separators.
fn pairs<'a>(content: &'a [u8], separators: &[u8]) -> HashMap<&'a [u8], &'a [u8]> {
    content
        .split(|byte| separators.contains(byte))
        .filter_map(|pair| {
            let at = pair.iter().position(|byte| *byte == b'=')?;
            Some((&pair[..at], &pair[at + 1..]))
        })
        .collect()
}
