//! The state of a run: a pure fold over its events.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::domain::content::Content;
use crate::domain::digest::Digest;
use crate::domain::execution::Tier;
use crate::domain::grade::Grade;
use crate::domain::ids::ExecutionId;
use crate::domain::price::Prices;
use crate::domain::r_defaults::RDefaults;
use crate::domain::replication;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::domain::track::{StageRange, Track};
use crate::domain::usage::Usage;
use crate::domain::verdict::Verdict;
use crate::domain::waiting::Waiting;
use crate::study::copy::StudyCopy;

use super::elapsed::Elapsed;
use super::event::{
    Asked, Asking, BuildResult, CallRef, Event, Halted, LockMade, Record, RunStarted, StageEnd, ToolFinished,
};
use super::execution_state::Executions;
use super::gate_state::GateState;
use super::probe_state::ProbeState;
use super::program::DataReach;
use super::program_state::{FailedCallState, ProgramState};
use super::stage_state::{AttemptOver, ReviewState, StageState, TurnState};

/// One attempt at an environment.
#[derive(Debug, Clone, PartialEq)]
pub struct BuildState {
    pub at: CallRef,
    pub digest: Digest,
    pub tier: Tier,
    pub result: BuildResult,
    pub wall_ms: u64,
    pub notes: Vec<String>,
}

/// Everything that follows from a journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub started: Option<RunStarted>,
    /// In the order in which they were started.
    pub stages: IndexMap<Stage, StageState>,
    pub gate: GateState,
    /// The locks that the run made, in their order.
    pub locks: Vec<LockMade>,
    pub builds: Vec<BuildState>,
    pub executions: Executions,
    pub probes: ProbeState,
    pub verdict: Option<Verdict>,
    /// What the grader of another track than replication said.
    pub grade: Option<Grade>,
    /// What stopped the run, until it is resumed.
    pub halted: Option<Halted>,
    /// How the model draws its answers.
    pub sampling: Sampling,
    /// True where a person took the place of the run's model.
    pub by_hand: bool,
    /// The prices at which calls are paid.
    pub prices: Arc<Prices>,
    pub elapsed: Elapsed,
    /// What is to be known of the sessions of the task's environment, a sentence each.
    pub session_notes: Vec<String>,
    /// How often another process took the journal over.
    pub resumed: u32,
    /// Where the plan was registered before it was carried out, as a person says.
    pub registration: Option<String>,
    /// The number of the last event; 0 before the first.
    pub seq: u64,
    /// The file change of the last event, which may not have reached the disk.
    pub last_change: Option<ToolFinished>,
}

/// An event that cannot follow the ones before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    #[error("event {found} follows event {after}: numbers must have no gap")]
    Gap { after: u64, found: u64 },
    #[error("the run starts twice")]
    StartsTwice,
    #[error("something happens before the run has started")]
    BeforeStart,
    #[error("something happens after the run has finished")]
    AfterFinish,
    #[error("stage {0} starts twice")]
    StageTwice(Stage),
    #[error("something happens in stage {0}, which is not under way")]
    StageNotOpen(Stage),
    #[error("stage {stage} has {turns} turns, and turn {found} is answered")]
    Turn { stage: Stage, turns: usize, found: u32 },
    #[error("call {call} of turn {turn} of stage {stage} is answered out of place", stage = .0.stage, turn = .0.turn, call = .0.call)]
    Call(CallRef),
    #[error("act {index} before the first turn of stage {stage} is done out of place")]
    Beforehand { stage: Stage, index: u32 },
    #[error("a decision answers no question about that content")]
    Decision,
    #[error("execution {0} is not under way")]
    Execution(ExecutionId),
    #[error("a program of stage {0} ends that is not under way")]
    Program(Stage),
    #[error("a probe is made where none is due, or twice")]
    Probe,
    #[error("the run cannot go on to {0}: it has to have ended well before")]
    Extension(StageRange),
}

impl State {
    /// The state that a whole journal folds to.
    ///
    /// # Errors
    /// The first event that does not follow from the ones before it.
    pub fn fold(records: &[Record]) -> Result<Self, Impossible> {
        let mut state = Self::default();
        for record in records {
            state.apply(record)?;
        }
        Ok(state)
    }

    /// What the run keeps of its study for reports.
    pub fn study_copy(&self) -> Option<&StudyCopy> {
        self.started.as_ref()?.study_copy.as_ref()
    }

    /// The lock that environments were held to, as JSON: the one that was given, else the last that was made.
    pub fn lock(&self) -> Option<&Content> {
        let given = self.started.as_ref()?.settings.lock.as_ref();
        given.or(self.locks.last().map(|made| &made.lock))
    }

    /// The defaults of R that scripts are run under, where they are not its own.
    pub fn r_defaults(&self) -> Option<RDefaults> {
        self.study_copy()?.r_defaults
    }

    /// The model that answers, and the person who took its place where one did; `None` before
    /// the run has begun.
    pub fn model(&self) -> Option<String> {
        let model = &self.started.as_ref()?.settings.model;
        Some(match self.by_hand {
            true => format!("{model}, then by hand"),
            false => model.clone(),
        })
    }

    /// Folds one event in; on an error the state is as before.
    ///
    /// # Errors
    /// An event that does not follow from the ones before it.
    pub fn apply(&mut self, record: &Record) -> Result<(), Impossible> {
        if record.seq != self.seq + 1 {
            return Err(Impossible::Gap {
                after: self.seq,
                found: record.seq,
            });
        }
        match (&record.event, self.started.is_some()) {
            (Event::RunStarted(_), true) => return Err(Impossible::StartsTwice),
            (Event::RunStarted(_), false) | (_, true) => {}
            (_, false) => return Err(Impossible::BeforeStart),
        }
        let reopens = matches!(record.event, Event::Resumed(_) | Event::Extended { .. });
        if self.is_finished() && !reopens {
            return Err(Impossible::AfterFinish);
        }
        let open = self.open();
        self.apply_event(&record.event)?;
        self.elapsed.pass(record, open);
        self.seq = record.seq;
        Ok(())
    }

    fn apply_event(&mut self, event: &Event) -> Result<(), Impossible> {
        // Whatever happens after a change found it on disk.
        let last_change = self.last_change.take();
        let applied = self.apply_kind(event);
        if applied.is_err() {
            self.last_change = last_change;
        }
        applied
    }

    fn apply_kind(&mut self, event: &Event) -> Result<(), Impossible> {
        match event {
            Event::RunStarted(started) => {
                self.sampling = started.settings.sampling;
                self.prices = Arc::new(started.settings.prices.clone());
                self.started = Some((**started).clone());
            }
            Event::Resumed(resumption) => {
                if let Some(prices) = &resumption.prices {
                    self.prices = Arc::new(prices.clone());
                }
                if let (Some(approve), Some(started)) = (&resumption.approve, &mut self.started) {
                    started.settings.approve.clone_from(approve);
                }
                self.by_hand |= resumption.by_hand;
                self.resumed += 1;
                self.halted = None;
                self.sampling = resumption.sampling.unwrap_or(self.sampling);
            }
            Event::Extended { stages, registration } => {
                if !self.can_extend(*stages) {
                    return Err(Impossible::Extension(*stages));
                }
                if let Some(started) = &mut self.started {
                    started.settings.stages = *stages;
                }
                if registration.is_some() {
                    self.registration = registration.clone();
                }
                self.verdict = None;
                self.grade = None;
            }
            Event::StageStarted {
                stage,
                system,
                user,
                tools,
                native_calls,
                by_program,
                shrink_at,
                shrink_from,
            } => {
                if self.stages.contains_key(stage) {
                    return Err(Impossible::StageTwice(*stage));
                }
                let state = StageState {
                    system: system.clone(),
                    user: user.clone(),
                    tools: tools.clone(),
                    native_calls: *native_calls,
                    by_program: *by_program,
                    shrink_at: *shrink_at,
                    shrink_from: *shrink_from,
                    beforehand: Vec::new(),
                    turns: Vec::new(),
                    attempts_over: Vec::new(),
                    programs: Vec::new(),
                    failed_calls: Vec::new(),
                    end: None,
                    in_vain: Waiting::default(),
                    prices_in_vain: Arc::default(),
                };
                self.stages.insert(*stage, state);
            }
            Event::ModelAnswered {
                stage,
                turn,
                request,
                text,
                calls,
                finish,
                usage,
                wall_ms,
                waiting,
                thoughts,
                author,
                program,
            } => {
                let prices = self.prices.clone();
                let turns = &mut self.open_stage(*stage)?.turns;
                if turns.len() != *turn as usize {
                    return Err(Impossible::Turn {
                        stage: *stage,
                        turns: turns.len(),
                        found: *turn,
                    });
                }
                turns.push(TurnState {
                    request: *request,
                    text: text.clone(),
                    calls: calls.clone(),
                    finish: *finish,
                    usage: *usage,
                    prices,
                    wall_ms: *wall_ms,
                    waiting: *waiting,
                    thoughts: thoughts.clone(),
                    author: author.clone(),
                    program: program.as_deref().cloned().map(Arc::new),
                    results: BTreeMap::new(),
                    review: None,
                });
            }
            Event::ProgramStarted(started) => {
                let stage = self.open_stage(started.stage)?;
                let calls_before = stage.turns.len();
                stage
                    .programs
                    .push(ProgramState::new((**started).clone(), calls_before));
            }
            Event::CallFailed(failed) => {
                let prices = self.prices.clone();
                let stage = self.open_stage(failed.stage)?;
                let waiting = Waiting {
                    lost: failed.lost,
                    ..Waiting::default()
                };
                stage.wait_in_vain(waiting, prices);
                stage.failed_calls.push(FailedCallState {
                    starts: stage.programs.len(),
                    calls_before: stage.turns.len(),
                    failed: Arc::new((**failed).clone()),
                });
            }
            Event::ProgramEnded(ended) => {
                let stage = self.open_stage(ended.stage)?;
                let last = stage
                    .programs
                    .last_mut()
                    .filter(|last| last.ended.is_none())
                    .ok_or(Impossible::Program(ended.stage))?;
                let sentences = ended.sentences(&last.started.agent);
                last.ended = Some((**ended).clone());
                self.session_notes.extend(sentences);
            }
            Event::ProgramLeft(left) => {
                let programs = &mut self.open_stage(left.stage)?.programs;
                let last = programs
                    .last_mut()
                    .filter(|last| last.ended.is_none() && last.left.is_none())
                    .ok_or(Impossible::Program(left.stage))?;
                last.left = Some((**left).clone());
            }
            Event::ProgramObjected(objection) => {
                let programs = &mut self.open_stage(objection.stage)?.programs;
                let last = programs
                    .last_mut()
                    .filter(|last| last.ended.is_some() && last.objection.is_none())
                    .ok_or(Impossible::Program(objection.stage))?;
                last.objection = Some((**objection).clone());
            }
            Event::ToolFinished(finished) => {
                let at = finished.at;
                let turns = &mut self.open_stage(at.stage)?.turns;
                let last = turns
                    .len()
                    .checked_sub(1)
                    .filter(|last| *last == at.turn as usize);
                let results = last
                    .map(|last| &mut turns[last].results)
                    .filter(|results| !results.contains_key(&at.call))
                    .ok_or(Impossible::Call(at))?;
                results.insert(at.call, (**finished).clone());
                if finished.left {
                    self.executions.leave(at);
                }
                if finished.change.is_some() {
                    self.last_change = Some((**finished).clone());
                }
            }
            Event::ActedBeforehand(acted) => {
                let stage = self.open_stage(acted.stage)?;
                if !stage.is_before_turns() || stage.beforehand.len() != acted.index as usize {
                    return Err(Impossible::Beforehand {
                        stage: acted.stage,
                        index: acted.index,
                    });
                }
                stage.beforehand.push((**acted).clone());
            }
            Event::AttemptOver { stage, why } => {
                let stage = self.open_stage(*stage)?;
                stage.attempts_over.push(AttemptOver {
                    turns: stage.turns.len(),
                    beforehand: stage.beforehand.len(),
                    why: why.clone(),
                });
            }
            Event::AnswerReviewed {
                stage,
                turn,
                checks,
                remark,
            } => {
                let turns = &mut self.open_stage(*stage)?.turns;
                let have = turns.len();
                let last = turns
                    .last_mut()
                    .filter(|last| have == *turn as usize + 1 && last.review.is_none())
                    .ok_or(Impossible::Turn {
                        stage: *stage,
                        turns: have,
                        found: *turn,
                    })?;
                last.review = Some(ReviewState {
                    checks: checks.clone(),
                    remark: remark.clone(),
                });
            }
            Event::Asked(asked) => {
                self.open_stage(asked.at.stage)?;
                self.gate.ask((**asked).clone());
            }
            Event::Decided(decided) => {
                if !self.gate.decide((**decided).clone()) {
                    return Err(Impossible::Decision);
                }
            }
            Event::LockMade(made) => {
                self.open_stage(made.at.stage)?;
                self.locks.push((**made).clone());
            }
            Event::Built {
                at,
                digest,
                tier,
                result,
                wall_ms,
                notes,
            } => {
                self.open_stage(at.stage)?;
                self.builds.push(BuildState {
                    at: *at,
                    digest: *digest,
                    tier: *tier,
                    result: result.clone(),
                    wall_ms: *wall_ms,
                    notes: notes.clone(),
                });
            }
            Event::ExecutionStarted(started) => {
                self.open_stage(started.at.stage)?;
                if let Some(open) = self.executions.open() {
                    return Err(Impossible::Execution(open.started.id));
                }
                self.executions.start((**started).clone());
            }
            Event::ExecutionFinished(finished) => {
                if !self.executions.finish((**finished).clone()) {
                    return Err(Impossible::Execution(finished.id));
                }
            }
            Event::ExecutionInterrupted { id } => {
                if !self.executions.interrupt(*id) {
                    return Err(Impossible::Execution(*id));
                }
            }
            Event::ProbeFinished(run) => {
                let due = self.probes_due();
                if !(due && self.probes.add((**run).clone())) {
                    return Err(Impossible::Probe);
                }
            }
            Event::Probed(summary) => {
                if !self.probes_due() {
                    return Err(Impossible::Probe);
                }
                self.probes.summary = Some((**summary).clone());
            }
            Event::SessionEnded { notes } => self.session_notes.extend(notes.iter().cloned()),
            Event::StageEnded { stage, end } => self.open_stage(*stage)?.end = Some(end.clone()),
            Event::Halted(halted) => {
                let prices = self.prices.clone();
                self.open_stage(halted.stage)?
                    .wait_in_vain(halted.waiting, prices);
                self.halted = Some(halted.clone());
            }
            Event::Interrupted { waiting, .. } => {
                let prices = self.prices.clone();
                if let Some(stage) = self.open().and_then(|stage| self.stages.get_mut(&stage)) {
                    stage.wait_in_vain(*waiting, prices);
                }
            }
            Event::Paused { .. } => {}
            Event::RunFinished { verdict } => self.verdict = Some(verdict.as_ref().clone()),
            Event::RunGraded { grade } => self.grade = Some(grade.as_ref().clone()),
        }
        Ok(())
    }

    fn open_stage(&mut self, stage: Stage) -> Result<&mut StageState, Impossible> {
        self.stages
            .get_mut(&stage)
            .filter(|state| state.end.is_none())
            .ok_or(Impossible::StageNotOpen(stage))
    }

    /// Whether a program saw the data before its plan was carried out: such a plan is no
    /// preregistration.
    pub fn is_planned_with_data(&self) -> bool {
        let mut programs = self.stages.values().flat_map(|stage| &stage.programs);
        programs.any(|program| program.started.data == DataReach::BeforePlan)
    }

    /// How often programs that had the data were seen to run code of their own before the engine executed their
    /// plan: what they tried there, and kept, is known to nobody.
    pub fn tried_in_shell(&self) -> u64 {
        let executes = self.stages.get(&Stage::EXECUTE);
        let programs = executes.into_iter().flat_map(|stage| &stage.programs);
        let ended = programs.filter_map(|program| program.ended.as_ref());
        ended
            .filter_map(|ended| ended.ran.as_ref())
            .map(|ran| ran.code_runs)
            .sum()
    }

    /// Whether nothing is left to do: the verdict stands, or the grade.
    pub fn is_finished(&self) -> bool {
        self.verdict.is_some() || self.grade.is_some()
    }

    /// Whether the run, which is over, can go on to the end of `stages`: every stage that it was
    /// begun for has given its answer, and more are to come.
    pub fn can_extend(&self, stages: StageRange) -> bool {
        let Some(started) = self.started.as_ref().filter(|_| self.is_finished()) else {
            return false;
        };
        let (track, before) = (started.settings.track(), started.settings.stages);
        let answered = |stage: Stage| matches!(self.end_of(stage), Some(StageEnd::Finished { .. }));
        stages.from == before.from
            && track.is_before(before.to, stages.to)
            && track.range(before).iter().all(|place| answered(place.stage))
    }

    /// The track that the run follows; replication before it has started.
    pub fn track(&self) -> &Track {
        match &self.started {
            Some(started) => started.settings.track(),
            None => replication::track(),
        }
    }

    /// The stage under way.
    pub fn open(&self) -> Option<Stage> {
        self.stages
            .iter()
            .find_map(|(stage, state)| state.end.is_none().then_some(*stage))
    }

    /// Questions that still wait: the latest of each call that is not over.
    pub fn open_questions(&self) -> Vec<&Asked> {
        let over = |asked: &Asked| {
            let at = asked.at;
            self.stages.get(&at.stage).is_none_or(|stage| {
                let turn = stage.turns.get(at.turn as usize);
                let is_over = |turn: &TurnState| turn.results.contains_key(&at.call);
                // A program is asked about before any of its calls, and has none that come to something.
                let is_of_program = stage.by_program || stage.tools.is_empty();
                // A session may be asked for before the first turn.
                let is_early = asked.asking == Asking::Session && stage.turns.is_empty();
                stage.end.is_some() || (!is_of_program && !is_early && turn.is_none_or(is_over))
            })
        };
        let mut open: Vec<&Asked> = Vec::new();
        if self.is_finished() {
            return open;
        }
        for (asked, decided) in self.gate.all() {
            open.retain(|earlier| earlier.at != asked.at);
            if decided.is_none() && !over(asked) {
                open.push(asked);
            }
        }
        open
    }

    /// How a stage ended, where it did.
    pub fn end_of(&self, stage: Stage) -> Option<&StageEnd> {
        self.stages.get(&stage).and_then(|state| state.end.as_ref())
    }

    /// Whether its result is to be probed: that was asked for, and it is judged by the
    /// preregistered rule, which probes read their focal number by.
    pub fn is_probed(&self) -> bool {
        self.started.as_ref().is_some_and(|started| {
            let settings = &started.settings;
            settings.probe.is_some() && settings.track().grader == replication::GRADER
        })
    }

    /// Whether it has to be probed next whether the result comes from the data:
    /// a stage that is probed gave an answer after a call of which every command
    /// ended well.
    pub fn probes_due(&self) -> bool {
        // It is the last stage that was started, and has given an answer.
        let probed = self.stages.last().is_some_and(|(stage, state)| {
            let answered = matches!(state.end, Some(StageEnd::Finished { .. }));
            answered && self.track().place(*stage).is_some_and(|place| place.gives_result)
        });
        self.is_probed()
            && probed
            && self.probes.summary.is_none()
            && self.executions.last_success().is_some()
    }

    /// Tokens of every answered model call.
    pub fn usage(&self) -> Usage {
        self.stages
            .values()
            .fold(Usage::default(), |sum, stage| sum + stage.usage())
    }

    /// The build that one call led to.
    pub fn build_of(&self, at: CallRef) -> Option<&BuildState> {
        self.builds.iter().rev().find(|build| build.at == at)
    }
}
