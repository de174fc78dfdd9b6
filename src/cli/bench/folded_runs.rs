//! The results of runs, kept from one look at a bench to the next: the journal of a run that has not changed since is
//! not folded again.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cli::exit::{Failure, Status};
use crate::cli::judged_run::{JudgedRun, RunJudge};
use crate::cli::outcome;
use crate::cli::runs_at_once::run_row::RunResult;
use crate::engine::atomic_file;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::run::event::Halted;

/// The file of a bench's folder that they are kept in. Whoever deletes it loses nothing.
const FILE: &str = "folded.json";

/// A run as a look at a bench needs it, which follows from its folder alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FoldedRun {
    pub is_finished: bool,
    /// Questions that are open.
    pub questions: usize,
    pub halted: Option<Halted>,
    /// The exit code of what it came to, where it stopped in order.
    pub ended: u8,
    pub result: RunResult,
    /// What its judge said; `None` of a run without one, and of one that is not over.
    #[serde(default)]
    pub judged: Option<JudgedRun>,
}

impl FoldedRun {
    fn of(run: &RunReader, judge: Option<&RunJudge>) -> Result<Self, Failure> {
        let judge = judge.filter(|_| run.state.is_finished());
        Ok(Self {
            judged: judge.map(|judge| JudgedRun::read(run, judge)).transpose()?,
            is_finished: run.state.is_finished(),
            questions: run.state.open_questions().len(),
            halted: run.state.halted.clone(),
            ended: outcome::ended(&run.state).code(),
            result: RunResult::of(run),
        })
    }

    /// Whether it is over, and its judge has said nothing yet or not all.
    pub fn is_unjudged(&self) -> bool {
        self.judged.as_ref().is_some_and(|judged| !judged.is_whole)
    }

    /// Whether it stands at the end of its journal until somebody takes it up again.
    pub fn is_at_its_end(&self) -> bool {
        self.is_finished || self.halted.is_some()
    }

    /// The status of what it came to, where it stopped in order.
    pub fn ended(&self) -> Status {
        Status::from_code(self.ended).unwrap_or(Status::Infrastructure)
    }
}

/// The stamp of a file, which tells it from what it was: its number, its size, and when it was written and its name was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FileStamp([i64; 6]);

impl FileStamp {
    fn of(path: &Path) -> Option<Self> {
        let meta = path.metadata().ok()?;
        Some(Self([
            i64::try_from(meta.ino()).ok()?,
            i64::try_from(meta.size()).ok()?,
            meta.mtime(),
            meta.mtime_nsec(),
            meta.ctime(),
            meta.ctime_nsec(),
        ]))
    }
}

/// The stamps of the files that a run was folded from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RunStamps {
    journal: FileStamp,
    request: FileStamp,
    probe: Option<FileStamp>,
    /// Of a run with a judge.
    #[serde(default)]
    scores: Option<FileStamp>,
    #[serde(default)]
    calls: Option<FileStamp>,
    /// What tells its judge from another one.
    #[serde(default)]
    judge: Option<String>,
}

impl RunStamps {
    fn of(folder: &RunFolder, judge: Option<&RunJudge>) -> Option<Self> {
        let calls = judge.and_then(|judge| FileStamp::of(&folder.path().join(judge.calls())));
        Some(Self {
            scores: judge.and_then(|_| FileStamp::of(&folder.scores())),
            calls,
            judge: judge.and_then(|judge| serde_json::to_string(judge).ok()),
            journal: FileStamp::of(&folder.journal())?,
            request: FileStamp::of(&folder.request())?,
            probe: FileStamp::of(&folder.probe()),
        })
    }
}

/// The runs of a bench that were at their end when they were looked at.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct FoldedRuns {
    /// The program that folded them: another may make something else of them.
    program: Option<FileStamp>,
    runs: BTreeMap<PathBuf, (RunStamps, FoldedRun)>,
}

impl FoldedRuns {
    /// Those that this program kept in a bench's folder; none where the file is gone, cut off or another's.
    pub fn load(out: &Path) -> Self {
        let program = std::env::current_exe().ok().and_then(|path| FileStamp::of(&path));
        let text = std::fs::read(out.join(FILE)).ok();
        let kept = text.and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        kept.filter(|kept| kept.program.is_some() && kept.program == program)
            .unwrap_or(Self {
                program,
                runs: BTreeMap::new(),
            })
    }

    /// The run of a folder below the bench's; `None` where nothing began.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn look_at(
        &self,
        out: &Path,
        folder: &Path,
        judge: Option<&RunJudge>,
    ) -> Result<Option<SeenFolder>, Failure> {
        let place = RunFolder::at(&out.join(folder))?;
        // Taken before the journal is read: one that grows meanwhile is folded again the next time.
        let Some(stamps) = RunStamps::of(&place, judge) else {
            return Ok(None);
        };
        let known = self.runs.get(folder).filter(|(known, _)| *known == stamps);
        let run = match known {
            Some((_, run)) => run.clone(),
            None => FoldedRun::of(&RunReader::read(place)?, judge)?,
        };
        Ok(Some(SeenFolder { run, stamps }))
    }

    /// Keeps the runs that are at their end, in place of those that were kept before.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn keep(&mut self, out: &Path, seen: Vec<(PathBuf, SeenFolder)>) -> Result<(), Failure> {
        let is_known = |folder: &PathBuf, stamps: &RunStamps| {
            self.runs.get(folder).is_some_and(|(known, _)| known == stamps)
        };
        let news: Vec<_> = (seen.into_iter())
            .filter(|(folder, seen)| seen.run.is_at_its_end() && !is_known(folder, &seen.stamps))
            .map(|(folder, seen)| (folder, (seen.stamps, seen.run)))
            .collect();
        if news.is_empty() {
            return Ok(());
        }
        self.runs.extend(news);
        let path = out.join(FILE);
        let text = serde_json::to_vec(self).map_err(|error| Failure::at(&path, &error))?;
        Ok(atomic_file::replace(&path, &text, out)?)
    }
}

/// A run that was looked at.
#[derive(Debug, Clone)]
pub struct SeenFolder {
    pub run: FoldedRun,
    stamps: RunStamps,
}
