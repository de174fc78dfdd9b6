//! Compiled modules of environments that came without any.
//!
//! They are compiled once for each environment, after its first execution and beside whatever
//! else goes on, by a step that sees the environment read-only and runs none of its code; where many
//! executions follow, these wait for it. Nothing that an execution compiled is ever taken.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use walkdir::WalkDir;

use super::interpreter::PythonInstallation;
use super::policy::Report;
use super::scratch;
use super::shared::Shared;
use super::step::{BuildContext, Step, TEMPORARY};
use crate::domain::digest::Digest;
use crate::sandbox::ownership::open_to_all;
use crate::sandbox::removal;

/// Compiles the modules of one folder into another.
const COMPILE: &str = include_str!("bytecode.py");
/// Says that every module is compiled.
const MARKER: &str = "compiled";
/// How it stands back behind others: so little that those who wait for it do not wait for all else.
const NICENESS: &str = "5";
/// Processes that compile side by side, at most.
const WIDEST: usize = 4;

/// An environment without compiled modules.
#[derive(Debug, Clone)]
pub struct UncompiledEnvironment {
    pub folder: PathBuf,
    pub interpreter: PythonInstallation,
}

impl UncompiledEnvironment {
    /// Compiles in the background, where nobody has and nobody does. What a process that ends has
    /// not come to is left to the next.
    pub fn compile_later(self, shared: &Arc<Shared>) {
        if self.folder.join(MARKER).exists() {
            return;
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // Without compiled modules an environment is slower and nothing else.
            let _ = self.compile(&shared, &CancellationToken::new());
        });
    }

    /// Compiles what is not compiled, or waits for who does.
    ///
    /// # Errors
    /// A folder that cannot be read or written, or a step that fails.
    pub fn compile_and_wait(&self, shared: &Shared, cancel: &CancellationToken) -> io::Result<()> {
        while !cancel.is_cancelled() && !self.folder.join(MARKER).exists() {
            if self.compile(shared, cancel)? {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Compiles what is not compiled; `false` where another process does.
    ///
    /// # Errors
    /// A folder that cannot be read or written, or a step that fails.
    fn compile(&self, shared: &Shared, cancel: &CancellationToken) -> io::Result<bool> {
        let lock = File::create(self.folder.with_extension("bytecode.lock"))?;
        if lock.try_lock().is_err() {
            return Ok(false);
        }
        if self.folder.join(MARKER).exists() {
            return Ok(true);
        }
        // The lock tells that what is there is of a process that is gone.
        let name = format!(
            "bytecode-{}",
            Digest::compute(self.folder.as_os_str().as_encoded_bytes()).short()
        );
        scratch::sweep(&shared.scratch, &name)?;
        let output = self.folder.join("bytecode");
        fs::create_dir_all(&output)?;
        removal::remove(&output.join(TEMPORARY))?;
        let libraries = self.folder.join("venv/lib");
        let modules = fs::read_dir(&libraries)?
            .flatten()
            .map(|entry| entry.path().join("site-packages"))
            .find(|folder| folder.is_dir())
            .ok_or(io::ErrorKind::NotFound)?;
        // What an interrupted process compiled is whole.
        take_in(&output, &modules)?;
        let text = |path: &Path| path.display().to_string();
        let command = [
            "nice",
            "-n",
            NICENESS,
            &text(&self.interpreter.executable),
            // Without `site`, whose files of paths can run code of packages.
            "-I",
            "-S",
            "-c",
            COMPILE,
            &text(&modules),
            &text(&output),
            &thread::available_parallelism()
                .map_or(1, usize::from)
                .min(WIDEST)
                .to_string(),
        ]
        .map(str::to_owned);
        let (lines, _) = mpsc::channel(1);
        let context = BuildContext {
            shared,
            interpreter: &self.interpreter,
            cancel,
            lines: &lines,
            name: &name,
        };
        let ended = context
            .run(&Step {
                command: &command,
                folder: &output,
                cache: None,
                reads: std::slice::from_ref(&modules),
                fetches: None,
            })
            .map_err(|failure| io::Error::other(failure.summary))?;
        if ended.report != Report::Exited(0) {
            return Err(io::Error::other(format!("{:?}", ended.report)));
        }
        take_in(&output, &modules)?;
        removal::remove(&output)?;
        File::create(self.folder.join(MARKER))?;
        Ok(true)
    }
}

/// Moves compiled modules, and nothing else, beside their sources.
fn take_in(output: &Path, modules: &Path) -> io::Result<()> {
    open_to_all(output);
    for entry in WalkDir::new(output).follow_links(false).into_iter().flatten() {
        let path = entry.path();
        let Some(folder) = path.parent().filter(|folder| folder.ends_with("__pycache__")) else {
            continue;
        };
        let Ok(below) = folder.strip_prefix(output) else {
            continue;
        };
        let there = modules.join(below);
        let beside = there.parent().is_some_and(Path::is_dir);
        if !entry.file_type().is_file() || path.extension().is_none_or(|end| end != "pyc") || !beside {
            continue;
        }
        match fs::create_dir(&there) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        if let Some(name) = path.file_name() {
            fs::rename(path, there.join(name))?;
        }
    }
    open_folders(output, modules)
}

/// Opens the new folders to readers, which a narrow mask may have closed.
fn open_folders(output: &Path, modules: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for entry in WalkDir::new(output).follow_links(false).into_iter().flatten() {
        if entry.file_name() == "__pycache__"
            && let Ok(below) = entry.path().strip_prefix(output)
            && modules.join(below).is_dir()
        {
            fs::set_permissions(modules.join(below), fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiled_modules_are_taken_in_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let (output, modules) = (place.path().join("output"), place.path().join("modules"));
        for file in [
            "output/a/__pycache__/b.cpython-311.pyc",
            "output/a/__pycache__/evil.py",
            "output/a/evil.pth",
            "output/evil.pyc",
            "output/nowhere/__pycache__/c.cpython-311.pyc",
            "modules/a/b.py",
        ] {
            let file = place.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "x").unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", output.join("a/__pycache__/link.pyc")).unwrap();
        take_in(&output, &modules).unwrap();
        let mut found: Vec<String> = WalkDir::new(&modules)
            .into_iter()
            .flatten()
            .filter(|entry| !entry.file_type().is_dir())
            .map(|entry| entry.path().strip_prefix(&modules).unwrap().display().to_string())
            .collect();
        found.sort();
        assert_eq!(found, ["a/__pycache__/b.cpython-311.pyc", "a/b.py"]);
    }
}
