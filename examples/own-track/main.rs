//! A program with a track of its own: `reprise`, and tasks whose agents add numbers up.
//!
//!     cargo run --example own-track -- run examples/own-track/task \
//!         --stages-dir examples/own-track/stages --approve auto --model scripted:sums
//!
//! What a track needs is here and in `stages/`: how its tasks are laid out, an environment
//! that stages act in, and a grader. Journal, account, gate, resume, replay and report are
//! the library's.

mod abacus;
mod sums;

use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    reprise::cli::program::main(vec![Arc::new(sums::Sums)])
}
