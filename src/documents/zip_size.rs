//! Refuses archives that unpack to more than the limits allow.

use std::io::Cursor;

use zip::ZipArchive;

use crate::documents::limits::{Limits, ReadError};

/// Most members of an office document.
const MOST_MEMBERS: usize = 20_000;

/// Adds up what the members say that they unpack to.
///
/// # Errors
/// A damaged or encrypted archive, one of more than 20,000 members, or one that unpacks to more than
/// the limit.
pub fn check(bytes: &[u8], limits: &Limits) -> Result<(), ReadError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| ReadError::Damaged(format!("its ZIP directory cannot be read: {error}")))?;
    if archive.len() > MOST_MEMBERS {
        return Err(ReadError::Unsupported(format!(
            "{} members in one archive",
            archive.len()
        )));
    }
    let mut size = 0u64;
    for index in 0..archive.len() {
        if let Ok(member) = archive.by_index_raw(index) {
            if member.encrypted() {
                return Err(ReadError::Encrypted(
                    "members of the archive have a password".to_owned(),
                ));
            }
            size = size.saturating_add(member.size());
        }
    }
    if size > limits.memory / 4 {
        return Err(ReadError::TooBig(limits.memory >> 20));
    }
    Ok(())
}
