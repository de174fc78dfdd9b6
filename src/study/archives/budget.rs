//! The bounds of a look into archives.

use std::cell::Cell;
use std::io::{self, ErrorKind, Read};

/// The bounds on what is decoded and listed of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes that are decoded.
    pub bytes: u64,
    /// Names that are listed.
    pub entries: u64,
}

impl Bounds {
    /// Of one file.
    pub const PER_FILE: Self = Self {
        bytes: 2 << 30,
        entries: 200_000,
    };
    /// Of all files of a study.
    pub const IN_ALL: Self = Self {
        bytes: 8 << 30,
        entries: 1_000_000,
    };

    /// What is left of these bounds after `given` was used down to `kept`.
    pub fn less(self, given: Self, kept: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(given.bytes - kept.bytes),
            entries: self.entries.saturating_sub(given.entries - kept.entries),
        }
    }

    /// The narrower of each bound.
    pub fn within(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.min(other.bytes),
            entries: self.entries.min(other.entries),
        }
    }
}

/// The part of the bounds that was not used.
#[derive(Debug)]
pub struct Budget {
    bytes: Cell<u64>,
    entries: Cell<u64>,
    /// The bound that was reached, as a clause about the archive.
    reached: Cell<Option<&'static str>>,
}

impl Budget {
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bytes: Cell::new(bounds.bytes),
            entries: Cell::new(bounds.entries),
            reached: Cell::new(None),
        }
    }

    pub fn left(&self) -> Bounds {
        Bounds {
            bytes: self.bytes.get(),
            entries: self.entries.get(),
        }
    }

    /// The bound that was reached, as a clause about the archive.
    pub fn reached(&self) -> Option<&'static str> {
        self.reached.get()
    }

    /// Books one name; false where no more may be listed.
    pub fn lists_one(&self) -> bool {
        match self.entries.get().checked_sub(1) {
            Some(left) => self.entries.set(left),
            None => self.reached.set(Some("it has too many entries to be listed")),
        }
        self.reached.get().is_none()
    }

    /// A reader of decoded content that ends where no more may be decoded.
    pub fn metered<'a>(&'a self, decoder: impl Read + 'a) -> impl Read + 'a {
        Metered {
            decoder,
            budget: self,
        }
    }
}

struct Metered<'a, R> {
    decoder: R,
    budget: &'a Budget,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.budget.bytes.get();
        if left == 0 {
            self.budget
                .reached
                .set(Some("it unpacks to more than is looked at"));
            return Ok(0);
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        match self.decoder.read(&mut buffer[..most]) {
            Ok(count) => {
                self.budget.bytes.set(left - count as u64);
                Ok(count)
            }
            Err(error) => {
                if error.kind() == ErrorKind::OutOfMemory {
                    let clause = "it cannot be unpacked without more memory than is given";
                    self.budget.reached.set(Some(clause));
                }
                Err(error)
            }
        }
    }
}
