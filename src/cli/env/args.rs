//! The command line of `reprise env`.

use std::path::PathBuf;

use clap::Args;
use jiff::civil::Date;

#[derive(Debug, Args)]
#[command(after_help = "\
Nothing of the folder is run. Its date is that of the strongest evidence: a lock, a date that a script asks packages \
of, `sessionInfo()` in a log, a Dockerfile, a note, the newest commit, a date in a script, the newest change of a \
file, the paper's year. `--as-of` stands above all of them.

Examples:
  reprise env STUDY
  reprise env scripts/ --as-of 2019-06-30 --json")]
pub struct EnvArgs {
    /// A study, or any folder with scripts.
    pub folder: PathBuf,
    /// The day of the analysis, such as 2019-06-30, above all evidence.
    #[arg(long, value_name = "DATE")]
    pub as_of: Option<Date>,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}
