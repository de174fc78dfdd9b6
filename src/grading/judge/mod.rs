//! Marks by a model, for what no program can compare.
//!
//! What is to be marked follows from the schema and the reference before
//! anything is asked, so that coverage is known. What can be decided without a
//! model is; what a judge does not mark is [`mark::Mark::Unscored`] with its
//! reason, never 0. A repeat sees the fields in another order. Agent text stands in the prompt as JSON without `<`, so it
//! cannot end the fence around it.

pub mod bootstrap;
pub mod converse;
pub mod family;
pub mod form;
pub mod grade;
pub mod grading_file;
pub mod mark;
pub mod meanings;
pub mod order;
pub mod question;
pub mod reading;
pub mod reference;
pub mod sheet;
