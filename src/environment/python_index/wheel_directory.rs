//! The metadata of a wheel, found from the end of the file, so that the rest need not be had.

use std::io::Read as _;

use flate2::read::DeflateDecoder;

/// Bytes of a metadata file at most.
const LARGEST: u64 = 4 << 20;
const END_MARK: [u8; 4] = *b"PK\x05\x06";
const ENTRY_MARK: [u8; 4] = *b"PK\x01\x02";
const LOCAL_MARK: [u8; 4] = *b"PK\x03\x04";

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilePart {
    pub from: u64,
    /// Behind its last byte.
    pub to: u64,
}

/// A wheel whose metadata cannot be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WheelFault {
    #[error("it is no zip archive")]
    NoArchive,
    #[error("its list of files is damaged")]
    Damaged,
    #[error("it holds no METADATA")]
    NoMetadata,
    #[error("its METADATA is packed in a way that wheels do not use, or too large")]
    Packed,
}

/// The place of the list of files, from the last bytes of a file of `length` bytes.
///
/// # Errors
/// No zip archive, or a list that lies outside of it.
pub fn directory(tail: &[u8], length: u64) -> Result<FilePart, WheelFault> {
    let at = (0..tail.len().saturating_sub(21))
        .rev()
        .find(|at| tail[*at..].starts_with(&END_MARK));
    let at = at.ok_or(WheelFault::NoArchive)?;
    let size = u64::from(word(tail, at + 12).ok_or(WheelFault::Damaged)?);
    let from = u64::from(word(tail, at + 16).ok_or(WheelFault::Damaged)?);
    let to = from + size;
    if to > length {
        return Err(WheelFault::Damaged);
    }
    Ok(FilePart { from, to })
}

/// The entry of the metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetadataEntry {
    offset: u32,
    packed: u32,
    method: u16,
}

/// The entry of the metadata in a list of files.
///
/// # Errors
/// A damaged list, or one without metadata.
pub fn metadata_entry(directory: &[u8]) -> Result<MetadataEntry, WheelFault> {
    let mut at = 0;
    while directory.get(at..at + 4) == Some(&ENTRY_MARK) {
        let number = |offset: usize| short(directory, at + offset).ok_or(WheelFault::Damaged);
        let wide = |offset: usize| word(directory, at + offset).ok_or(WheelFault::Damaged);
        let (name_length, extra, comment) = (number(28)?, number(30)?, number(32)?);
        let name_end = at + 46 + usize::from(name_length);
        let name = directory.get(at + 46..name_end).ok_or(WheelFault::Damaged)?;
        let name = String::from_utf8_lossy(name);
        let is_it = name
            .split_once('/')
            .is_some_and(|(folder, file)| folder.ends_with(".dist-info") && file == "METADATA");
        if is_it {
            return Ok(MetadataEntry {
                offset: wide(42)?,
                packed: wide(20)?,
                method: number(10)?,
            });
        }
        at = name_end + usize::from(extra) + usize::from(comment);
    }
    match at {
        at if at >= directory.len() => Err(WheelFault::NoMetadata),
        0 => Err(WheelFault::Damaged),
        _ => Err(WheelFault::NoMetadata),
    }
}

impl MetadataEntry {
    /// The part of the file that holds it: its head, whose length varies, and its content.
    pub fn part(self, length: u64) -> FilePart {
        let from = u64::from(self.offset);
        let to = from + 30 + 2 * 65_536 + u64::from(self.packed);
        FilePart {
            from,
            to: to.min(length),
        }
    }

    /// The text, from the bytes of [`part`](Self::part).
    ///
    /// # Errors
    /// A damaged or too large entry.
    pub fn text(self, bytes: &[u8]) -> Result<String, WheelFault> {
        if bytes.get(..4) != Some(&LOCAL_MARK) || u64::from(self.packed) > LARGEST {
            return Err(WheelFault::Damaged);
        }
        let name = short(bytes, 26).ok_or(WheelFault::Damaged)?;
        let extra = short(bytes, 28).ok_or(WheelFault::Damaged)?;
        let from = 30 + usize::from(name) + usize::from(extra);
        let packed = bytes
            .get(from..from + self.packed as usize)
            .ok_or(WheelFault::Damaged)?;
        let mut content = Vec::new();
        match self.method {
            0 => content.extend_from_slice(packed),
            8 => {
                let read = DeflateDecoder::new(packed)
                    .take(LARGEST + 1)
                    .read_to_end(&mut content);
                read.map_err(|_| WheelFault::Damaged)?;
            }
            _ => return Err(WheelFault::Packed),
        }
        if content.len() as u64 > LARGEST {
            return Err(WheelFault::Packed);
        }
        Ok(String::from_utf8_lossy(&content).into_owned())
    }
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use zip::write::SimpleFileOptions;

    use super::*;

    fn wheel(method: zip::CompressionMethod) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file("x/__init__.py", options).unwrap();
        writer.write_all(&[b'a'; 10_000]).unwrap();
        writer.start_file("x-1.dist-info/METADATA", options).unwrap();
        writer
            .write_all("Metadata-Version: 2.1\nRequires-Dist: y\n".repeat(50).as_bytes())
            .unwrap();
        writer.finish().unwrap().into_inner()
    }

    fn read(bytes: &[u8]) -> Result<String, WheelFault> {
        let length = bytes.len() as u64;
        let tail = &bytes[bytes.len().saturating_sub(1000)..];
        let part = directory(tail, length)?;
        let list = &bytes[part.from as usize..part.to as usize];
        let entry = metadata_entry(list)?;
        let part = entry.part(length);
        entry.text(
            bytes
                .get(part.from as usize..part.to as usize)
                .unwrap_or_default(),
        )
    }

    #[test]
    fn metadata_is_found_from_the_end() {
        for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
            assert!(
                read(&wheel(method))
                    .unwrap()
                    .starts_with("Metadata-Version: 2.1\nRequires-Dist: y\n")
            );
        }
    }

    #[test]
    fn damaged_wheels_are_refused() {
        let whole = wheel(zip::CompressionMethod::Deflated);
        assert_eq!(read(b""), Err(WheelFault::NoArchive));
        assert_eq!(read(&[b'x'; 5000]), Err(WheelFault::NoArchive));
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            let _read = read(&damaged);
        }
        for length in 0..whole.len() {
            let _read = read(&whole[..length]);
        }
    }
}
