//! The list of a snapshot of one day: `PACKAGES`, with the needs of each package.

use super::description::{Description, parse};
use super::tables::{ArchiveTables, ArchivedVersion};
use super::version::RVersion;

/// A package of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotPackage {
    /// Below `src/contrib/`.
    pub path: String,
    pub description: Description,
}

/// Takes a list in; its versions have no days of their own.
pub fn read(text: &str, tables: &mut ArchiveTables) -> Vec<SnapshotPackage> {
    let mut packages = Vec::new();
    for paragraph in text.split("\n\n") {
        let field = |name: &str| {
            let line = paragraph
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.map(str::trim)
        };
        let (Some(name), Some(version)) = (field("Package"), field("Version")) else {
            continue;
        };
        let is_name = name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '.');
        let Some(parsed) = RVersion::parse(version).filter(|_| is_name) else {
            continue;
        };
        let path = format!("{name}_{version}.tar.gz");
        tables.add_version(
            name,
            ArchivedVersion {
                version: parsed,
                path: path.clone(),
                came: None,
                size: None,
            },
        );
        packages.push(SnapshotPackage {
            path,
            description: parse(paragraph),
        });
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_versions_and_needs() {
        let mut tables = ArchiveTables::default();
        let text = "Package: alpha\nVersion: 1.1\nDepends: R (>= 3.0)\n\nPackage: beta\nVersion: 1.0\nImports: alpha (>= 1.0),\n        stats\n\nPackage: ../x\nVersion: 1\n";
        let read = read(text, &mut tables);
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].description.needs.len(), 2);
        assert_eq!(tables.versions("alpha")[0].path, "alpha_1.1.tar.gz");
    }
}
