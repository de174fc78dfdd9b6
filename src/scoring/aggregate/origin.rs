//! The run that some gradings are of, so that files that strayed are told.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::grading::{GradedStage, Gradings};
use crate::domain::digest::Digest;

/// The file that says it, beside the gradings.
pub const FILE: &str = "origin.json";
/// The format's name and version.
pub const FORMAT: &str = "reprise-gradings/1";

/// The origin of a folder's gradings: run, study and judge. The released ones do not say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub format: String,
    pub run: String,
    pub study: String,
    pub judge: String,
    /// The gradings by file, as they were written.
    pub files: BTreeMap<String, Digest>,
    /// By file the fields that code decided, so that they pass for no rater's marks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_code: BTreeMap<String, BTreeSet<String>>,
    /// By file the fields that were to be marked; a file that is written has them all.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, Vec<String>>,
    /// By file why it was not written: half a sentence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unwritten: BTreeMap<String, String>,
}

impl Origin {
    /// The origin of gradings that were just made.
    pub fn new(run: &str, study: &str, judge: &str) -> Self {
        Self {
            format: FORMAT.to_owned(),
            run: run.to_owned(),
            study: study.to_owned(),
            judge: judge.to_owned(),
            files: BTreeMap::new(),
            by_code: BTreeMap::new(),
            asked: BTreeMap::new(),
            unwritten: BTreeMap::new(),
        }
    }

    /// The folder's gradings of other runs, by stage: not those of the run whose
    /// folder they lie in, or not those that were written with this origin.
    pub fn gradings_of_other_runs(
        &self,
        run: Option<&str>,
        gradings: &Gradings<'_>,
    ) -> Vec<(GradedStage, String)> {
        let mut of_other_runs = Vec::new();
        for stage in GradedStage::all() {
            let Some(bytes) = gradings.get(stage) else {
                continue;
            };
            let file = stage.file_name();
            if let Some(run) = run.filter(|run| *run != self.run) {
                of_other_runs.push((
                    stage,
                    format!(
                        "`{file}` is of another run: `{FILE}` names {} of study {}, and the folder is of {run}.",
                        self.run, self.study
                    ),
                ));
            } else if self.files.get(file) != Some(&Digest::compute(bytes)) {
                of_other_runs.push((
                    stage,
                    format!("`{file}` is not the file that was written for this run: `{FILE}` holds another digest."),
                ));
            }
        }
        of_other_runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strayed_and_changed_gradings_are_told_by_stage() {
        let mut origin = Origin::new("a", "s", "j");
        origin.files.insert(
            GradedStage::Extract.file_name().to_owned(),
            Digest::compute(b"{}"),
        );
        let of = |extract| Gradings {
            extract,
            ..Gradings::default()
        };
        assert_eq!(origin.gradings_of_other_runs(Some("a"), &of(Some(b"{}"))), []);
        assert_eq!(origin.gradings_of_other_runs(None, &of(Some(b"{}"))), []);
        let other = origin.gradings_of_other_runs(Some("b"), &of(Some(b"{}")));
        assert!(
            other.len() == 1 && other[0].1.contains("another run"),
            "{other:?}"
        );
        let changed = origin.gradings_of_other_runs(Some("a"), &of(Some(b"[]")));
        assert!(
            changed.len() == 1 && changed[0].1.contains("another digest"),
            "{changed:?}"
        );
    }
}
