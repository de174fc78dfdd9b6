//! The command line of `reprise`.

use std::process::ExitCode;

fn main() -> ExitCode {
    reprise::cli::program::main(Vec::new())
}
