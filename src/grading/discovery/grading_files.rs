//! Files of gradings where they lie.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::grading::discovery::origin_file;
use crate::grading::discovery::released_run::{EVALS, ReleasedRun};
use crate::grading::scorecard::files::folder_name;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::aggregate::origin::Origin;
use crate::scoring::agreement::field_path::settled;

/// The stage of files that are no stage's gradings.
pub const ANY_STAGE: &str = "all";

/// One grading, and what its place says of it: `PAPER/RUN/evals/JUDGE/FILE`
/// as released, `RUN/evals/JUDGE/FILE` of our runs. A released run whose place names
/// no model is called as its setting.
#[derive(Debug, Clone)]
pub struct GradingFile {
    pub path: PathBuf,
    pub stage: &'static str,
    /// Empty where the place does not say.
    pub paper: String,
    pub run: String,
    pub judge: String,
}

impl GradingFile {
    /// A grading by its place.
    pub fn at(path: PathBuf) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        let is_placed = folder.parent().is_some_and(|evals| evals.ends_with(EVALS));
        let placed = |place: Option<&Path>| match place.and_then(Path::file_name) {
            Some(name) if is_placed => name.to_string_lossy().into_owned(),
            _ => String::new(),
        };
        let place = folder.ancestors().nth(2);
        let is_own = place.is_some_and(|run| run.join("run.json").is_file());
        let (paper, run) = match place {
            Some(place) if is_placed && is_own => {
                let name = placed(Some(place));
                (
                    origin_of(folder).map_or_else(|| name.clone(), |origin| origin.study),
                    name,
                )
            }
            Some(place) if is_placed => {
                let ReleasedRun {
                    setting,
                    study,
                    model,
                } = ReleasedRun::from_folder(place);
                let setting = setting.map_or_else(String::new, |setting| setting.to_string());
                (study, if model.is_empty() { setting } else { model })
            }
            _ => Default::default(),
        };
        Self {
            stage: stage_of(&path).unwrap_or(ANY_STAGE),
            paper,
            run,
            judge: placed(Some(folder)),
            path,
        }
    }

    /// True if a judge of this name gave it: its folder's, or the one that was asked for.
    pub fn is_of(&self, judge: &str) -> bool {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        folder.ends_with(Path::new(EVALS).join(judge)) || folder.ends_with(folder_name(judge))
    }

    /// The same stage's grading by another judge of the run.
    pub fn counterpart(&self, judge: &str) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default();
        let run = self.path.ancestors().nth(3).unwrap_or(Path::new(""));
        let asked = run.join(folder_name(judge)).join(name);
        if asked.is_file() {
            return asked;
        }
        run.join(EVALS).join(judge).join(name)
    }

    /// Its fields that code decided, as it says itself; none of released gradings.
    pub fn by_code(&self) -> BTreeSet<String> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let fields = origin_of(folder).and_then(|mut origin| origin.by_code.remove(&*name));
        let fields = fields.unwrap_or_default();
        fields.iter().map(|field| settled(field)).collect()
    }
}

/// Every grading below a folder, in order.
pub fn below(root: &Path) -> Vec<GradingFile> {
    WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file() && stage_of(entry.path()).is_some())
        .map(|entry| GradingFile::at(entry.into_path()))
        .collect()
}

/// Whose gradings a folder holds; damaged words about it say nothing here, and
/// are told by `score summary`.
fn origin_of(folder: &Path) -> Option<Origin> {
    origin_file::read(folder).ok()?.0
}

/// The stage that a file of this name grades.
pub fn stage_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let stage = GradedStage::all().find(|stage| stage.file_name() == name)?;
    Some(stage.name())
}
