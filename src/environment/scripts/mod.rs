//! Packages that scripts load: read from their text, which is not run.

pub mod documents;
pub mod findings;
pub mod import_statement;
mod installs;
pub mod other_languages;
pub mod package_file;
pub mod python;
pub mod python_imports;
pub mod python_tokens;
pub mod r;
mod r_calls;
mod r_installs;
mod r_snapshots;
mod r_syntax;
mod r_tokens;
mod r_values;
pub mod read;
mod shell;
pub mod spss;
pub mod stata;
mod stata_blocks;
mod stata_macros;
