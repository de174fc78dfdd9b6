//! A study on disk: its layouts, its claim, its data and code, and the references no agent may see.
//!
//! [`open`] reads a folder into a [`open::Study`], which holds only what an
//! agent may know; [`gold`] opens the references as a type of their own,
//! and [`copy`] keeps what reports read of a study with the run.
//! [`stage`] copies a study into a workspace and never writes to the study;
//! [`draft`] lays a new one out.

pub mod archives;
pub mod check;
pub mod claim;
pub mod copy;
pub mod draft;
pub mod error;
pub mod gold;
pub mod kind;
pub mod layout;
pub mod manifest;
mod manifest_faults;
pub mod mend;
pub mod open;
pub mod reference;
mod sniff;
pub mod stage;
pub mod task_file;
pub mod walk;
