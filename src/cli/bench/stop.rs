//! `reprise bench stop`.

use std::collections::BTreeSet;

use clap::Args;
use nix::unistd::geteuid;

use super::opened::{BenchFileArgs, OpenedBench};
use super::slurm::client::call;
use super::slurm::queue::Queue;
use super::submission::{SUBMISSIONS, Submissions, job_prefix};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;

#[derive(Debug, Args)]
#[command(after_help = "\
Cancels the jobs of this bench alone, by their names. What is under way writes down where it is and ends; `reprise bench \
submit` goes on with it. Cells that run in a process of this machine are stopped with that process.

Example:
  reprise bench stop bench.toml")]
pub struct StopArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
}

/// Cancels the jobs of a bench.
///
/// # Errors
/// A cluster that does not do so.
pub async fn stop(printer: Printer, args: &StopArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    let submissions = Submissions::read(&bench.out)?;
    let prefix = job_prefix(&bench.out);
    // A copy of a bench's folder has none of its jobs.
    let own = submissions
        .arrays()
        .filter(|array| array.name.starts_with(&prefix));
    let names: BTreeSet<&str> = own.map(|array| array.name.as_str()).collect();
    for name in &names {
        let arguments = [
            "--quiet".to_owned(),
            format!("--user={}", geteuid()),
            format!("--name={name}"),
        ];
        let cancelled = call("scancel", &arguments).await;
        cancelled.map_err(|error| Failure::new(Status::Infrastructure, error.to_string()))?;
    }
    Queue::forget(&bench.out.join(SUBMISSIONS));
    printer.line(match names.len() {
        0 => "nothing was submitted: there is no job to cancel".to_owned(),
        arrays => format!(
            "cancelled what is left of {arrays} arrays of jobs; `reprise bench status` says what stands where"
        ),
    });
    Ok(Status::Done)
}
