//! `reprise` carries a published claim through the stages of a replication and
//! scores every checkpoint.
//!
//! A run is a fold over its journal: every effect is an event, state is a pure
//! fold, and what to do next is a pure function of state. See `ARCHITECTURE.md`.

pub mod agent;
pub mod analysis;
pub mod app;
pub mod artifacts;
pub mod catalog;
pub mod cli;
pub mod documents;
pub mod domain;
pub mod effects;
pub mod engine;
pub mod journal;
pub mod model;
pub mod network;
pub mod policy;
pub mod report;
pub mod run;
pub mod sandbox;
pub mod scoring;
pub mod settings;
pub mod statistics;
pub mod study;
pub mod tools;
pub mod verdict;
