//! Copies of the opened data files, changed for each trial.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::probe::{ProbeKind, Trial};
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;

use super::delimited::Delimited;
use super::library::{self, Rows};
use super::probing::Place;
use super::programs::SHARE;
use super::table_file::{TableFile, Writer};

/// The changed files of one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Copy {
    /// Where they lie, below a folder of the trial's own.
    pub folder: PathBuf,
    pub files: Vec<WorkspacePath>,
    /// The share of rows that is gone from the longest file.
    pub dropped: Option<f64>,
    /// The rows that it had.
    pub rows: Option<u64>,
    pub data: Digest,
}

/// The copies by trial, or why there is none.
pub type Copies = BTreeMap<Trial, Result<Copy, String>>;

/// Makes the copies that the trials need. `Ok(None)` says that it was cut short.
pub async fn make(
    place: &Place,
    files: &[TableFile],
    column: Option<&str>,
    trials: &[Trial],
    cancel: &CancellationToken,
) -> Result<Option<Copies>, EngineError> {
    let mut copies = Copies::new();
    let root = place.folder.join("copies");
    for kind in [ProbeKind::Permuted, ProbeKind::Dropped] {
        let named: Vec<(Trial, String, u64)> = trials
            .iter()
            .filter(|trial| trial.kind == kind)
            .map(|trial| (*trial, name(*trial), trial.seed(place.seed)))
            .collect();
        if named.is_empty() {
            continue;
        }
        let touched: Vec<&TableFile> = files
            .iter()
            .filter(|file| kind == ProbeKind::Dropped || column.is_some_and(|column| file.has(column)))
            .collect();
        let refuse = |why: String| {
            named
                .iter()
                .map(|(trial, ..)| (*trial, Err(why.clone())))
                .collect::<Copies>()
        };
        let unwritable = touched.iter().find_map(|file| match &file.writer {
            Writer::Nothing(why) => Some(why.clone()),
            _ => None,
        });
        if touched.is_empty() {
            copies.extend(refuse("the code opened no table".to_owned()));
            continue;
        }
        if let Some(why) = unwritable {
            copies.extend(refuse(why));
            continue;
        }
        let mut rows: BTreeMap<(String, WorkspacePath), Rows> = BTreeMap::new();
        let texts = touched.iter().filter(|file| file.writer == Writer::Text);
        for file in texts {
            text(place, file, column, (&named, &root), &mut rows)?;
        }
        let wanted: Vec<library::Wanted<'_>> = touched
            .iter()
            .filter_map(|file| match file.writer {
                Writer::Library(kind) => Some(library::Wanted {
                    path: &file.path,
                    kind,
                }),
                _ => None,
            })
            .collect();
        if !wanted.is_empty() {
            let Some(made) = library::make(place, (&wanted, column), &named, &root, cancel).await? else {
                return Ok(None);
            };
            if let Some((path, why)) = made.failed.first_key_value() {
                copies.extend(refuse(format!("{path}: {why}")));
                continue;
            }
            rows.extend(made.rows);
        }
        let paths: Vec<WorkspacePath> = touched.iter().map(|file| file.path.clone()).collect();
        for (trial, name, _) in &named {
            copies.insert(*trial, Ok(copy(root.join(name), name, &paths, &rows)?));
        }
    }
    Ok(Some(copies))
}

/// The name of a trial's folder.
pub fn name(trial: Trial) -> String {
    format!("{}-{}", trial.kind, trial.repetition)
}

/// Changes delimited text for every trial of a kind.
fn text(
    place: &Place,
    file: &TableFile,
    column: Option<&str>,
    (named, root): (&[(Trial, String, u64)], &Path),
    rows: &mut BTreeMap<(String, WorkspacePath), Rows>,
) -> Result<(), EngineError> {
    let source = file.path.below(&place.workspace);
    let bytes = fs::read(&source).map_err(|error| EngineError::io(&source, error))?;
    let Some(table) = Delimited::read(&bytes) else {
        return Ok(());
    };
    let at = column.and_then(|column| table.header().iter().position(|one| one == column));
    for (trial, name, seed) in named {
        let changed = match (trial.kind, at) {
            (ProbeKind::Permuted, Some(at)) => table.permuted(at, *seed),
            _ => table.dropped(SHARE, *seed),
        };
        let target = file.path.below(&root.join(name));
        let folder = target.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&target, &changed.bytes))
            .map_err(|error| EngineError::io(&target, error))?;
        rows.insert(
            (name.clone(), file.path.clone()),
            Rows {
                all: changed.rows,
                gone: changed.dropped,
            },
        );
    }
    Ok(())
}

fn copy(
    folder: PathBuf,
    name: &str,
    paths: &[WorkspacePath],
    rows: &BTreeMap<(String, WorkspacePath), Rows>,
) -> Result<Copy, EngineError> {
    let mut digests = Vec::new();
    for path in paths {
        let on_disk = path.below(&folder);
        let file = fs::File::open(&on_disk).map_err(|error| EngineError::io(&on_disk, error))?;
        let digest = Digest::of_reader(file).map_err(|error| EngineError::io(&on_disk, error))?;
        digests.push((path, digest));
    }
    let longest = paths
        .iter()
        .filter_map(|path| rows.get(&(name.to_owned(), path.clone())))
        .max_by_key(|rows| rows.all);
    let longest = longest.filter(|rows| rows.gone > 0);
    Ok(Copy {
        dropped: longest.map(|rows| rows.gone as f64 / rows.all as f64),
        rows: longest.map(|rows| rows.all as u64),
        data: Digest::of_json(&digests),
        files: paths.to_vec(),
        folder,
    })
}
