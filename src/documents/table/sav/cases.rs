//! The cases as slots of eight bytes, out of any of the three packings.

use std::io::Read;

use flate2::read::ZlibDecoder;

use crate::documents::limits::ReadError;
use crate::documents::table::bytes::Bytes;
use crate::documents::table::sav::dictionary::Dictionary;

/// One value of a case.
#[derive(Debug, Clone, Copy)]
pub enum Slot {
    /// A number, or eight bytes of a string, as stored.
    Raw([u8; 8]),
    /// A whole number out of an opcode.
    Small(f64),
    /// The system's missing value.
    Missing,
    /// Eight spaces.
    Spaces,
}

/// Slots one after the other.
pub enum Slots<'a> {
    Plain(Bytes<'a>),
    Packed(Packed<Box<dyn Read + 'a>>),
}

/// Slots behind opcodes.
pub struct Packed<R> {
    source: R,
    opcodes: [u8; 8],
    next: usize,
    bias: f64,
}

/// The slots of a file whose place stands at the first case.
pub fn slots<'a>(
    place: Bytes<'a>,
    whole: &'a [u8],
    dictionary: &Dictionary<'_>,
) -> Result<Slots<'a>, ReadError> {
    let source: Box<dyn Read + 'a> = match dictionary.compression {
        0 => return Ok(Slots::Plain(place)),
        1 => Box::new(&whole[place.position()..]),
        2 => Box::new(blocks(place, whole)?),
        other => return Err(ReadError::Unsupported(format!("SPSS compression {other}"))),
    };
    Ok(Slots::Packed(Packed {
        source,
        opcodes: [0; 8],
        next: 8,
        bias: dictionary.bias,
    }))
}

/// The zlib blocks of a `.zsav`, found through the index at its end.
fn blocks<'a>(mut place: Bytes<'a>, whole: &'a [u8]) -> Result<impl Read + 'a, ReadError> {
    place.u64()?;
    let trailer = place.u64()?;
    place.seek(trailer)?;
    place.take(20)?;
    let count = place.u32()?;
    let mut parts: Vec<&[u8]> = Vec::new();
    for _ in 0..count {
        place.u64()?;
        let at = place.u64()?;
        place.u32()?;
        let length = place.u32()? as usize;
        let mut block = Bytes::new(whole, place.big_endian);
        block.seek(at)?;
        parts.push(block.take(length)?);
    }
    let mut waiting = parts.into_iter().map(ZlibDecoder::new);
    Ok(Blocks {
        current: waiting.next(),
        waiting,
    })
}

/// Decompressed blocks one after the other.
struct Blocks<'a, I> {
    current: Option<ZlibDecoder<&'a [u8]>>,
    waiting: I,
}

impl<'a, I: Iterator<Item = ZlibDecoder<&'a [u8]>>> Read for Blocks<'a, I> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while let Some(block) = &mut self.current {
            let length = block.read(buffer)?;
            if length > 0 || buffer.is_empty() {
                return Ok(length);
            }
            self.current = self.waiting.next();
        }
        Ok(0)
    }
}

impl Slots<'_> {
    /// The next slot; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Slot>, ReadError> {
        match self {
            Self::Plain(bytes) if bytes.remaining() < 8 => Ok(None),
            Self::Plain(bytes) => {
                let mut raw = [0; 8];
                raw.copy_from_slice(bytes.take(8)?);
                Ok(Some(Slot::Raw(raw)))
            }
            Self::Packed(packed) => packed.next(),
        }
    }
}

impl<R: Read> Packed<R> {
    fn next(&mut self) -> Result<Option<Slot>, ReadError> {
        loop {
            if self.next == 8 {
                let mut opcodes = [0; 8];
                if !self.fill(&mut opcodes)? {
                    return Ok(None);
                }
                self.opcodes = opcodes;
                self.next = 0;
            }
            let opcode = self.opcodes[self.next];
            self.next += 1;
            return Ok(Some(match opcode {
                0 => continue,
                252 => return Ok(None),
                253 => {
                    let mut raw = [0; 8];
                    if !self.fill(&mut raw)? {
                        return Ok(None);
                    }
                    Slot::Raw(raw)
                }
                254 => Slot::Spaces,
                255 => Slot::Missing,
                code => Slot::Small(f64::from(code) - self.bias),
            }));
        }
    }

    /// Fills the bytes; false at the end of the content.
    fn fill(&mut self, bytes: &mut [u8; 8]) -> Result<bool, ReadError> {
        match self.source.read_exact(bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(ReadError::Damaged(format!(
                "a compressed block of cases is broken: {error}"
            ))),
        }
    }
}
