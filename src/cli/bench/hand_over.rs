//! The handing over of a submission to a cluster, array by array.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;

use super::bench_engine::BenchEngine;
use super::job_environment::{exported, is_secret, of_pods};
use super::kubernetes::cluster::Cluster;
use super::kubernetes::job::IndexedJob;
use super::kubernetes::place::PodTerms;
use super::opened::OpenedBench;
use super::slurm::client::call;
use super::slurm::queue::Queue;
use super::slurm::script::ArrayScript;
use super::slurm::shape::SlurmShape;
use super::submission::{SUBMISSIONS, Submission, SubmittedArray, SubmittedCell, job_label, job_prefix};
use super::submit_args::SubmitArgs;
use super::submit_told::{ArrayCall, CalledBy, Handed};
use crate::app::program::Program;
use crate::cli::exit::{Failure, Status};

/// The most tasks of one array, as many as Slurm allows where nobody set `MaxArraySize`.
const MOST_TASKS: usize = 1000;

/// The program as it is called in pods, whose image has it on the path.
const IN_PODS: &str = "reprise";

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
    /// What pods run with; `None` for Slurm.
    pods: Option<PodTerms>,
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
    /// The way to the cluster that was asked for.
    ///
    /// # Errors
    /// Paths or terms that it cannot take.
    pub fn new(program: &'a Program, bench: &'a OpenedBench, args: &'a SubmitArgs) -> Result<Self, Failure> {
        let paths = ScriptPaths::new(bench)?;
        let pods = match args.engine {
            Some(BenchEngine::Kubernetes) => {
                if let Some(name) = args.export.iter().find(|name| is_secret(name)) {
                    return Err(Failure::usage(format!(
                        "--export {name}: a manifest holds values for everybody to read: put it into a secret of the \
                         cluster's and name that with --secret"
                    )));
                }
                Some(args.kubernetes.terms(&[&paths.bench, &paths.out])?)
            }
            Some(BenchEngine::Local | BenchEngine::Slurm) | None => None,
        };
        Ok(Self {
            program,
            bench,
            args,
            paths,
            pods,
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
                    kubernetes: self.pods.as_ref().map(|pods| pods.place.clone()),
                    cells: cells.iter().map(|cell| cell.submitted.clone()).collect(),
                };
                let attempt = cells.first().map_or(1, |cell| cell.attempt);
                calls.push(self.call(&submission, &array, attempt)?);
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
            fs::write(folder.join(call.file), &call.text).map_err(failed)?;
        }
        submission.write(out)?;
        let mut jobs = Vec::new();
        for (array, call) in submission.arrays.iter().zip(&calls) {
            let job = match self.make(array, call).await {
                Ok(job) => job,
                Err(refused) => return Err(refused_at(out, submission, jobs.len(), &refused)),
            };
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

    /// Makes the job of an array, and says how the cluster calls it.
    async fn make(&self, array: &SubmittedArray, made: &ArrayCall) -> Result<String, RefusedArray> {
        match &made.by {
            CalledBy::Sbatch(arguments) => {
                let answer = call("sbatch", arguments).await;
                let answer = answer.map_err(|error| RefusedArray {
                    may_be_made: error.may_be_done(),
                    said: error.to_string(),
                })?;
                // JOB or JOB;CLUSTER.
                Ok(answer.trim().split(';').next().unwrap_or_default().to_owned())
            }
            CalledBy::Kubernetes(manifest) => {
                let place = array.kubernetes.clone().unwrap_or_default();
                let cluster = Cluster::open(&place).await.map_err(|error| RefusedArray {
                    may_be_made: false,
                    said: error.to_string(),
                })?;
                cluster.create(manifest).await.map_err(|error| RefusedArray {
                    may_be_made: true,
                    said: error.to_string(),
                })?;
                Ok(array.name.clone())
            }
        }
    }

    /// The call for an array, with its script or its manifest.
    fn call(
        &self,
        submission: &Submission,
        array: &SubmittedArray,
        attempt: u32,
    ) -> Result<ArrayCall, Failure> {
        let cells: Vec<String> = array.cells.iter().map(|cell| cell.cell.clone()).collect();
        let options = [
            format!("--attempt={attempt}"),
            format!("--infrastructure-repeats={}", self.args.infrastructure_repeats),
            "--quiet".to_owned(),
        ];
        match &self.pods {
            Some(pods) => self.of_kubernetes(submission, array, pods, &cells, &options),
            None => Ok(self.of_slurm(submission, array, &cells, &options)),
        }
    }

    fn of_kubernetes(
        &self,
        submission: &Submission,
        array: &SubmittedArray,
        pods: &PodTerms,
        cells: &[String],
        options: &[String],
    ) -> Result<ArrayCall, Failure> {
        let mut work = [IN_PODS, "bench", "work", &self.paths.bench]
            .map(str::to_owned)
            .to_vec();
        work.push(format!("--out={}", self.paths.out));
        work.push(format!("--submission={}", submission.number));
        work.extend_from_slice(options);
        let job = IndexedJob {
            name: &array.name,
            bench_label: &job_label(&self.bench.out),
            shape: &array.shape,
            terms: pods,
            grace: self.args.warning,
            at_once: self.args.at_once,
            repeats: self.args.infrastructure_repeats,
            cells,
            work: &work,
            variables: &of_pods(&self.program.settings, &self.args.export),
        };
        let manifest = job
            .manifest()
            .map_err(|error| Failure::usage(error.to_string()))?;
        let text = serde_json::to_string_pretty(&manifest);
        let text = text.map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))?;
        Ok(ArrayCall {
            file: "job.json",
            text: text + "\n",
            by: CalledBy::Kubernetes(manifest),
        })
    }

    /// The call of `sbatch` for an array, and its script.
    fn of_slurm(
        &self,
        submission: &Submission,
        array: &SubmittedArray,
        cells: &[String],
        options: &[String],
    ) -> ArrayCall {
        const SCRIPT: &str = "job.sh";
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
            cells,
            program: &self.paths.program,
            bench: &self.paths.bench,
            out: &self.paths.out,
            options,
            submitted: &submitted,
        };
        ArrayCall {
            file: SCRIPT,
            text: script.text(),
            by: CalledBy::Sbatch(arguments),
        }
    }
}

/// An array that the cluster did not say it took.
struct RefusedArray {
    said: String,
    /// Whether only its answer may have been lost.
    may_be_made: bool,
}

/// The failure of a submission at an array behind `made` others. What was never taken is no submission: it is taken
/// out of what is kept, so that nothing waits for it.
fn refused_at(out: &Path, mut submission: Submission, made: usize, refused: &RefusedArray) -> Failure {
    let all = submission.arrays.len();
    let taken = made + usize::from(refused.may_be_made);
    submission.arrays.truncate(taken);
    let kept = submission.write(out);
    let way_out = match (refused.may_be_made, &kept) {
        (_, Err(error)) => format!("what was refused stays noted as submitted ({})", error.message),
        (true, Ok(())) => "the same command goes on, a minute from now".to_owned(),
        (false, Ok(())) => "the same command submits the others".to_owned(),
    };
    Failure::new(
        Status::Infrastructure,
        format!(
            "{}. Of submission {}, {made} of {all} arrays were handed over; {way_out}",
            refused.said, submission.number
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
