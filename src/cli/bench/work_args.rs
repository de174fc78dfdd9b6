//! The arguments of `reprise bench work`.

use clap::Args;

use super::opened::BenchFileArgs;

#[derive(Debug, Args)]
#[command(after_help = "\
Works on one cell after the other that can go on, until none is left. Any number of processes may do so, on any machines \
that share the folder: each claims a cell before it works on it, looks whether its machine has what the cell needs, and \
writes below the cell's own folders and nowhere else. `reprise bench plan` writes the cells first and divides [limits] \
among them; each cell keeps to its part, and the next `plan` divides what is left. `reprise bench collect` reads the \
results. Scripts of `reprise bench submit` call this with one cell; ids are those of `--plan`.

Exit codes: those of the runs; 7 if the machine failed one, 130 if a signal stopped one, to be resumed.

Examples:
  reprise bench work DIR                # DIR/bench.toml, with results in DIR/bench
  reprise bench work bench.toml --cell 0a1b2c3d4e5f")]
pub struct WorkArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
    /// The id of a cell that alone is worked on
    #[arg(long, value_name = "ID")]
    pub cell: Option<String>,
    /// The submission that this is part of; a later one of the cell stands above it.
    #[arg(long, value_name = "NUMBER", requires = "cell")]
    pub submission: Option<u32>,
    /// The attempt that is made at the least; earlier ones stay as they are.
    #[arg(long, default_value_t = 1, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub attempt: u32,
    /// How often the cell is gone on with by itself after the provider, the sandbox or the machine failed.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(..=100))]
    pub infrastructure_repeats: u32,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result of the cell as JSON.
    #[arg(long, requires = "cell")]
    pub json: bool,
}
