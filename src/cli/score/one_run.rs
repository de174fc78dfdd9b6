//! One run, graded by each judge.

use std::path::Path;
use std::sync::Arc;

use crate::app;
use crate::app::models::ModelChoice;
use crate::app::process_shared::ProcessShared;
use crate::catalog::rubrics::load::Rubrics;
use crate::cli::exit::Failure;
use crate::documents::helper::Helper;
use crate::domain::sampling::Sampling;
use crate::domain::usage::MicroDollars;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::engine::watch::{Unwatched, Watch};
use crate::grading::judge::family::kinship;
use crate::grading::judge::question::JudgeLine;
use crate::grading::planned_data::planned_data;
use crate::grading::scorecard::card::{CODE, Cost, JudgeCard, Scorecard, StageCard};
use crate::grading::scorecard::earlier_scores::EarlierScores;
use crate::grading::scorecard::judged::{Judging, Subject, by_code, by_judge};
use crate::grading::scorecard::together::between;
use crate::grading::scorecard::{code, earlier_scores, files};
use crate::model::access::Access;
use crate::model::capabilities::ModelTable;
use crate::model::layers::answer_cache::AnswerCache;
use crate::model::layers::spend_account::SpendAccount;
use crate::model::recording::recorder::Recorder;
use crate::policy::limits::{Budget, Caps};
use crate::policy::scope::Scope;
use crate::scoring::aggregate::origin::Origin;
use crate::settings::Settings;
use crate::study::gold::Gold;
use crate::study::open::Study;
use crate::tools::registry::Registry;

use super::args::{DesignScale, RunsArgs};
use super::spelling::Spelling;

/// A judge's answers as they came, and as a recording that can be replayed.
const CALLS: &str = "calls.jsonl";
pub const RECORDING: &str = "recording.json";

/// The parts that grading shares between runs.
pub struct ScoringSetup {
    pub rubrics: Rubrics,
    pub registry: Registry,
    pub helper: Helper,
    pub shared: ProcessShared,
}

/// A run that was graded.
pub struct Scored {
    pub folder: RunFolder,
    pub card: Scorecard,
    /// Judges whose earlier marks were left out, as they were named.
    pub left_out: Vec<String>,
    /// True if one that was asked has answered none of its calls.
    pub has_silent: bool,
}

/// Grades a run, and writes what each judge says into its folder.
///
/// # Errors
/// A run that cannot be read, a judge that cannot be asked, or a file that cannot be written.
pub async fn score(
    settings: &Settings,
    args: &RunsArgs,
    setup: &ScoringSetup,
    path: &Path,
) -> Result<Scored, Failure> {
    let folder =
        RunFolder::at(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let run = RunReader::open(folder.clone())?;
    let gold = Study::open(&run.request.study)
        .and_then(|study| Gold::open(&study))
        .map_err(|error| format!("the study's references could not be read: {error}"));
    let mut card = code::card(&run, &gold)?;
    let planned_data = planned_data(&run)?;
    let subject = Subject {
        run: &run,
        gold: &gold,
        planned_data: &planned_data,
    };
    let judging = Judging {
        rubrics: &setup.rubrics,
        helper: &setup.helper,
        registry: &setup.registry,
        repeats: args.repeats,
        seed: args.judge_seed.unwrap_or_default(),
        graded_design: args.design_scale == DesignScale::Graded,
        baselines: !args.no_baselines,
    };
    let EarlierScores {
        judges: earlier,
        warning,
    } = earlier_scores::read(&folder, &card.run)?;
    card.warnings.extend(warning);
    let spelling = Spelling {
        study: &run.request.study,
    };
    let is_dropped = |judge: &JudgeCard| {
        args.drop_judge
            .iter()
            .find(|name| spelling.is_same(name, &judge.judge))
    };
    let left_out: Vec<String> = earlier.iter().filter_map(is_dropped).cloned().collect();
    let earlier: Vec<JudgeCard> = earlier
        .into_iter()
        .filter(|judge| is_dropped(judge).is_none())
        .collect();
    let mut graded: Vec<JudgeCard> = Vec::new();
    if args.judge.is_empty() {
        let stages = by_code(&subject, &judging).await?;
        let own = files::make_folder(&folder, CODE)?;
        let origin = Origin::new(&card.run, &card.study, CODE);
        let (compat, corrected) = files::write_gradings(&own, &stages, origin)?;
        graded.push(JudgeCard {
            judge: CODE.to_owned(),
            folder: files::folder_name(CODE),
            stages,
            compat,
            corrected,
            cost: Cost::default(),
            sampling: Sampling::default(),
            graded: Some(earlier_scores::state_of(&run)),
        });
    }
    for judge in &args.judge {
        let known = graded.iter().chain(&earlier).map(|judge| judge.judge.as_str());
        let name = spelling.known(judge, known).unwrap_or(judge).to_owned();
        if name != *judge {
            card.warnings.push(format!(
                "{judge} is the same recording as {name}, and one judge with it."
            ));
        }
        if graded.iter().all(|judge| judge.judge != name) {
            card.warnings.extend(untold(settings, args, &name)?);
            graded.push(one_judge(settings, (args, &setup.shared), &name, &subject, &judging).await?);
        }
    }
    let has_silent = graded.iter().any(JudgeCard::is_silent);
    card.judges = earlier_scores::merged(earlier, graded);
    for judge in &card.judges {
        card.warnings.extend(kinship(&judge.judge, &card.model));
        if judge.is_silent() {
            card.warnings.push(silent(judge));
        } else if is_recording(&judge.judge) {
            card.warnings.push(format!(
                "The marks of {} come from a recording, which says nothing about any agent.",
                judge.judge
            ));
        }
    }
    card.warnings.extend(earlier_scores::outdated(
        &card.judges,
        earlier_scores::state_of(&run),
    ));
    card.warnings.extend(earlier_scores::on_two_scales(&card.judges));
    card.between = between(&card.judges);
    files::write_scores(&folder, &card)?;
    Ok(Scored {
        folder,
        card,
        left_out,
        has_silent,
    })
}

async fn one_judge(
    settings: &Settings,
    (args, shared): (&RunsArgs, &ProcessShared),
    judge: &str,
    subject: &Subject<'_>,
    judging: &Judging<'_>,
) -> Result<JudgeCard, Failure> {
    let run = subject.run;
    let watch: Arc<dyn Watch> = Arc::new(Unwatched);
    let price = ModelTable::built_in()
        .map_err(EngineError::from)?
        .get(judge)
        .price;
    let sampling = sampling(settings, args, judge)?;
    let mut budget = Budget::default();
    *budget.at(Scope::Run) = Caps {
        tokens: args.judge_tokens,
        money: args.judge_dollars.map(dollars).transpose()?,
        ..Caps::default()
    };
    // The cache pays, since an answer that it holds costs nothing more.
    let account = SpendAccount::new(budget, price, shared.pool.clone());
    let wanted = ModelChoice {
        sampling,
        ..ModelChoice::unbounded(&run.request.study, judge)
    };
    let served = app::models::models(settings, shared, wanted, &watch)?.model;
    let own = files::make_folder(&run.folder, judge)?;
    // A recording is its own memory, and keeping its answers would hide that it has changed.
    let kept = match judge.starts_with("recorded:") {
        true => None,
        false => Some(Arc::new(
            AnswerCache::open(served.clone(), &own.join(CALLS), account)
                .map_err(EngineError::from)?
                .drawn(sampling),
        )),
    };
    let recorder = match &kept {
        Some(kept) => Recorder::new(kept.clone()),
        None => Recorder::new(served),
    };
    let mut line = JudgeLine::new(&recorder);
    let stages = by_judge(&mut line, subject, judging).await?;
    let (calls, usage, fault) = (line.calls, line.usage, line.fault);
    // What a cap did not allow is no fault of the judge.
    let refused = kept.as_ref().map_or(0, |kept| kept.tally().refused);
    let failed = line.failed.saturating_sub(refused);
    if let Some(kept) = kept {
        let recording = recorder.recording().map_err(EngineError::from)?;
        recording.write(&own.join(RECORDING)).map_err(EngineError::from)?;
        drop(kept);
    }
    let study = run.state.started.as_ref();
    let study = study.map_or("", |started| started.study.as_str());
    let origin = Origin::new(&run.request.run.to_string(), study, judge);
    let is_silent = calls == 0 && failed > 0;
    let said: Vec<StageCard> = match is_silent {
        true => stages.iter().map(said_by_nobody).collect(),
        false => stages.clone(),
    };
    let (compat, corrected) = files::write_gradings(&own, &said, origin)?;
    Ok(JudgeCard {
        judge: judge.to_owned(),
        folder: files::folder_name(judge),
        stages,
        compat,
        corrected,
        cost: Cost {
            calls,
            failed,
            fault,
            usage,
            money: price.map(|price| price.cost(usage)),
        },
        sampling,
        graded: Some(earlier_scores::state_of(run)),
    })
}

/// A stage as its files have it when the judge said nothing: what code decided
/// alone is no grading of that judge.
fn said_by_nobody(stage: &StageCard) -> StageCard {
    let is_whole = stage.against.iter().any(|one| one.grading.is_whole());
    match is_whole {
        true => StageCard::unscored(
            stage.stage,
            "code decided all of it, and the judge answered nothing",
        ),
        false => stage.clone(),
    }
}

/// Most characters of the reason why a judge did not answer.
const LONGEST_FAULT: usize = 160;

/// A judge of which nothing came, in one line with the way out.
fn silent(judge: &JudgeCard) -> String {
    let name = &judge.judge;
    let fault = judge.cost.fault.as_deref().unwrap_or_default();
    let fault = fault.lines().next().unwrap_or_default().trim_end_matches('.');
    let fault = match fault.char_indices().nth(LONGEST_FAULT) {
        Some((at, _)) => format!("{}…", &fault[..at]),
        None => fault.to_owned(),
    };
    format!(
        "{name} answered none of its calls ({fault}): all that is marked below its name was decided by code. \
         `--drop-judge {name}` leaves it out."
    )
}

/// The settings that a judge is told besides its questions; one that chooses its own
/// temperature is told none.
fn sampling(settings: &Settings, args: &RunsArgs, judge: &str) -> Result<Sampling, Failure> {
    if is_recording(judge) {
        return Ok(Sampling::default());
    }
    let table = Access::open(settings)
        .map_err(EngineError::from)?
        .capabilities(judge);
    Ok(Sampling {
        temperature: args
            .judge_temperature
            .filter(|_| table.temperature != Some(false)),
        seed: args.judge_seed,
        effort: None,
    })
}

/// A warning about a temperature that a judge does not take.
fn untold(settings: &Settings, args: &RunsArgs, judge: &str) -> Result<Option<String>, Failure> {
    let told = sampling(settings, args, judge)?.temperature;
    let wanted = args.judge_temperature.filter(|_| told.is_none());
    Ok(wanted.map(|temperature| {
        format!("{judge} chooses its own temperature, so it was asked without `--judge-temperature {temperature}`.")
    }))
}

fn dollars(amount: f64) -> Result<MicroDollars, Failure> {
    if !(0.0..=1e9).contains(&amount) {
        return Err(Failure::usage(format!(
            "--judge-dollars is {amount}: give an amount from 0 to a thousand millions, such as 2.50"
        )));
    }
    Ok(MicroDollars((amount * 1e6).round() as u64))
}

fn is_recording(judge: &str) -> bool {
    judge.starts_with("recorded:") || judge.starts_with("scripted:")
}
