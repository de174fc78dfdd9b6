//! The confinement of each sandbox on this machine, for a table.

use serde::Serialize;

use crate::domain::execution::Tier;
use crate::sandbox::contract::Sandbox as _;
use crate::sandbox::docker::facts::DaemonFacts;
use crate::sandbox::docker::sandbox::DockerSandbox;
use crate::sandbox::local::sandbox::LocalSandbox;

/// One row: a sandbox that works here, and how it holds code to each limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Abilities {
    pub sandbox: &'static str,
    pub files: &'static str,
    pub network: &'static str,
    pub memory: &'static str,
    pub processes: &'static str,
    pub opened_files: &'static str,
}

/// The table's heads, in the order of [`Abilities::cells`].
pub const HEADS: [&str; 6] = [
    "sandbox",
    "files",
    "network",
    "memory",
    "processes",
    "opened files",
];

const TREE: &str = "whole tree";
const COUNTED: &str = "recorded";

impl Abilities {
    pub fn cells(&self) -> [&'static str; 6] {
        [
            self.sandbox,
            self.files,
            self.network,
            self.memory,
            self.processes,
            self.opened_files,
        ]
    }

    /// Of containers on this daemon.
    pub fn for_docker(sandbox: &DockerSandbox, facts: &DaemonFacts) -> Self {
        let limited = |works| if works { TREE } else { "not limited" };
        Self {
            sandbox: "docker",
            files: "own root",
            network: match sandbox.opens_hosts() {
                Ok(()) => "none, or approved hosts",
                Err(_) => "none",
            },
            memory: limited(facts.memory_limit),
            processes: limited(facts.process_limit),
            opened_files: if facts.shares_kernel() {
                COUNTED
            } else {
                "not recorded"
            },
        }
    }

    /// Of a sandbox of this machine's own.
    pub fn for_local(sandbox: &LocalSandbox) -> Self {
        let (memory, processes) = if sandbox.makes_cgroups() {
            (TREE, TREE)
        } else {
            ("each process; tree measured", "by user; tree measured")
        };
        let (name, files) = match sandbox.tier() {
            Tier::Landlock => ("landlock", "rules; existence shows"),
            _ => ("namespaces", "own root"),
        };
        Self {
            sandbox: name,
            files,
            network: "none",
            memory,
            processes,
            opened_files: COUNTED,
        }
    }
}

/// The table, a line at a time, its columns aligned.
pub fn lines(rows: &[Abilities]) -> Vec<String> {
    let all: Vec<[&str; 6]> = std::iter::once(HEADS)
        .chain(rows.iter().map(Abilities::cells))
        .collect();
    let widths: Vec<usize> = (0..HEADS.len())
        .map(|column| all.iter().map(|row| row[column].len()).max().unwrap_or(0))
        .collect();
    all.iter()
        .map(|row| {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:<width$}"))
                .collect();
            cells.join("  ").trim_end().to_owned()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let row = Abilities {
            sandbox: "landlock",
            files: "rules",
            network: "none",
            memory: TREE,
            processes: TREE,
            opened_files: COUNTED,
        };
        let lines = lines(&[row]);
        assert_eq!(lines[0].find("files"), lines[1].find("rules"));
        assert_eq!(lines[0].find("opened"), lines[1].find("recorded"));
    }
}
