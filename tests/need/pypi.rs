//! Packages of PyPI in an environment of their own.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::need;

/// A Python with releases such as `mcp==2.3.0`, in a folder of a name below `kept`; it is made once, and again
/// where other releases are wanted.
pub fn python(kept: &Path, name: &str, releases: &[&str]) -> Option<PathBuf> {
    once(&kept.join(name), releases, |folder, python| {
        called("python3", &["-m", "venv", "--clear", folder])?;
        called(python, &[&["-m", "pip", "install", "--quiet"], releases].concat())
    })
}

/// The same, by uv, with a Python of a range such as `>=3.12`.
pub fn python_by_uv(kept: &Path, name: &str, range: &str, releases: &[&str]) -> Option<PathBuf> {
    once(&kept.join(name), releases, |folder, python| {
        let mut venv = Command::new("uv");
        // Pyenv hides all but the versions that are named.
        if let Some(versions) = of_pyenv() {
            venv.env("PYENV_VERSION", versions);
        }
        ran(venv.args(["venv", "--quiet", "--clear", "--python", range, folder]))?;
        let words = ["pip", "install", "--quiet", "--python", python];
        called("uv", &[&words, releases].concat())
    })
}

/// Makes a folder with releases, where that was not done yet, and returns its Python.
fn once(
    folder: &Path,
    releases: &[&str],
    install: impl Fn(&str, &str) -> Result<(), String>,
) -> Option<PathBuf> {
    let python = folder.join("bin/python3");
    let made = folder.join("releases");
    let wanted = releases.join("\n");
    if std::fs::read_to_string(&made).is_ok_and(|there| there == wanted) {
        return Some(python);
    }
    let installed = install(&folder.to_string_lossy(), &python.to_string_lossy())
        .and_then(|()| std::fs::write(&made, &wanted).map_err(|error| error.to_string()));
    need(installed.map_err(|why| format!("{} cannot be installed: {why}", releases.join(" "))))?;
    Some(python)
}

/// The versions of Python that pyenv has, as its variable names them.
fn of_pyenv() -> Option<String> {
    let listed = Command::new("pyenv").args(["versions", "--bare"]).output().ok()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    Some(listed.lines().collect::<Vec<_>>().join(":"))
}

fn called(program: &str, words: &[&str]) -> Result<(), String> {
    ran(Command::new(program).args(words))
}

fn ran(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
