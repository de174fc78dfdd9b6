//! A run with its scorecard, graded anew and merged with what earlier judges said.

use std::path::Path;

use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::grading::planned_data::planned_data;
use crate::grading::scorecard::card::{JudgeCard, Scorecard};
use crate::grading::scorecard::earlier_scores::EarlierScores;
use crate::grading::scorecard::judged::{Judging, Subject};
use crate::grading::scorecard::together::between;
use crate::grading::scorecard::{code, earlier_scores, files};
use crate::study::gold::Gold;

use super::grading_request::{GradingRequest, GradingSetup};
use super::judge_grading::Judge;
use super::judge_names::JudgeNames;
use super::{code_grading, warnings};

/// A run that was graded.
pub struct ScoredRun {
    pub folder: RunFolder,
    pub card: Scorecard,
    /// Judges whose earlier marks were left out, as they were named.
    pub left_out: Vec<String>,
    /// True if one that was asked has answered none of its calls.
    pub has_silent: bool,
}

/// Grades the run at `path`, and writes what each judge says into its folder.
///
/// # Errors
/// A run that cannot be read, a judge that cannot be asked, or a file that cannot be written.
pub async fn score(
    request: &GradingRequest,
    setup: &GradingSetup<'_>,
    path: &Path,
) -> Result<ScoredRun, EngineError> {
    let run = RunReader::open(path)?;
    let folder = &run.folder;
    let gold = Gold::of_study(&run.request.study);
    let mut card = code::card(&run, &gold)?;
    let planned_data = planned_data(&run)?;
    let subject = Subject {
        run: &run,
        gold: &gold,
        planned_data: &planned_data,
    };
    let EarlierScores {
        judges: earlier,
        warning,
    } = earlier_scores::read(folder, &card.run)?;
    card.warnings.extend(warning);
    let names = JudgeNames {
        study: &run.request.study,
    };
    let dropped_as = |judge: &JudgeCard| {
        let mut dropped = request.dropped.iter();
        dropped.find(|name| names.is_same(name, &judge.judge))
    };
    let left_out: Vec<String> = earlier.iter().filter_map(dropped_as).cloned().collect();
    let mut earlier = earlier;
    earlier.retain(|judge| dropped_as(judge).is_none());
    let judging = setup.judging(request);
    let by_hand = run.request.is_by_hand();
    if by_hand && !request.judges.is_empty() {
        card.warnings.push(warnings::BY_HAND.to_owned());
    }
    let graded = if by_hand || request.judges.is_empty() {
        vec![code_grading::grade(&subject, &judging, &card).await?]
    } else {
        by_judges(request, setup, &subject, &judging, &earlier, &mut card.warnings).await?
    };
    let has_silent = graded.iter().any(JudgeCard::is_silent);
    card.judges = earlier_scores::merged(earlier, graded);
    let beside_marks = warnings::judges(&card);
    card.warnings.extend(beside_marks);
    card.warnings.extend(earlier_scores::outdated(
        &card.judges,
        earlier_scores::state_of(&run),
    ));
    card.warnings.extend(earlier_scores::on_two_scales(&card.judges));
    card.between = between(&card.judges);
    files::write_scores(folder, &card)?;
    Ok(ScoredRun {
        folder: run.folder,
        card,
        left_out,
        has_silent,
    })
}

/// The cards of the judges that were asked for, each judge once.
async fn by_judges(
    request: &GradingRequest,
    setup: &GradingSetup<'_>,
    subject: &Subject<'_>,
    judging: &Judging<'_>,
    earlier: &[JudgeCard],
    warned: &mut Vec<String>,
) -> Result<Vec<JudgeCard>, EngineError> {
    let study = &subject.run.request.study;
    let names = JudgeNames { study };
    let mut graded: Vec<JudgeCard> = Vec::new();
    for judge in &request.judges {
        let known = graded.iter().chain(earlier).map(|judge| judge.judge.as_str());
        let name = names.known(judge, known).unwrap_or(judge).to_owned();
        if name != *judge {
            warned.push(warnings::one_judge(judge, &name));
        }
        if graded.iter().any(|judge| judge.judge == name) {
            continue;
        }
        let terms = setup.judges.capabilities(&name)?;
        warned.extend(warnings::untold_temperature(request, &name, &terms));
        let judge = Judge::open(setup.judges, request, &name, study)?;
        graded.push(judge.grade(subject, judging).await?);
    }
    Ok(graded)
}
