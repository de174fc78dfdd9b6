//! Agents of benches that are merged: those of one name that are different ones are told apart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::analysis::bench::cell::{BenchCell, TaskKind};
use crate::analysis::bench::cell_pairs::{CellPosition, Compared};
use crate::cli::bench_plan::CellPlan;
use crate::cli::exit::Failure;

/// The cells of a folder that is merged, with the options that they were planned with.
pub struct MergedFolder<'a> {
    pub folder: &'a Path,
    pub cells: Vec<BenchCell>,
    pub options: BTreeMap<String, Vec<String>>,
}

impl<'a> MergedFolder<'a> {
    /// Takes cells and the plan that they are of.
    pub fn new(folder: &'a Path, cells: Vec<BenchCell>, planned: Vec<CellPlan>) -> Self {
        let options = planned.into_iter().map(|cell| (cell.cell, cell.options));
        Self {
            folder,
            cells,
            options: options.collect(),
        }
    }
}

/// An agent that has another name in the merged bench.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RenamedAgent {
    pub agent: String,
    pub folder: PathBuf,
    pub name: String,
}

/// Gives agents that share a name and are different ones the name of their folder besides: those
/// whose settings differ, or which have different cells of the same task, arm and repeat.
///
/// # Errors
/// Folders that have some of an agent's cells in common and others in two forms, or a name that
/// another agent has already.
pub fn tell_apart(folders: &mut [MergedFolder<'_>]) -> Result<Vec<RenamedAgent>, Failure> {
    let names = folders.iter().flat_map(|one| one.cells.iter());
    let names: BTreeSet<String> = names.map(|cell| cell.agent.clone()).collect();
    let mut renamed = Vec::new();
    for name in &names {
        let own: Vec<FolderAgent<'_>> = folders
            .iter()
            .enumerate()
            .filter_map(|(place, folder)| FolderAgent::new(place, folder, name))
            .collect();
        let classes = classes(&own);
        if classes.len() < 2 {
            continue;
        }
        refuse_common(name, &classes)?;
        for class in &classes {
            let Some(first) = class.first() else { continue };
            let told = format!("{name} ({})", plain(first.folder).display());
            if names.contains(&told) && !class.iter().any(|one| is_same_elsewhere(folders, &told, one)) {
                return Err(Failure::usage(format!(
                    "the agents `{name}` are different ones, and `{told}` is one already: rename a folder, or merge \
                     fewer of them"
                )));
            }
            renamed.extend(class.iter().map(|one| (one.place, name.clone(), told.clone())));
        }
    }
    renamed.sort_unstable();
    for (place, agent, name) in &renamed {
        if let Some(folder) = folders.get_mut(*place) {
            for cell in folder.cells.iter_mut().filter(|cell| cell.agent == *agent) {
                cell.agent.clone_from(name);
            }
        }
    }
    let renamed = renamed.into_iter().filter_map(|(place, agent, name)| {
        let folder = plain(folders.get(place)?.folder);
        Some(RenamedAgent { agent, folder, name })
    });
    Ok(renamed.collect())
}

/// The folder without what its path ends with needlessly.
fn plain(folder: &Path) -> PathBuf {
    folder.components().collect()
}

/// Whether cells of an agent stand under the name `told` in some folder.
fn is_same_elsewhere(folders: &[MergedFolder<'_>], told: &str, one: &FolderAgent<'_>) -> bool {
    let cells = folders.iter().flat_map(|folder| folder.cells.iter());
    cells
        .filter(|cell| cell.agent == told)
        .any(|cell| one.cells.contains(cell.cell.as_str()))
}

/// The options of some cells, by their names.
type Options<'a> = BTreeMap<&'a str, &'a str>;

/// An agent of one folder.
struct FolderAgent<'a> {
    place: usize,
    folder: &'a Path,
    cells: BTreeSet<&'a str>,
    /// By what a cell is but for what it was run with.
    by_position: BTreeMap<(TaskKind, CellPosition<'a>), BTreeSet<&'a str>>,
    /// What all its cells of a kind have in common.
    options: BTreeMap<TaskKind, Options<'a>>,
    /// Settings whose values are its arms.
    arms: BTreeSet<&'a str>,
}

impl<'a> FolderAgent<'a> {
    fn new(place: usize, of: &'a MergedFolder<'a>, name: &str) -> Option<Self> {
        let mut own = Self {
            place,
            folder: of.folder,
            cells: BTreeSet::new(),
            by_position: BTreeMap::new(),
            options: BTreeMap::new(),
            arms: BTreeSet::new(),
        };
        for cell in of.cells.iter().filter(|cell| cell.agent == name) {
            own.cells.insert(&cell.cell);
            own.arms.extend(cell.arm.keys().map(String::as_str));
            own.by_position
                .entry((cell.kind, CellPosition::new(cell, Compared::Agents)))
                .or_default()
                .insert(&cell.cell);
            let typed = of.options.get(&cell.cell).map_or(&[][..], Vec::as_slice);
            let typed: Options<'a> = typed.iter().map(|option| named(option)).collect();
            match own.options.get_mut(&cell.kind) {
                Some(common) => common.retain(|name, value| typed.get(name) == Some(value)),
                None => {
                    own.options.insert(cell.kind, typed);
                }
            }
        }
        (!own.cells.is_empty()).then_some(own)
    }

    /// A task that both have in different cells of the same arm and repeat.
    fn collision(&self, other: &Self) -> Option<&'a str> {
        self.by_position.iter().find_map(|(position, own)| {
            let theirs = other.by_position.get(position)?;
            own.is_disjoint(theirs).then_some(position.1.task)
        })
    }

    fn is_another(&self, other: &Self) -> bool {
        self.collision(other).is_some() || (self.cells.is_disjoint(&other.cells) && self.differs(other))
    }

    /// Whether both were run with different settings; those of another kind of task are compared
    /// where there are no others, and where both have them.
    fn differs(&self, other: &Self) -> bool {
        let is_arm = |name: &str| self.arms.contains(name) || other.arms.contains(name);
        let part = |one: &Options<'a>, of: &Options<'a>, is_alike: bool| {
            one.iter().any(|(name, value)| {
                let there = of.get(name);
                !is_arm(name) && there != Some(value) && (is_alike || there.is_some())
            })
        };
        let has_alike = self.options.keys().any(|kind| other.options.contains_key(kind));
        self.options.iter().any(|(kind, one)| {
            let against = other.options.iter();
            against
                .filter(|(of, _)| !has_alike || *of == kind)
                .any(|(_, of)| part(one, of, has_alike) || part(of, one, has_alike))
        })
    }
}

/// An option's name and value; of a path the last part, as benches may lie in different places.
fn named(option: &str) -> (&str, &str) {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let value = match value.starts_with('/') {
        true => value.rsplit('/').find(|part| !part.is_empty()).unwrap_or(value),
        false => value,
    };
    (name.trim_start_matches('-'), value)
}

/// The agents that are one and the same, together.
fn classes<'a, 'b>(agents: &'b [FolderAgent<'a>]) -> Vec<Vec<&'b FolderAgent<'a>>> {
    let mut classes: Vec<Vec<&FolderAgent<'a>>> = Vec::new();
    for one in agents {
        let known = classes
            .iter_mut()
            .find(|class| !class.iter().any(|other| other.is_another(one)));
        match known {
            Some(class) => class.push(one),
            None => classes.push(vec![one]),
        }
    }
    classes
}

/// Refuses agents that are told apart and have cells in common: then a task has changed, and no agent.
fn refuse_common(name: &str, classes: &[Vec<&FolderAgent<'_>>]) -> Result<(), Failure> {
    for (place, class) in classes.iter().enumerate() {
        let others = || classes[place + 1..].iter().flatten();
        for (one, other) in class
            .iter()
            .flat_map(|one| others().map(move |other| (one, other)))
        {
            if one.cells.is_disjoint(&other.cells) {
                continue;
            }
            let what = one
                .collision(other)
                .map_or_else(|| "cells".to_owned(), |task| format!("different cells of {task}"));
            return Err(Failure::usage(format!(
                "{} and {} have some cells of `{name}` in common and {what} with the same arm and repeat besides: run \
                 the bench again where they are old, or merge one of the two",
                one.folder.display(),
                other.folder.display()
            )));
        }
    }
    Ok(())
}
