//! Compiled modules of environments that came without any.
//!
//! They are compiled once for each environment, after its first execution and beside whatever
//! else goes on, by steps that see the environment read-only and run none of its code: first the modules that the
//! execution's script imports, which the next execution finds while the rest is compiled. Where many executions
//! follow, these wait for all. Nothing that an execution compiled is ever taken.

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

/// Whether every module of an environment was compiled behind its making.
pub fn is_compiled(folder: &Path) -> bool {
    folder.join(MARKER).exists()
}

impl UncompiledEnvironment {
    /// Compiles in the background, where nobody has and nobody does, the modules of some names and what they import
    /// first. What a process that ends has not come to is left to the next.
    pub fn compile_later(self, shared: &Arc<Shared>, first: Vec<String>) {
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // Without compiled modules an environment is slower and nothing else.
            let _ = self.compile(&shared, &first, &CancellationToken::new());
        });
    }

    /// Compiles what is not compiled, or waits for who does.
    ///
    /// # Errors
    /// A folder that cannot be read or written, or a step that fails.
    pub fn compile_and_wait(&self, shared: &Shared, cancel: &CancellationToken) -> io::Result<()> {
        while !cancel.is_cancelled() && !is_compiled(&self.folder) {
            if self.compile(shared, &[], cancel)? {
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
    fn compile(&self, shared: &Shared, first: &[String], cancel: &CancellationToken) -> io::Result<bool> {
        let lock = File::create(self.folder.with_extension("bytecode.lock"))?;
        if lock.try_lock().is_err() {
            return Ok(false);
        }
        if is_compiled(&self.folder) {
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
        let libraries = self.folder.join("venv/lib");
        let modules = fs::read_dir(&libraries)?
            .flatten()
            .map(|entry| entry.path().join("site-packages"))
            .find(|folder| folder.is_dir())
            .ok_or(io::ErrorKind::NotFound)?;
        // What an interrupted process compiled is whole.
        take_in(&output, &modules)?;
        let (lines, _) = mpsc::channel(1);
        let compiling = Compiling {
            context: BuildContext {
                shared,
                interpreter: &self.interpreter,
                cancel,
                lines: &lines,
                name: &name,
            },
            output: &output,
            modules: &modules,
        };
        if !first.is_empty() {
            // What it does not come to is compiled with the rest.
            let _ = compiling.compile(first);
        }
        compiling.compile(&[])?;
        removal::remove(&output)?;
        File::create(self.folder.join(MARKER))?;
        Ok(true)
    }
}

/// The modules of an environment, while they are compiled.
struct Compiling<'a> {
    context: BuildContext<'a>,
    output: &'a Path,
    modules: &'a Path,
}

impl Compiling<'_> {
    /// Compiles the modules of some names and what they import, or all where no name is given, and takes them in.
    fn compile(&self, names: &[String]) -> io::Result<()> {
        removal::remove(&self.output.join(TEMPORARY))?;
        let text = |path: &Path| path.display().to_string();
        let command = [
            "nice",
            "-n",
            NICENESS,
            &text(&self.context.interpreter.executable),
            // Without `site`, whose files of paths can run code of packages.
            "-I",
            "-S",
            "-c",
            COMPILE,
            &text(self.modules),
            &text(self.output),
            &thread::available_parallelism()
                .map_or(1, usize::from)
                .min(WIDEST)
                .to_string(),
        ]
        .map(str::to_owned);
        let command: Vec<String> = command.into_iter().chain(names.iter().cloned()).collect();
        let ended = self
            .context
            .run(&Step {
                command: &command,
                folder: self.output,
                cache: None,
                reads: &[self.modules.to_owned()],
                fetches: None,
            })
            .map_err(|failure| io::Error::other(failure.summary))?;
        if ended.report != Report::Exited(0) {
            return Err(io::Error::other(format!("{:?}", ended.report)));
        }
        take_in(self.output, self.modules)
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
    fn modules_of_names_are_compiled_with_what_they_import_and_without_names_all() {
        let Some(()) = crate::need::program("python3", "apt-get install python3") else {
            return;
        };
        let place = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = place.path().join("modules").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write(
            "big/__init__.py",
            "from . import near\nfrom .sub import deep\nimport other.thing as thing\n\
             def later():\n    import unused\n",
        );
        write("big/near.py", "from .. import odd\nimport big\n");
        write("big/idle.py", "");
        write("big/sub/__init__.py", "from ..part import x\n");
        write("big/sub/deep.py", "from big.taken import (a, b)\n");
        write("big/part.py", "x = 1\n");
        write("big/taken/__init__.py", "");
        write("big/taken/a.py", "");
        write("other/__init__.py", "raise SystemExit(1)\n");
        write(
            "other/thing.py",
            "try:\n    import spaced.one\nexcept ImportError:\n    pass\n",
        );
        write("spaced/one.py", "print 'of Python 2'\n");
        write("unused.py", "");
        let compile = |names: &[&str]| {
            let output = place.path().join("output");
            let ended = std::process::Command::new("python3")
                .args(["-I", "-S", "-c", COMPILE])
                .arg(place.path().join("modules"))
                .arg(&output)
                .arg("2")
                .args(names)
                .output()
                .unwrap();
            assert!(ended.status.success(), "{ended:?}");
            let files = WalkDir::new(&output).into_iter().flatten();
            let mut found: Vec<String> = files
                .filter(|entry| entry.path().extension().is_some_and(|end| end == "pyc"))
                .map(|entry| entry.path().strip_prefix(&output).unwrap().display().to_string())
                .map(|file| {
                    file.replace("__pycache__/", "")
                        .split(".cpython")
                        .next()
                        .unwrap()
                        .to_owned()
                })
                .collect();
            found.sort();
            found
        };
        let imported = [
            "big/__init__",
            "big/near",
            "big/part",
            "big/sub/__init__",
            "big/sub/deep",
            "big/taken/__init__",
            "big/taken/a",
            "other/__init__",
            "other/thing",
        ];
        assert_eq!(compile(&["os.path", "absent", "big.absent"]), imported);
        let all: Vec<String> = compile(&[]);
        assert_eq!(all.len(), imported.len() + 2, "{all:?}");
    }

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
