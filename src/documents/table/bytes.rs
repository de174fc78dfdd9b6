//! Reading numbers and strings out of bytes whose order a file states.

use crate::documents::limits::ReadError;

/// A place in a file's bytes.
#[derive(Debug, Clone)]
pub struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
    pub big_endian: bool,
}

impl<'a> Bytes<'a> {
    /// The start of the bytes.
    pub fn new(bytes: &'a [u8], big_endian: bool) -> Self {
        Self {
            bytes,
            at: 0,
            big_endian,
        }
    }

    /// Bytes before this place.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Bytes from this place on.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Goes to a place; an error past the end.
    ///
    /// # Errors
    /// A place past the end.
    pub fn seek(&mut self, to: u64) -> Result<(), ReadError> {
        match usize::try_from(to) {
            Ok(to) if to <= self.bytes.len() => {
                self.at = to;
                Ok(())
            }
            _ => Err(self.ends()),
        }
    }

    /// The next bytes.
    ///
    /// # Errors
    /// An end before that many bytes.
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        let end = self.at.checked_add(length).ok_or_else(|| self.ends())?;
        let taken = self.bytes.get(self.at..end).ok_or_else(|| self.ends())?;
        self.at = end;
        Ok(taken)
    }

    fn ends(&self) -> ReadError {
        ReadError::Damaged(format!(
            "it ends or points outside itself at byte {} of {}; fetch it again",
            self.at,
            self.bytes.len()
        ))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        if self.big_endian {
            array.reverse();
        }
        Ok(array)
    }

    /// The next byte.
    ///
    /// # Errors
    /// An end before it.
    pub fn u8(&mut self) -> Result<u8, ReadError> {
        self.array().map(u8::from_le_bytes)
    }

    /// The next four bytes, as a number.
    ///
    /// # Errors
    /// An end before them.
    pub fn u32(&mut self) -> Result<u32, ReadError> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next four bytes, as a number with a sign.
    ///
    /// # Errors
    /// An end before them.
    pub fn i32(&mut self) -> Result<i32, ReadError> {
        self.array().map(i32::from_le_bytes)
    }

    /// The next eight bytes, as a number.
    ///
    /// # Errors
    /// An end before them.
    pub fn u64(&mut self) -> Result<u64, ReadError> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next eight bytes, as a floating-point number.
    ///
    /// # Errors
    /// An end before them.
    pub fn f64(&mut self) -> Result<f64, ReadError> {
        self.array().map(f64::from_le_bytes)
    }
}

/// The bytes before the first NUL.
pub fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}
