//! Copies of the opened data files, changed for each trial.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::probe::Trial;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::verdict::probe::case::Case;

use super::change::{Change, Planned};
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
    case: &Case,
    trials: &[Trial],
    cancel: &CancellationToken,
) -> Result<Option<Copies>, EngineError> {
    let mut copies = Copies::new();
    let root = place.folder.join("copies");
    for (touched, planned) in together(place, files, case, trials) {
        let refuse = |why: String| {
            planned
                .iter()
                .map(|one| (one.trial, Err(why.clone())))
                .collect::<Copies>()
        };
        let unwritable = touched.iter().find_map(|file| match &file.writer {
            Writer::Nothing(why) => Some(why.clone()),
            _ => None,
        });
        if touched.is_empty() {
            copies.extend(refuse("the code opened no table that has it".to_owned()));
            continue;
        }
        if let Some(why) = unwritable {
            copies.extend(refuse(why));
            continue;
        }
        let mut rows: BTreeMap<(String, WorkspacePath), Rows> = BTreeMap::new();
        let mut not_made: BTreeMap<Trial, String> = BTreeMap::new();
        for file in touched.iter().filter(|file| file.writer == Writer::Text) {
            for (trial, why) in text(place, file, (&planned, &root), &mut rows)? {
                not_made.insert(trial, why);
            }
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
            let Some(made) = library::make(place, &wanted, &planned, &root, cancel).await? else {
                return Ok(None);
            };
            if let Some((path, why)) = made.failed.first_key_value() {
                copies.extend(refuse(format!("{path}: {why}")));
                continue;
            }
            rows.extend(made.rows);
        }
        let paths: Vec<WorkspacePath> = touched.iter().map(|file| file.path.clone()).collect();
        for one in &planned {
            let made = match not_made.remove(&one.trial) {
                Some(why) => Err(why),
                None => Ok(copy(root.join(&one.name), &one.name, &paths, &rows)?),
            };
            copies.insert(one.trial, made);
        }
    }
    Ok(Some(copies))
}

/// The trials with their changes, those that touch the same files together, so that a
/// library is started once for them.
fn together<'a>(
    place: &Place,
    files: &'a [TableFile],
    case: &'a Case,
    trials: &[Trial],
) -> Vec<(Vec<&'a TableFile>, Vec<Planned<'a>>)> {
    let mut groups: Vec<(Vec<&TableFile>, Vec<Planned<'_>>)> = Vec::new();
    for trial in trials {
        let Some(change) = Change::of(case, *trial) else {
            continue;
        };
        let planned = Planned {
            trial: *trial,
            name: name(*trial),
            seed: trial.seed(place.seed),
            change,
        };
        let touched: Vec<&TableFile> = files.iter().filter(|file| change.touches(file)).collect();
        match groups.iter_mut().find(|(files, _)| *files == touched) {
            Some((_, group)) => group.push(planned),
            None => groups.push((touched, vec![planned])),
        }
    }
    groups
}

/// The name of a trial's folder.
pub fn name(trial: Trial) -> String {
    format!("{}-{}", trial.kind, trial.repetition)
}

/// Changes delimited text for every trial, and says for which it could not.
fn text(
    place: &Place,
    file: &TableFile,
    (planned, root): (&[Planned<'_>], &Path),
    rows: &mut BTreeMap<(String, WorkspacePath), Rows>,
) -> Result<Vec<(Trial, String)>, EngineError> {
    let source = file.path.below(&place.workspace);
    let bytes = fs::read(&source).map_err(|error| EngineError::io(&source, error))?;
    let Some(table) = Delimited::read(&bytes) else {
        return Ok(Vec::new());
    };
    let at = |column: &str| table.header().iter().position(|one| one == column);
    let mut refused = Vec::new();
    for one in planned {
        let changed = match one.change {
            Change::Permute(column) => at(column).map(|at| table.permuted(at, one.seed)),
            Change::Drop => Some(table.dropped(SHARE, one.seed)),
            Change::Align { column, by, rising } => at(column)
                .zip(at(by))
                .and_then(|(column, by)| table.aligned(column, by, rising)),
        };
        let Some(changed) = changed else {
            refused.push((
                one.trial,
                format!("{} has too few numbers in both columns", file.path),
            ));
            continue;
        };
        let target = file.path.below(&root.join(&one.name));
        let folder = target.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&target, &changed.bytes))
            .map_err(|error| EngineError::io(&target, error))?;
        rows.insert(
            (one.name.clone(), file.path.clone()),
            Rows {
                all: changed.rows,
                gone: changed.dropped,
            },
        );
    }
    Ok(refused)
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
