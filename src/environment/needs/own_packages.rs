//! Packages that the folder itself is: a compendium of R, a project of Python, and its folders of modules.

use std::collections::BTreeMap;

use super::super::evidence::FileFault;
use super::super::evidence_files::description;
use super::super::evidence_files::pyproject::ProjectFile;
use super::super::language::Language;
use super::super::need::{Certainty, PackageNeed};
use super::super::scripts::package_file::PackageFile;
use super::super::source_tree::{SourceFile, SourceTree};
use super::super::tables::python_names::distribution;
use super::super::tables::r_packages::{ROrigin, origin};
use super::local_modules::LocalModules;
use super::pinned::key;
use crate::domain::names::normalized;

/// The folder's own packages by language and name, each with the file that names it.
#[derive(Debug, Default)]
pub struct OwnPackages {
    files: BTreeMap<(Language, String), String>,
}

impl OwnPackages {
    /// The packages that files of a folder name as what they describe. A project that bears the name of a known
    /// package, and holds none of its modules, only uses that.
    pub fn of(tree: &SourceTree, local: &LocalModules) -> Self {
        let mut own = Self::default();
        for file in &tree.files {
            let named = match file.name() {
                "DESCRIPTION" => described(file, tree).map(|name| (Language::R, name)),
                "pyproject.toml" => projected(file, local).map(|name| (Language::Python, name)),
                _ => None,
            };
            if let Some((language, name)) = named {
                let known = own.files.entry((language, key(language, &name)));
                known.or_insert_with(|| file.path.clone());
            }
        }
        own
    }

    /// Adds the packages of files that scripts install; a fault for each file that is not in the folder.
    pub fn add_files(&mut self, files: &[PackageFile], tree: &SourceTree) -> Vec<FileFault> {
        let mut faults = Vec::new();
        for file in files {
            let known = self.file(Language::R, &file.name).is_some();
            // A folder of code tells its own name.
            let beside = tree.files.iter().find(|other| file.is_at(&other.path));
            match beside {
                _ if known => {}
                Some(beside) => {
                    self.files.insert((Language::R, file.name.clone()), beside.path.clone());
                }
                None => faults.push(FileFault {
                    file: file.place.file.clone(),
                    problem: format!(
                        "line {} installs `{}` from `{}`, which is not in the folder: put it there, or say where it is had",
                        file.place.line, file.name, file.path
                    ),
                }),
            }
        }
        faults
    }

    /// The file that names a package as the folder's own.
    pub fn file(&self, language: Language, name: &str) -> Option<&str> {
        let file = self.files.get(&(language, key(language, name)));
        file.map(String::as_str)
    }

    /// The need of a package that is the folder's own.
    /// `reasons` are the places that load it.
    pub fn need(&self, language: Language, name: &str, mut reasons: Vec<String>) -> PackageNeed {
        reasons.insert(
            0,
            match self.file(language, name) {
                Some(file) if PackageFile::is_archive(file) => {
                    format!("{file} holds it: it is this folder's own, and no index is asked for it.")
                }
                Some(file) => {
                    format!("{file} describes it: it is this folder's own, and no index is asked for it.")
                }
                None => "Its modules stand in this folder: no index is asked for it.".to_owned(),
            },
        );
        PackageNeed {
            language,
            package: match language {
                Language::Python => normalized(name),
                _ => name.to_owned(),
            },
            loaded_as: Vec::new(),
            certainty: Certainty::Own,
            version: None,
            bounds: Vec::new(),
            sha256: Vec::new(),
            reasons,
        }
    }
}

fn described(file: &SourceFile, tree: &SourceTree) -> Option<String> {
    let name = description::own_name(&file.text().ok()?)?;
    let code = match file.folder() {
        "" => "R/".to_owned(),
        folder => format!("{folder}/R/"),
    };
    let holds_code = || tree.files.iter().any(|other| other.path.starts_with(&code));
    (origin(&name) == ROrigin::NotListed || holds_code()).then_some(name)
}

fn projected(file: &SourceFile, local: &LocalModules) -> Option<String> {
    let name = ProjectFile::parse(&file.text().ok()?).ok()?.name?;
    let module = normalized(&name).replace('-', "_");
    let is_known = distribution(&module, None).is_some();
    (!is_known || local.is_there(&module)).then_some(name)
}
