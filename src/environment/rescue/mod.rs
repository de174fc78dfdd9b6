//! Old code on new interpreters: what its messages mean, and repairs of it.
//!
//! The table is data (`rescue/`): patterns of messages and of scripts, each with its cause, its mend and
//! the risk of that mend to results. `find` holds what a command printed, and its script, against the
//! table; `propose` makes the repairs that are made by rule. All of it is pure.

pub mod document;
pub mod entry;
pub mod exports;
pub mod expression;
pub mod find;
pub mod masked;
pub mod propose;
pub mod read_toml;
pub mod repairs;
pub mod script;
pub mod shim;
pub mod table;
pub mod table_error;
pub mod version;
