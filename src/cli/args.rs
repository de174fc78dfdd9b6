//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::domain::ids::ApprovalId;
use crate::domain::stage::Stage;
use crate::engine::request::SandboxChoice;

use super::asked::ChoiceArgs;
use super::budget::BudgetArgs;
use super::model::args::ModelArgs;
use super::sampling::SamplingArgs;
use super::score::args::ScoreArgs;

/// Replicate a published claim with language-model agents, stage by stage.
#[derive(Debug, Parser)]
#[command(name = "reprise", version, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

const AFTER_HELP: &str = "\
Exit codes: 0 done, whatever the verdict; 1 what was compared differs; 2 usage; 3 study invalid; \
4 stage failed; 5 awaiting approval; 6 limit; 7 infrastructure; 130 interrupted.

Example, with no key and no Docker:
  reprise run studies/duncan-1961 --approve auto";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Carry a study from paper to verdict.
    Run(RunArgs),
    /// Carry several studies from paper to verdict, out of one budget.
    Batch(BatchArgs),
    /// Go on with a run that was stopped.
    Resume(ResumeArgs),
    /// Execute a run's tools and analyses again, without a model, and show what differs.
    Replay(ReplayArgs),
    /// Answer the questions that a run waits on.
    Approve(ApproveArgs),
    /// Show where a run stands.
    Show(ShowArgs),
    /// Say where the tokens, the money and the time of runs went.
    Cost(CostArgs),
    /// Write a run's session into a recording.
    Record(RecordArgs),
    /// Write a run's report.
    Report(ReportArgs),
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
    /// Say whether a study can be run, and what is wrong with it.
    Check(CheckArgs),
    /// Print the JSON Schema of a stage's answer.
    Schema(SchemaArgs),
    /// Try out what a model can do.
    Model(ModelArgs),
    /// Say what this machine can do.
    Doctor(DoctorArgs),
    /// Remove environments and leftovers that reprise made.
    Clean(CleanArgs),
    /// Write the requests that a hand-written recording answers into it.
    #[command(hide = true)]
    Stamp(StampArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise run studies/duncan-1961 --approve auto
  reprise run studies/crime-1993 --code-mode native --approve ask
  reprise run studies/duncan-1961 --model openai/gpt-5 --stages extract..design
  reprise run studies/duncan-1961 --approve policy:approvals.toml --json")]
pub struct RunArgs {
    /// The study's folder.
    pub study: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    /// The run's folder; it must not exist [default: runs/STUDY-SETTING-TIME]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the session into this file, or under this name into the study's
    /// recordings/, for `--model recorded:...`.
    #[arg(long, value_name = "FILE|NAME")]
    pub record: Option<String>,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each study has a folder of its own in --out. The same command goes on with what stopped there and passes \
over what is finished. Nobody is asked: with `--approve ask` a run that needs an answer is left waiting. \
Caps of SCOPE `batch` hold for all runs together, those of earlier calls in the same folder included; \
`run` and the stages hold for each.

Examples:
  reprise batch studies/* --approve auto --out batch
  reprise batch STUDY STUDY --model openai/gpt-5 --approve policy:approvals.toml --max-cost batch=20 --parallel 4")]
pub struct BatchArgs {
    /// The studies' folders.
    #[arg(required = true, value_name = "STUDY")]
    pub studies: Vec<PathBuf>,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    /// The folder of the batch.
    #[arg(long, default_value = "batch", value_name = "DIR")]
    pub out: PathBuf,
    /// Runs under way at once.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub parallel: u32,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the results as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A name that DNS knows, in lower case.
pub fn host_name(text: &str) -> Result<String, String> {
    let host = text.trim_end_matches('.').to_ascii_lowercase();
    let labels = host.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && label
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    });
    if host.contains('.') && labels && host.len() <= 253 {
        Ok(host)
    } else {
        Err("give a host name alone, such as raw.githubusercontent.com".to_owned())
    }
}

/// Bounds of each execution.
#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Seconds that one execution may take.
    #[arg(long, default_value_t = 3600, value_name = "SECONDS", help_heading = "Limits")]
    pub time_limit: u64,
    /// Memory of one execution, in MiB.
    #[arg(long, default_value_t = 4096, value_name = "MIB", help_heading = "Limits")]
    pub memory_limit: u64,
    /// Processes and threads of one execution.
    #[arg(long, default_value_t = 256, value_name = "COUNT", help_heading = "Limits")]
    pub process_limit: u64,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Caps, an effort and a temperature that are given take the place of the run's own.

Examples:
  reprise resume runs/duncan-1961-python-20261121-185700
  reprise resume RUN --max-cost 8")]
pub struct ResumeArgs {
    /// The run's folder.
    pub dir: PathBuf,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Write the session into this file, or under this name into the study's recordings/.
    #[arg(long, value_name = "FILE|NAME")]
    pub record: Option<String>,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise replay runs/duncan-1961-python-20261121-185700 --out /tmp/again")]
pub struct ReplayArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The study's folder, where it has moved.
    #[arg(long)]
    pub study: Option<PathBuf>,
    /// Where the replay is kept [default: a temporary folder that is removed]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Where code runs.
    #[arg(long, value_enum)]
    pub sandbox: Option<SandboxChoice>,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the differences as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise approve RUN                 approve what the run waits on
  reprise approve RUN a2 --deny --reason \"use the 1971 file\"
  reprise approve RUN a3 --answer \"yes, 2009\"")]
pub struct ApproveArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The question [default: every open one]
    pub id: Option<ApprovalId>,
    /// Refuse; without a reason the stage ends as cancelled.
    #[arg(long)]
    pub deny: bool,
    /// Advice to the agent that goes with a refusal.
    #[arg(long, requires = "deny")]
    pub reason: Option<String>,
    /// The answer to a question of the agent's.
    #[arg(long, conflicts_with = "deny")]
    pub answer: Option<String>,
    /// Print the decisions as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise show RUN --json")]
pub struct ShowArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// Print the state as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Tokens are the provider's own count; money is what they cost at the prices of the table of models. \
Working is the time of calls without the waits between attempts.

Examples:
  reprise cost RUN
  reprise cost runs/* --json")]
pub struct CostArgs {
    /// The runs' folders.
    #[arg(required = true, value_name = "RUN")]
    pub dirs: Vec<PathBuf>,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The recording is made from the run's journal, so a run that was killed has one as far as it came.

Example:
  reprise record RUN session.json
  reprise run STUDY --model recorded:./session.json")]
pub struct RecordArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The file, or a name under the study's recordings/.
    #[arg(value_name = "FILE|NAME")]
    pub to: String,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    Html,
    Md,
    Json,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reprise report RUN\n  reprise report RUN --format md --out -")]
pub struct ReportArgs {
    /// The run's folder.
    pub dir: PathBuf,
    #[arg(long, value_enum, default_value_t = ReportFormat::Html)]
    pub format: ReportFormat,
    /// The file to write; `-` prints [default: report.FORMAT in the run's folder]
    #[arg(long)]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Findings are paired by name, then by value; what could be several is left unpaired. Runs that opened
other data or have another N are not comparable, whatever their verdicts.

Exit codes: 0 comparable, with the same verdict and sign; 1 not comparable, not known to be, or
with another verdict or sign; 2 two studies, or a run without results.

Examples:
  reprise compare runs/native runs/python
  reprise compare runs/native runs/python --json
  reprise compare runs/native runs/python --html comparison.html")]
pub struct CompareArgs {
    /// The folder of one run; differences are relative to it.
    #[arg(value_name = "RUN")]
    pub first: PathBuf,
    /// The folder of another run of the same study.
    #[arg(value_name = "RUN")]
    pub second: PathBuf,
    /// Print the comparison as JSON.
    #[arg(long)]
    pub json: bool,
    /// Write a page with a paired plot into this file; `-` prints it.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each quotation, location and number is found, found elsewhere, found altered, found but common, or absent. \
The exit code is 1 where one is absent.

Example:
  reprise ground RUN --json")]
pub struct GroundArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// Print what was found as well.
    #[arg(long)]
    pub all: bool,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Reads PDF, docx, HTML, Jupyter notebooks and text in any encoding.

Examples:
  reprise read paper.pdf
  reprise read scan.pdf --ocr
  reprise read paper.pdf --pictures figures")]
pub struct ReadArgs {
    /// The document.
    pub file: PathBuf,
    /// Give pages that are pictures of text to `tesseract`, where it is installed.
    #[arg(long)]
    pub ocr: bool,
    /// Write the pictures of a PDF into this folder, as PNG files.
    #[arg(long, value_name = "FOLDER")]
    pub pictures: Option<PathBuf>,
    /// Print pages, properties and notes as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Reads csv, tsv, xlsx, xls, ods, dta, sav, zsav, por, rds, RData, mat, json, and each of them compressed; \
parquet, feather and SAS files with --convert. Values that are likely personal are never shown.

Examples:
  reprise data survey.sav
  reprise data survey.sav --variable age
  reprise data survey.sav --crosstab sex vote
  reprise data panel.dta --head 5 --columns 'id, gdp_*'")]
pub struct DataArgs {
    /// The data file.
    pub file: PathBuf,
    /// Describe one variable.
    #[arg(long, value_name = "NAME", group = "question")]
    pub variable: Option<String>,
    /// Count the rows by two variables.
    #[arg(long, num_args = 2, value_names = ["DOWN", "ACROSS"], group = "question")]
    pub crosstab: Vec<String>,
    /// Show the first rows.
    #[arg(long, value_name = "ROWS", group = "question")]
    pub head: Option<usize>,
    /// Means, quartiles and frequent values.
    #[arg(long, group = "question")]
    pub summary: bool,
    /// All labels and missing codes.
    #[arg(long, group = "question")]
    pub codebook: bool,
    /// The columns to show: names between commas, `*` for any characters.
    #[arg(long, value_name = "NAMES")]
    pub columns: Option<String>,
    /// The sheet or data frame, where the file holds several [default: the first]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Let the sandbox's pandas or R convert what is not understood here; pandas is installed once.
    #[arg(long)]
    pub convert: bool,
    /// Print what is known of the columns as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise check studies/duncan-1961")]
pub struct CheckArgs {
    /// The study's folder.
    pub study: PathBuf,
    /// Print the problems as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reprise schema design\n  reprise schema --out schemas")]
pub struct SchemaArgs {
    /// The stage [default: all]
    pub stage: Option<Stage>,
    /// Write one file per schema into this folder.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise doctor --json")]
pub struct DoctorArgs {
    /// Print the findings as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Removes environments and scratch folders from the cache and the containers of runs that are over. \
What a live run uses stays, and so do runs and studies.

Examples:
  reprise clean --dry-run
  reprise clean --images")]
pub struct CleanArgs {
    /// Remove the images, too; the next run that needs one builds it again.
    #[arg(long)]
    pub images: bool,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Print what was removed as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct StampArgs {
    /// The study's folder.
    pub study: PathBuf,
    /// The recordings [default: every one of the study]
    pub names: Vec<String>,
    /// Change nothing; fail when a recording is out of date.
    #[arg(long)]
    pub check: bool,
}
