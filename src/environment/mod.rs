//! The environment that an analysis needs: evidence of its time, the packages that its scripts load, and
//! how both were found.
//!
//! Everything here is read and nothing is run: not the scripts, not a hook of a repository, not a
//! build. What cannot be told becomes a question, never a guess that is installed.

pub mod ado_folder;
pub mod copy_day;
pub mod date;
pub mod dated;
pub mod error;
pub mod evidence;
pub mod evidence_files;
pub mod interpreter;
pub mod interpreter_bounds;
pub mod language;
pub mod lock;
pub mod lock_difference;
pub mod lock_draft;
pub mod lock_draft_ado;
pub mod lock_draft_python;
pub mod locked_ado;
pub mod locked_spec;
pub mod made_lock;
pub mod need;
pub mod needs;
pub mod python_index;
pub mod r_archive;
pub mod release_span;
pub mod release_wheels;
pub mod rescue;
pub mod script_kind;
pub mod scripts;
pub mod source_tree;
pub mod survey;
pub mod tables;
