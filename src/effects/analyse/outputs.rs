//! Files that an execution wrote.

use std::fs;
use std::path::Path;

use crate::domain::result_line;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::FileRecord;

/// The largest output file that is kept in the run's store, in bytes.
pub const KEPT_OUTPUT: u64 = 16 << 20;
/// The most output files, and bytes of them, that one execution leaves in the store.
const MOST_OUTPUTS: usize = 1000;
const MOST_BYTES: u64 = 256 << 20;

/// Puts what an execution wrote below `workspace` into the store.
///
/// # Errors
/// A file that cannot be read, or a store that cannot be written.
pub fn keep(session: &Session, workspace: &Path, outputs: &[FileRecord]) -> Result<(), EngineError> {
    for file in kept(outputs) {
        let path = file.path.below(workspace);
        let bytes = fs::read(&path).map_err(|error| EngineError::io(&path, error))?;
        session.store.put(&bytes)?;
    }
    Ok(())
}

/// The files that there is room for. The results come first: whatever else the code
/// writes, they are not crowded out.
fn kept(outputs: &[FileRecord]) -> impl Iterator<Item = &FileRecord> {
    let (results, others): (Vec<_>, Vec<_>) = outputs
        .iter()
        .filter(|file| file.size <= KEPT_OUTPUT)
        .partition(|file| file.path.as_str() == result_line::FILE);
    let mut bytes = 0;
    results
        .into_iter()
        .chain(others)
        .take(MOST_OUTPUTS)
        .take_while(move |file| {
            bytes += file.size;
            bytes <= MOST_BYTES
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;

    #[test]
    fn results_are_kept_whatever_else_is_written() {
        let file = |path: String, size| FileRecord {
            path: path.parse().unwrap(),
            size,
            digest: Digest::compute(b""),
        };
        let results = file(result_line::FILE.to_owned(), 900);
        let has = |outputs: &[FileRecord]| kept(outputs).any(|one| *one == results);
        for (count, size) in [(1_200, 10), (40, KEPT_OUTPUT), (3, KEPT_OUTPUT + 1)] {
            let mut outputs: Vec<FileRecord> = (0..count)
                .map(|number| file(format!("work/a{number:04}.bin"), size))
                .collect();
            outputs.push(results.clone());
            assert!(has(&outputs), "{count} files of {size} bytes");
            assert!(kept(&outputs).count() <= MOST_OUTPUTS);
            assert!(kept(&outputs).map(|one| one.size).sum::<u64>() <= MOST_BYTES);
        }
    }
}
