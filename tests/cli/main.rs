//! The command line, as a user meets it: one file a verb.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod approve;
mod audit;
mod batch;
mod bench;
mod bench_harnesses;
mod bench_judge;
mod bench_limits;
mod bench_results;
mod bench_seeds;
mod bench_slurm;
mod bench_taken_up;
mod bench_verbs;
mod bench_work;
mod budget;
mod by_hand;
mod capsule;
mod capsule_agent;
mod capsule_commands;
mod capsule_environment;
mod capsule_harbor;
mod capsule_harbor_trial;
mod capsule_make;
mod capsule_openenv;
mod capsule_serve;
mod check;
mod check_stats;
mod claim_only;
mod clean;
mod compare;
mod completions;
mod cost;
mod cran_tree;
mod data;
mod dated_run;
#[allow(dead_code, reason = "shared with the tests of the model")]
#[path = "../model/support/dialects.rs"]
mod dialects;
mod doctor;
mod earlier;
mod env;
mod env_cran;
mod env_evidence;
mod env_lock;
mod env_project;
mod env_published;
mod executions;
mod export;
mod extract;
mod fake_slurm;
mod format1;
mod ground;
mod index_server;
mod list;
mod live;
mod look;
mod model;
#[path = "../need/mod.rs"]
mod need;
mod new;
mod no_effect;
mod notebook;
mod old_scripts;
mod preregister;
mod probe;
mod provider;
mod read;
mod real_slurm;
mod record;
mod replay;
mod report;
mod rescue;
mod rescued_run;
mod resume;
mod review;
mod rule;
mod run;
mod run_lock;
mod schema;
mod score;
mod scripted_study;
mod search;
mod secrets;
#[allow(dead_code, reason = "shared with the tests of the model")]
#[path = "../model/support/server.rs"]
mod server;
mod show;
mod support;
mod terminal;
mod track;
mod uplift;
mod variants;
mod verify;
mod web;
mod withheld;
