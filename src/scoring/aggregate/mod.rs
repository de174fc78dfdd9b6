//! A judge's item scores, summed up by aspect and stage.
//!
//! [`corrected`] leaves out what was not applicable, counts a list once however long
//! it is, refuses files that lack a field or are of another schema, and says what it
//! changed. [`published`] gives ReplicatorBench's own arithmetic, which is in
//! [`super::released::aggregate`], and says what it counted amiss.

pub mod corrected;
pub mod execution;
pub mod few;
pub mod fields;
pub mod grading;
pub mod items;
pub mod origin;
pub mod published;
pub mod schema;
pub mod summary;
