//! Cells that can be run: their requests, their digests and their folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::cell_choice::CellChoice;
use super::cell_judge::{CellJudge, PlannedJudging};
use super::cell_spec::CellSpec;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::catalog::agents::load::load;
use crate::cli::bench_plan::{BenchPlan, CellPlan, attempt_folder};
use crate::cli::capsule_attempt::prepare::prepare;
use crate::cli::exit::{Failure, Status};
use crate::cli::judged_run::JudgedRun;
use crate::cli::notebook_attempt::prepare as notebook_attempt;
use crate::cli::prepared_attempt::NamedTask;
use crate::cli::run_request::run_id;
use crate::cli::runs_at_once::planned_run::PlannedRun;
use crate::cli::{run_folder, study_request, task};
use crate::domain::digest::Digest;
use crate::domain::failure::FailureCause;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::run_reader::RunReader;
use crate::model::layers::answer_cache;
use crate::model::layers::spend_account::minus;
use crate::model::recording::path::recording_path;
use crate::policy::limits::{Caps, Used};
use crate::policy::scope::Scope;

/// The folder of the cells, below the bench's.
pub const CELLS: &str = "cells";

/// A cell that can be run.
pub struct PlannedCell {
    pub spec: CellSpec,
    /// The digest of everything that it is a run of.
    pub id: String,
    /// Short digests of what the id is made of, by name.
    pub parts: BTreeMap<String, String>,
    /// Counted from 1.
    pub attempt: u32,
    /// Its run, relative to the bench's folder.
    pub folder: PathBuf,
    pub run: PlannedRun,
    /// What all its attempts have come to, those of judges included.
    pub spent: Used,
    /// Whoever marks its run once that is over.
    pub judging: Option<PlannedJudging>,
}

/// The planning of cells, with what is looked at once for all of them.
pub struct Planner<'a> {
    program: &'a Program,
    shared: &'a ProcessShared,
    /// What the runs of an agent with caps of its own share, by its name.
    of_agents: BTreeMap<String, Arc<ProcessShared>>,
    /// The bench's folder.
    out: &'a Path,
    taken: BTreeSet<String>,
    /// Digests of capsules and of mirrors by their folders.
    folders: BTreeMap<PathBuf, Digest>,
    last: Option<LastRequest>,
    retry: Retry,
    /// The attempt that is planned at the earliest, counted from 1.
    attempt: u32,
}

/// The failures after which a cell that is over is run again, beside the attempts before.
#[derive(Debug, Clone, Copy, Default)]
pub struct Retry {
    /// The agent's own, and limits of the cell.
    pub failed: bool,
    /// Of the provider, the sandbox or the machine.
    pub infrastructure: bool,
}

impl Retry {
    fn wants(self, cause: FailureCause) -> bool {
        match cause {
            FailureCause::Infrastructure | FailureCause::Interrupted => self.infrastructure,
            // A person or a policy said no, and would again.
            FailureCause::Cancelled => false,
            _ => self.failed,
        }
    }
}

/// The attempt at a cell that is planned.
struct PlannedAttempt {
    attempt: u32,
    folder: PathBuf,
    run: PlannedRun,
}

/// The request that was made last, and its cell's first repeat.
struct LastRequest {
    spec: CellSpec,
    free: FreeRequest,
    judge: Option<CellJudge>,
}

/// A request that is not in a folder yet, with the definitions that it is asked by.
#[derive(Clone)]
struct FreeRequest {
    request: RunRequest,
    catalog: Digest,
}

impl<'a> Planner<'a> {
    /// Plans cells of a bench in `out`.
    pub fn new(program: &'a Program, shared: &'a ProcessShared, out: &'a Path, retry: Retry) -> Self {
        Self {
            program,
            shared,
            of_agents: BTreeMap::new(),
            out,
            taken: BTreeSet::new(),
            folders: BTreeMap::new(),
            last: None,
            retry,
            attempt: 1,
        }
    }

    /// With caps on all runs of an agent, beside those on all runs.
    pub fn with_caps_on_agents(mut self, caps: &BTreeMap<String, Caps>) -> Self {
        let of_agents = caps.iter();
        let of_agents = of_agents.map(|(agent, caps)| (agent.clone(), Arc::new(self.shared.for_some(*caps))));
        self.of_agents = of_agents.collect();
        self
    }

    /// What the runs of an agent share.
    fn shared_of(&self, agent: &str) -> &ProcessShared {
        self.of_agents.get(agent).map_or(self.shared, |shared| shared)
    }

    /// Plans no attempt before this one, counted from 1.
    pub fn at_the_least(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// Plans a cell; everything that can be refused is refused here, before anything is paid for.
    ///
    /// # Errors
    /// Options, a task or a model that cannot be used, or a cell that is there twice.
    pub async fn plan(&mut self, spec: CellSpec) -> Result<PlannedCell, Failure> {
        let (FreeRequest { request, catalog }, judge) = self.request(&spec).await?;
        let mut whole = self.whole(&spec, &request, catalog)?;
        if let Some(judge) = &judge {
            whole["judge"] = judge.identity.clone();
        }
        let id = Digest::compute_json(&whole).short();
        if !self.taken.insert(id.clone()) {
            return Err(Failure::usage("the same cell is named twice".to_owned()));
        }
        let name = run_folder::plain(&spec.folder_name().replace(' ', "-"));
        let base = format!("{CELLS}/{name}-{}", &id[..6]);
        let before = self.shared.pool.used();
        let mut planned = self.attempt(&spec, &name, &base, &request)?;
        planned.run.shared = self.of_agents.get(&spec.agent).cloned();
        let judging = judge
            .map(|judge| self.judging(judge, &base, &planned))
            .transpose()?;
        Ok(PlannedCell {
            judging,
            spent: minus(self.shared.pool.used(), before),
            spec,
            id,
            parts: parts(&whole),
            attempt: planned.attempt,
            folder: planned.folder,
            run: planned.run,
        })
    }

    /// The judging of an attempt; what was paid for it and for earlier ones is taken out of the pool.
    fn judging(
        &self,
        of: CellJudge,
        base: &str,
        planned: &PlannedAttempt,
    ) -> Result<PlannedJudging, Failure> {
        let calls = of.judge.calls();
        let shared = planned.run.shared.as_deref().unwrap_or(self.shared);
        let mut last = Used::default();
        for attempt in 1..=planned.attempt {
            let path = self.out.join(attempt_folder(base, attempt)).join(&calls);
            let spent = answer_cache::spent(&path, of.judge.price);
            last = spent.map_err(|error| EngineError::io(&path, error))?;
            shared.pool.set_aside(last);
        }
        let is_over = planned.run.before.as_ref().is_some_and(|before| before.finished);
        let is_done = is_over && {
            let run = RunReader::open(&planned.run.folder)?;
            JudgedRun::read(&run, &of.judge)?.is_whole
        };
        Ok(PlannedJudging {
            of_run: planned.run.request.budget.caps(Scope::Run),
            set_aside: last,
            is_done,
            shared: planned.run.shared.clone(),
            of,
        })
    }

    /// The latest attempt at a cell, or another one where that failed in a way that is tried
    /// again. What earlier ones spent is taken out of the pool as well.
    fn attempt(
        &self,
        spec: &CellSpec,
        name: &str,
        base: &str,
        request: &RunRequest,
    ) -> Result<PlannedAttempt, Failure> {
        let is_there = |attempt: u32| {
            let place = self.out.join(attempt_folder(base, attempt));
            place.join("run.json").exists()
        };
        let mut attempt = 1;
        loop {
            let folder = attempt_folder(base, attempt);
            let place = self.out.join(&folder);
            if !is_there(attempt) {
                let mut request = request.clone();
                request.run = run_id(name, &place);
                let run = PlannedRun::begun(
                    self.program,
                    self.shared_of(&spec.agent),
                    spec.name(),
                    place,
                    request,
                )?;
                return Ok(PlannedAttempt { attempt, folder, run });
            }
            let before = RunFolder::at(&place)?;
            let mut begun = RunRequest::load(&before.request())?;
            // A larger budget goes on with what a smaller one has stopped.
            begun.budget = request.budget.clone();
            begun.allow_unpriced = request.allow_unpriced;
            let run = PlannedRun::resumed(
                self.program,
                self.shared_of(&spec.agent),
                spec.name(),
                before,
                begun,
            )?;
            let failed = run.before.as_ref().and_then(|before| before.failed);
            let is_wanted_again = failed.is_some_and(|cause| self.retry.wants(cause));
            if !is_there(attempt + 1) && !is_wanted_again && attempt >= self.attempt {
                return Ok(PlannedAttempt { attempt, folder, run });
            }
            attempt += 1;
        }
    }

    /// The request of a cell and whoever marks its run; repeats, which follow one another, have one.
    async fn request(&mut self, spec: &CellSpec) -> Result<(FreeRequest, Option<CellJudge>), Failure> {
        let first = CellSpec {
            repeat: 1,
            ..spec.clone()
        };
        if let Some(last) = self.last.as_ref().filter(|last| last.spec == first) {
            return Ok((last.free.clone(), last.judge.clone()));
        }
        let request = self.asked(spec).await?;
        let free = FreeRequest {
            catalog: self.program.tracks.catalog_of(&request)?.digest(),
            request,
        };
        let judge = CellJudge::read(self.program, &spec.judging, &spec.path)?;
        self.last = Some(LastRequest {
            spec: first,
            free: free.clone(),
            judge: judge.clone(),
        });
        Ok((free, judge))
    }

    async fn asked(&self, spec: &CellSpec) -> Result<RunRequest, Failure> {
        let choice = spec.choice.as_ref();
        let choice = choice.map_err(|wrong| Failure::usage(wrong.to_string()))?;
        let (program, out) = (self.program, self.out);
        let named = NamedTask {
            file: &spec.path,
            task: Some(&spec.task),
        };
        Ok(match choice {
            CellChoice::Study(choice) => {
                let task = study_request::open(choice, &spec.path)?;
                let request = study_request::request(program, choice, &task, CELLS, out).await?;
                task::ensure_runnable(program, &task, &request).await?;
                request
            }
            CellChoice::Capsule(choice) => prepare(program, choice, named, Some(out)).await?.request,
            CellChoice::Notebook(choice) => {
                let prepared = notebook_attempt::prepare(program, choice, named, Some(out));
                prepared.await?.request
            }
        })
    }

    /// Everything that makes a cell the run that it is: its task, agent, settings, prompts and
    /// this version. Budgets, and where things lie, make no other cell.
    fn whole(&mut self, spec: &CellSpec, request: &RunRequest, catalog: Digest) -> Result<Value, Failure> {
        let invalid = |error: &dyn std::fmt::Display| Failure::new(Status::StudyInvalid, error.to_string());
        let mut asked = serde_json::to_value(request).map_err(|error| invalid(&error))?;
        if let Value::Object(asked) = &mut asked {
            // What is there at times leaves the others in the order that they have without it: a digest goes by that.
            for apart in ["budget", "allow_unpriced", "stages_dir", "patience"] {
                asked.shift_remove(apart);
            }
            for apart in ["run", "study"] {
                asked.remove(apart);
            }
            if let Some(Value::Object(agent)) = asked.get_mut("agent") {
                agent.shift_remove("files_digest");
                agent.remove("files");
                agent.remove("agents_dir");
            }
            if let Some(Value::Object(capsule)) = asked.get_mut("capsule") {
                capsule.remove("source");
                capsule.remove("tasks");
            }
            if let Some(Value::Object(notebook)) = asked.get_mut("notebook") {
                notebook.remove("tasks");
                if let Some(Value::Object(mirror)) = notebook.get_mut("mirror") {
                    mirror.remove("folder");
                }
            }
        }
        let mirror = request
            .notebook
            .as_ref()
            .and_then(|notebook| notebook.mirror.as_ref());
        let capsule = match (&request.capsule, mirror) {
            (Some(capsule), _) => Some(self.folder(&capsule.source)?),
            // A commit says what the files are.
            (None, Some(mirror)) if mirror.commit.is_none() => Some(self.folder(&mirror.folder)?),
            _ => None,
        };
        let program = Self::program_of(request)?;
        let mut whole = json!({
            "task": spec.content,
            "capsule": capsule,
            "agent": spec.agent,
            "asked": asked,
            "recording": recording(request),
            "catalog": catalog,
            "version": env!("CARGO_PKG_VERSION"),
            "repeat": spec.repeat_in_id(),
        });
        // Cells of our own loop keep the ids that they have always had.
        if let Some(program) = program {
            whole["program"] = program;
        }
        Ok(whole)
    }

    /// The definition of the program that is the agent, and the files that it is given.
    fn program_of(request: &RunRequest) -> Result<Option<Value>, Failure> {
        let Some(agent) = &request.agent else {
            return Ok(None);
        };
        let loaded = load(&agent.name, agent.agents_dir.as_deref());
        let loaded = loaded.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Some(json!({
            "definition": loaded.definition.digest(),
            "prompts": Digest::compute_json(&[&loaded.prompt, &loaded.stage_prompt]),
            // A release says what its files are.
            "files": agent.files_digest,
        })))
    }

    /// The digest of a folder's files.
    fn folder(&mut self, source: &Path) -> Result<Digest, Failure> {
        if let Some(known) = self.folders.get(source) {
            return Ok(*known);
        }
        let digest = digest_of_folder(source)
            .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
        self.folders.insert(source.to_owned(), digest);
        Ok(digest)
    }
}

/// A short digest of each part of what a cell is a run of.
fn parts(whole: &Value) -> BTreeMap<String, String> {
    let parts = whole.as_object().into_iter().flatten();
    parts
        .filter(|(name, part)| !part.is_null() && !["agent", "repeat"].contains(&name.as_str()))
        .map(|(name, part)| (name.clone(), Digest::compute_json(part).short()))
        .collect()
}

/// The digest of the recording that answers for a model; `None` of a live one.
fn recording(request: &RunRequest) -> Option<Digest> {
    let name = ["recorded:", "scripted:"];
    let name = name
        .iter()
        .find_map(|prefix| request.model.strip_prefix(prefix))?;
    let bytes = std::fs::read(recording_path(&request.study, name)).ok()?;
    Some(Digest::compute(bytes))
}

impl BenchPlan {
    /// The plan of a bench with these cells.
    pub fn new(name: &str, cells: &[PlannedCell]) -> Self {
        Self {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cells: cells.iter().map(CellPlan::new).collect(),
            divided: None,
        }
    }
}

impl CellPlan {
    /// The plan of a cell that is to be run.
    pub fn new(cell: &PlannedCell) -> Self {
        let spec = &cell.spec;
        Self {
            cell: cell.id.clone(),
            kind: spec.kind,
            task: spec.task.clone(),
            study: spec.study.clone(),
            agent: spec.agent.clone(),
            arm: spec.arm.clone(),
            repeat: spec.repeat,
            attempt: cell.attempt,
            folder: cell.folder.clone(),
            options: spec.options.clone(),
            judge: cell.judging.as_ref().map(|judging| judging.of.judge.clone()),
            parts: cell.parts.clone(),
            allotted: None,
        }
    }
}
