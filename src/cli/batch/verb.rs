//! `reprise batch`: several studies, out of one purse.
//!
//! Each study has a folder of its own below the batch's. What is finished there
//! is passed over, what stopped is resumed, and what is missing is begun, so that
//! the same command goes on with a batch that was interrupted. What earlier
//! processes spent in these folders counts.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::app::commons::Commons;
use crate::cli::asked::ChoiceArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::run;
use crate::settings::Settings;

use super::planned;
use super::row::{self, Row};

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

/// Runs every study of a batch as far as it goes.
pub async fn batch(settings: &Settings, printer: Printer, args: BatchArgs) -> Result<Status, Failure> {
    let caps = args.choice.together()?;
    if caps.seconds.is_some() {
        return Err(Failure::usage(
            "--max-time batch=...: time is counted for each run; cap it with `run=` or for a stage",
        ));
    }
    let commons = Arc::new(Commons::with_caps(caps));
    let planned = planned::plan(settings, &args, &commons).await?;
    let (cancel, watcher) = run::until_stopped();
    let turns = Arc::new(Semaphore::new(args.parallel as usize));
    let mut going = JoinSet::new();
    for (place, one) in planned.into_iter().enumerate() {
        let (settings, commons, cancel) = (settings.clone(), commons.clone(), cancel.clone());
        let (turns, quiet) = (turns.clone(), args.quiet);
        going.spawn(async move {
            let _turn = tokio::select! {
                () = cancel.cancelled() => None,
                turn = turns.acquire_owned() => turn.ok(),
            };
            (
                place,
                one.carry(&settings, printer, &commons, (cancel, quiet)).await,
            )
        });
    }
    let mut rows = Vec::new();
    while let Some(ended) = going.join_next().await {
        rows.push(ended.map_err(|error| {
            Failure::new(
                Status::Infrastructure,
                format!("a run of the batch broke off: {error}"),
            )
        })?);
    }
    watcher.abort();
    rows.sort_by_key(|(place, _)| *place);
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    row::tell(printer, args.json, &rows)?;
    Ok(row::gravest(&rows))
}
