//! The report of a run, and the files that every finished run gets.

use serde_json::json;

use crate::artifacts::content;
use crate::domain::content::Content;
use crate::domain::stage::Stage;
use crate::effects::conclude;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::{self, RunReader};
use crate::grading::scorecard::card::FORMAT;
use crate::grading::scorecard::earlier_scores;
use crate::report::evidence::Evidence;
use crate::report::view::View;
use crate::report::{gather, grounding, html};
use crate::study::gold::Gold;

use super::run_paper;

/// Writes what every finished run gets: the page, and the scores.
///
/// # Errors
/// A run that cannot be read, or a file that cannot be written.
pub fn write(folder: &RunFolder) -> Result<(), EngineError> {
    let run = RunReader::read(folder.clone())?;
    let (view, evidence) = view(&run, false)?;
    let page = html::page::render(&view)
        .map_err(|error| EngineError::Unusable(format!("the report cannot be written: {error}")))?;
    atomic_file::replace(&folder.report("html"), page.as_bytes(), folder.path())?;
    // What judges have said of a run stays when it goes on.
    let mut scores = match earlier_scores::judged_scores(folder) {
        Some(scores) => scores,
        None => json!({"format": FORMAT}),
    };
    scores["headlines"] = json!(evidence.headlines);
    scores["scores"] = json!(evidence.scores);
    let text = serde_json::to_vec_pretty(&scores)
        .map_err(|error| EngineError::Unusable(format!("the scores cannot be written: {error}")))?;
    atomic_file::replace(&folder.scores(), &text, folder.path())?;
    Ok(())
}

/// A run as a report shows it, with the evidence that stands behind it.
///
/// # Errors
/// A stored answer or output of the run that cannot be read.
pub fn view(run: &RunReader, recompute: bool) -> Result<(View, Evidence), EngineError> {
    let mut evidence = gather::gather(run, Gold::of_study(&run.request.study))?;
    look_up(run, &mut evidence)?;
    if recompute {
        let probes = run_reader::probes(&run.state, &run.folder);
        evidence.recomputed = Some(conclude::verdict(&run.state, &run.store, probes.as_ref())?);
    }
    let load = |name: &Content| content::load(name, &run.store);
    Ok((View::build(&run.records, &load, &evidence), evidence))
}

/// Looks up in the paper what was extracted from it. A paper that cannot be read leaves that
/// undone, which the report says.
fn look_up(run: &RunReader, evidence: &mut Evidence) -> Result<(), EngineError> {
    let extracted = run.state.stages.get(&Stage::EXTRACT);
    if extracted.is_none_or(|stage| stage.artifact().is_none()) {
        return Ok(());
    }
    let paper = match run_paper::read_given(run) {
        Ok(paper) => paper,
        Err(fault) => {
            evidence
                .paper_notes
                .push(format!("nothing was looked up in it: {fault}."));
            return Ok(());
        }
    };
    evidence.paper_notes.clone_from(&paper.notes);
    if let Some(found) = grounding::look_up(run, &paper)? {
        evidence.flags = Some(found.statistic_flags());
        evidence.grounding = Some(found.lines);
    }
    Ok(())
}
