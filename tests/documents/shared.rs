//! The shared data and the Python that the tests of readers are checked against.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::need;

/// A folder of the shared data.
pub fn folder(below: &str) -> Option<PathBuf> {
    need::shared(&format!("data/{below}"))
}

/// Every file below a folder, in a stable order.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect()
}

/// A Python with the oracle's packages, made once below `target`.
pub fn python() -> Option<PathBuf> {
    // The tests run side by side and want the same one.
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = MADE.get_or_init(make_python).clone();
    need::need(made.ok_or("no Python environment for the oracle could be made"))
}

fn make_python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/oracle-venv");
    let python = folder.join("bin/python");
    let ready = folder.join("ready");
    if !ready.exists() {
        let run = |program: &Path, arguments: &[&str]| {
            Command::new(program)
                .args(arguments)
                .status()
                .is_ok_and(|status| status.success())
        };
        let made = run(Path::new("python3"), &["-m", "venv", &folder.to_string_lossy()])
            && run(
                &python,
                &[
                    "-m",
                    "pip",
                    "install",
                    "-q",
                    "pandas",
                    "pyreadstat",
                    "pyreadr",
                    "openpyxl",
                    "python-docx",
                    "xlrd",
                    "odfpy",
                    "pyarrow",
                    "scipy",
                ],
            );
        if !made {
            return None;
        }
        std::fs::write(ready, "").unwrap();
    }
    Some(python)
}
