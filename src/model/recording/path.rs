//! The path of a recording that is named.

use std::path::{Path, PathBuf};

/// Where `recorded:NAME` is: a file, or a recording of the study.
pub fn recording_path(study: &Path, name: &str) -> PathBuf {
    let file = PathBuf::from(name);
    if name.contains('/') || name.ends_with(".json") {
        file
    } else {
        study.join("recordings").join(format!("{name}.json"))
    }
}
