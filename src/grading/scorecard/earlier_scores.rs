//! Judges of earlier scorings of the same run, as `scores.json` holds them.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::domain::digest::Digest;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::scoring::aggregate::grading::GradedStage;

use crate::grading::scorecard::card::{CODE, FORMAT, JudgeCard, Scorecard};

/// The judges of an earlier scoring.
#[derive(Debug, Default)]
pub struct EarlierScores {
    pub judges: Vec<JudgeCard>,
    /// Why there are none, where there should be.
    pub warning: Option<String>,
}

/// The earlier judges in the run's `scores.json`.
///
/// # Errors
/// A file of another format than this program writes: it is not written over.
pub fn read(folder: &RunFolder, run: &str) -> Result<EarlierScores, EngineError> {
    let path = folder.scores();
    let lost = |why: &str| EarlierScores {
        judges: Vec::new(),
        warning: Some(format!(
            "{} {why}, so the judges in it are not kept. Their gradings and answers are in evals/: score with the \
             same `--judge` to have them back without asking again.",
            path.display()
        )),
    };
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(EarlierScores::default()),
        Err(error) => return Ok(lost(&format!("cannot be read ({error})"))),
    };
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(error) => return Ok(lost(&format!("is not JSON ({error})"))),
    };
    match value.get("format").and_then(Value::as_str) {
        Some(FORMAT) => {}
        Some(other) if other.starts_with("reprise-scores/") => {
            return Err(EngineError::Unusable(format!(
                "{} is of the format {other}, and this program writes {FORMAT}: move the file away to score anew",
                path.display()
            )));
        }
        _ => return Ok(lost("is not a file of scores")),
    }
    // A run that has ended leaves what code says, and nothing of judges.
    if value.get("judges").is_none() {
        return Ok(EarlierScores::default());
    }
    let card: Scorecard = match serde_json::from_value(value) {
        Ok(card) => card,
        Err(error) => return Ok(lost(&format!("has another shape ({error})"))),
    };
    if card.run != run {
        return Ok(lost(&format!("is of another run, {}", card.run)));
    }
    Ok(EarlierScores {
        judges: card.judges,
        warning: None,
    })
}

/// The run's `scores.json`, where judges have written into it.
pub fn judged_scores(folder: &RunFolder) -> Option<Value> {
    let value: Value = serde_json::from_slice(&fs::read(folder.scores()).ok()?).ok()?;
    let is_ours = value.get("format").and_then(Value::as_str) == Some(FORMAT);
    (is_ours && value.get("judges").is_some()).then_some(value)
}

/// The earlier judges with the ones that have graded anew in their place, or behind them.
///
/// What code decides is in every judge's card, and has one of its own only
/// where no judge has spoken.
pub fn merged(earlier: Vec<JudgeCard>, graded: Vec<JudgeCard>) -> Vec<JudgeCard> {
    let mut judges = earlier;
    for one in graded {
        match judges.iter_mut().find(|known| known.judge == one.judge) {
            Some(known) => *known = one,
            None => judges.push(one),
        }
    }
    if judges.iter().any(|judge| judge.judge != CODE) {
        judges.retain(|judge| judge.judge != CODE);
    }
    judges
}

/// Digest over the answers that a run's stages have, which is what judges grade.
pub fn state_of(run: &RunReader) -> Digest {
    let answers: BTreeMap<Stage, Option<Digest>> = (run.state.stages.iter())
        .map(|(stage, state)| (*stage, state.artifact().map(|content| content.digest())))
        .collect();
    Digest::compute_json(&answers)
}

/// A warning about judges that marked plans by different marks.
pub fn on_two_scales(judges: &[JudgeCard]) -> Option<String> {
    let designs = judges.iter().filter_map(|judge| {
        let card = judge
            .stages
            .iter()
            .find(|card| card.stage == GradedStage::Design)?;
        (!card.against.is_empty()).then_some((&judge.judge, &card.scale))
    });
    let named: Vec<(&String, &String)> = designs.collect();
    let (_, first) = named.first()?;
    let differ = named.iter().any(|(_, scale)| scale != first);
    differ.then(|| {
        let all = named.iter().map(|(judge, scale)| match scale.as_str() {
            "" => format!("{judge} by marks that its file does not say"),
            scale => format!("{judge} by the marks {scale}"),
        });
        format!(
            "Designs were graded on different scales ({}), so these judges are not compared on them: score again \
             with one `--design-scale`.",
            all.collect::<Vec<_>>().join(", ")
        )
    })
}

/// Warnings about judges that graded an earlier state of the run.
pub fn outdated(judges: &[JudgeCard], state: Digest) -> impl Iterator<Item = String> {
    let changed = judges
        .iter()
        .filter(move |judge| judge.graded.is_some_and(|graded| graded != state));
    changed.map(|judge| {
        format!(
            "The marks of {0} are of an earlier state of this run, whose answers have changed since: score again with \
             `--judge {0}`, or leave them out with `--drop-judge {0}`.",
            judge.judge
        )
    })
}
