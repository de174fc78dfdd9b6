//! The command line's verbs and arguments.

use clap::{Parser, Subcommand};

use super::agents::AgentsArgs;
use super::approve::ApproveArgs;
use super::audit::AuditArgs;
use super::batch::args::BatchArgs;
use super::bench::args::BenchArgs;
use super::capsule::args::CapsuleArgs;
use super::check::CheckArgs;
use super::check_stats::CheckStatsArgs;
use super::clean::CleanArgs;
use super::compare::CompareArgs;
use super::completions::CompletionsArgs;
use super::cost::CostArgs;
use super::data::DataArgs;
use super::doctor::DoctorArgs;
use super::env::args::EnvArgs;
use super::export::ExportArgs;
use super::ground::GroundArgs;
use super::list::ListArgs;
use super::manual::ManualArgs;
use super::mcp::args::McpArgs;
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
use super::review::ReviewArgs;
use super::run::RunArgs;
use super::schema::SchemaArgs;
use super::score::args::ScoreArgs;
use super::show::ShowArgs;
use super::uplift::UpliftArgs;
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

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Lay out a study of one's own: paper, data, code and claim.
    New(NewArgs),
    /// Carry a study from paper to verdict.
    Run(RunArgs),
    /// Carry several studies from paper to verdict, out of one budget.
    Batch(BatchArgs),
    /// Carry tasks with agents, settings and repeats, as a file says, to one page of figures.
    Bench(BenchArgs),
    /// Go on with a run that was stopped.
    Resume(ResumeArgs),
    /// Write the plan of a run, before it is carried out, in the form of a preregistration.
    Preregister(PreregisterArgs),
    /// Execute a run's tools and analyses again, without a model, and show what differs.
    Replay(ReplayArgs),
    /// Run a finished run's code again on changed data, to see whether its result comes from them.
    Probe(ProbeRunArgs),
    /// Answer the questions that a run waits on.
    Approve(ApproveArgs),
    /// Hold a run against the signatures of whoever decided in it.
    Verify(VerifyArgs),
    /// List the runs of a folder: where each stands, and what it came to.
    List(ListArgs),
    /// Show where a run stands.
    Show(ShowArgs),
    /// Say where the tokens, the money and the time of runs went.
    Cost(CostArgs),
    /// Write a run's session into a recording.
    Record(RecordArgs),
    /// Write a run's report.
    Report(ReportArgs),
    /// Write runs in the form of another program: Inspect AI, tables, HAL, RO-Crate.
    Export(ExportArgs),
    /// Compare two runs of one study, such as its own script and a translation.
    Compare(CompareArgs),
    /// Look up in the paper what a run extracted from it.
    Ground(GroundArgs),
    /// Print the text of a document, as an agent sees it.
    Read(ReadArgs),
    /// Show what a data set holds.
    Data(DataArgs),
    /// Compare what agents did with references.
    Score(ScoreArgs),
    /// Capsules of CORE-Bench: list, check and grade.
    Capsule(CapsuleArgs),
    /// Serve one run to a client of the Model Context Protocol, which carries it.
    Mcp(Box<McpArgs>),
    /// Notebook tasks of SUPER: list, check, run, grade and export.
    Notebook(NotebookArgs),
    /// Programs of others that can be the agent of an attempt: fetch them, list them, look at their definitions.
    Agents(AgentsArgs),
    /// Say whether a study can be run, and what is wrong with it.
    Check(CheckArgs),
    /// Say of a table of statistics which rows do not fit together.
    CheckStats(CheckStatsArgs),
    /// Say by how much an agent shortens the time that people take.
    Uplift(UpliftArgs),
    /// What failed on the way to a result, and where each reported value comes from.
    Audit(AuditArgs),
    /// What conversations show: where answers come from, what stood in the way, by a judge and by code.
    Review(ReviewArgs),
    /// Say what the scripts of a study or a folder need, of which date, and why.
    Env(EnvArgs),
    /// Say why a script that is older than its interpreter fails, and mend it.
    Rescue(RescueArgs),
    /// Print the JSON Schema of a stage's answer.
    Schema(SchemaArgs),
    /// List models, or try out what one can do.
    Model(ModelArgs),
    /// Say what this machine can do.
    Doctor(DoctorArgs),
    /// Print the script by which a shell completes verbs and options.
    Completions(CompletionsArgs),
    /// Write manual pages.
    Manual(ManualArgs),
    /// Remove environments and leftovers that reprise made.
    Clean(CleanArgs),
    /// Write the requests that a hand-written recording answers into it.
    #[command(hide = true)]
    RefreshRecordings(RefreshRecordingsArgs),
}
