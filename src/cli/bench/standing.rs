//! The standing of each cell: by its run's folder, by who claims it, and by what the cluster says of its job.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::folded_runs::{FoldedRuns, SeenFolder};
use super::slurm::client::SlurmError;
use super::slurm::queue::Queue;
use super::submission::{LastSubmission, Submissions};
use crate::cli::bench_plan::CellPlan;
use crate::cli::exit::{Failure, Status};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::domain::failure::FailureCause;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::journal::claim::{ClaimFolder, ClaimNote, ClaimStanding, ReadClaim};
use crate::journal::lock::RunLock;
use crate::policy::limits::Caps;

/// The folder of claims, below the bench's; each cell has a folder by its id there.
pub const CLAIMS: &str = "claims";
/// The time after a submission in which the cluster may not know it yet.
const GRACE: SignedDuration = SignedDuration::from_secs(60);

/// The standing of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    ToBegin,
    /// Its job waits, or nothing is known of it yet.
    Queued,
    /// A process works on it.
    Running,
    /// It stopped in order, and can go on.
    Stopped,
    /// Its process is gone without a word; it can go on.
    Lost,
    /// It waits for an answer of a person's.
    Waiting,
    /// The provider, the sandbox or the machine failed it.
    Infrastructure,
    /// A cap ended it.
    Limit,
    /// Its run is over, and its judge has not said all.
    Unjudged,
    /// Its run is over, whatever came of it, and so is its judging.
    Finished,
    /// Nothing began, and its task is quarantined: the audit of the bench says why.
    Quarantined,
}

/// A cell as it stands.
#[derive(Debug)]
pub struct StandingCell {
    /// With its last attempt.
    pub plan: CellPlan,
    pub standing: Standing,
    /// Where it is, or why it stands so.
    pub detail: Option<String>,
    /// What its run came to so far; `None` where nothing began.
    pub row: Option<RunRow>,
    /// Times in a row that it was lost, or that the machine failed it.
    pub failures: u32,
    /// What it was allotted last.
    pub allotted: Option<Caps>,
}

impl StandingCell {
    /// Whether a process has it, or may still take it up.
    pub fn is_at_work(&self) -> bool {
        matches!(self.standing, Standing::Queued | Standing::Running)
    }

    /// Has a cell count as at work that was claimed before.
    pub fn or_claimed(mut self, claimed: &BTreeSet<String>) -> Self {
        if !self.is_at_work() && claimed.contains(&self.plan.cell) {
            self.standing = Standing::Running;
        }
        self
    }

    /// Its part while it is or may be at work: no caps if it was never given one.
    pub fn part_at_work(&self) -> Option<Caps> {
        self.is_at_work().then(|| self.allotted.unwrap_or_default())
    }
}

/// The view of a bench's cells: their folders, and what the cluster says.
pub struct BenchSight<'a> {
    pub out: &'a Path,
    pub submissions: Submissions,
    /// What the cluster says; `None` where nothing was asked.
    pub queue: Option<Result<Queue, SlurmError>>,
    pub now: Timestamp,
}

/// The claims of a cell.
pub fn claims_of(out: &Path, cell: &str) -> ClaimFolder {
    ClaimFolder(out.join(CLAIMS).join(cell))
}

impl BenchSight<'_> {
    /// Looks at cells, several at once.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn look_at_all(&self, cells: &[CellPlan]) -> Result<Vec<StandingCell>, Failure> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let part = cells.len().div_ceil(threads).max(1);
        let mut known = FoldedRuns::load(self.out);
        let before = &known;
        let looked: Vec<Result<Vec<LookedAt>, Failure>> = thread::scope(|scope| {
            let parts: Vec<_> = cells
                .chunks(part)
                .map(|part| {
                    scope.spawn(move || {
                        part.iter()
                            .map(|cell| self.look(cell, before))
                            .collect::<Result<_, _>>()
                    })
                })
                .collect();
            let broke_off = || Failure::new(Status::Infrastructure, "the cells could not be looked at");
            let joined = parts.into_iter().map(|part| part.join());
            joined
                .map(|part| part.unwrap_or_else(|_| Err(broke_off())))
                .collect()
        });
        let (mut all, mut seen) = (Vec::new(), Vec::new());
        for part in looked {
            for (cell, run) in part? {
                seen.extend(run.map(|run| (cell.plan.folder.clone(), run)));
                all.push(cell);
            }
        }
        // Without it, as on a disk that is full or not ours, all is folded the next time.
        let _ = known.keep(self.out, seen);
        Ok(all)
    }

    /// Looks at a cell.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn look_at(&self, cell: &CellPlan) -> Result<StandingCell, Failure> {
        Ok(self.look(cell, &FoldedRuns::default())?.0)
    }

    fn look(&self, cell: &CellPlan, known: &FoldedRuns) -> Result<LookedAt, Failure> {
        let plan = cell.clone().last_attempt(self.out);
        let claims = claims_of(self.out, &plan.cell)
            .read(self.now.into())
            .map_err(EngineError::from)?;
        let last = self.submissions.last_of(&plan.cell);
        let run = SeenRun::open(known, self.out, &plan);
        let claim = claims.last();
        let at_work = match self.at_work(claim, last) {
            held @ Some((Standing::Running, _)) => held,
            other => run.held(&self.out.join(&plan.folder)).or(other),
        };
        let (standing, detail) = match (&run, at_work) {
            (SeenRun::Read(seen), Some((Standing::Queued, _)))
                if seen.run.is_finished && !seen.run.is_unjudged() =>
            {
                (Standing::Finished, None)
            }
            (_, Some((standing, detail))) => (standing, Some(detail)),
            (run, None) => run.standing(claim),
        };
        let row = run.row(&plan, self.out, claim, standing);
        let cell = StandingCell {
            failures: failures(&claims),
            allotted: allotted(&plan, claim, last),
            plan,
            standing,
            detail,
            row,
        };
        Ok((cell, run.seen()))
    }

    /// Who works on a cell, or may still take it up.
    fn at_work(
        &self,
        claim: Option<&ReadClaim>,
        last: Option<LastSubmission<'_>>,
    ) -> Option<(Standing, String)> {
        if let Some(claim) = claim.filter(|claim| claim.standing == ClaimStanding::Held) {
            let words = claim.note.as_ref().map(|note| note.holder.words());
            return Some((
                Standing::Running,
                words.unwrap_or_else(|| "by a claim that cannot be read".to_owned()),
            ));
        }
        let last = last?;
        let queued = |words: String| Some((Standing::Queued, words));
        let queue = match self.queue.as_ref()? {
            Ok(queue) => queue,
            Err(error) => return queued(format!("unknown: {error}")),
        };
        match queue.task(&last.array.name, last.task) {
            Some(job) if job.is_running() => queued(format!("job {} is at its beginning or its end", job.id)),
            Some(job) if job.is_alive() => queued(format!("job {} {} ({})", job.id, job.state, job.reason)),
            Some(_) => None,
            None => {
                let is_taken_up = claim
                    .and_then(|claim| claim.note.as_ref())
                    .is_some_and(|note| note.submission == Some(last.submission.number));
                let age = self.now.duration_since(last.submission.at);
                let is_fresh = !is_taken_up && age < GRACE;
                is_fresh.then(|| {
                    (
                        Standing::Queued,
                        format!(
                            "submitted {} s ago, and not in the cluster's list yet",
                            age.as_secs()
                        ),
                    )
                })
            }
        }
    }
}

/// The cells that processes have claimed. Who reads what cells spent looks before: one that ends meanwhile spent more
/// than was read, and counts as at work still.
///
/// # Errors
/// A folder that cannot be read.
pub fn claimed(out: &Path) -> Result<BTreeSet<String>, Failure> {
    let entries = match fs::read_dir(out.join(CLAIMS)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(Failure::at(&out.join(CLAIMS), &error)),
    };
    let mut claimed = BTreeSet::new();
    for entry in entries.flatten() {
        let Ok(cell) = entry.file_name().into_string() else {
            continue;
        };
        let last = claims_of(out, &cell).last(SystemTime::now());
        let last = last.map_err(EngineError::from)?;
        if last.is_some_and(|last| last.standing == ClaimStanding::Held) {
            claimed.insert(cell);
        }
    }
    Ok(claimed)
}

/// The part of a cell at work: of the submission that its process is of, else the one that was handed out last.
fn allotted(plan: &CellPlan, claim: Option<&ReadClaim>, last: Option<LastSubmission<'_>>) -> Option<Caps> {
    let of_submission = last.map(|last| last.cell.allotted);
    let note = claim.filter(|claim| claim.standing == ClaimStanding::Held);
    match note.and_then(|claim| claim.note.as_ref()) {
        Some(note) if note.submission.is_none() => plan.allotted,
        Some(_) => of_submission,
        None => plan.allotted.or(of_submission),
    }
}

/// A cell, and its run where one began.
type LookedAt = (StandingCell, Option<SeenFolder>);

/// A run as it is found.
enum SeenRun {
    None,
    Read(Box<SeenFolder>),
    Unreadable(String),
}

impl SeenRun {
    fn open(known: &FoldedRuns, out: &Path, plan: &CellPlan) -> Self {
        match known.look_at(out, &plan.folder, plan.judge.as_ref()) {
            Ok(None) => Self::None,
            Ok(Some(seen)) => Self::Read(Box::new(seen)),
            Err(failure) => Self::Unreadable(failure.message),
        }
    }

    fn seen(self) -> Option<SeenFolder> {
        match self {
            Self::Read(seen) => Some(*seen),
            Self::None | Self::Unreadable(_) => None,
        }
    }

    /// Who works on it without a claim, as `reprise bench FILE` and `resume` do.
    fn held(&self, place: &Path) -> Option<(Standing, String)> {
        let Self::Read(seen) = self else { return None };
        if seen.run.is_finished {
            return None;
        }
        let lock = RunFolder::at(place).ok()?.lock();
        // A run without a lock file is nobody's.
        let holder = RunLock::held_by(&lock).ok().flatten()?;
        Some((Standing::Running, holder))
    }

    /// The standing of a cell on which nobody works.
    fn standing(&self, claim: Option<&ReadClaim>) -> (Standing, Option<String>) {
        let run = match self {
            Self::Unreadable(why) => return (Standing::Infrastructure, Some(why.clone())),
            Self::Read(seen) => Some(&seen.run),
            Self::None => None,
        };
        if let Some(run) = run.filter(|run| run.is_finished) {
            let judged = run.judged.as_ref().filter(|judged| !judged.is_whole);
            return match judged {
                Some(judged) => (Standing::Unjudged, judged.lacks.clone()),
                None => (Standing::Finished, None),
            };
        }
        let by_claim = by_claim(claim);
        let Some(run) = run else {
            return by_claim.unwrap_or((Standing::ToBegin, None));
        };
        if run.questions > 0 {
            return (
                Standing::Waiting,
                Some(format!("{} to be answered", run.questions)),
            );
        }
        // What stopped a job before its run went on stands above where the run had stopped.
        if let Some((Standing::Infrastructure | Standing::Lost, _)) = &by_claim {
            return by_claim.unwrap_or((Standing::Lost, None));
        }
        let said = by_claim.and_then(|(_, detail)| detail);
        match &run.halted {
            Some(halted) => {
                let standing = match halted.cause {
                    FailureCause::Limit => Standing::Limit,
                    FailureCause::Interrupted => Standing::Stopped,
                    _ => Standing::Infrastructure,
                };
                (standing, Some(halted.detail.clone()))
            }
            None => (Standing::Stopped, said),
        }
    }

    /// What came of it so far, as it counts.
    fn row(
        &self,
        plan: &CellPlan,
        out: &Path,
        claim: Option<&ReadClaim>,
        standing: Standing,
    ) -> Option<RunRow> {
        let place: PathBuf = out.join(&plan.folder);
        let end = claim.and_then(|claim| claim.note.as_ref()?.end.as_ref());
        match self {
            Self::Unreadable(why) => {
                let status = Status::Infrastructure;
                Some(RunRow::unfinished(plan.name(), place, status, Some(why.clone())))
            }
            Self::None => {
                let end = end?;
                let status = Status::from_code(end.exit_code).unwrap_or(Status::Infrastructure);
                Some(RunRow::unfinished(plan.name(), place, status, end.detail.clone()))
            }
            Self::Read(seen) => {
                let run = &seen.run;
                let is_at_its_end = run.is_at_its_end();
                let status = match standing {
                    Standing::Waiting => Status::AwaitingApproval,
                    Standing::Infrastructure => Status::Infrastructure,
                    _ if is_at_its_end => run.ended(),
                    _ => Status::Interrupted,
                };
                let mut row = RunRow::new(plan.name(), place, run.result.clone(), status, true);
                if !is_at_its_end && status == Status::Infrastructure {
                    row.detail = end.and_then(|end| end.detail.clone());
                }
                row.judged.clone_from(&run.judged);
                Some(row)
            }
        }
    }
}

/// The standing by the last claim, of a cell whose run tells nothing of its end.
fn by_claim(claim: Option<&ReadClaim>) -> Option<(Standing, Option<String>)> {
    let claim = claim?;
    if claim.standing == ClaimStanding::Lost {
        let words = claim.note.as_ref().map(|note| note.holder.words());
        return Some((Standing::Lost, words));
    }
    let end = claim.note.as_ref()?.end.as_ref()?;
    match Status::from_code(end.exit_code) {
        // Of what was planned something changed since: no machine's doing.
        Some(Status::Interrupted | Status::Usage | Status::StudyInvalid) => {
            Some((Standing::Stopped, end.detail.clone()))
        }
        Some(Status::Done | Status::StageFailed | Status::Limit | Status::AwaitingApproval) => None,
        _ => Some((Standing::Infrastructure, end.detail.clone())),
    }
}

/// The claims at the end that were lost, or that the machine ended.
fn failures(claims: &[ReadClaim]) -> u32 {
    let is_end = |note: &ClaimNote| {
        let end = note.end.as_ref();
        end.is_some_and(|end| end.exit_code == Status::Infrastructure.code())
    };
    let failed = claims.iter().rev().take_while(|claim| match claim.standing {
        ClaimStanding::Held => false,
        ClaimStanding::Lost => true,
        ClaimStanding::Ended => claim.note.as_ref().is_some_and(is_end),
    });
    u32::try_from(failed.count()).unwrap_or(u32::MAX)
}
