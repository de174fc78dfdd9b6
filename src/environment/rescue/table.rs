//! The table of messages and mends, read and checked.

use std::collections::HashSet;
use std::sync::OnceLock;

use include_dir::{Dir, include_dir};
use indexmap::IndexMap;
use serde::Deserialize;

use crate::domain::rescue::Risk;

use super::super::tables::python_names;
use super::entry::{Entry, EntryLanguage, Needs, Renamed};
use super::exports::Exports;
use super::expression::TableExpression;
use super::read_toml::toml_of;
use super::repairs::repair::Repair;
use super::table_error::{EntryFault, TableError};
use super::version::Version;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../rescue");
/// The file that holds the table's version.
const VERSION: &str = "version.toml";

/// The whole table.
#[derive(Debug)]
pub struct Table {
    /// Raised with every change of an entry.
    pub version: u32,
    pub entries: Vec<Entry>,
    pub exports: Exports,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionFile {
    version: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntriesFile {
    entry: Vec<Written>,
}

/// An entry as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    language: EntryLanguage,
    interpreter: Option<Releases>,
    since: String,
    message: Option<String>,
    script: Option<String>,
    #[serde(default)]
    in_code: bool,
    also: Option<String>,
    unless: Option<String>,
    #[serde(default)]
    needs: Needs,
    #[serde(default)]
    general: bool,
    #[serde(default)]
    names: IndexMap<String, String>,
    /// The table whose names stand in place of `names`.
    names_of: Option<NameTable>,
    cause: String,
    mend: String,
    risk: Risk,
    #[serde(default)]
    python2: bool,
    repair: Option<Repair>,
}

/// A table of the environment's that an entry takes its names from.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NameTable {
    /// Modules whose distribution has another name.
    PythonDistributions,
}

impl NameTable {
    /// Names as an expression has them, the longer ones first.
    fn names(self) -> IndexMap<String, String> {
        let mut names: Vec<(String, String)> = match self {
            Self::PythonDistributions => python_names::renamed()
                .map(|(module, distribution)| (regex::escape(module), distribution.to_owned()))
                .collect(),
        };
        names.sort_by_key(|(module, _)| std::cmp::Reverse(module.len()));
        let mut first = IndexMap::new();
        for (module, distribution) in names {
            first.entry(module).or_insert(distribution);
        }
        first
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Releases {
    from: Option<String>,
    before: Option<String>,
}

impl Table {
    /// The table that is part of the program.
    ///
    /// # Errors
    /// A file that cannot be read or an entry that cannot be used; a test holds that there is none.
    pub fn embedded() -> Result<&'static Self, &'static TableError> {
        static TABLE: OnceLock<Result<Table, TableError>> = OnceLock::new();
        TABLE.get_or_init(Self::read).as_ref()
    }

    fn read() -> Result<Self, TableError> {
        let mut entries = Vec::new();
        let mut ids = HashSet::new();
        let mut files: Vec<(String, &str)> = (EMBEDDED.files())
            .filter_map(|file| {
                let name = file.path().to_string_lossy().into_owned();
                Some((name, file.contents_utf8()?))
            })
            .filter(|(name, _)| name.ends_with(".toml") && name != VERSION)
            .collect();
        files.sort();
        for (file, text) in files {
            for written in toml_of::<EntriesFile>(&file, text)?.entry {
                let id = written.id.clone();
                let fault = |fault| TableError::Entry {
                    file: file.clone(),
                    entry: id.clone(),
                    fault,
                };
                if !ids.insert(written.id.clone()) {
                    return Err(fault(EntryFault::Twice));
                }
                entries.push(checked(written).map_err(fault)?);
            }
        }
        Ok(Self {
            version: toml_of::<VersionFile>(VERSION, embedded(VERSION)?)?.version,
            entries,
            exports: Exports::read(embedded("exports/r.tsv")?, embedded("exports/python.toml")?)?,
        })
    }
}

fn embedded(file: &str) -> Result<&'static str, TableError> {
    EMBEDDED
        .get_file(file)
        .and_then(include_dir::File::contents_utf8)
        .ok_or_else(|| TableError::Unreadable {
            file: file.to_owned(),
            message: "it is missing, or no text".to_owned(),
        })
}

fn checked(mut written: Written) -> Result<Entry, EntryFault> {
    if let Some(table) = written.names_of {
        written.names = table.names();
    }
    if written.message.is_none() && written.script.is_none() {
        return Err(EntryFault::NothingToMatch);
    }
    if written.needs != Needs::Either && written.script.is_none() {
        return Err(EntryFault::Lacks("script"));
    }
    if written.needs == Needs::Both && written.message.is_none() {
        return Err(EntryFault::Lacks("message"));
    }
    let names: Vec<Renamed> = (written.names.iter())
        .map(|(old, new)| Renamed {
            old: TableExpression::new(format!("^(?:{old})$")),
            plain: old.replace('\\', ""),
            new: new.clone(),
        })
        .collect();
    let alternatives = written.names.keys().cloned().collect::<Vec<_>>().join("|");
    let whole = |pattern: &Option<String>| {
        (pattern.as_ref()).map(|pattern| TableExpression::new(pattern.replace("{names}", &alternatives)))
    };
    let release = |text: Option<&String>| text.map(|text| text.parse::<Version>()).transpose();
    let releases = written.interpreter.as_ref();
    Ok(Entry {
        from: release(releases.and_then(|releases| releases.from.as_ref()))?,
        before: release(releases.and_then(|releases| releases.before.as_ref()))?,
        message: whole(&written.message),
        script: whole(&written.script),
        also: whole(&written.also),
        unless: whole(&written.unless),
        id: written.id,
        language: written.language,
        since: written.since,
        in_code: written.in_code,
        needs: written.needs,
        general: written.general,
        names,
        cause: written.cause,
        mend: written.mend,
        risk: written.risk,
        python2: written.python2,
        repair: written.repair,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_compiles() {
        let mut count = 0;
        for entry in &Table::embedded().unwrap().entries {
            for expression in entry.expressions() {
                count += 1;
                if let Err(error) = expression.compile() {
                    panic!("{}: {error}", entry.id);
                }
            }
        }
        assert!(count > 300, "{count}");
    }
}
