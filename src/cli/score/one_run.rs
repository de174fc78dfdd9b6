//! One run, graded by each judge.

use std::path::Path;
use std::sync::Arc;

use crate::app;
use crate::app::commons::Commons;
use crate::app::minds::Wanted;
use crate::catalog::rubrics::load::Rubrics;
use crate::cli::exit::Failure;
use crate::documents::helper::Helper;
use crate::domain::sampling::Sampling;
use crate::domain::usage::MicroDollars;
use crate::engine::archive::Archive;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::watch::{Unwatched, Watch};
use crate::model::access::Access;
use crate::model::capabilities::Table as Models;
use crate::model::layers::kept::{Budget, Kept};
use crate::model::recording::recorder::Recorder;
use crate::policy::limits::Caps;
use crate::report::gather;
use crate::report::scorecard::card::{CODE, Cost, JudgeCard, Scorecard};
use crate::report::scorecard::judged::{Judging, Subject, by_code, by_judge};
use crate::report::scorecard::kept::Earlier;
use crate::report::scorecard::together::between;
use crate::report::scorecard::{code, files, kept};
use crate::scoring::aggregate::origin::Origin;
use crate::scoring::judge::family::kinship;
use crate::scoring::judge::question::Line;
use crate::settings::Settings;
use crate::study::gold::Gold;
use crate::study::open::Study;
use crate::tools::registry::Registry;

use super::args::{DesignScale, RunsArgs};

/// A judge's answers as they came, and as a recording that can be replayed.
const CALLS: &str = "calls.jsonl";
const RECORDING: &str = "recording.json";

/// What grading shares between runs.
pub struct Kit {
    pub rubrics: Rubrics,
    pub registry: Registry,
    pub helper: Helper,
    pub commons: Commons,
}

/// A run that was graded.
pub struct Scored {
    pub folder: RunFolder,
    pub card: Scorecard,
    /// Earlier judges whose marks were left out as asked.
    pub left_out: Vec<String>,
}

/// Grades a run, and writes what each judge says into its folder.
pub async fn score(settings: &Settings, args: &RunsArgs, kit: &Kit, path: &Path) -> Result<Scored, Failure> {
    let folder =
        RunFolder::at(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let run = Archive::open(folder.clone())?;
    let gold = Study::open(&run.request.study)
        .and_then(|study| Gold::open(&study))
        .map_err(|error| format!("the study's references could not be read: {error}"));
    let mut card = code::card(&run, &gold)?;
    let planned_data = gather::planned_data(&run)?;
    let subject = Subject {
        run: &run,
        gold: &gold,
        planned_data: &planned_data,
    };
    let judging = Judging {
        rubrics: &kit.rubrics,
        helper: &kit.helper,
        registry: &kit.registry,
        repeats: args.repeats,
        seed: args.judge_seed.unwrap_or_default(),
        graded_design: args.design_scale == DesignScale::Graded,
        baselines: !args.no_baselines,
    };
    let Earlier {
        judges: earlier,
        warning,
    } = kept::earlier(&folder, &card.run)?;
    card.warnings.extend(warning);
    let (left_out, earlier) =
        (earlier.into_iter()).partition::<Vec<_>, _>(|judge| args.drop_judge.contains(&judge.judge));
    let mut graded = Vec::new();
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
            graded: Some(kept::state_of(&run)),
        });
    }
    for (at, judge) in args.judge.iter().enumerate() {
        if !args.judge[..at].contains(judge) {
            card.warnings.extend(untold(settings, args, judge)?);
            graded.push(one_judge(settings, (args, &kit.commons), judge, &subject, &judging).await?);
        }
    }
    card.judges = kept::merged(earlier, graded);
    for JudgeCard { judge, .. } in &card.judges {
        card.warnings.extend(kinship(judge, &card.model));
        if is_recording(judge) {
            card.warnings.push(format!(
                "The marks of {judge} come from a recording, which says nothing about any agent."
            ));
        }
    }
    card.warnings
        .extend(kept::outdated(&card.judges, kept::state_of(&run)));
    card.warnings.extend(kept::on_two_scales(&card.judges));
    card.between = between(&card.judges);
    files::write_scores(&folder, &card)?;
    Ok(Scored {
        folder,
        card,
        left_out: left_out.into_iter().map(|judge| judge.judge).collect(),
    })
}

async fn one_judge(
    settings: &Settings,
    (args, commons): (&RunsArgs, &Commons),
    judge: &str,
    subject: &Subject<'_>,
    judging: &Judging<'_>,
) -> Result<JudgeCard, Failure> {
    let run = subject.run;
    let watch: Arc<dyn Watch> = Arc::new(Unwatched);
    let price = Models::built_in().map_err(EngineError::from)?.of(judge).price;
    let sampling = sampling(settings, args, judge)?;
    let budget = Budget {
        caps: Caps {
            tokens: args.judge_tokens,
            money: args.judge_dollars.map(dollars).transpose()?,
            ..Caps::default()
        },
        price,
    };
    let wanted = Wanted {
        sampling,
        ..Wanted::unbounded(&run.request.study, judge)
    };
    let served = app::minds::minds(settings, commons, wanted, &watch)?.model;
    let own = files::make_folder(&run.folder, judge)?;
    // A recording is its own memory, and keeping its answers would hide that it has changed.
    let kept = match judge.starts_with("recorded:") {
        true => None,
        false => Some(Arc::new(
            Kept::open(served.clone(), &own.join(CALLS), budget)
                .map_err(EngineError::from)?
                .drawn(sampling),
        )),
    };
    let recorder = match &kept {
        Some(kept) => Recorder::new(kept.clone()),
        None => Recorder::new(served),
    };
    let mut line = Line::new(&recorder);
    let stages = by_judge(&mut line, subject, judging).await?;
    let (calls, usage) = (line.calls, line.usage);
    if let Some(kept) = kept {
        let recording = recorder.recording().map_err(EngineError::from)?;
        recording.write(&own.join(RECORDING)).map_err(EngineError::from)?;
        drop(kept);
    }
    let study = run.state.started.as_ref();
    let study = study.map_or("", |started| started.study.as_str());
    let origin = Origin::new(&run.request.run.to_string(), study, judge);
    let (compat, corrected) = files::write_gradings(&own, &stages, origin)?;
    Ok(JudgeCard {
        judge: judge.to_owned(),
        folder: files::folder_name(judge),
        stages,
        compat,
        corrected,
        cost: Cost {
            calls,
            usage,
            money: price.map(|price| price.cost(usage)),
        },
        sampling,
        graded: Some(kept::state_of(run)),
    })
}

/// What a judge is told besides its questions; one that chooses its own
/// temperature is told none.
fn sampling(settings: &Settings, args: &RunsArgs, judge: &str) -> Result<Sampling, Failure> {
    if is_recording(judge) {
        return Ok(Sampling::default());
    }
    let table = Access::of(settings)
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

/// What has to be said of a temperature that a judge does not take.
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
