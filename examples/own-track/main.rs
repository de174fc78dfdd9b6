//! A program with tracks of its own: `reprise`, and tasks about a list of numbers.
//!
//!     cargo run --example own-track -- run examples/own-track/task \
//!         --stages-dir examples/own-track/stages --approve auto --model scripted:sums
//!     cargo run --example own-track -- run examples/own-track/mean-task \
//!         --stages-dir examples/own-track/stages --approve auto --model scripted:means
//!
//! What a track needs is here and in `stages/`: the staging of its tasks, and the environment
//! and the grader that its definition chooses by their names. Agents of the track `sums` act
//! in an environment of their own, an abacus; those of `means` have the library's, in which
//! scripts are executed one by one. Journal, account, gate, sandbox, resume, replay and
//! report are the library's.

mod abacus;
mod exact;
mod numbers;

use std::process::ExitCode;
use std::sync::Arc;

use reprise::effects::track_parts::TrackParts;

use crate::abacus::Abacus;
use crate::exact::Exact;
use crate::numbers::Numbers;

fn main() -> ExitCode {
    let sums = TrackParts {
        track: "sums".to_owned(),
        staging: Arc::new(Numbers),
        environments: vec![Arc::new(Abacus)],
        graders: vec![Arc::new(Exact {
            name: "exact-sum",
            key: "sum",
            stages: &["count", "answer"],
        })],
    };
    let means = TrackParts {
        track: "means".to_owned(),
        staging: Arc::new(Numbers),
        environments: Vec::new(),
        graders: vec![Arc::new(Exact {
            name: "exact-mean",
            key: "mean",
            stages: &["measure"],
        })],
    };
    reprise::cli::program::main(vec![sums, means])
}
