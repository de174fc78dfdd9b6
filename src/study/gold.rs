//! The references of a study, which no agent ever sees.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::check::{Problem, Severity};
use super::error::StudyError;
use super::layout::Layout;
use super::mend;
use super::open::{Study, digest_of, read_capped};
use super::reference::{Label, Original, Resource, Sesoi};
use crate::domain::digest::Digest;

/// Bytes of a reference that are read.
const CAP: u64 = 16 << 20;

/// References of a study that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the study's references could not be read: {0}")]
pub struct UnreadReferences(StudyError);

/// References: for scoring and reports alone.
#[derive(Debug)]
pub struct Gold {
    /// In the order of their numbers.
    pub post_registrations: Vec<PostRegistration>,
    pub unreadable: Vec<UnreadableReference>,
    pub preregistration: Option<PathBuf>,
    pub report: Option<PathBuf>,
    pub outcome: Option<Label>,
    pub original: Option<Original>,
    pub sesoi: Option<Sesoi>,
    pub resources: Vec<Resource>,
    /// Of everything that scores are held against; absent where a part of it cannot be read.
    pub digest: Option<Digest>,
}

/// A reference file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableReference {
    pub file: String,
    /// A sentence.
    pub reason: String,
}

/// One annotator's version of `expected_post_registration`.
#[derive(Debug, Clone, PartialEq)]
pub struct PostRegistration {
    pub file: String,
    /// 1 for the file without a number.
    pub variant: u32,
    pub value: Value,
    /// What had to be mended to read it, in words.
    pub repairs: Vec<String>,
}

impl Gold {
    /// The references of the study in a folder.
    ///
    /// # Errors
    /// A folder that holds no study, or references as [`Gold::open`] refuses them.
    pub fn of_study(folder: &Path) -> Result<Self, UnreadReferences> {
        Study::open(folder)
            .and_then(|study| Self::open(&study))
            .map_err(UnreadReferences)
    }

    /// Opens the references of a study; missing ones are absent, not errors.
    ///
    /// # Errors
    /// A folder of references, or an expected post-registration in it, that is there and cannot be read
    /// or is too large.
    pub fn open(study: &Study) -> Result<Self, StudyError> {
        let folder = study.layout.references(&study.root);
        let mut gold = Self {
            post_registrations: Vec::new(),
            unreadable: Vec::new(),
            preregistration: None,
            report: None,
            outcome: study.reference.outcome.clone(),
            original: study.reference.original.clone(),
            sesoi: study.reference.sesoi.clone(),
            resources: study.reference.resources.clone(),
            digest: study.references_digest().ok(),
        };
        if !folder.is_dir() {
            return Ok(gold);
        }
        let failed = || StudyError::io("read the folder", &folder);
        let mut names: Vec<String> = fs::read_dir(&folder)
            .map_err(failed())?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        for name in names {
            let path = folder.join(&name);
            if name.starts_with("human_preregistration.") {
                gold.preregistration.get_or_insert(path);
            } else if name.starts_with("human_report.") {
                gold.report.get_or_insert(path);
            } else if let Some(variant) = variant_of(&name) {
                let bytes = read_capped(&path, CAP)?;
                match mend::parse(&String::from_utf8_lossy(&bytes)) {
                    Ok((value, repairs)) => gold.post_registrations.push(PostRegistration {
                        file: name,
                        variant,
                        value,
                        repairs,
                    }),
                    Err(error) => gold.unreadable.push(UnreadableReference {
                        file: name,
                        reason: error.to_string(),
                    }),
                }
            }
        }
        gold.post_registrations.sort_by_key(|one| one.variant);
        Ok(gold)
    }

    /// What had to be mended in the references, and what could not be.
    pub fn check(&self) -> Vec<Problem> {
        let problem = |severity, file: &str, sentence: String| Problem {
            severity,
            file: file.to_owned(),
            sentence,
        };
        let unreadable = self
            .unreadable
            .iter()
            .map(|UnreadableReference { file, reason }| {
                problem(
                    Severity::Warning,
                    file,
                    format!("The reference `{file}` cannot be read and scores nothing. {reason}"),
                )
            });
        let mended = self
            .post_registrations
            .iter()
            .filter(|one| !one.repairs.is_empty());
        let mended = mended.map(|one| {
            problem(
                Severity::Note,
                &one.file,
                format!(
                    "The reference `{}` was mended to be read: {}.",
                    one.file,
                    one.repairs.join("; ")
                ),
            )
        });
        unreadable.chain(mended).collect()
    }
}

impl Study {
    /// Digests of every reference file, to tell copies of them on the web.
    ///
    /// # Errors
    /// A reference that cannot be read.
    pub fn reference_digests(&self) -> Result<BTreeSet<Digest>, StudyError> {
        self.reference_files()?
            .iter()
            .map(|file| digest_of(file))
            .collect()
    }

    /// Every reference file, to tell copies of them among the data.
    pub(super) fn reference_files(&self) -> Result<Vec<PathBuf>, StudyError> {
        let folder = self.layout.references(&self.root);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let entries = fs::read_dir(&folder).map_err(StudyError::io("read the folder", &folder))?;
        Ok(entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                path.is_file() && (self.layout == Layout::Split || super::layout::is_reference_name(&name))
            })
            .collect())
    }
}

/// The number of `expected_post_registration(_N).json`.
fn variant_of(name: &str) -> Option<u32> {
    let rest = name
        .strip_prefix("expected_post_registration")?
        .strip_suffix(".json")?;
    if rest.is_empty() {
        return Some(1);
    }
    rest.strip_prefix('_')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_stands_in_the_name() {
        assert_eq!(variant_of("expected_post_registration.json"), Some(1));
        assert_eq!(variant_of("expected_post_registration_3.json"), Some(3));
        assert_eq!(variant_of("expected_post_registration_x.json"), None);
    }
}
