//! The tables of an archive: every version of every package, and when it came.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::rds::{RObject, RValue, RdsFault};
use super::version::RVersion;

/// A version in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedVersion {
    pub version: RVersion,
    /// Below `src/contrib/`.
    pub path: String,
    /// When the server had it; `None` of a snapshot of one day.
    pub came: Option<Timestamp>,
    pub size: Option<u64>,
}

/// Every version of every package, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchiveTables {
    packages: BTreeMap<String, Vec<ArchivedVersion>>,
}

/// A table that is none.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    #[error(transparent)]
    Rds(#[from] RdsFault),
    #[error("it is no table of files")]
    NoTable,
}

impl ArchiveTables {
    /// Takes `archive.rds` in: a list of tables by package.
    ///
    /// # Errors
    /// A file that is no such list.
    pub fn add_archive(&mut self, file: &[u8]) -> Result<(), TableFault> {
        let list = super::rds::read(file)?;
        let RValue::List(tables) = &list.value else {
            return Err(TableFault::NoTable);
        };
        for table in tables {
            self.table(table, "Archive/")?;
        }
        self.sort();
        Ok(())
    }

    /// Takes `current.rds` in: one table.
    ///
    /// # Errors
    /// A file that is no such table.
    pub fn add_current(&mut self, file: &[u8]) -> Result<(), TableFault> {
        self.table(&super::rds::read(file)?, "")?;
        self.sort();
        Ok(())
    }

    fn table(&mut self, table: &RObject, below: &str) -> Result<(), TableFault> {
        let names = table.texts_of("row.names");
        let times = match table.element("mtime").map(|column| &column.value) {
            Some(RValue::Numbers(times)) => times.clone(),
            Some(RValue::Integers(times)) => times.iter().map(|time| f64::from(*time)).collect(),
            _ if names.is_empty() => return Ok(()),
            _ => return Err(TableFault::NoTable),
        };
        let sizes = match table.element("size").map(|column| &column.value) {
            Some(RValue::Numbers(sizes)) => sizes.clone(),
            _ => Vec::new(),
        };
        for (at, (name, time)) in names.iter().zip(&times).enumerate() {
            self.add(name, *time, sizes.get(at).copied(), below);
        }
        Ok(())
    }

    /// Adds a file such as `alpha/alpha_1.0.tar.gz`; what is no package is passed over.
    fn add(&mut self, name: &str, time: f64, size: Option<f64>, below: &str) {
        let file = name.rsplit('/').next().unwrap_or_default();
        let is_inside = !name.split('/').any(|part| part.is_empty() || part == "..");
        let stem = file.strip_suffix(".tar.gz").filter(|_| is_inside);
        let Some((package, version)) = stem.and_then(|stem| stem.split_once('_')) else {
            return;
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "seconds and bytes of files"
        )]
        let (seconds, bytes) = (time as i64, size.map(|size| size.max(0.0) as u64));
        let (Some(version), Ok(came)) = (RVersion::parse(version), Timestamp::from_second(seconds)) else {
            return;
        };
        self.packages
            .entry(package.to_owned())
            .or_default()
            .push(ArchivedVersion {
                version,
                path: format!("{below}{name}"),
                came: Some(came),
                size: bytes,
            });
    }

    /// Adds a version.
    pub fn add_version(&mut self, package: &str, version: ArchivedVersion) {
        self.packages.entry(package.to_owned()).or_default().push(version);
    }

    fn sort(&mut self) {
        for versions in self.packages.values_mut() {
            versions.sort_by(|one, other| (one.came, &one.version).cmp(&(other.came, &other.version)));
            versions.dedup_by(|later, first| later.path == first.path);
        }
    }

    /// The versions of a package, the oldest first.
    pub fn versions(&self, package: &str) -> &[ArchivedVersion] {
        self.packages.get(package).map_or(&[], Vec::as_slice)
    }

    /// The names of all packages.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(String::as_str)
    }

    /// Whether the tables hold anything.
    pub fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }
}
