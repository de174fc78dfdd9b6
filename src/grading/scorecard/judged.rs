//! A run's four graded stages, marked by a judge or by code alone.

use std::fs;

use crate::catalog::rubrics::definition::{Material, Rubric};
use crate::catalog::rubrics::load::Rubrics;
use crate::catalog::schemas;
use crate::catalog::stages::fault::CatalogError;
use crate::documents::helper::Helper;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::grading::execution_facts;
use crate::grading::judge::grade::{Grading, GradingSetting, grade};
use crate::grading::judge::mark::{Given, Mark};
use crate::grading::judge::question::{JudgeBounds, JudgeLine, Look, NoJudge, tools_as_text};
use crate::grading::judge::reference;
use crate::grading::judge::sheet;
use crate::grading::judge::sheet::{Field, Sheet, escaped};
use crate::run::standing::not_reached;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::checkpoints::decide::decide;
use crate::scoring::checkpoints::facts::CheckpointFacts;
use crate::study::gold::{Gold, PostRegistration, UnreadReferences};
use crate::tools::cut::{Keep, RESULT, cut};
use crate::tools::registry::Registry;
use crate::tools::workspace::Workspace;

use crate::grading::scorecard::card::StageCard;
use crate::grading::scorecard::material::{self, ReferenceText};
use crate::grading::scorecard::wanted::BaselineRequest;

/// The terms on which a judge is asked.
pub struct Judging<'a> {
    pub rubrics: &'a Rubrics,
    pub helper: &'a Helper,
    pub registry: &'a Registry,
    pub repeats: u32,
    /// Changes the orders in which repeats show the fields.
    pub seed: u64,
    /// True if plans are marked 0 to 3 instead of 0 or 3.
    pub graded_design: bool,
    /// True if the judge is asked for floors and the human ceiling too.
    pub baselines: bool,
}

/// The repeats of a marking, and the seed of their orders.
#[derive(Clone, Copy)]
pub(super) struct Repeats {
    count: u32,
    seed: u64,
}

impl Repeats {
    /// Once, which needs no order of its own.
    pub(super) const ONE: Self = Self { count: 1, seed: 0 };
}

impl Judging<'_> {
    fn repeats(&self) -> Repeats {
        Repeats {
            count: self.repeats,
            seed: self.seed,
        }
    }
}

/// A run with its references.
pub struct Subject<'a> {
    pub run: &'a RunReader,
    pub gold: &'a Result<Gold, UnreadReferences>,
    pub planned_data: &'a [String],
}

/// All four stages by a judge.
///
/// # Errors
/// A rubric that cannot be rendered, or a run that cannot be read. What cannot
/// be graded is unscored, with its reason.
pub async fn by_judge(
    line: &mut JudgeLine<'_>,
    subject: &Subject<'_>,
    judging: &Judging<'_>,
) -> Result<Vec<StageCard>, EngineError> {
    let mut stages = Vec::new();
    let mut wanted = Vec::new();
    for stage in GradedStage::all() {
        let graded = match stage {
            GradedStage::Extract => extraction(line, subject, judging, &mut wanted).await?,
            GradedStage::Design | GradedStage::Interpret => {
                against_text(line, stage, subject, judging, &mut wanted).await?
            }
            GradedStage::Execute => execution(Some(&mut *line), subject, judging).await?,
        };
        stages.push(on_scale(graded, stage, judging)?);
    }
    // A budget is for the run's own marks first.
    let claim = claim(subject.run);
    for one in wanted {
        let Some(card) = stages.iter_mut().find(|card| card.stage == one.stage()) else {
            continue;
        };
        if judging.baselines {
            let rubric = rubric(judging, card.stage)?;
            one.measure(line, &rubric, &claim, card).await?;
        } else {
            card.notes.push(one.not_asked_for());
        }
    }
    Ok(stages)
}

/// The checkpoints that code decides; the others stay unscored.
///
/// # Errors
/// A run that cannot be read.
pub async fn by_code(subject: &Subject<'_>, judging: &Judging<'_>) -> Result<Vec<StageCard>, EngineError> {
    let stage = GradedStage::Execute;
    let graded = execution(None, subject, judging).await?;
    Ok(vec![on_scale(graded, stage, judging)?])
}

/// A stage after its grading.
enum GradedCard {
    Card(Box<StageCard>),
    /// Why it has no score.
    Unscored(String),
}

impl GradedCard {
    fn unscored(why: impl ToString) -> Self {
        Self::Unscored(why.to_string())
    }
}

impl From<StageCard> for GradedCard {
    fn from(card: StageCard) -> Self {
        Self::Card(Box::new(card))
    }
}

/// A stage's card with the marks that its rubric has.
fn on_scale(graded: GradedCard, stage: GradedStage, judging: &Judging<'_>) -> Result<StageCard, EngineError> {
    let card = match graded {
        GradedCard::Card(card) => *card,
        GradedCard::Unscored(why) => StageCard::unscored(stage, why),
    };
    Ok(StageCard {
        scale: rubric(judging, stage)?.scale(),
        ..card
    })
}

fn rubric<'a>(judging: &Judging<'a>, stage: GradedStage) -> Result<Rubric, EngineError> {
    let of = material::stage_of(stage);
    let rubric = judging.rubrics.get(of).ok_or_else(|| CatalogError::Missing {
        file: format!("{of}/rubric.toml"),
    })?;
    let finer = stage == GradedStage::Design && judging.graded_design;
    Ok(if finer {
        rubric.clone().graded()
    } else {
        rubric.clone()
    })
}

fn claim(run: &RunReader) -> String {
    run.state.started.as_ref().map_or_else(String::new, |started| {
        format!("{}\n\n{}", started.claim.statement, started.claim.hypotheses)
    })
}

/// The reference and the terms that a sheet is marked by.
#[derive(Clone, Copy)]
pub(super) struct Marking<'a> {
    pub(super) stage: GradedStage,
    pub(super) rubric: &'a Rubric,
    pub(super) claim: &'a str,
    /// The reference's name.
    pub(super) reference: &'a str,
    /// The reference's text; empty where the sheet holds it field by field.
    pub(super) text: &'a str,
    pub(super) repeats: Repeats,
}

/// A sheet, marked.
///
/// # Errors
/// A rubric that cannot be rendered.
pub(super) async fn marked(
    line: &mut JudgeLine<'_>,
    marking: Marking<'_>,
    sheet: &Sheet,
) -> Result<Grading, EngineError> {
    let setting = GradingSetting {
        stage: marking.stage,
        rubric: marking.rubric,
        material: Material {
            claim: marking.claim,
            reference: marking.text,
            swapped: false,
            meanings: "",
            fields: "",
            tools: None,
        },
        reference: marking.reference,
        look: None,
        repeats: marking.repeats.count,
        seed: marking.repeats.seed,
        bounds: JudgeBounds::default(),
    };
    Ok(grade(line, &setting, sheet).await?)
}

async fn extraction<'a>(
    line: &mut JudgeLine<'_>,
    subject: &Subject<'a>,
    judging: &Judging<'_>,
    wanted: &mut Vec<BaselineRequest<'a>>,
) -> Result<GradedCard, EngineError> {
    let stage = GradedStage::Extract;
    let document = match material::artifact(subject.run, stage) {
        Ok(document) => document,
        Err(why) => return Ok(GradedCard::unscored(why)),
    };
    let gold = match subject.gold {
        Ok(gold) => gold,
        Err(why) => return Ok(GradedCard::unscored(why)),
    };
    let mut notes: Vec<String> = gold
        .unreadable
        .iter()
        .map(|one| format!("{} could not be read: {}", one.file, one.reason))
        .collect();
    let mut usable: Vec<&PostRegistration> = Vec::new();
    for one in &gold.post_registrations {
        match reference::check_form(&one.file, &one.value) {
            Ok(()) => usable.push(one),
            Err(refusal) => notes.push(format!("Not graded: {refusal}.")),
        }
    }
    if usable.is_empty() {
        let none = "the study has no reference post-registration that can be used".to_owned();
        return Ok(GradedCard::Unscored(if notes.is_empty() {
            none
        } else {
            format!("{none}: {}", notes.join(" "))
        }));
    }
    let (rubric, claim) = (rubric(judging, stage)?, claim(subject.run));
    let mut gradings = Vec::new();
    let mut floors = Vec::new();
    for one in &usable {
        let sheet = sheet::extraction(&document, &one.value, rubric.highest());
        let marking = Marking {
            stage,
            rubric: &rubric,
            claim: &claim,
            reference: &one.file,
            text: "",
            repeats: judging.repeats(),
        };
        gradings.push(marked(line, marking, &sheet).await?);
        // Every field of the silent document is decided, so nobody is asked.
        let silent = sheet::silent(&sheet, rubric.highest());
        let once = Marking {
            repeats: Repeats::ONE,
            ..marking
        };
        let floor = marked(line, once, &silent).await?;
        floors.push(floor.figures().score);
    }
    let mut card = StageCard::graded(stage, gradings);
    card.set_floors(&floors);
    card.notes.extend(notes);
    if usable.len() > 1 {
        wanted.push(BaselineRequest::Ceiling { references: usable });
    }
    Ok(card.into())
}

async fn against_text<'a>(
    line: &mut JudgeLine<'_>,
    stage: GradedStage,
    subject: &Subject<'a>,
    judging: &Judging<'_>,
    wanted: &mut Vec<BaselineRequest<'a>>,
) -> Result<GradedCard, EngineError> {
    let document = match material::artifact(subject.run, stage) {
        Ok(document) => document,
        Err(why) => return Ok(GradedCard::unscored(why)),
    };
    let gold = match subject.gold {
        Ok(gold) => gold,
        Err(why) => return Ok(GradedCard::unscored(why)),
    };
    let (path, what) = match stage {
        GradedStage::Design => (&gold.preregistration, "human preregistration"),
        _ => (&gold.report, "human report"),
    };
    let ReferenceText { name, text } = match material::text(judging.helper, path.as_deref(), what) {
        Ok(found) => found,
        Err(why) => return Ok(GradedCard::unscored(why)),
    };
    let (rubric, claim) = (rubric(judging, stage)?, claim(subject.run));
    let sheet = sheet::from_schema(stage, schemas::for_stage(material::stage_of(stage)), &document);
    let marking = Marking {
        stage,
        rubric: &rubric,
        claim: &claim,
        reference: &name,
        text: &text,
        repeats: judging.repeats(),
    };
    let grading = marked(line, marking, &sheet).await?;
    wanted.push(BaselineRequest::Floor {
        stage,
        silent: sheet::silent(&sheet, rubric.highest()),
        name,
        text,
    });
    Ok(StageCard::graded(stage, vec![grading]).into())
}

/// The ten checkpoints: decided by code where the facts do, and looked into by
/// a judge, where there is one, for the rest.
async fn execution(
    line: Option<&mut JudgeLine<'_>>,
    subject: &Subject<'_>,
    judging: &Judging<'_>,
) -> Result<GradedCard, EngineError> {
    let (stage, run) = (GradedStage::Execute, subject.run);
    if !run.state.stages.contains_key(&Stage::EXECUTE) {
        return Ok(GradedCard::unscored("the run did not come to the execute stage"));
    }
    let mut decisions = decide(&execution_facts::gather(run, subject.planned_data)?);
    let unfinished = not_reached(&run.state, Stage::EXECUTE);
    if let Some(why) = &unfinished {
        decisions.iter_mut().for_each(|decision| decision.leave_open(why));
    }
    // A judge would take what has not come to pass yet for failed.
    let is_asked = line.is_some() && unfinished.is_none();
    let fields = decisions.iter().map(|decision| Field {
        path: decision.checkpoint.key().to_owned(),
        document: serde_json::json!({
            "question": decision.checkpoint.question(),
            "what the program found": decision.evidence,
        }),
        reference: None,
        stated: None,
        decided: match (decision.passed, is_asked) {
            (Some(passed), _) => Some(Given {
                mark: Mark::Score(u8::from(passed)),
                evidence: String::new(),
                explanation: decision.evidence.clone(),
            }),
            (None, false) if unfinished.is_some() => Some(Given::unscored(decision.evidence.clone())),
            (None, false) => Some(Given::unscored(format!("Left to a judge: {}", decision.evidence))),
            (None, true) => None,
        },
    });
    let sheet = Sheet {
        fields: fields.collect(),
        notes: Vec::new(),
    };
    // Marks in which a judge had no part are not its own, under whatever name they stand.
    let reference = match line.is_some() && sheet.fields.iter().all(|field| field.decided.is_some()) {
        true => "the run's journal and files, by code alone",
        false => "the run's journal and files",
    };
    let rubric = rubric(judging, stage)?;
    let raw = fs::read_to_string(run.folder.artifacts().join("execution_result.json")).unwrap_or_default();
    let raw = cut(&raw, RESULT, Keep::BothEnds, "the whole is in `logs/`");
    let raw = escaped(&serde_json::Value::String(raw));
    let workspace = match Workspace::open(&run.folder.workspace()) {
        Ok(workspace) => workspace,
        Err(error) => {
            let shown = run.folder.workspace().display().to_string();
            return Ok(GradedCard::Unscored(format!(
                "{shown} cannot be looked into: {error}"
            )));
        }
    };
    let mut setting = GradingSetting {
        stage,
        rubric: &rubric,
        material: Material {
            claim: "",
            reference: &raw,
            swapped: false,
            meanings: "",
            fields: "",
            tools: None,
        },
        reference,
        look: Some(Look {
            registry: judging.registry,
            workspace: &workspace,
        }),
        repeats: judging.repeats,
        seed: judging.seed,
        bounds: JudgeBounds::default(),
    };
    let tools = tools_as_text(judging.registry);
    let grading = match line {
        Some(line) => {
            setting.material.tools = (!line.calls_tools()).then_some(tools.as_str());
            grade(line, &setting, &sheet).await?
        }
        None => grade(&mut JudgeLine::new(&NoJudge), &setting, &sheet).await?,
    };
    let mut card = StageCard::graded(stage, vec![grading]);
    card.set_floors(&[score_without_outputs(&setting, &sheet).await?]);
    Ok(card.into())
}

/// The share that an execution which leaves nothing passes for certain.
async fn score_without_outputs(
    setting: &GradingSetting<'_>,
    sheet: &Sheet,
) -> Result<Option<f64>, EngineError> {
    let nothing = decide(&CheckpointFacts::default());
    let fields = sheet.fields.iter().zip(&nothing).map(|(field, decision)| Field {
        decided: Some(Given {
            mark: Mark::Score(u8::from(decision.passed == Some(true))),
            evidence: String::new(),
            explanation: decision.evidence.clone(),
        }),
        ..field.clone()
    });
    let silent = Sheet {
        fields: fields.collect(),
        notes: Vec::new(),
    };
    let grading = grade(&mut JudgeLine::new(&NoJudge), setting, &silent).await?;
    Ok(grading.figures().score)
}
