//! Names that packages export, for names that a script uses and does not have.

use std::collections::HashMap;

use indexmap::IndexMap;
use serde::Deserialize;

use super::read_toml::toml_of;
use super::table_error::TableError;
use crate::domain::excerpt;

/// The file of R's names: package, version and names, a package a line (`rescue/exports/make.R`).
const R: &str = "exports/r.tsv";
const PYTHON: &str = "exports/python.toml";

/// Names, and the packages or imports that bring them.
#[derive(Debug)]
pub struct Exports {
    r: HashMap<&'static str, Vec<&'static str>>,
    python: IndexMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PythonFile {
    names: IndexMap<String, String>,
}

/// A package that passes on what another makes comes behind that one.
const MAKERS: &[&str] = &["magrittr", "stringr", "dplyr", "tibble", "ggplot2"];

impl Exports {
    /// Reads the two files.
    ///
    /// # Errors
    /// A line that has no package and names.
    pub(super) fn read(r: &'static str, python: &str) -> Result<Self, TableError> {
        let mut by_name: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        for line in r.lines() {
            let mut parts = line.split('\t');
            let (Some(package), Some(_version), Some(names)) = (parts.next(), parts.next(), parts.next())
            else {
                return Err(TableError::Unreadable {
                    file: R.to_owned(),
                    message: format!(
                        "`{}` is no line of package, version and names",
                        excerpt::shortened(line, 60)
                    ),
                });
            };
            for name in names.split_whitespace() {
                by_name.entry(name).or_default().push(package);
            }
        }
        for packages in by_name.values_mut() {
            Self::makers_first(packages);
        }
        Ok(Self {
            r: by_name,
            python: toml_of::<PythonFile>(PYTHON, python)?.names,
        })
    }

    /// Packages in the order in which they are named: those that made what others pass on, first.
    pub fn makers_first(packages: &mut [&str]) {
        packages.sort_by_key(|package| !MAKERS.contains(package));
    }

    /// The packages of R that export a name.
    pub fn r_packages(&self, name: &str) -> &[&'static str] {
        self.r.get(name).map_or(&[], Vec::as_slice)
    }

    /// The line of Python that brings a name.
    pub fn python_import(&self, name: &str) -> Option<&str> {
        self.python.get(name).map(String::as_str)
    }
}
