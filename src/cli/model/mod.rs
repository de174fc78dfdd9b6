//! `reprise doctor model`: the models themselves, apart from any run.

pub mod args;
pub mod list;
pub mod test;
pub mod verb;
