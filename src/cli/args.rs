//! The command line's verbs and arguments.

use clap::{Parser, Subcommand};

use super::agents::AgentsArgs;
use super::approve::ApproveArgs;
use super::bench::args::BenchArgs;
use super::capsule::args::CapsuleArgs;
use super::check::CheckArgs;
use super::check_stats::CheckStatsArgs;
use super::clean::CleanArgs;
use super::compare::CompareArgs;
use super::completions::CompletionsArgs;
use super::cost::CostArgs;
use super::doctor::DoctorArgs;
use super::env::args::EnvArgs;
use super::export::ExportArgs;
use super::ground::GroundArgs;
use super::list::ListArgs;
use super::manual::ManualArgs;
use super::model::args::ModelArgs;
use super::new::NewArgs;
use super::notebook::args::NotebookArgs;
use super::preregister::PreregisterArgs;
use super::probe_run::ProbeRunArgs;
use super::read::ReadArgs;
use super::record::RecordArgs;
use super::refresh_recordings::RefreshRecordingsArgs;
use super::replay::ReplayArgs;
use super::report::ReportArgs;
use super::rescue::RescueArgs;
use super::resume::ResumeArgs;
use super::run::RunArgs;
use super::schema::SchemaArgs;
use super::score::args::ScoreArgs;
use super::show::ShowArgs;
use super::verb_or_sub::VerbOrSub;
use super::verify::VerifyArgs;

/// Replicate a published claim with language-model agents, stage by stage.
#[derive(Debug, Parser)]
#[command(name = "reprise", version, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, whatever the verdict; 1 what was compared differs; 2 usage; 3 study invalid; \
4 stage failed; 5 awaiting approval; 6 limit; 7 infrastructure; 8 not verified; \
130 interrupted.

Example, with no key and no Docker:
  reprise run studies/duncan-1961 --approve auto";

/// The verbs, in the groups of [`super::help`].
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Create a study folder from your own paper, data, code and claim.
    New(NewArgs),
    /// Check whether a study can be run, and list its problems.
    Check(VerbOrSub<CheckArgs, CheckVerb>),
    /// Replicate a study, from paper to verdict.
    Run(Box<RunArgs>),
    /// Continue a run that was stopped.
    Resume(ResumeArgs),
    /// Answer the questions that a run waits for.
    Approve(ApproveArgs),
    /// Write the plan of a run as a preregistration, before it is carried out.
    Preregister(PreregisterArgs),
    /// List the runs in a folder, with their state and result.
    List(ListArgs),
    /// Show the state of a run, its cost or its signatures.
    Show(VerbOrSub<ShowArgs, ShowVerb>),
    /// Write the report of a run.
    Report(VerbOrSub<ReportArgs, ReportVerb>),
    /// Compare two runs of one study, such as its own script and a translation.
    Compare(CompareArgs),
    /// Execute a run again without a model, and show what differs.
    Replay(VerbOrSub<ReplayArgs, ReplayVerb>),
    /// Export runs in other formats: Inspect AI, tables, HAL, RO-Crate.
    Export(ExportArgs),
    /// Score the results of agents against references.
    Score(ScoreArgs),
    /// Run tasks with several agents, settings and repeats, and sum up the figures.
    Bench(BenchArgs),
    /// Run and grade capsules of CORE-Bench.
    Capsule(CapsuleArgs),
    /// Run and grade notebook tasks of SUPER.
    Notebook(NotebookArgs),
    /// Fetch and check third-party agents, or serve a run to a client.
    Agents(AgentsArgs),
    /// Find the packages and versions that scripts need, and their date.
    Env(VerbOrSub<EnvArgs, EnvVerb>),
    /// Show the text of a document, or the contents of a data set.
    Read(ReadArgs),
    /// Check this machine, its keys and its models.
    Doctor(VerbOrSub<DoctorArgs, DoctorVerb>),
    /// Remove environments and leftovers that reprise made.
    Clean(CleanArgs),
}

/// The sub-verbs of `reprise check`.
#[derive(Debug, Subcommand)]
pub enum CheckVerb {
    /// Find the rows of a table of statistics whose numbers do not fit together.
    Stats(CheckStatsArgs),
}

/// The sub-verbs of `reprise show`.
#[derive(Debug, Subcommand)]
pub enum ShowVerb {
    /// Show how many tokens, how much money and how much time runs took.
    Cost(CostArgs),
    /// Check a run against the signatures of the people who decided in it.
    Verify(VerifyArgs),
}

/// The sub-verbs of `reprise report`.
#[derive(Debug, Subcommand)]
pub enum ReportVerb {
    /// Find in the paper what a run extracted from it.
    Ground(GroundArgs),
}

/// The sub-verbs of `reprise replay`.
#[derive(Debug, Subcommand)]
pub enum ReplayVerb {
    /// Run a finished run's code again on changed data, to see whether its result comes from them.
    Probe(ProbeRunArgs),
    /// Write a run's session into a recording.
    Record(RecordArgs),
    /// Write the requests that a hand-written recording answers into it.
    #[command(hide = true)]
    Refresh(RefreshRecordingsArgs),
}

/// The sub-verbs of `reprise env`.
#[derive(Debug, Subcommand)]
pub enum EnvVerb {
    /// Find out why a script that is older than its interpreter fails, and repair it.
    Rescue(RescueArgs),
}

/// The sub-verbs of `reprise doctor`.
#[derive(Debug, Subcommand)]
pub enum DoctorVerb {
    /// List models, or try out what one can do.
    Model(ModelArgs),
    /// Print the JSON Schema of a stage's answer.
    Schema(SchemaArgs),
    /// Print the script that completes verbs and options in a shell.
    Completions(CompletionsArgs),
    /// Write manual pages.
    Manual(ManualArgs),
}
