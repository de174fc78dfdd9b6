//! The three ways in which R writes numbers: XDR, the machine's own, and ASCII.

use std::io::Read;

use crate::documents::limits::ReadError;

/// A stream of serialised numbers and strings.
pub struct Source<R> {
    reader: R,
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    BigEndian,
    LittleEndian,
    Ascii,
}

fn broken(error: std::io::Error) -> ReadError {
    ReadError::Damaged(format!(
        "the saved R value breaks off ({error}); fetch the file again"
    ))
}

impl<R: Read> Source<R> {
    /// Reads the format letter that a serialisation begins with.
    pub fn new(mut reader: R) -> Result<Self, ReadError> {
        let mut mark = [0; 2];
        reader.read_exact(&mut mark).map_err(broken)?;
        let format = match &mark {
            b"X\n" => Format::BigEndian,
            b"B\n" => Format::LittleEndian,
            b"A\n" => Format::Ascii,
            _ => {
                return Err(ReadError::Damaged(
                    "it does not begin like R's serialisation".to_owned(),
                ));
            }
        };
        Ok(Self { reader, format })
    }

    /// Fills the bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ReadError> {
        self.reader.read_exact(bytes).map_err(broken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        self.fill(&mut array)?;
        if self.format == Format::BigEndian {
            array.reverse();
        }
        Ok(array)
    }

    /// A 32-bit integer.
    pub fn integer(&mut self) -> Result<i32, ReadError> {
        if self.format == Format::Ascii {
            let word = self.word()?;
            return match word.as_str() {
                "NA" => Ok(i32::MIN),
                word => word
                    .parse()
                    .map_err(|_| ReadError::Damaged(format!("`{word}` is no integer"))),
            };
        }
        self.array().map(i32::from_le_bytes)
    }

    /// A double.
    pub fn real(&mut self) -> Result<f64, ReadError> {
        if self.format == Format::Ascii {
            let word = self.word()?;
            return match word.as_str() {
                "NA" | "NaN" => Ok(f64::NAN),
                "Inf" => Ok(f64::INFINITY),
                "-Inf" => Ok(f64::NEG_INFINITY),
                word => word
                    .parse()
                    .map_err(|_| ReadError::Damaged(format!("`{word}` is no number"))),
            };
        }
        self.array().map(f64::from_le_bytes)
    }

    /// The bytes of a string.
    pub fn string(&mut self, length: usize) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        if self.format != Format::Ascii {
            // A false length must not reserve memory: what is there is what is read.
            self.reader
                .by_ref()
                .take(length as u64)
                .read_to_end(&mut bytes)
                .map_err(broken)?;
            if bytes.len() < length {
                return Err(ReadError::Damaged(
                    "the saved R value breaks off inside a string".to_owned(),
                ));
            }
            return Ok(bytes);
        }
        if length == 0 {
            // The line end behind an empty string is skipped with the next word.
            return Ok(bytes);
        }
        let mut byte = self.byte()?;
        while byte.is_ascii_whitespace() {
            byte = self.byte()?;
        }
        for _ in 0..length {
            bytes.push(if byte == b'\\' { self.escape()? } else { byte });
            byte = self.byte()?;
        }
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, ReadError> {
        let mut byte = [0];
        self.fill(&mut byte)?;
        Ok(byte[0])
    }

    fn word(&mut self) -> Result<String, ReadError> {
        let mut word = String::new();
        loop {
            let byte = self.byte()?;
            if !byte.is_ascii_whitespace() {
                word.push(char::from(byte));
            } else if !word.is_empty() {
                return Ok(word);
            }
            if word.len() > 64 {
                return Err(ReadError::Damaged(format!("`{word}` is no number")));
            }
        }
    }

    fn escape(&mut self) -> Result<u8, ReadError> {
        Ok(match self.byte()? {
            b'n' => b'\n',
            b't' => b'\t',
            b'v' => 0x0B,
            b'b' => 0x08,
            b'r' => b'\r',
            b'f' => 0x0C,
            b'a' => 0x07,
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    value = value * 8 + u32::from(self.byte()?.saturating_sub(b'0') & 7);
                }
                value as u8
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_string_leaves_the_next_number_whole() {
        let mut source = Source::new(&b"A\n0\n\n262153\n2\na\\040\n7\n"[..]).unwrap();
        assert_eq!(source.integer().unwrap(), 0);
        assert_eq!(source.string(0).unwrap(), b"");
        assert_eq!(source.integer().unwrap(), 262_153);
        assert_eq!(source.integer().unwrap(), 2);
        assert_eq!(source.string(2).unwrap(), b"a ");
        assert_eq!(source.integer().unwrap(), 7);
    }
}
