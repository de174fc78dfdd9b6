//! The command line of `reprise env`.

use std::path::PathBuf;

use clap::Args;
use jiff::civil::Date;

#[derive(Debug, Args)]
#[command(after_help = "\
Nothing of the folder is run. Its date is that of the strongest evidence: a lock, a date that a script asks packages \
of, `sessionInfo()` in a log, a Dockerfile, a note, the newest commit, a date in a script, the newest change of a \
file, the paper's year. `--as-of` stands above all of them.

`--lock FILE` asks the indexes for the versions of that date. The Python index is that of PIP_INDEX_URL; R's archive \
is that of REPRISE_CRAN, in which `{date}` is the day, if each day has an address of its own. R on this \
machine reads it. Of a run's folder, `--lock renv.lock` writes the R packages that the run had installed.

Examples:
  reprise env STUDY
  reprise env scripts/ --as-of 2019-06-30 --json
  reprise env STUDY --lock environment.lock.json
  reprise env runs/RUN --lock renv.lock
  reprise env --diff old.lock.json new.lock.json
  reprise env --diff environment.lock.json runs/RUN")]
pub struct EnvArgs {
    /// A study, or any folder with scripts; with `--lock`, also a run's folder.
    #[arg(required_unless_present = "diff")]
    pub folder: Option<PathBuf>,
    /// The day of the analysis, such as 2019-06-30, above all evidence.
    #[arg(long, value_name = "DATE")]
    pub as_of: Option<Date>,
    /// Ask the indexes for the versions of the date, and write the lock into this file.
    #[arg(long, value_name = "FILE")]
    pub lock: Option<PathBuf>,
    /// The index of Python, in place of PIP_INDEX_URL.
    #[arg(long, value_name = "URL", requires = "lock")]
    pub index: Option<String>,
    /// The archive of R, in place of REPRISE_CRAN; `{date}` in it is the day.
    #[arg(long, value_name = "URL", requires = "lock")]
    pub cran: Option<String>,
    /// A folder of ado-files of Stata's community, or of folders that are named by days, in place of
    /// REPRISE_ADO: those of the date are locked by their digests.
    #[arg(long, value_name = "DIR", requires = "lock")]
    pub ado: Option<PathBuf>,
    /// Compare two locks, or what runs (their folders) had installed; the exit code is 1 where they differ.
    #[arg(long, num_args = 2, value_names = ["FIRST", "SECOND"], conflicts_with_all = ["folder", "as_of", "lock"])]
    pub diff: Option<Vec<PathBuf>>,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}
