//! A copy of what reports read of a study, made when a run begins.

use serde::{Deserialize, Serialize};

use super::error::StudyError;
use super::manifest::About;
use super::open::{Study, digest_of};
use super::reference::{Original, Sesoi};
use crate::domain::digest::Digest;
use crate::domain::r_defaults::RDefaults;

/// A copy of what reports read of a study in addition to its inputs, made when the run began.
///
/// The references of the scores are not copied: a journal may be handed on, and they stay
/// with the study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StudyCopy {
    /// Of the paper as the run was given it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<Digest>,
    /// The paper's citation, and the source and licence of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<About>,
    /// The published figures of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Original>,
    /// The smallest effect that matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sesoi: Option<Sesoi>,
    /// Of everything that scores are compared with; absent where a part of it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub references: Option<Digest>,
    /// The defaults of R that its scripts are run under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r_defaults: Option<RDefaults>,
}

impl Study {
    /// The copy for a run that begins; the caller that stages the paper adds its digest.
    pub fn copy(&self) -> StudyCopy {
        StudyCopy {
            paper: None,
            about: self.about.clone(),
            original: self.reference.original.clone(),
            sesoi: self.reference.sesoi.clone(),
            references: self.references_digest().ok(),
            r_defaults: self.r_defaults(),
        }
    }

    /// One digest over the reference files, the label and the resources together, so that the
    /// label, which is one of three words, cannot be found by trying them.
    ///
    /// # Errors
    /// A reference that cannot be read.
    pub fn references_digest(&self) -> Result<Digest, StudyError> {
        let mut files = Vec::new();
        for file in self.reference_files()? {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            files.push((name, digest_of(&file)?));
        }
        files.sort();
        let reference = &self.reference;
        Ok(Digest::compute_json(&(
            files,
            &reference.outcome,
            &reference.resources,
        )))
    }
}
