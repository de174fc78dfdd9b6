//! A run as a Workflow Run RO-Crate (profile 0.5 over RO-Crate 1.1): a folder with its inputs,
//! its outputs and its journal, and `ro-crate-metadata.json`, which says what each is, how it
//! came about, in which environment, and who allowed it.

pub mod contents;
pub mod entities;
pub mod metadata;
