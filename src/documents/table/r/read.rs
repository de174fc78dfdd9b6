//! From the bytes of `.rds` and `.RData` files to tables.

use std::io::{BufReader, Read};

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::Table;
use crate::documents::table::r::gather::Gathering;
use crate::documents::table::r::unserialize::Reader;
use crate::documents::table::r::value::{Object, Value};

/// The tables of a saved value or workspace, and what was left out.
///
/// # Errors
/// A damaged or nested-too-deep file, or more data than the limit of memory holds.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<(Vec<Table>, Vec<String>), ReadError> {
    let mut budget = MemoryBudget::new(limits);
    let mut stream = BufReader::with_capacity(64 << 10, decompressed(bytes));
    let mut mark = [0; 5];
    stream
        .read_exact(&mut mark)
        .map_err(|error| ReadError::Damaged(format!("it cannot be decompressed: {error}")))?;
    let workspace = matches!(&mark, b"RDX2\n" | b"RDX3\n" | b"RDA2\n" | b"RDA3\n");
    let values = if workspace {
        names(Reader::new(stream, &mut budget)?.item()?)
    } else {
        let value = Reader::new(mark.chain(stream), &mut budget)?.item()?;
        vec![(String::new(), value)]
    };
    let mut gathering = Gathering::new(&mut budget);
    for (name, value) in values {
        gathering.value(&name, value)?;
    }
    gathering.finish()
}

fn names(object: Object) -> Vec<(String, Object)> {
    match object.value {
        Value::Pairs(pairs) => pairs,
        _ => Vec::new(),
    }
}

fn decompressed(bytes: &[u8]) -> Box<dyn Read + '_> {
    if bytes.starts_with(b"\x1f\x8b") {
        Box::new(flate2::read::MultiGzDecoder::new(bytes))
    } else if bytes.starts_with(b"BZh") {
        Box::new(bzip2::read::MultiBzDecoder::new(bytes))
    } else if bytes.starts_with(b"\xfd7zXZ\0") {
        Box::new(lzma_rust2::XzReader::new(bytes, true))
    } else {
        Box::new(bytes)
    }
}
