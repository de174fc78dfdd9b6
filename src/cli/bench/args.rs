//! The arguments of `reprise bench`.

use clap::{Args, Subcommand};

use super::approvals::ApprovalsArgs;
use super::audit::AuditArgs;
use super::collect::CollectArgs;
use super::compare::CompareArgs;
use super::core::CoreArgs;
use super::local_run::LocalArgs;
use super::merge::MergeArgs;
use super::prepare::PrepareArgs;
use super::publish::PublishArgs;
use super::replicatorbench::ReplicatorBenchArgs;
use super::report::BenchReportArgs;
use super::status::StatusArgs;
use super::stop::StopArgs;
use super::submit_args::SubmitArgs;
use super::work_args::WorkArgs;

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
  reprise bench prepare bench.toml
  reprise bench bench.toml --plan
  reprise bench bench.toml --parallel 4
  reprise bench bench.toml --only sunspots --skip hard --json
  reprise bench bench.toml --retry failed
  reprise bench submit bench.toml --engine slurm --time 4:00:00
  reprise bench status bench.toml
  reprise bench collect bench.toml")]
pub struct BenchArgs {
    #[command(subcommand)]
    pub verb: Option<BenchVerb>,
    #[command(flatten)]
    pub local: LocalArgs,
}

/// The verbs beside the running of a bench file; a file of such a name is given as `./audit`.
#[derive(Debug, Subcommand)]
pub enum BenchVerb {
    /// Try graders and tasks with agents that earn nothing and with recorded ones, asking no model.
    Audit(AuditArgs),
    /// Compare two benches task by task: the difference, its interval, an exact test.
    Compare(CompareArgs),
    /// Make one bench of several.
    Merge(MergeArgs),
    /// Write what of a bench may be shown, with README and citation file.
    Publish(PublishArgs),
    /// Sum up attempts that another harness kept: accuracy, reliability, calibration, saturation.
    Core(CoreArgs),
    /// Write the cells, and say what stands in their way and what they may take; run nothing.
    Plan(Box<LocalArgs>),
    /// Make the environments that cells need, as far as they are known before the cells run.
    Prepare(PrepareArgs),
    /// List what cells wait for, and answer it for all of them in one go.
    Approvals(Box<ApprovalsArgs>),
    /// Hand cells to a cluster, or run them here.
    Submit(Box<SubmitArgs>),
    /// Say where each cell stands.
    Status(StatusArgs),
    /// Cancel the jobs of a bench: what is under way stops in order, and can go on.
    Stop(StopArgs),
    /// Read what the runs came to into the results and the page.
    Collect(CollectArgs),
    /// Write the page anew from what is known of the cells, without opening any run.
    Report(BenchReportArgs),
    /// Run the cells that can go on, beside other machines that share the folder; or one of them.
    Work(WorkArgs),
    /// Lay what released files of ReplicatorBench yield beside the paper's Tables 2, 3 and 5.
    Replicatorbench(ReplicatorBenchArgs),
}
