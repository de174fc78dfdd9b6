//! Entries of a ZIP archive, by the headers of its files and those of its directory alike.
//!
//! Readers go by one or the other, and need neither to begin at the file's front: whatever has
//! the signature of a header is one. Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7,
//! 4.3.12, 4.4.5 and 4.6.9.

use std::io::{BufRead as _, Read as _};
use std::ops::ControlFlow::Continue;

use flate2::bufread::DeflateDecoder;
use memchr::memmem;

use super::entries::{Entries, Flow};
use super::format::{Format, HEAD};
use super::window::Window;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
/// What stands in front of the directory's end.
pub const END: &[u8] = b"PK\x05\x06";
const STORED: usize = 0;
const DEFLATED: usize = 8;
/// The extra field that holds a name in UTF-8, and its bytes in front of it.
const UNICODE_PATH: usize = 0x7075;
const BEFORE_UNICODE_PATH: usize = 5;

/// A header.
struct Header {
    name: Vec<u8>,
    /// Another name that readers may take.
    other_name: Option<Vec<u8>>,
    is_local: bool,
    is_encrypted: bool,
    method: usize,
    /// Of the content as it is packed; 0 where it stands behind it.
    size: u64,
    /// Bytes of the header.
    length: usize,
}

/// Tells of each entry.
pub fn entries(archive: &mut Window<'_>, told: &mut dyn Entries<'_>) -> Flow {
    loop {
        let buffered = archive.peek(LOCAL.len());
        if buffered.len() < LOCAL.len() {
            return Continue(());
        }
        let Some(at) = memmem::find_iter(buffered, b"PK").find(|at| may_be_header(&buffered[*at..])) else {
            // A signature may be cut by the buffer's end.
            let passed = buffered.len() + 1 - LOCAL.len();
            archive.consume(passed);
            continue;
        };
        archive.consume(at);
        let Some(header) = Header::read(archive) else {
            archive.consume(1);
            continue;
        };
        archive.consume(header.length);
        told.name(&header.name)?;
        if let Some(name) = &header.other_name {
            told.name(name)?;
        }
        if header.is_local && !header.is_encrypted {
            content(archive, &header, told)?;
        }
    }
}

/// Whether a header begins here, or may, since the buffer ends.
fn may_be_header(here: &[u8]) -> bool {
    let here = &here[..here.len().min(LOCAL.len())];
    LOCAL.starts_with(here) || CENTRAL.starts_with(here)
}

fn content(archive: &mut Window<'_>, header: &Header, told: &mut dyn Entries<'_>) -> Flow {
    match header.method {
        DEFLATED => {
            let budget = told.budget();
            let mut decoded = Window::new(budget.metered(DeflateDecoder::new(archive)));
            told.content(&header.name, &mut decoded)
        }
        STORED => {
            let most = usize::try_from(header.size).unwrap_or(HEAD).min(HEAD);
            let head = archive.peek(most);
            match Format::detect(&head[..head.len().min(most)]) {
                // Headers of a stored archive are found as those of this one.
                None | Some(Format::Zip) => Continue(()),
                Some(_) => {
                    let mut stored = Window::new(archive.by_ref().take(header.size));
                    told.content(&header.name, &mut stored)
                }
            }
        }
        _ => told.closed(&header.name),
    }
}

impl Header {
    fn read(archive: &mut Window<'_>) -> Option<Self> {
        let is_local = archive.peek(LOCAL.len()).starts_with(LOCAL);
        let is_central = archive.peek(CENTRAL.len()).starts_with(CENTRAL);
        if !is_local && !is_central {
            return None;
        }
        // The directory's headers have the version that made the file in front.
        let (fixed, shift) = if is_local { (30, 0) } else { (46, 2) };
        let bytes = archive.peek(fixed);
        let number = |at: usize| {
            Some(usize::from(u16::from_le_bytes(
                *bytes.get(at..at + 2)?.first_chunk()?,
            )))
        };
        let flags = number(6 + shift)?;
        let method = number(8 + shift)?;
        let size = u32::from_le_bytes(*bytes.get(18 + shift..22 + shift)?.first_chunk()?);
        let (name, extra) = (number(26 + shift)?, number(28 + shift)?);
        let length = fixed + name + extra;
        let bytes = archive.peek(length);
        Some(Self {
            name: bytes.get(fixed..fixed + name)?.to_vec(),
            other_name: bytes.get(fixed + name..length).and_then(unicode_path),
            is_local,
            is_encrypted: flags & 1 == 1,
            method,
            size: u64::from(size),
            length,
        })
    }
}

fn unicode_path(mut extra: &[u8]) -> Option<Vec<u8>> {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let number = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let (field, after) = rest.split_at_checked(number(2))?;
        if number(0) == UNICODE_PATH {
            return field.get(BEFORE_UNICODE_PATH..).map(<[u8]>::to_vec);
        }
        extra = after;
    }
    None
}
