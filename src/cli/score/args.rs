//! The arguments of `reprise score`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::audit::AuditArgs;
use crate::cli::exit::Failure;
use crate::cli::judge_args::JudgeArgs;
use crate::cli::review::ReviewArgs;
use crate::cli::uplift::UpliftArgs;
use crate::grading::scored_run::grading_request::GradingRequest;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  reprise score RUN                                   what code decides
  reprise score RUN --judge openai/gpt-5              and what a judge says, beside the earlier ones
  reprise score RUN --drop-judge openai/gpt-5         without that judge
  reprise score runs --judge anthropic/claude-sonnet-4-5 --judge openai/gpt-5 --html scores.html
  reprise score search --gold gold_set.json --predictions merged_gpt-4o.jsonl"
)]
pub struct ScoreArgs {
    #[command(subcommand)]
    pub what: Option<ScoreVerb>,
    #[command(flatten)]
    pub runs: RunsArgs,
}

/// The marks of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DesignScale {
    /// 0 or 3, as the paper marks plans.
    Binary,
    /// 0 to 3.
    Graded,
}

#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Runs, or folders that hold some, at most four folders deep.
    #[arg(required = true)]
    pub dirs: Vec<PathBuf>,
    /// A model that grades, or `recorded:FILE`; several are compared with one another.
    #[arg(long, value_name = "MODEL")]
    pub judge: Vec<String>,
    /// How often each judge grades the same, each time with the fields in another order. The median
    /// counts; of an even number that is the mean of the middle two, so take an odd one.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=25))]
    pub repeats: u32,
    /// The marks of a plan; scores by one scale are never averaged with those by the other.
    #[arg(long, value_enum, default_value_t = DesignScale::Binary)]
    pub design_scale: DesignScale,
    /// Do not have the judge grade a document that says nothing, nor the references against one
    /// another: without floors and ceilings.
    #[arg(long)]
    pub no_baselines: bool,
    /// Leave out what this judge has said before; its files stay in evals/.
    #[arg(long, value_name = "MODEL")]
    pub drop_judge: Vec<String>,
    #[command(flatten)]
    pub asking: JudgeArgs,
    /// A folder whose rubrics take the place of the built-in ones: a whole set, laid out as `rubrics/`.
    #[arg(long, value_name = "FOLDER")]
    pub rubrics_dir: Option<PathBuf>,
    /// Score all runs that are found, however many, without a question.
    #[arg(long)]
    pub yes: bool,
    /// Where the page goes [default: scores.html in the run's folder, or in the one folder of runs]
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print the scores as JSON.
    #[arg(long)]
    pub json: bool,
}

impl RunsArgs {
    /// How each run is graded.
    ///
    /// # Errors
    /// A judge that is both asked and left out, or an amount of money that is none.
    pub fn grading(&self) -> Result<GradingRequest, Failure> {
        if let Some(both) = self.judge.iter().find(|judge| self.drop_judge.contains(judge)) {
            return Err(Failure::usage(format!(
                "{both} is to grade and to be left out: give it either with --judge or with --drop-judge"
            )));
        }
        Ok(GradingRequest {
            judges: self.judge.clone(),
            dropped: self.drop_judge.clone(),
            repeats: self.repeats,
            seed: self.asking.judge_seed,
            temperature: self.asking.judge_temperature,
            graded_design: self.design_scale == DesignScale::Graded,
            baselines: !self.no_baselines,
            caps: self.asking.caps()?,
        })
    }
}

/// The verbs of `reprise score`.
#[derive(Debug, Subcommand)]
pub enum ScoreVerb {
    /// Score proposed web addresses against a gold set.
    Search(SearchArgs),
    /// Sum up gradings that a judge has written.
    Summary(SummaryArgs),
    /// Count failures by class, in runs and in released logs.
    Failures(FailuresArgs),
    /// Compare verdicts with labels, beside the majority baseline.
    Outcome(OutcomeArgs),
    /// Say how far two gradings agree.
    Agreement(AgreementArgs),
    /// Print the fields that judges have marked as a table for a person's marks.
    Sheet(SheetArgs),
    /// List what failed on the way to a result, and where each reported value comes from.
    Audit(AuditArgs),
    /// Review conversations by a judge and by code: where answers come from, and what was in the way.
    Review(ReviewArgs),
    /// Estimate by how much an agent shortens the time that people take.
    Uplift(UpliftArgs),
}

/// The rule by which addresses are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchMode {
    /// ReplicatorBench's own rule, which gives its Table 3. A case that a run does
    /// not have is left out of its averages.
    Compat,
    /// The resource itself: the same address, DOI or record, or a recorded alias. A
    /// case that a run does not have counts as one with nothing found.
    Strict,
    /// At which level each prediction and each resource is met.
    Levels,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise score search --gold gold_set.json --predictions merged_gpt-4o.jsonl
  reprise score search --gold gold_set.json --predictions a.jsonl b.jsonl --mode levels --json
  reprise score search --gold own.json --predictions runs/duncan-1961 --mode strict")]
pub struct SearchArgs {
    /// The gold set: a JSON list of cases.
    #[arg(long)]
    pub gold: PathBuf,
    /// Files of predictions, as JSON lines, or folders of them; a case that comes
    /// again is a further run. A run, or its search_results.json, is a prediction of
    /// the case that is called as its study.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE|DIR")]
    pub predictions: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t = SearchMode::Compat)]
    pub mode: SearchMode,
    /// Addresses that a person has recorded as a resource, as a JSON list.
    #[arg(long)]
    pub aliases: Option<PathBuf>,
    /// Print the scores as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The arithmetic that sums gradings up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SummaryMode {
    /// ReplicatorBench's arithmetic, compared with the stored summaries.
    Compat,
    /// Without its accidents; says what changes.
    Corrected,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 done; 1 a summary that is stored beside its gradings (`eval_summary.json`) differs from them.

Examples:
  reprise score summary results/python/1/gpt-5
  reprise score summary results --mode corrected --json")]
pub struct SummaryArgs {
    /// A folder with gradings, in it or below it.
    pub dir: PathBuf,
    #[arg(long, value_enum, default_value_t = SummaryMode::Compat)]
    pub mode: SummaryMode,
    /// Print the summaries as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The reading of released logs; runs are counted by their recorded causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailuresMode {
    /// By the keywords that give ReplicatorBench's Table 5.
    Compat,
    /// Every tool result of either style of log, by the kind of its error.
    Corrected,
}

/// The rows of a table of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailuresBy {
    /// One a model, as Table 5 of the paper.
    Model,
    /// One a run or log.
    Source,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise score failures runs
  reprise score failures results/python --mode corrected
  reprise score failures results/python results/native --by source")]
pub struct FailuresArgs {
    /// Runs, logs, or folders that hold some.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t = FailuresMode::Compat)]
    pub mode: FailuresMode,
    /// The rows of the table; JSON has both.
    #[arg(long, value_enum, default_value_t = FailuresBy::Model)]
    pub by: FailuresBy,
    /// Print the counts as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise score outcome runs
  reprise score outcome results/python
  reprise score outcome results/python --labels labels.json
  reprise score outcome answers.json --labels labels.json --json")]
pub struct OutcomeArgs {
    /// Runs, folders that hold some, released results, or a JSON list of
    /// `{study, model, answer}`.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// A JSON object from study to `met`, `unmet` or `mixed` [default: the labels of the runs' studies,
    /// and of ReplicatorBench's studies those that are shipped]
    #[arg(long)]
    pub labels: Option<PathBuf>,
    /// Print the scores as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise score agreement mine.csv theirs.csv
  reprise score agreement evals/gpt-4o mine.csv
  reprise score agreement results mine.csv --judges gpt-4o
  reprise score agreement evals/gpt-4o evals/gpt-5
  reprise score agreement results --judges gpt-4o,gpt-5 --studies data/original --html judges.html")]
pub struct AgreementArgs {
    /// Two gradings: a person's table (CSV or TSV with paper, field, score, and where it matters
    /// stage and run; `reprise score sheet` prints an empty one), a judge's JSON, a folder of
    /// these; or one folder of runs with --judges. Name whoever is right second.
    #[arg(required = true, num_args = 1..=2)]
    pub gradings: Vec<PathBuf>,
    /// The two judges whose gradings below one folder are compared, or the one that is compared
    /// with a person's table.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub judges: Vec<String>,
    /// Studies with references: adds the lexical judge (ROUGE-L) as a column.
    #[arg(long, requires = "judges")]
    pub studies: Option<PathBuf>,
    /// The highest mark of tables that name no stage [default: 1 if no mark is higher, else 3]
    #[arg(long, value_name = "MARK", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub highest: Option<u8>,
    /// Resamples of the intervals.
    #[arg(long, default_value_t = 2000)]
    pub resamples: usize,
    /// Seed of the resampling.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Writes the measures and the confusion tables as a page, too.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print the measures as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise score sheet runs > mine.csv                 to be filled in: 0 to 3, of checkpoints 0 or 1, or NA
  reprise score sheet runs --marks openai/gpt-5       with that judge's marks
  reprise score agreement runs mine.csv --judges openai/gpt-5")]
pub struct SheetArgs {
    /// A folder with runs that were graded, or with released gradings.
    pub dir: PathBuf,
    /// Whose marks stand in it [default: nobody's]
    #[arg(long, value_name = "JUDGE")]
    pub marks: Option<String>,
}
