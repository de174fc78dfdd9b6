//! From the bytes of `.rds` and `.RData` files to tables.

use std::io::{BufReader, Read};

use crate::documents::decompressed::decompressed;
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
    let mut stream = BufReader::with_capacity(64 << 10, content(bytes));
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

/// The serialised bytes; R compresses them or not.
fn content(bytes: &[u8]) -> Box<dyn Read + '_> {
    decompressed(bytes).unwrap_or_else(|| Box::new(bytes))
}
