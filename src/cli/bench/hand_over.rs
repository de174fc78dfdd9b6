//! The handing over of a submission to a cluster, array by array.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;

use super::job_environment::exported;
use super::opened::OpenedBench;
use super::slurm::client::{SlurmError, call};
use super::slurm::queue::Queue;
use super::slurm::script::ArrayScript;
use super::slurm::shape::SlurmShape;
use super::submission::{SUBMISSIONS, Submission, SubmittedArray, SubmittedCell, job_prefix};
use super::submit_args::SubmitArgs;
use super::submit_told::{ArrayCall, Handed};
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};

/// The most tasks of one array, as many as Slurm allows where nobody set `MaxArraySize`.
const MOST_TASKS: usize = 1000;
/// The name of an array's script.
const SCRIPT: &str = "job.sh";

/// A cell that is handed over, at the least at this attempt.
#[derive(Clone)]
pub struct HandedCell {
    pub attempt: u32,
    pub submitted: SubmittedCell,
}

/// The way to a cluster.
pub struct HandOver<'a> {
    program: &'a Program,
    bench: &'a OpenedBench,
    args: &'a SubmitArgs,
    paths: ScriptPaths,
}

/// Paths as they stand in scripts.
struct ScriptPaths {
    program: String,
    bench: String,
    out: String,
}

impl ScriptPaths {
    fn new(bench: &OpenedBench) -> Result<Self, Failure> {
        let text = |path: &Path| {
            let text = path.to_str().map(str::to_owned);
            text.ok_or_else(|| {
                Failure::usage(format!("{}: scripts take paths in UTF-8 alone", path.display()))
            })
        };
        let failed = |error: std::io::Error| Failure::new(Status::Infrastructure, error.to_string());
        Ok(Self {
            program: text(&std::env::current_exe().map_err(failed)?)?,
            bench: text(&bench.path)?,
            out: text(&std::path::absolute(&bench.out).map_err(failed)?)?,
        })
    }
}

impl<'a> HandOver<'a> {
    /// The way to Slurm.
    ///
    /// # Errors
    /// Paths that scripts cannot take.
    pub fn new(program: &'a Program, bench: &'a OpenedBench, args: &'a SubmitArgs) -> Result<Self, Failure> {
        Ok(Self {
            program,
            bench,
            args,
            paths: ScriptPaths::new(bench)?,
        })
    }

    /// Writes a submission and hands it over, array by array.
    ///
    /// # Errors
    /// A shape that the cluster cannot give, a folder that cannot be written, or the cluster.
    pub async fn hand_over(
        &self,
        shapes: BTreeMap<SlurmShape, Vec<HandedCell>>,
        now: Timestamp,
    ) -> Result<Handed, Failure> {
        let out = &self.bench.out;
        let mut submission = match self.args.dry_run {
            true => Submission::not_kept(now),
            false => Submission::begin(out, now)?,
        };
        let prefix = job_prefix(out);
        let mut calls = Vec::new();
        for (shape, cells) in shapes {
            for cells in by_attempt(cells)
                .iter()
                .flat_map(|cells| cells.chunks(MOST_TASKS))
            {
                let number = submission.arrays.len() + 1;
                let array = SubmittedArray {
                    name: format!("{prefix}{}-{number}", submission.number),
                    folder: submission.array_folder(number),
                    shape: shape.clone(),
                    cells: cells.iter().map(|cell| cell.submitted.clone()).collect(),
                };
                let attempt = cells.first().map_or(1, |cell| cell.attempt);
                calls.push(self.call(&submission, &array, attempt));
                submission.arrays.push(array);
            }
        }
        if self.args.dry_run {
            return Ok(Handed {
                submission,
                calls,
                jobs: Vec::new(),
            });
        }
        for (array, call) in submission.arrays.iter().zip(&calls) {
            let folder = out.join(&array.folder);
            let failed = |error: std::io::Error| {
                Failure::new(Status::Infrastructure, format!("{}: {error}", folder.display()))
            };
            fs::create_dir_all(&folder).map_err(failed)?;
            fs::write(folder.join(SCRIPT), &call.script).map_err(failed)?;
        }
        submission.write(out)?;
        let mut jobs = Vec::new();
        for (array, made) in submission.arrays.iter().zip(&calls) {
            let answer = match call("sbatch", &made.arguments).await {
                Ok(answer) => answer,
                Err(refused) => return Err(refused_at(out, submission, jobs.len(), &refused)),
            };
            // JOB or JOB;CLUSTER.
            let job = answer.trim().split(';').next().unwrap_or_default().to_owned();
            let note = out.join(&array.folder).join("job-id");
            // For people alone: jobs are found by their names.
            let _best_effort = fs::write(note, format!("{job}\n"));
            jobs.push(job);
        }
        Queue::forget(&out.join(SUBMISSIONS));
        Ok(Handed {
            submission,
            calls,
            jobs,
        })
    }

    /// The call of `sbatch` for an array, and its script.
    fn call(&self, submission: &Submission, array: &SubmittedArray, attempt: u32) -> ArrayCall {
        let cells: Vec<String> = array.cells.iter().map(|cell| cell.cell.clone()).collect();
        let options = [
            format!("--attempt={attempt}"),
            format!("--infrastructure-repeats={}", self.args.infrastructure_repeats),
            "--quiet".to_owned(),
        ];
        let folder = Path::new(&self.paths.out).join(&array.folder);
        let at_once = self
            .args
            .at_once
            .map_or(String::new(), |count| format!("%{count}"));
        let arguments = vec![
            "--parsable".to_owned(),
            format!("--array=0-{}{at_once}", array.cells.len() - 1),
            format!("--chdir={}", folder.display()),
            // There `%` stands for something, and the folder's own has to be told apart.
            format!(
                "--output={}/%a.log",
                folder.display().to_string().replace('%', "%%")
            ),
            format!(
                "--export={}",
                exported(&self.program.settings, &self.args.export).join(",")
            ),
            folder.join(SCRIPT).display().to_string(),
        ];
        let mut submitted = vec!["sbatch".to_owned()];
        submitted.extend(arguments.iter().cloned());
        let script = ArrayScript {
            name: &array.name,
            shape: &array.shape,
            warning: self.args.warning,
            submission: submission.number,
            cells: &cells,
            program: &self.paths.program,
            bench: &self.paths.bench,
            out: &self.paths.out,
            options: &options,
            submitted: &submitted,
        };
        ArrayCall {
            script: script.text(),
            arguments,
        }
    }
}

/// The failure of a submission at an array behind `made` others. What was never taken is no submission: it is taken
/// out of what is kept, so that nothing waits for it.
fn refused_at(out: &Path, mut submission: Submission, made: usize, refused: &SlurmError) -> Failure {
    let all = submission.arrays.len();
    // Perhaps only the answer was lost.
    let may_be_made = refused.may_be_done();
    let taken = made + usize::from(may_be_made);
    submission.arrays.truncate(taken);
    let kept = submission.write(out);
    let way_out = match (may_be_made, &kept) {
        (_, Err(error)) => format!("what was refused stays noted as submitted ({})", error.message),
        (true, Ok(())) => "the same command goes on, a minute from now".to_owned(),
        (false, Ok(())) => "the same command submits the others".to_owned(),
    };
    Failure::new(
        Status::Infrastructure,
        format!(
            "{refused}. Of submission {}, {made} of {all} arrays were handed over; {way_out}",
            submission.number
        ),
    )
}

/// Cells of the same attempt together, since one script says which it is.
fn by_attempt(cells: Vec<HandedCell>) -> Vec<Vec<HandedCell>> {
    let mut attempts: BTreeMap<u32, Vec<HandedCell>> = BTreeMap::new();
    for cell in cells {
        attempts.entry(cell.attempt).or_default().push(cell);
    }
    attempts.into_values().collect()
}
