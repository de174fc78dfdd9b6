//! The data files that one run opened and the other did not.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::used::{DataFile, Used};
use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::FileRecord;

/// Opened data files, side by side; files of one content count as one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// Files whose content both runs opened, under their names in the first.
    pub both: Vec<DataFile>,
    pub only_first: Vec<DataFile>,
    pub only_second: Vec<DataFile>,
}

impl Opened {
    pub fn compare(first: &Used, second: &Used) -> Self {
        let contents =
            |used: &Used| -> BTreeSet<Content> { used.data.iter().map(Content::from_file).collect() };
        let (one, two) = (contents(first), contents(second));
        let of = |used: &Used, there: &BTreeSet<Content>, wanted: bool| -> Vec<DataFile> {
            let files = used.data.iter();
            files
                .filter(|file| there.contains(&Content::from_file(file)) == wanted)
                .cloned()
                .collect()
        };
        Self {
            both: of(first, &two, true),
            only_first: of(first, &two, false),
            only_second: of(second, &one, false),
        }
    }
}

/// The identity of a file: its content, else its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    Known(Digest),
    Named(WorkspacePath),
}

impl Content {
    fn from_file(file: &DataFile) -> Self {
        match file.digest {
            Some(digest) => Self::Known(digest),
            None => Self::Named(file.path.clone()),
        }
    }
}

/// Data files that the two workspaces were given with other contents, or that
/// only one was given, in path order.
pub fn given_otherwise(first: &[FileRecord], second: &[FileRecord]) -> Vec<WorkspacePath> {
    let by_path = |files: &[FileRecord]| -> BTreeMap<WorkspacePath, Digest> {
        files
            .iter()
            .map(|file| (file.path.clone(), file.digest))
            .collect()
    };
    let (one, two) = (by_path(first), by_path(second));
    let paths: BTreeSet<&WorkspacePath> = one.keys().chain(two.keys()).collect();
    paths
        .into_iter()
        .filter(|path| one.get(path) != two.get(path))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(files: &[(&str, &str)]) -> Used {
        Used {
            data: files
                .iter()
                .map(|(path, content)| DataFile {
                    path: path.parse().unwrap(),
                    digest: (!content.is_empty()).then(|| Digest::compute(content)),
                    agents: false,
                })
                .collect(),
            ..Used::default()
        }
    }

    fn names(files: &[DataFile]) -> Vec<&str> {
        files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn content_tells_files_apart_and_names_only_without_it() {
        let first = used(&[
            ("replication_data/a.csv", "1"),
            ("replication_data/b.csv", "2"),
            ("replication_data/c", ""),
        ]);
        let second = used(&[
            ("replication_data/a.csv", "9"),
            ("replication_data/copy of b.csv", "2"),
            ("replication_data/c", ""),
        ]);
        let found = Opened::compare(&first, &second);
        assert_eq!(
            names(&found.both),
            ["replication_data/b.csv", "replication_data/c"]
        );
        assert_eq!(names(&found.only_first), ["replication_data/a.csv"]);
        assert_eq!(names(&found.only_second), ["replication_data/a.csv"]);
    }

    #[test]
    fn workspaces_are_compared_by_name_and_content() {
        let file = |path: &str, content: &str| FileRecord {
            path: path.parse().unwrap(),
            digest: Digest::compute(content),
            size: 1,
        };
        let first = [file("a", "1"), file("b", "2")];
        let second = [file("a", "1"), file("b", "3"), file("c", "4")];
        let found = given_otherwise(&first, &second);
        assert_eq!(
            found.iter().map(WorkspacePath::as_str).collect::<Vec<_>>(),
            ["b", "c"]
        );
        assert!(given_otherwise(&first, &first).is_empty());
    }
}
