//! The arguments of `reprise bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::audit::AuditArgs;
use super::core::CoreArgs;
use super::replicatorbench::ReplicatorBenchArgs;

/// The failures after which cells that are over are run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RetryChoice {
    /// The agent's own, and limits of the cell.
    Failed,
    /// Of the provider, the sandbox or the machine.
    Infrastructure,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "\
A bench file names tasks, agents, settings and repeats; each combination is a cell with a run of its own. The same \
command goes on with what stopped and passes over what is finished; a changed task, prompt, model or setting makes new \
cells and leaves the old ones as they are. Nobody is asked: with `approve = \"ask\"` a cell that needs an answer is \
left waiting (`reprise approve OUT` answers).

A bench file:
  name = \"native against Python\"
  repeats = 3

  [settings]                       # options of `reprise run`, `capsule run` and `notebook run`
  approve = \"auto\"

  [[studies]]
  paths = [\"studies/duncan-1961\"]
  settings.code-mode = [\"python\", \"native\"]    # each value of a list is an arm

  [[capsules]]
  files = [\"capsules/sunspots/task.json\"]
  settings.level = [\"easy\", \"hard\"]

  [[notebooks]]
  files = [\"notebooks/tasks.jsonl\"]
  tasks = [\"degree-days\"]

  [[agents]]
  name = \"gpt-5\"
  settings = { model = \"openai/gpt-5\", effort = \"high\" }

  [limits]                         # of all cells together
  max-cost = 20

Examples:
  reprise bench audit bench.toml
  reprise bench bench.toml --plan
  reprise bench bench.toml --parallel 4
  reprise bench bench.toml --only sunspots --skip hard --json
  reprise bench bench.toml --retry failed")]
pub struct BenchArgs {
    #[command(subcommand)]
    pub verb: Option<BenchVerb>,
    /// The bench file.
    #[arg(required = true)]
    pub file: Option<PathBuf>,
    /// The folder of the bench [default: the file's name without its ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the cells, what stands in their way and what they may take, and run nothing.
    #[arg(long)]
    pub plan: bool,
    /// Only cells whose name holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// No cells whose name holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub skip: Vec<String>,
    /// Run cells again that are over and failed so; earlier attempts stay. May be given again
    #[arg(long, value_enum, value_name = "WHICH")]
    pub retry: Vec<RetryChoice>,
    /// How often a cell is gone on with by itself after the provider, the sandbox or the machine failed.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    pub infrastructure_repeats: u32,
    /// Run cells of quarantined tasks all the same.
    #[arg(long)]
    pub quarantined: bool,
    /// Cells under way at once.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub parallel: u32,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the results as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The verbs beside the running of a bench file; a file of such a name is given as `./audit`.
#[derive(Debug, Subcommand)]
pub enum BenchVerb {
    /// Try graders and tasks with agents that earn nothing and with recorded ones, asking no model.
    Audit(AuditArgs),
    /// Sum up attempts that another harness kept: accuracy, reliability, calibration, saturation.
    Core(CoreArgs),
    /// Lay what released files of ReplicatorBench yield beside the paper's Tables 2, 3 and 5.
    Replicatorbench(ReplicatorBenchArgs),
}
