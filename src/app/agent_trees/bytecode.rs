//! Compiled modules of an agent that is Python packages.
//!
//! Its folder is read-only to every session, so that Python would compile all modules anew with each start.

use std::path::Path;
use std::process::{Command, Stdio};

use super::error::AgentTreeError;

/// Compiles the modules of a folder.
const COMPILE: &str = include_str!("bytecode.py");
/// Prints the release of a Python, and its whole version.
const RELEASE: &str = "import sys; v = sys.version_info; print(f'{v[0]}.{v[1]}', f'{v[0]}.{v[1]}.{v[2]}')";
/// The folder that modules are named by in tracebacks, as a session in a container sees it.
const SHOWN: &str = "/agent";
/// Processes that compile side by side, at most.
const WIDEST: usize = 4;

/// Modules that were compiled.
pub(super) struct CompiledModules {
    /// The version of the Python that compiled them.
    pub python: String,
    /// Files.
    pub count: u64,
    pub bytes: u64,
}

/// Compiles the modules below a folder by a Python of a release that is on this machine; `None` where there is none.
///
/// # Errors
/// A Python that ends with a failure.
pub(super) fn compile(files: &Path, release: &str) -> Result<Option<CompiledModules>, AgentTreeError> {
    let candidates = [format!("python{release}"), "python3".to_owned()];
    let found = candidates.iter().find_map(|name| {
        let version = version(name, release)?;
        Some((name, version))
    });
    let Some((program, python)) = found else {
        return Ok(None);
    };
    let workers = std::thread::available_parallelism().map_or(1, |number| number.get().min(WIDEST));
    let output = isolated(program, COMPILE)
        .arg(files)
        .args([SHOWN, &workers.to_string()])
        .output()
        .map_err(AgentTreeError::disk(files))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let mut numbers = printed.split_whitespace().map(str::parse::<u64>);
    match (output.status.success(), numbers.next(), numbers.next()) {
        (true, Some(Ok(count)), Some(Ok(bytes))) => Ok(Some(CompiledModules { python, count, bytes })),
        _ => Err(AgentTreeError::Compilation {
            python,
            why: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        }),
    }
}

/// The whole version of a Python, where it is of a release.
fn version(program: &str, release: &str) -> Option<String> {
    let output = isolated(program, RELEASE).output().ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    let (of, version) = printed.trim().split_once(' ')?;
    (of == release).then(|| version.to_owned())
}

/// A Python that reads neither the user's variables nor installed packages.
fn isolated(program: &str, code: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["-I", "-S", "-c", code]).stdin(Stdio::null());
    command
}
