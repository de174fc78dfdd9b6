//! What can be typed behind `reprise score`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub struct ScoreArgs {
    #[command(subcommand)]
    pub what: ScoreVerb,
}

/// What is compared with what.
#[derive(Debug, Subcommand)]
pub enum ScoreVerb {
    /// Score proposed web addresses against a gold set.
    Search(SearchArgs),
    /// Sum up gradings that a judge has written.
    Summary(SummaryArgs),
}

/// How addresses are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchMode {
    /// ReplicatorBench's own rule, which gives its Table 3.
    Compat,
    /// The resource itself: the same address, DOI or record, or a recorded alias.
    Strict,
    /// At which level each prediction and each resource is met.
    Levels,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise score search --gold gold_set.json --predictions merged_gpt-4o.jsonl
  reprise score search --gold gold_set.json --predictions a.jsonl b.jsonl --mode levels --json")]
pub struct SearchArgs {
    /// The gold set: a JSON list of cases.
    #[arg(long)]
    pub gold: PathBuf,
    /// Files of predictions, as JSON lines; a case that comes again is a further run.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
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

/// How gradings are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SummaryMode {
    /// ReplicatorBench's arithmetic, compared with the stored summaries.
    Compat,
    /// Without its accidents; says what changes.
    Corrected,
}

#[derive(Debug, Args)]
#[command(after_help = "\
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
