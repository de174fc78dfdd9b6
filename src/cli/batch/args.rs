//! The arguments of `reprise batch`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::run_options::ChoiceArgs;

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
