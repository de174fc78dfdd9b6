//! The documents of a grading and their references, read and checked.

use std::path::Path;

use serde_json::Value;

use crate::artifacts::store::StoreError;
use crate::documents::helper::Helper;
use crate::documents::limits::Limits;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::engine::run_reader::RunReader;
use crate::grading::judge::reference;
use crate::grading::judge::reference::ReferenceRefusal;
use crate::scoring::aggregate::grading::GradedStage;

/// Most bytes of a reference document.
const LARGEST: u64 = 128 << 20;

/// The stage of a run that a graded stage is about.
pub fn stage_of(stage: GradedStage) -> Stage {
    match stage {
        GradedStage::Extract => Stage::EXTRACT,
        GradedStage::Design => Stage::DESIGN,
        GradedStage::Execute => Stage::EXECUTE,
        GradedStage::Interpret => Stage::INTERPRET,
    }
}

/// The fault of an answer that cannot be graded, as a sentence's end.
#[derive(Debug, thiserror::Error)]
pub enum UngradableAnswer {
    #[error(transparent)]
    Refused(#[from] ReferenceRefusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{name} is not JSON: {error}")]
    NotJson {
        name: &'static str,
        error: serde_json::Error,
    },
}

/// A reference document in full.
#[derive(Debug)]
pub struct ReferenceText {
    /// The name of its file.
    pub name: String,
    pub text: String,
}

/// The stage's answer, if there is one that can be graded.
///
/// # Errors
/// No answer, or one that cannot be graded.
pub fn artifact(run: &RunReader, stage: GradedStage) -> Result<Value, UngradableAnswer> {
    let of = stage_of(stage);
    let name = replication::artifact(of);
    let content = run.state.stages.get(&of).and_then(|state| state.artifact());
    let content = content.ok_or(ReferenceRefusal::NoArtifact(name))?;
    let text = run.text(content)?;
    let value = serde_json::from_str(&text).map_err(|error| UngradableAnswer::NotJson { name, error })?;
    reference::check_artifact(stage, name, &value)?;
    Ok(value)
}

/// A reference document in full, as text.
///
/// # Errors
/// No reference, or one that cannot be read as a document.
pub fn text(
    helper: &Helper,
    path: Option<&Path>,
    what: &'static str,
) -> Result<ReferenceText, ReferenceRefusal> {
    let path = path.ok_or(ReferenceRefusal::NoReference(what))?;
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let unreadable = |why: String| ReferenceRefusal::Unreadable {
        name: name.clone(),
        why,
    };
    let size = std::fs::metadata(path)
        .map_err(|error| unreadable(error.to_string()))?
        .len();
    if size > LARGEST {
        return Err(unreadable(format!(
            "it has {size} bytes, and at most {LARGEST} are read"
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    if bytes.is_empty() {
        return Err(ReferenceRefusal::Empty(name));
    }
    let document = helper
        .read(&name, &bytes, &Limits::default())
        .map_err(|error| unreadable(error.to_string()))?;
    let text = document.whole_text();
    reference::check_text(&name, &text)?;
    Ok(ReferenceText { name, text })
}
