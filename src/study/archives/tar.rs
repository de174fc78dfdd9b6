//! Entries of a tar archive.
//!
//! Source: POSIX.1-2017, `pax`, "ustar Interchange Format" and "pax Extended Header"; GNU tar
//! manual, "Basic Tar Format" (long names, sizes in base 256).

use std::io::Read as _;
use std::ops::ControlFlow::Continue;

use super::entries::{Entries, Flow};
use super::window::Window;

/// Bytes of a header, and of the unit that content is filled up to.
pub const BLOCK: usize = 512;
/// Most bytes of a name that stands in content of its own.
const LONGEST: u64 = 1 << 20;

/// Whether a block is the header of an entry, by its check sum.
pub fn is_header(block: &[u8]) -> bool {
    let Some(block) = block.get(..BLOCK) else {
        return false;
    };
    let Some(stated) = octal(&block[148..156]).filter(|sum| *sum > 0) else {
        return false;
    };
    let bytes = || {
        block.iter().enumerate().map(|(at, byte)| match at {
            148..156 => b' ',
            _ => *byte,
        })
    };
    let unsigned: u64 = bytes().map(u64::from).sum();
    // Some old programs summed signed bytes.
    let signed: i64 = bytes().map(|byte| i64::from(byte.cast_signed())).sum();
    stated == unsigned || i64::try_from(stated) == Ok(signed)
}

/// Tells of each entry. Blocks that are no header where one should stand are passed over, as
/// readers do that are told to.
pub fn entries(archive: &mut Window<'_>, told: &mut dyn Entries<'_>) -> Flow {
    let mut long = None;
    loop {
        let block = archive.peek(BLOCK);
        if block.len() < BLOCK {
            return Continue(());
        }
        if !is_header(block) {
            archive.skip(BLOCK as u64);
            continue;
        }
        let (kind, size, short) = (block[156], size(block), short_name(block));
        archive.skip(BLOCK as u64);
        let mut content = Window::new(archive.by_ref().take(size));
        match kind {
            b'L' => long = Some(until_zero(&content.read_up_to(LONGEST)).to_vec()),
            b'x' => long = pax_path(&content.read_up_to(LONGEST)).or(long),
            b'K' | b'g' => {}
            _ => {
                let name = long.take().unwrap_or(short);
                told.name(&name)?;
                told.content(&name, &mut content)?;
            }
        }
        content.skip(size);
        drop(content);
        let filled = size % BLOCK as u64;
        archive.skip(if filled == 0 { 0 } else { BLOCK as u64 - filled });
    }
}

fn size(block: &[u8]) -> u64 {
    let field = &block[124..136];
    if field[0] & 0x80 == 0 {
        return octal(field).unwrap_or(0);
    }
    let last: [u8; 8] = field[4..12].try_into().unwrap_or_default();
    u64::from_be_bytes(last)
}

fn short_name(block: &[u8]) -> Vec<u8> {
    let (name, prefix) = (until_zero(&block[..100]), until_zero(&block[345..500]));
    if &block[257..262] == b"ustar" && !prefix.is_empty() {
        [prefix, b"/", name].concat()
    } else {
        name.to_vec()
    }
}

fn until_zero(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The `path` of an extended header: records of a length, a blank, `key=value` and a line end.
fn pax_path(records: &[u8]) -> Option<Vec<u8>> {
    let mut rest = records;
    let mut path = None;
    while let Some(blank) = rest.iter().position(|byte| *byte == b' ') {
        let length: usize = std::str::from_utf8(&rest[..blank]).ok()?.parse().ok()?;
        let record = rest.get(blank + 1..length.checked_sub(1)?)?;
        if let Some(value) = record.strip_prefix(b"path=") {
            path = Some(value.to_vec());
        }
        rest = &rest[length..];
    }
    path
}

/// A number in octal digits, with blanks in front and a blank or a zero behind.
fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(until_zero(field)).ok()?.trim_matches(' ');
    u64::from_str_radix(text, 8).ok()
}
