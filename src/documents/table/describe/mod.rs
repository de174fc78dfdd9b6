//! Answers about a table in Markdown, short enough for a model's context.
//!
//! Every answer is bounded in rows and columns, and says what it left out.
//! Values of columns that are likely personal are counted and never shown.

pub mod cells;
pub mod crosstab;
pub mod facts;
pub mod overview;
pub mod variable;
