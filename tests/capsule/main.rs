//! Capsules of our own code over data that others shared, and notebook tasks of our own, attempted at
//! every level, graded, killed and resumed; says 'skipped' where the data or a daemon is lacking.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod attempt;
mod capsule;
mod episodes;
mod grades;
mod hostile;
mod killed;
mod levels;
mod model;
#[path = "../need/mod.rs"]
mod need;
mod notebook_agents;
mod notebook_attempts;
mod notebook_day;
mod notebook_faults;
mod notebook_kills;
mod notebook_make;
mod notebook_place;
mod pins;
mod place;
mod python;
mod r;
mod sandboxes;
#[path = "../docker/served.rs"]
#[allow(dead_code, reason = "the tests of the daemon use the rest")]
mod served;
mod support;
