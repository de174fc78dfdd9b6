//! The arguments of `reprise bench`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
A bench file names tasks, agents, settings and repeats; each combination is a cell with a run of its own. The same \
command goes on with what stopped and passes over what is finished; a changed task, prompt, model or setting makes new \
cells and leaves the old ones as they are. Nobody is asked: with `approve = \"ask\"` a cell that needs an answer is \
left waiting (`reprise approve OUT` answers).

A bench file:
  name = \"native against Python\"
  repeats = 3

  [settings]                       # options of `reprise run` and `reprise capsule run`
  approve = \"auto\"

  [[studies]]
  paths = [\"studies/duncan-1961\"]
  settings.code-mode = [\"python\", \"native\"]    # each value of a list is an arm

  [[capsules]]
  files = [\"capsules/sunspots/task.json\"]
  settings.level = [\"easy\", \"hard\"]

  [[agents]]
  name = \"gpt-5\"
  settings = { model = \"openai/gpt-5\", effort = \"high\" }

  [limits]                         # of all cells together
  max-cost = 20

Examples:
  reprise bench bench.toml --plan
  reprise bench bench.toml --parallel 4
  reprise bench bench.toml --only sunspots --json")]
pub struct BenchArgs {
    /// The bench file.
    pub file: PathBuf,
    /// The folder of the bench [default: the file's name without its ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print the cells and what stands in their way, and run nothing.
    #[arg(long)]
    pub plan: bool,
    /// Only cells whose name holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Cells under way at once.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub parallel: u32,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the results as JSON.
    #[arg(long)]
    pub json: bool,
}
