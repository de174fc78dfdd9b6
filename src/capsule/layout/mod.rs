//! Layouts of a capsule: the files that an agent is given, by the level of a task.
//!
//! Easy leaves the authors' results to be read, medium tells how they were made, hard gives code
//! and data alone. Published runners differ in how they lay a capsule out; each is followed to the
//! letter ([`decide`](decide::decide)), but for two things that would grade another's answers: the
//! archive's `report.json`, and copies of removed results that stand elsewhere, are left out.

pub mod decide;
pub mod error;
pub mod laid_out;
pub mod lay_out;
pub mod level;
pub mod reproducing;
mod walk;
