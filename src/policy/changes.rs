//! What is different since the last approval, for the person who is asked again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::subject::{CodeFile, Execute};
use crate::domain::digest::Digest;
use crate::domain::workspace_path::WorkspacePath;

/// One difference between two executions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    Environment {
        before: Digest,
        after: Digest,
    },
    Commands,
    Data {
        before: Digest,
        after: Digest,
    },
    Writable,
    Variables,
    Limits,
    Network,
    Added {
        path: WorkspacePath,
        after: Digest,
    },
    Removed {
        path: WorkspacePath,
        before: Digest,
    },
    Edited {
        path: WorkspacePath,
        before: Digest,
        after: Digest,
    },
}

/// The differences, environment and commands first, then files in path order.
/// Empty exactly when the two have the same digest.
pub fn between(before: &Execute, after: &Execute) -> Vec<Change> {
    let (before, after) = (before.clone().canonical(), after.clone().canonical());
    let mut changes = Vec::new();
    let mut note = |differs: bool, change: Change| {
        if differs {
            changes.push(change);
        }
    };
    note(
        before.environment != after.environment,
        Change::Environment {
            before: before.environment,
            after: after.environment,
        },
    );
    note(before.commands != after.commands, Change::Commands);
    note(
        before.mounts.data != after.mounts.data,
        Change::Data {
            before: before.mounts.data,
            after: after.mounts.data,
        },
    );
    note(before.mounts.writable != after.mounts.writable, Change::Writable);
    note(before.variables != after.variables, Change::Variables);
    note(before.limits != after.limits, Change::Limits);
    note(before.network != after.network, Change::Network);
    changes.extend(files(&before.files, &after.files));
    changes
}

fn files(before: &[CodeFile], after: &[CodeFile]) -> Vec<Change> {
    let mut pairs: BTreeMap<&WorkspacePath, (Option<&CodeFile>, Option<&CodeFile>)> = BTreeMap::new();
    for file in before {
        pairs.entry(&file.path).or_default().0 = Some(file);
    }
    for file in after {
        pairs.entry(&file.path).or_default().1 = Some(file);
    }
    pairs
        .into_iter()
        .filter_map(|(path, pair)| {
            let path = path.clone();
            match pair {
                (Some(old), Some(new)) if old != new => Some(Change::Edited {
                    path,
                    before: old.digest,
                    after: new.digest,
                }),
                (None, Some(new)) => Some(Change::Added {
                    path,
                    after: new.digest,
                }),
                (Some(old), None) => Some(Change::Removed {
                    path,
                    before: old.digest,
                }),
                _ => None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::subject::tests::execute;

    #[test]
    fn each_file_is_told_by_what_happened_to_it() {
        let before = execute();
        let mut after = execute();
        assert_eq!(between(&before, &after), []);
        after.files[0].digest = Digest::of("edited");
        after.files[1].path = "work/other.py".parse().unwrap();
        after.limits.seconds = 1;
        let changes = between(&before, &after);
        assert!(matches!(
            changes.as_slice(),
            [
                Change::Limits,
                Change::Removed { .. },
                Change::Edited { .. },
                Change::Added { .. }
            ]
        ));
    }
}
