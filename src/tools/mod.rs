//! Tools of an agent: one file per tool, a registry, and the gate before acting.

pub mod arguments;
pub mod ask_person;
pub mod bash;
pub mod contract;
pub mod conversion;
pub mod cut;
pub mod diff;
pub mod edit_file;
pub mod fetch_page;
pub mod inspect_data;
pub mod list_files;
pub mod locate;
pub mod look;
pub mod look_at_image;
pub mod notebook;
pub mod personal_data;
pub mod read_file;
pub mod readers;
pub mod registry;
pub mod run_analysis;
pub mod search_files;
pub mod submit;
pub mod text_file;
pub mod walk;
pub mod web_search;
pub mod workspace;
pub mod write_file;

#[cfg(test)]
mod fixture;
