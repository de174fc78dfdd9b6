//! A person in the model's place: forms to fill in, scripts to lay down, and what comes of them.
//!
//! Whatever a person works on are files in the run's folder, so that no editor, terminal or
//! process has to last: a form is taken when it is filled in and fits, and until then the
//! run waits.

pub mod code;
pub mod desk;
pub mod fault;
pub mod files;
pub mod filled_form;
pub mod form;
pub mod person;
