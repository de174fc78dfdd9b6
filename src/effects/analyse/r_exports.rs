//! The question to the sandbox's R, which of its packages export a name.

use std::collections::BTreeMap;
use std::fs;

use tokio_util::sync::CancellationToken;

use crate::domain::rescue::ExportedName;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::probe::scratch::Scratch;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::sandbox::contract::{Execution, Sandbox};

use super::command;

const PROGRAM: &str = include_str!("../../../helpers/r_exports.R");
/// The program's file in a workspace of its own.
const FILE: &str = "r_exports.R";
/// Seconds that the question may take; a library of 1,000 packages takes three.
const SECONDS: u64 = 300;
/// Bytes of the answer that are read, packages a name that are kept, and letters of a package's name.
const ANSWER: u64 = 64 << 10;
const PACKAGES: usize = 60;
const LETTERS: usize = 60;

/// Asks, in the confinement of the command that failed, for its environment's R. `None` where R gave
/// no answer: whoever asked goes by the table alone.
///
/// # Errors
/// A folder for the question that cannot be made.
pub async fn ask(
    folder: &RunFolder,
    sandbox: &dyn Sandbox,
    failed: &Execution,
    names: &[String],
    cancel: &CancellationToken,
) -> Result<Option<Vec<ExportedName>>, EngineError> {
    let scratch = Scratch::make(folder.streams().join("r-exports"))?;
    let write = |path: &std::path::Path, made: std::io::Result<()>| {
        made.map_err(|error| EngineError::io(path, error))
    };
    for name in [WorkspacePath::WORK, WorkspacePath::DATA] {
        let inside = scratch.path().join(name);
        write(&inside, fs::create_dir_all(&inside))?;
    }
    let program = scratch.path().join(FILE);
    write(&program, fs::write(&program, PROGRAM))?;
    let work = command::work()?;
    let mut question = Execution {
        command: ["Rscript", "--vanilla", &format!("../{FILE}")]
            .into_iter()
            .map(str::to_owned)
            .chain(names.iter().cloned())
            .collect(),
        workspace: scratch.path().to_owned(),
        directory: work.clone(),
        writable: vec![work],
        watched: Vec::new(),
        variables: BTreeMap::new(),
        hosts: Vec::new(),
        lasting: false,
        stdout: folder.streams().join("r-exports.stdout"),
        stderr: folder.streams().join("r-exports.stderr"),
        ..failed.clone()
    };
    question.limits.seconds = question.limits.seconds.min(SECONDS);
    question.limits.output = question.limits.output.min(ANSWER);
    let ended = sandbox.execute(&question, cancel).await;
    if !ended.is_ok_and(|ended| ended.ending.ok()) {
        return Ok(None);
    }
    let printed = fs::read(&question.stdout).unwrap_or_default();
    Ok(Some(answers(names, &String::from_utf8_lossy(&printed))))
}

/// The lines of the answer, a name and a package each.
fn answers(names: &[String], printed: &str) -> Vec<ExportedName> {
    let is_package = |text: &str| {
        text.len() <= LETTERS
            && text.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && (text.bytes()).all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
    };
    names
        .iter()
        .map(|name| {
            let mut packages: Vec<String> = Vec::new();
            for line in printed.lines() {
                let Some((said, package)) = line.split_once('\t') else {
                    continue;
                };
                let is_new = !packages.iter().any(|known| known == package);
                if said == name && is_package(package) && is_new && packages.len() < PACKAGES {
                    packages.push(package.to_owned());
                }
            }
            ExportedName {
                name: name.clone(),
                packages,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_names_and_packages_and_nothing_else() {
        let names = ["str_detect".to_owned(), "feols".to_owned()];
        let printed = "str_detect\tstringr\nstr_detect\tstringr\nother\tx\nno tab\nstr_detect\t; rm -rf /\n";
        let found = answers(&names, printed);
        assert_eq!(found[0].packages, ["stringr"]);
        assert_eq!((found[1].name.as_str(), found[1].packages.len()), ("feols", 0));
    }
}
