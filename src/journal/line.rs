//! One line of a journal: `{"seq":..,"at":..,"event":{..},"prev":"..","sum":".."}`.
//!
//! `sum` is the first 16 hexadecimal digits of the SHA-256 over the bytes of
//! the line before `,"sum"`; `prev` is the `sum` of the line before, and zeros
//! on the first. The object is plain JSON for every other reader.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::run::event::Record;

/// The check sum of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CheckSum(String);

impl CheckSum {
    /// What the first line names as the one before it.
    pub fn first() -> Self {
        Self("0".repeat(16))
    }

    fn compute(bytes: &[u8]) -> Self {
        let mut hex = Digest::compute(bytes).hex();
        hex.truncate(16);
        Self(hex)
    }
}

impl fmt::Display for CheckSum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A fault of a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    #[error("its check sum is missing or does not fit its content")]
    Sum,
    #[error("it does not follow the line before it")]
    Chain,
    #[error("it is not an event that this version knows: {0}")]
    Event(String),
}

#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    record: &'a Record,
    prev: &'a CheckSum,
}

#[derive(Deserialize)]
struct Read {
    #[serde(flatten)]
    record: Record,
    prev: CheckSum,
}

const SUM: &[u8] = b",\"sum\":\"";

/// Writes a record as a line with its line end; returns its check sum too.
///
/// # Errors
/// Never, as long as events are what JSON can hold.
pub fn write(record: &Record, prev: &CheckSum) -> Result<(Vec<u8>, CheckSum), serde_json::Error> {
    let mut line = serde_json::to_vec(&Written { record, prev })?;
    line.pop();
    let sum = CheckSum::compute(&line);
    line.extend_from_slice(SUM);
    line.extend_from_slice(sum.0.as_bytes());
    line.extend_from_slice(b"\"}\n");
    Ok((line, sum))
}

/// Reads a line without its line end.
///
/// # Errors
/// A line whose check sum is wrong, that does not follow its predecessor, or that is no event.
pub fn read(line: &[u8], prev: &CheckSum) -> Result<(Record, CheckSum), BadLine> {
    let cut = line.len().checked_sub(SUM.len() + 16 + 2).ok_or(BadLine::Sum)?;
    let (body, tail) = line.split_at(cut);
    let sum = CheckSum::compute(body);
    if !tail.starts_with(SUM)
        || !tail.ends_with(b"\"}")
        || &tail[SUM.len()..SUM.len() + 16] != sum.0.as_bytes()
    {
        return Err(BadLine::Sum);
    }
    let read: Read = serde_json::from_slice(line).map_err(|error| BadLine::Event(error.to_string()))?;
    if read.prev != *prev {
        return Err(BadLine::Chain);
    }
    Ok((read.record, sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::event::{Event, Resumption};

    #[test]
    fn any_flipped_byte_is_found() {
        let record = Record {
            seq: 1,
            at: jiff::Timestamp::UNIX_EPOCH,
            event: Event::Resumed(Resumption {
                note: "näher".into(),
                ..Resumption::default()
            }),
        };
        let (line, sum) = write(&record, &CheckSum::first()).unwrap();
        let line = &line[..line.len() - 1];
        assert_eq!(read(line, &CheckSum::first()), Ok((record, sum.clone())));
        assert_eq!(read(line, &sum), Err(BadLine::Chain));
        for position in 0..line.len() {
            let mut damaged = line.to_vec();
            damaged[position] ^= 1;
            assert!(read(&damaged, &CheckSum::first()).is_err(), "byte {position}");
        }
        assert!(serde_json::from_slice::<serde_json::Value>(line).is_ok());
    }
}
