//! Files that tell of an analysis's time and software: locks, logs, notes, repositories.

pub mod conda;
pub mod conda_file;
pub mod deposit;
pub mod description;
pub mod dockerfile;
pub mod front_matter;
pub mod git;
pub mod included;
pub mod listed;
pub mod lock_markers;
pub mod lock_ways;
pub mod project_groups;
pub mod prose;
pub mod pyproject;
pub mod python_span;
pub mod read;
pub mod renv_lock;
pub mod requirements;
pub mod script_block;
pub mod shown_line;
pub mod texts;
pub mod toml_locks;
pub mod unread;
pub mod version_files;
pub mod written_dates;

/// Each pin as `name|version|bounds`.
#[cfg(test)]
fn shown_pins(found: &crate::environment::evidence::FoundEvidence) -> Vec<String> {
    let pins = found.pins.iter();
    pins.map(|pin| {
        let version = pin.version.as_deref().unwrap_or("");
        format!("{}|{version}|{}", pin.name, pin.bounds.as_deref().unwrap_or(""))
    })
    .collect()
}
