//! The arguments of `reprise bench submit`.

use clap::Args;

use super::bench_engine::BenchEngine;
use super::job_environment::variable;
use super::local_run::{LocalArgs, RetryChoice};
use super::opened::BenchFileArgs;
use super::planned_cells::CellChoiceArgs;
use super::slurm::shape::SlurmShape;
use crate::app::process_shared::EXECUTIONS;

#[derive(Debug, Args)]
#[command(after_help = "\
What is neither finished nor at work is submitted, a task of an array of jobs for each cell and an array for each shape; \
what a job lost is found and submitted again by the same command. Each job works on one cell by `reprise bench work`; \
before its time limit it stops in order and goes back into the queue. The folder of the bench, the tasks and this program \
must lie where all nodes see them. [limits] of the file are divided: each cell is allotted a part of what is left, and \
what it did not spend is there for the next submission.

Keys of providers belong into ~/.config/reprise/keys.toml: of the environment, only what says where things are goes along \
(PATH, HOME, proxies, REPRISE_*, PIP_*, UV_*), and nothing whose name speaks of a key. `--export NAME` sends a variable \
all the same; Slurm then keeps its value with the job.

A bench file may say what a cell is given, for all, for an entry or for an agent:
  [slurm]
  time = \"4:00:00\"
  cpus = 2
  memory = \"8G\"

Examples:
  reprise bench submit bench.toml --engine slurm --partition main --time 4:00:00
  reprise bench submit bench.toml --engine slurm --at-once 20 --only sunspots
  reprise bench submit bench.toml --engine slurm --dry-run")]
pub struct SubmitArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
    /// What cells are handed to: local or slurm [default: `engine` of the file]
    #[arg(long)]
    pub engine: Option<BenchEngine>,
    #[command(flatten)]
    pub choice: CellChoiceArgs,
    /// Submit cells again that are over and failed so; earlier attempts stay. May be given again
    #[arg(long, value_enum, value_name = "WHICH")]
    pub retry: Vec<RetryChoice>,
    /// How often a cell is gone on with after the provider, the sandbox or the machine failed, or after it was lost.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    pub infrastructure_repeats: u32,
    #[command(flatten)]
    pub shape: SlurmShape,
    /// Seconds before the time limit at which a job stops in order; Slurm may be a minute early.
    #[arg(long, default_value_t = 120, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=65_535), help_heading = "Slurm")]
    pub warning: u32,
    /// Cells of an array under way at once, or, with `--engine local`, of this process [default: as many as there
    /// is room for, or 2]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub at_once: Option<u32>,
    /// Send a variable of the environment along; may be given again
    #[arg(long, value_name = "NAME", value_parser = variable, help_heading = "Slurm")]
    pub export: Vec<String>,
    /// Print what would be submitted, and submit nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print nothing while it goes, with `--engine local`.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print what was submitted as JSON.
    #[arg(long)]
    pub json: bool,
}

impl SubmitArgs {
    /// The same for this process.
    pub fn local(self) -> LocalArgs {
        LocalArgs {
            file: Some(self.bench.bench),
            out: self.bench.out,
            plan: self.dry_run,
            choice: self.choice,
            retry: self.retry,
            infrastructure_repeats: self.infrastructure_repeats,
            parallel: self.at_once.unwrap_or(2),
            executions: EXECUTIONS,
            events: None,
            quiet: self.quiet,
            json: self.json,
            writes_plan: false,
        }
    }
}
