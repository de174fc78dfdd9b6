//! Copies of the opened data files, changed for each trial.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::probe::{NotMadeCause, Trial};
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::verdict::probe::case::Case;

use super::change::{PlannedTrial, TrialChange};
use super::delimited::Delimited;
use super::library::{self, NotWritten, Rows};
use super::programs::SHARE;
use super::sub_run_context::SubRunContext;
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
    /// Files that may hold rows and stay as they are, where rows are dropped.
    pub unwritten: Vec<WorkspacePath>,
}

/// The reason for which a trial has no copy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCopy {
    #[error("the code opened no table that has it")]
    NoTable,
    /// A file that nothing writes, and why.
    #[error("{0}")]
    NoWriter(String),
    #[error("{0} has too few numbers in both columns")]
    TooFewNumbers(WorkspacePath),
    #[error("{file}: {}", not_written.why)]
    Failed {
        file: WorkspacePath,
        not_written: NotWritten,
    },
    #[error("{0} could not be written")]
    Unwritten(WorkspacePath),
}

impl NoCopy {
    /// What the verdict goes by.
    pub fn cause(&self) -> NotMadeCause {
        match self {
            Self::Failed { not_written, .. } => not_written.cause,
            _ => NotMadeCause::Other,
        }
    }
}

/// The copies by trial, or why there is none.
pub type Copies = BTreeMap<Trial, Result<Copy, NoCopy>>;

/// Makes the copies that the trials need. `Ok(None)` says that it was cut short.
///
/// # Errors
/// A file of the workspace that cannot be read, a copy that cannot be written, or a sandbox that fails.
pub async fn make(
    place: &SubRunContext,
    files: &[TableFile],
    case: &Case,
    trials: &[Trial],
    cancel: &CancellationToken,
) -> Result<Option<Copies>, EngineError> {
    let mut copies = Copies::new();
    let root = place.folder.join("copies");
    for (touched, planned) in together(place, files, case, trials) {
        let (planned, refused) = possible(&touched, planned);
        copies.extend(refused);
        if planned.is_empty() {
            continue;
        }
        let mut changed = ChangedFiles::default();
        for file in touched.iter().filter(|file| file.writer == Writer::Text) {
            text(&place.workspace, file, &planned, &root, &mut changed)?;
        }
        let wanted: Vec<library::FileToChange<'_>> = touched
            .iter()
            .filter_map(|file| match file.writer {
                Writer::Library(kind) => Some(library::FileToChange {
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
            changed.rows.extend(made.rows);
            changed.failed = made.failed;
        }
        for one in &planned {
            let copy = match changed.parts(one, &touched) {
                Ok(parts) => Ok(changed.copy(one, parts, &root)?),
                Err(why) => Err(why),
            };
            copies.insert(one.trial, copy);
        }
    }
    Ok(Some(copies))
}

/// The trials whose change can be made of these files, and the others with the reason.
/// Rows are dropped from whatever can be written; a column is moved everywhere or nowhere.
fn possible<'a>(touched: &[&TableFile], planned: Vec<PlannedTrial<'a>>) -> (Vec<PlannedTrial<'a>>, Copies) {
    let nothing = |file: &&TableFile| match &file.writer {
        Writer::Nothing(why) => Some(why.clone()),
        _ => None,
    };
    let first = touched.iter().find_map(nothing);
    let all = touched.iter().all(|file| nothing(file).is_some());
    let why = |change: TrialChange<'_>| match &first {
        _ if touched.is_empty() => Some(NoCopy::NoTable),
        Some(why) if all || change.takes_every_file() => Some(NoCopy::NoWriter(why.clone())),
        _ => None,
    };
    let mut refused = Copies::new();
    let mut left = Vec::new();
    for one in planned {
        match why(one.change) {
            Some(why) => {
                refused.insert(one.trial, Err(why));
            }
            None => left.push(one),
        }
    }
    (left, refused)
}

/// The trials with their changes, those that touch the same files together, so that a
/// library is started once for them.
fn together<'a>(
    place: &SubRunContext,
    files: &'a [TableFile],
    case: &'a Case,
    trials: &[Trial],
) -> Vec<(Vec<&'a TableFile>, Vec<PlannedTrial<'a>>)> {
    let mut groups: Vec<(Vec<&TableFile>, Vec<PlannedTrial<'_>>)> = Vec::new();
    for trial in trials {
        let Some(change) = TrialChange::for_trial(case, *trial) else {
            continue;
        };
        let planned = PlannedTrial {
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

/// Changes delimited text for every trial, and notes for which it could not.
fn text(
    workspace: &Path,
    file: &TableFile,
    planned: &[PlannedTrial<'_>],
    root: &Path,
    made: &mut ChangedFiles,
) -> Result<(), EngineError> {
    let source = file.path.below(workspace);
    let bytes = fs::read(&source).map_err(|error| EngineError::io(&source, error))?;
    let Some(table) = Delimited::read(&bytes) else {
        return Ok(());
    };
    let at = |column: &str| table.header().iter().position(|one| one == column);
    for one in planned {
        let changed = match one.change {
            TrialChange::Permute(column, groups) => {
                at(column).map(|column| table.permuted(column, groups.and_then(at), one.seed))
            }
            TrialChange::Drop => Some(table.dropped(SHARE, one.seed)),
            TrialChange::Align { column, by, rising } => at(column)
                .zip(at(by))
                .and_then(|(column, by)| table.aligned(column, by, rising)),
        };
        let Some(changed) = changed else {
            let why = NoCopy::TooFewNumbers(file.path.clone());
            made.refused.insert(one.trial, why);
            continue;
        };
        let target = file.path.below(&root.join(&one.name));
        let folder = target.parent().unwrap_or(root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&target, &changed.bytes))
            .map_err(|error| EngineError::io(&target, error))?;
        made.rows.insert(
            (one.name.clone(), file.path.clone()),
            Rows {
                all: changed.rows,
                gone: changed.dropped,
            },
        );
    }
    Ok(())
}

/// The files that were changed for some trials.
#[derive(Debug, Default)]
struct ChangedFiles {
    /// Their rows, by the trial's folder.
    rows: BTreeMap<(String, WorkspacePath), Rows>,
    /// Trials whose change could not be made of the text, and why.
    refused: BTreeMap<Trial, NoCopy>,
    /// Files that no library could write, and why.
    failed: BTreeMap<WorkspacePath, NotWritten>,
}

impl ChangedFiles {
    /// The files of a trial that touches these, where enough of them were changed.
    fn parts(&self, one: &PlannedTrial<'_>, touched: &[&TableFile]) -> Result<CopyParts, NoCopy> {
        if let Some(why) = self.refused.get(&one.trial) {
            return Err(why.clone());
        }
        let (changed, unchanged): (Vec<&TableFile>, Vec<&TableFile>) =
            touched.iter().copied().partition(|file| {
                let key = (one.name.clone(), file.path.clone());
                self.rows.contains_key(&key) && !self.failed.contains_key(&file.path)
            });
        let needed = one.change.takes_every_file() || changed.is_empty();
        if let Some(file) = unchanged.first().filter(|_| needed) {
            let path = || file.path.clone();
            return Err(match (self.failed.get(&file.path), &file.writer) {
                (Some(not_written), _) => NoCopy::Failed {
                    file: path(),
                    not_written: not_written.clone(),
                },
                (None, Writer::Nothing(why)) => NoCopy::NoWriter(why.clone()),
                (None, _) => NoCopy::Unwritten(path()),
            });
        }
        let unwritten = unchanged.into_iter().filter(|file| file.rows);
        Ok(CopyParts {
            changed: changed.iter().map(|file| file.path.clone()).collect(),
            unwritten: unwritten.map(|file| file.path.clone()).collect(),
        })
    }

    fn copy(&self, one: &PlannedTrial<'_>, parts: CopyParts, root: &Path) -> Result<Copy, EngineError> {
        Ok(Copy {
            unwritten: parts.unwritten,
            ..copy(root.join(&one.name), &one.name, parts.changed, &self.rows)?
        })
    }
}

/// The files that a trial's copy is made of.
struct CopyParts {
    changed: Vec<WorkspacePath>,
    /// Files that may hold rows and stay as they are.
    unwritten: Vec<WorkspacePath>,
}

fn copy(
    folder: PathBuf,
    name: &str,
    files: Vec<WorkspacePath>,
    rows: &BTreeMap<(String, WorkspacePath), Rows>,
) -> Result<Copy, EngineError> {
    let mut digests = Vec::new();
    for path in &files {
        let on_disk = path.below(&folder);
        let file = fs::File::open(&on_disk).map_err(|error| EngineError::io(&on_disk, error))?;
        let digest = Digest::compute_reader(file).map_err(|error| EngineError::io(&on_disk, error))?;
        digests.push((path, digest));
    }
    let longest = files
        .iter()
        .filter_map(|path| rows.get(&(name.to_owned(), path.clone())))
        .max_by_key(|rows| rows.all);
    let longest = longest.filter(|rows| rows.gone > 0);
    Ok(Copy {
        dropped: longest.map(|rows| rows.gone as f64 / rows.all as f64),
        rows: longest.map(|rows| rows.all as u64),
        data: Digest::compute_json(&digests),
        unwritten: Vec::new(),
        files,
        folder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::probe::ProbeKind;

    fn file(name: &str, columns: &[&str], writer: Writer, rows: bool) -> TableFile {
        TableFile {
            path: format!("replication_data/{name}").parse().unwrap(),
            columns: columns.iter().map(|column| (*column).to_owned()).collect(),
            writer,
            rows,
        }
    }

    fn table() -> TableFile {
        file("harvest.csv", &["rain", "yield"], Writer::Text, true)
    }

    fn nothing(name: &str, columns: &[&str], rows: bool) -> TableFile {
        file(
            name,
            columns,
            Writer::Nothing(format!("nothing writes {name}")),
            rows,
        )
    }

    fn planned(kind: ProbeKind, change: TrialChange<'static>) -> PlannedTrial<'static> {
        let trial = Trial { kind, repetition: 1 };
        PlannedTrial {
            trial,
            name: name(trial),
            seed: 7,
            change,
        }
    }

    fn fewer_rows() -> PlannedTrial<'static> {
        planned(ProbeKind::Dropped, TrialChange::Drop)
    }

    fn permute() -> PlannedTrial<'static> {
        planned(ProbeKind::Permuted, TrialChange::Permute("rain", None))
    }

    /// The copy of a change of the files that it touches, with those that a library could
    /// not write.
    fn made(files: &[TableFile], one: PlannedTrial<'static>, failed: &[&TableFile]) -> Result<Copy, NoCopy> {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        let source = table().path.below(&workspace);
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        let rows: String = (0..20).map(|row| format!("{row},{}\n", row * row)).collect();
        fs::write(&source, format!("rain,yield\n{rows}")).unwrap();
        let touched: Vec<&TableFile> = files.iter().filter(|file| one.change.touches(file)).collect();
        let (left, mut refused) = possible(&touched, vec![one.clone()]);
        if left.is_empty() {
            return refused.remove(&one.trial).unwrap();
        }
        let root = folder.path().join("copies");
        let mut changed = ChangedFiles::default();
        for file in touched.iter().filter(|file| file.writer == Writer::Text) {
            text(&workspace, file, &left, &root, &mut changed).unwrap();
        }
        let failed = failed.iter().map(|file| {
            (
                file.path.clone(),
                NotWritten {
                    cause: NotMadeCause::Other,
                    why: "no room".to_owned(),
                },
            )
        });
        changed.failed = failed.collect();
        let parts = changed.parts(&one, &touched)?;
        Ok(changed.copy(&one, parts, &root).unwrap())
    }

    #[test]
    fn rows_are_dropped_beside_a_codebook_that_nothing_writes() {
        let files = [table(), nothing("codebook.json", &[], false)];
        let copy = made(&files, fewer_rows(), &[]).unwrap();
        assert_eq!((copy.dropped, copy.rows), (Some(0.1), Some(20)));
        assert_eq!(copy.files, vec![table().path]);
        assert!(copy.unwritten.is_empty());
    }

    #[test]
    fn what_may_hold_rows_and_stays_is_told() {
        let archive = nothing("more.zip", &[], true);
        let copy = made(&[table(), archive.clone()], fewer_rows(), &[]).unwrap();
        assert_eq!(copy.unwritten, vec![archive.path]);
        let stata = file("more.dta", &["rain"], Writer::Library("dta"), true);
        let files = [stata.clone(), table()];
        let copy = made(&files, fewer_rows(), &[&stata]).unwrap();
        assert_eq!(
            (copy.unwritten, copy.files),
            (vec![stata.path.clone()], vec![table().path])
        );
        // The code may read the column from the one that could not be written.
        let why = made(&files, permute(), &[&stata]).unwrap_err();
        assert_eq!(why.to_string(), "replication_data/more.dta: no room");
    }

    #[test]
    fn a_change_is_refused_where_nothing_that_it_needs_can_be_written() {
        let old = nothing("old.xls", &["rain"], true);
        let only = std::slice::from_ref(&old);
        assert_eq!(
            made(only, fewer_rows(), &[]).unwrap_err().to_string(),
            "nothing writes old.xls"
        );
        let both = [table(), old];
        assert!(made(&both, permute(), &[]).is_err());
        assert!(made(&both, fewer_rows(), &[]).is_ok());
        let by = TrialChange::Align {
            column: "rain",
            by: "yield",
            rising: true,
        };
        assert!(made(&both, planned(ProbeKind::Aligned, by), &[]).is_err());
        let beside = [table(), nothing("codebook.json", &[], false)];
        assert!(made(&beside, permute(), &[]).is_ok());
        assert!(made(&beside, planned(ProbeKind::Aligned, by), &[]).is_ok());
        let why = made(&beside[1..], permute(), &[]).unwrap_err();
        assert_eq!(why.to_string(), "the code opened no table that has it");
    }
}
