//! Byte code of functions, read to get past it.

use std::io::Read;

use crate::documents::limits::ReadError;
use crate::documents::table::r::unserialize::Reader;

impl<R: Read> Reader<'_, R> {
    /// One function's code, with its constants.
    pub(super) fn bytecode(&mut self) -> Result<(), ReadError> {
        self.deeper()?;
        self.item()?;
        let count = self.source.integer()?;
        for _ in 0..count.max(0) {
            match self.source.integer()? {
                21 => self.bytecode()?,
                kind @ (2 | 6 | 239 | 240 | 243 | 244) => self.bytecode_call(kind)?,
                _ => {
                    self.item()?;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn bytecode_call(&mut self, kind: i32) -> Result<(), ReadError> {
        let mut kind = kind;
        loop {
            if kind == 243 {
                self.source.integer()?;
                return Ok(());
            }
            if kind == 244 {
                self.source.integer()?;
                kind = self.source.integer()?;
                continue;
            }
            if !matches!(kind, 2 | 6 | 239 | 240) {
                self.item()?;
                return Ok(());
            }
            if matches!(kind, 239 | 240) {
                self.item()?;
            }
            self.item()?;
            let head = self.source.integer()?;
            self.deeper()?;
            self.bytecode_call(head)?;
            self.depth -= 1;
            kind = self.source.integer()?;
        }
    }
}
