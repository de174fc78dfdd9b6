//! Names in a 7z archive.
//!
//! Source: `7zFormat.txt` of the LZMA SDK.

use std::io::{Read, Seek, SeekFrom};

use lzma_rust2::{Lzma2Reader, LzmaReader};

/// Most bytes of a header, packed or not.
const LARGEST: u64 = 16 << 20;
/// How often a packed header may hold another.
const NESTED: usize = 4;
/// Most bytes of the dictionary of a packed header.
const DICTIONARY: u32 = 64 << 20;

/// How many times its size a header may list in all.
const MOST_LISTED: usize = 4;

const SIGNATURE_HEADER: u64 = 32;
const HEADER: u8 = 0x01;
const ENCODED_HEADER: u8 = 0x17;
const PACK_INFO: u8 = 0x06;
const UNPACK_INFO: u8 = 0x07;
const SIZE: u8 = 0x09;
const FOLDER: u8 = 0x0b;
const UNPACK_SIZE: u8 = 0x0c;
const NAMES: u8 = 0x11;
const LZMA: [u8; 3] = [0x03, 0x01, 0x01];
const LZMA2: [u8; 1] = [0x21];

/// Every name of the archive; `None` where they cannot be read, as with a password.
pub fn names(archive: &mut (impl Read + Seek)) -> Option<Vec<Vec<u8>>> {
    let start = part(archive, 0, SIGNATURE_HEADER)?;
    let number = |at: usize| Some(u64::from_le_bytes(*start.get(at..at + 8)?.first_chunk()?));
    let (offset, size) = (number(12)?, number(20)?);
    if size == 0 {
        return Some(Vec::new());
    }
    let mut header = part(archive, SIGNATURE_HEADER.checked_add(offset)?, size)?;
    for _ in 0..NESTED {
        match *header.first()? {
            HEADER => return names_in(&header),
            ENCODED_HEADER => header = unpacked(archive, &header[1..])?,
            _ => return None,
        }
    }
    None
}

fn part(archive: &mut (impl Read + Seek), from: u64, size: u64) -> Option<Vec<u8>> {
    archive.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    archive.take(size.min(LARGEST + 1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == size && size <= LARGEST).then_some(bytes)
}

/// The header that a packed one describes, where a single coder packed it.
fn unpacked(archive: &mut (impl Read + Seek), described: &[u8]) -> Option<Vec<u8>> {
    let mut rest = Fields(described);
    rest.expect(PACK_INFO)?;
    let position = rest.number()?;
    (rest.number()? == 1).then_some(())?;
    rest.expect(SIZE)?;
    let packed = rest.number()?;
    while rest.byte()? != UNPACK_INFO {}
    rest.expect(FOLDER)?;
    (rest.number()? == 1 && rest.byte()? == 0 && rest.number()? == 1).then_some(())?;
    let coder = rest.byte()?;
    let id = rest.bytes(usize::from(coder & 0x0f))?;
    let properties = match coder & 0x20 {
        0 => &[][..],
        _ => {
            let length = rest.number()?;
            rest.bytes(usize::try_from(length).ok()?)?
        }
    };
    rest.expect(UNPACK_SIZE)?;
    let size = rest.number()?;
    let packed = part(archive, SIGNATURE_HEADER.checked_add(position)?, packed)?;
    let packed = packed.as_slice();
    let mut header = Vec::new();
    let read = if id == LZMA {
        let (first, dictionary) = (*properties.first()?, properties.get(1..5)?);
        let dictionary = u32::from_le_bytes(*dictionary.first_chunk()?);
        let reader =
            LzmaReader::new_with_props(packed, size, first, dictionary.min(DICTIONARY), None).ok()?;
        reader.take(LARGEST).read_to_end(&mut header)
    } else if id == LZMA2 {
        Lzma2Reader::new(packed, DICTIONARY, None)
            .take(size.min(LARGEST))
            .read_to_end(&mut header)
    } else {
        return None;
    };
    // The decoder ends with an error behind the last byte where no end is marked.
    (read.is_ok() || header.len() as u64 == size).then_some(header)
}

/// The names of every part that may be a list of names. Lists stand behind descriptions of all
/// streams, which need not be understood to find them. `None` where there are too many such parts.
fn names_in(header: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    let mut listed = 0;
    for at in memchr::memchr_iter(NAMES, header) {
        let Some(list) = list_of_names(&header[at + 1..]) else {
            continue;
        };
        listed += list.len();
        if listed > MOST_LISTED * header.len() {
            return None;
        }
        let units: Vec<u16> = list
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .collect();
        let names = units.split(|unit| *unit == 0).filter(|name| !name.is_empty());
        found.extend(names.map(|name| String::from_utf16_lossy(name).into_bytes()));
    }
    Some(found)
}

/// Text in UTF-16 behind its size, a zero for a list that stands here, and with a zero at its end.
fn list_of_names(rest: &[u8]) -> Option<&[u8]> {
    let mut rest = Fields(rest);
    let size = usize::try_from(rest.number()?).ok()?;
    (rest.byte()? == 0).then_some(())?;
    let list = rest.bytes(size.checked_sub(1)?)?;
    (list.len().is_multiple_of(2) && list.ends_with(&[0, 0])).then_some(list)
}

/// Fields of a header that were not read.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.byte()? == wanted).then_some(())
    }

    /// A number whose first byte says by its leading ones how many bytes follow.
    fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let more = first.leading_ones().min(8) as usize;
        let mut value = 0;
        for (at, byte) in self.bytes(more)?.iter().enumerate() {
            value |= u64::from(*byte) << (8 * at);
        }
        if more < 7 {
            let high = u64::from(first & (0x7f >> more));
            value |= high << (8 * more);
        }
        Some(value)
    }
}
