//! The documents of a grading and their references, read and checked.

use std::path::Path;

use serde_json::Value;

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

/// The stage's answer, if there is one that can be graded.
///
/// # Errors
/// No answer, or one that cannot be graded, as a sentence's end.
pub fn artifact(run: &RunReader, stage: GradedStage) -> Result<Value, String> {
    let of = stage_of(stage);
    let name = replication::artifact(of);
    let content = run.state.stages.get(&of).and_then(|state| state.artifact());
    let content = content.ok_or_else(|| ReferenceRefusal::NoArtifact(name).to_string())?;
    let text = run.text(content).map_err(|error| error.to_string())?;
    let value = serde_json::from_str(&text).map_err(|error| format!("{name} is not JSON: {error}"))?;
    reference::check_artifact(stage, name, &value).map_err(|refusal| refusal.to_string())?;
    Ok(value)
}

/// A reference document in full, as text.
///
/// # Errors
/// No reference, or one that cannot be read as a document, as a sentence's end.
pub fn text(helper: &Helper, path: Option<&Path>, what: &'static str) -> Result<(String, String), String> {
    let path = path.ok_or_else(|| ReferenceRefusal::NoReference(what).to_string())?;
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let unreadable = |why: String| {
        ReferenceRefusal::Unreadable {
            name: name.clone(),
            why,
        }
        .to_string()
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
        return Err(ReferenceRefusal::Empty(name).to_string());
    }
    let document = helper
        .read(&name, &bytes, &Limits::default())
        .map_err(|error| unreadable(error.to_string()))?;
    let text = document.whole_text();
    reference::check_text(&name, &text).map_err(|refusal| refusal.to_string())?;
    Ok((name, text))
}
