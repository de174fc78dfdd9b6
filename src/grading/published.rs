//! The published figures that the criteria of a run stand on.

use crate::engine::run_reader::RunReader;
use crate::study::gold::{Gold, UnreadReferences};
use crate::study::reference::{Original, Sesoi};

/// The figures published of a run's claim: as the run keeps them, else as its study has them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Published<'a> {
    pub original: Option<&'a Original>,
    pub sesoi: Option<&'a Sesoi>,
    /// A sentence on figures that are not the run's own copy.
    pub note: Option<String>,
}

impl<'a> Published<'a> {
    /// The figures of a run, with its study's references for runs that keep no copy.
    pub fn new(run: &'a RunReader, gold: &'a Result<Gold, UnreadReferences>) -> Self {
        match (run.state.study_copy(), gold) {
            (Some(copy), _) => Self {
                original: copy.original.as_ref(),
                sesoi: copy.sesoi.as_ref(),
                note: None,
            },
            (None, Ok(gold)) => Self {
                original: gold.original.as_ref(),
                sesoi: gold.sesoi.as_ref(),
                note: is_replication(run).then(|| {
                    "This run holds no copy of the figures that its study gives for the original (`[original]` and \
                     `[sesoi]` in study.toml), as runs of earlier versions do not: they are read from the study as it \
                     stands."
                        .to_owned()
                }),
            },
            (None, Err(why)) => Self {
                note: is_replication(run).then(|| {
                    format!(
                        "This run holds no copy of the figures that its study gives for the original (`[original]` \
                         and `[sesoi]` in study.toml), as runs of earlier versions do not, and {why}."
                    )
                }),
                ..Self::default()
            },
        }
    }
}

/// A sentence on scores against references that are not those of the run's beginning.
pub fn changed_references(run: &RunReader, gold: &Result<Gold, UnreadReferences>) -> Option<String> {
    let (copy, gold) = (run.state.study_copy()?, gold.as_ref().ok()?);
    match (copy.references, gold.digest) {
        (Some(begun), Some(found)) if begun == found => None,
        (Some(_), Some(_)) => Some(
            "The study's references (files of reference, label or resources) have changed since this run began, and \
             scores are against them as they stand."
                .to_owned(),
        ),
        _ => Some(
            "Whether the study's references have changed since this run began is not known, since some could not be \
             read."
                .to_owned(),
        ),
    }
}

/// Tasks of other tracks have no published figures.
fn is_replication(run: &RunReader) -> bool {
    let started = run.state.started.as_ref();
    started.is_some_and(|started| started.settings.track().is_replication())
}
