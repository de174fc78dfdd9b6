//! Packages that scripts load: read from their text, which is not run.

pub mod documents;
pub mod findings;
pub mod import_statement;
mod installs;
pub mod other_languages;
pub mod python;
pub mod python_imports;
pub mod python_tokens;
pub mod r;
mod r_calls;
mod r_tokens;
pub mod read;
pub mod spss;
pub mod stata;
