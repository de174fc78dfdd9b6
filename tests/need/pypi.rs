//! Packages of PyPI in an environment of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::need;

/// A Python with releases such as `mcp==2.3.0`, in a folder of a name below `kept`; it is made once, and again
/// where other releases are wanted.
pub fn python(kept: &Path, name: &str, releases: &[&str]) -> Option<PathBuf> {
    let folder = kept.join(name);
    let python = folder.join("bin/python3");
    let made = folder.join("releases");
    if std::fs::read_to_string(&made).is_ok_and(|there| there == releases.join("\n")) {
        return Some(python);
    }
    let install = || -> Result<(), String> {
        called("python3", &["-m", "venv", "--clear", &folder.to_string_lossy()])?;
        let program = python.to_string_lossy().into_owned();
        called(
            &program,
            &[&["-m", "pip", "install", "--quiet"], releases].concat(),
        )?;
        std::fs::write(&made, releases.join("\n")).map_err(|error| error.to_string())
    };
    need(install().map_err(|why| format!("{} cannot be installed: {why}", releases.join(" "))))?;
    Some(python)
}

fn called(program: &str, words: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(words).output();
    let output = output.map_err(|error| format!("{program} {words:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
