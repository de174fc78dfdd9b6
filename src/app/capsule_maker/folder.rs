//! The folder of a capsule that is made.

use std::fs;
use std::path::Path;

use walkdir::{DirEntry, WalkDir};

use crate::domain::code_file::{CodeFile, CodeLanguage};
use crate::domain::execution::EnvironmentSpec;

use super::error::{MakeError, at};
use super::execution::{EndedExecution, PRINTED};
use super::files::copy_files;

/// Code and data of anybody's, and how they are run.
pub struct OwnCode<'a> {
    /// The folder; what stands below its own `code/` and `data/` is taken as it is.
    pub dir: &'a Path,
    /// The command, from the folder of the code.
    pub command: &'a str,
    /// `Python` or `R`.
    pub language: &'a str,
}

impl OwnCode<'_> {
    fn is_r(&self) -> bool {
        self.language.eq_ignore_ascii_case("r")
    }

    /// The environment that the code asks for.
    pub fn environment(&self) -> EnvironmentSpec {
        EnvironmentSpec {
            python: (!self.is_r()).then(|| requirements(self.dir)),
            r: self.is_r().then(Default::default),
            ..EnvironmentSpec::default()
        }
    }

    /// Lays the folder out as a capsule; hidden files, links and former results are left out.
    ///
    /// # Errors
    /// A folder that cannot be read, or one that cannot be written.
    pub fn lay_out(&self, folder: &Path) -> Result<(), MakeError> {
        for below in ["code", "data", "environment", "results"] {
            let below = folder.join(below);
            fs::create_dir_all(&below).map_err(at(&below))?;
        }
        let code = match self.dir.join("code").is_dir() {
            true => folder.to_owned(),
            false => folder.join("code"),
        };
        copy_files(self.dir, &code, None, &is_taken)?;
        let image = match self.is_r() {
            true => "r-base:4.2.2",
            false => "python:3.11-slim",
        };
        let pip = requirements(self.dir);
        let mut dockerfile = format!("FROM {image}\n");
        if !pip.is_empty() {
            dockerfile.push_str(&format!("\nRUN pip install --no-cache-dir {}\n", pip.join(" ")));
        }
        dockerfile.push_str("\nWORKDIR /code\n");
        let run = format!("#!/usr/bin/env bash\nset -e\n{}\n", self.command);
        let reproducing =
            "# How this capsule is run\n\n    cd code\n    bash run\n\nResults are written to `results/`.\n";
        for (name, text) in [
            ("environment/Dockerfile", dockerfile.as_str()),
            ("code/run", run.as_str()),
            ("REPRODUCING.md", reproducing),
        ] {
            let path = folder.join(name);
            if !path.exists() {
                fs::write(&path, text).map_err(at(&path))?;
            }
        }
        Ok(())
    }
}

/// Keeps the results of an execution in the folder of the capsule, with what it printed.
///
/// # Errors
/// Results that cannot be read, or a folder that cannot be written.
pub fn keep_results(folder: &Path, ended: &EndedExecution) -> Result<(), MakeError> {
    let results = folder.join("results");
    if let Some(from) = &ended.results {
        copy_files(from, &results, None, &is_taken)?;
    }
    let printed = results.join(PRINTED);
    let text = ended.outputs.texts.get(PRINTED).map_or("", String::as_str);
    fs::write(&printed, text).map_err(at(&printed))
}

fn is_taken(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_left_out =
        name.starts_with('.') || name == "__pycache__" || (entry.depth() == 1 && name == "results");
    entry.depth() == 0 || !is_left_out
}

/// The language that more of a folder's files are in.
pub fn main_language(dir: &Path) -> &'static str {
    let files = WalkDir::new(dir).into_iter().flatten();
    let languages: Vec<CodeLanguage> = files
        .filter_map(|entry| CodeFile::of(&entry.file_name().to_string_lossy()))
        .map(|file| file.language)
        .collect();
    let count = |wanted| languages.iter().filter(|language| **language == wanted).count();
    if count(CodeLanguage::R) > count(CodeLanguage::Python) {
        "R"
    } else {
        "Python"
    }
}

/// The lines of requirements.txt, where there is one.
fn requirements(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("requirements.txt"))
        .or_else(|_| fs::read_to_string(dir.join("code/requirements.txt")))
        .unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('-'))
        .map(str::to_owned)
        .collect()
}
