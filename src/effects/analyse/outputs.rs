//! Files that an execution wrote.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::domain::result_line;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{ExecutionFinished, FileRecord, FurtherOutputs};

/// The largest output file that is kept in the run's store, in bytes.
pub const KEPT_OUTPUT: u64 = 16 << 20;
/// The most output files, and bytes of them, that one execution leaves in the store.
const MOST_OUTPUTS: usize = 1000;
const MOST_BYTES: u64 = 256 << 20;
/// The most output files that an event names: with more, journal and page take megabytes.
const NAMED: usize = 2000;

/// The outputs that an event names, and the others.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedOutputs {
    pub outputs: Vec<FileRecord>,
    pub further: Option<FurtherOutputs>,
    /// The paths of those that are not named.
    pub unnamed: BTreeSet<WorkspacePath>,
}

/// Names the outputs that there is room for, the results first, and keeps the list of the others.
///
/// # Errors
/// A store that cannot be written.
pub fn name(session: &Session, written: Vec<FileRecord>) -> Result<NamedOutputs, EngineError> {
    let (outputs, rest) = split(written);
    if rest.is_empty() {
        return Ok(NamedOutputs {
            outputs,
            further: None,
            unnamed: BTreeSet::new(),
        });
    }
    let list = serde_json::to_vec(&rest)
        .map_err(|error| EngineError::Unusable(format!("the file list cannot be written: {error}")))?;
    Ok(NamedOutputs {
        outputs,
        further: Some(FurtherOutputs {
            count: rest.len() as u64,
            bytes: rest.iter().map(|file| file.size).sum(),
            list: session.keep(&list)?,
        }),
        unnamed: rest.into_iter().map(|file| file.path).collect(),
    })
}

/// The outputs that are named, in order, and the rest.
fn split(mut written: Vec<FileRecord>) -> (Vec<FileRecord>, Vec<FileRecord>) {
    if written.len() <= NAMED {
        return (written, Vec::new());
    }
    let results = written
        .iter()
        .position(|file| file.path.as_str() == result_line::FILE)
        .map(|at| written.remove(at));
    let rest = written.split_off(NAMED - usize::from(results.is_some()));
    written.extend(results);
    written.sort_by(|one, other| one.path.cmp(&other.path));
    (written, rest)
}

/// Everything that an execution wrote, named or not.
///
/// # Errors
/// A list that the store lacks or holds damaged.
pub fn all(session: &Session, finished: &ExecutionFinished) -> Result<Vec<FileRecord>, EngineError> {
    let mut outputs = finished.outputs.clone();
    if let Some(further) = &finished.further {
        let rest: Vec<FileRecord> = serde_json::from_slice(&session.load(&further.list)?)
            .map_err(|error| EngineError::Unusable(format!("a list of outputs cannot be read: {error}")))?;
        outputs.extend(rest);
    }
    Ok(outputs)
}

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
    fn an_event_names_so_many_outputs_and_the_results_among_them() {
        let file = |path: String| FileRecord {
            path: path.parse().unwrap(),
            size: 1,
            digest: Digest::compute(b""),
        };
        let few: Vec<FileRecord> = (0..3).map(|number| file(format!("work/{number}"))).collect();
        assert_eq!(split(few.clone()), (few, Vec::new()));
        let mut many: Vec<FileRecord> = (0..3 * NAMED)
            .map(|number| file(format!("work/a{number:06}")))
            .collect();
        many.push(file(result_line::FILE.to_owned()));
        let (named, rest) = split(many);
        assert_eq!((named.len(), rest.len()), (NAMED, 2 * NAMED + 1));
        assert!(named.iter().any(|one| one.path.as_str() == result_line::FILE));
        assert!(named.is_sorted());
    }

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
