//! Cells in clusters: tasks of one study say less than as many of several.

use std::collections::{BTreeMap, BTreeSet};

use super::cell::{BenchCell, TaskKind};
use crate::analysis::capsule::accuracy::CountedShare;

/// The clusters of a bench's tasks, kind by kind. Tasks that share a mark of their study are in one, such as claims of
/// one paper; a task without marks is one of its own, under all its arms and repeats.
#[derive(Debug, Default)]
pub struct StudyClusters<'a> {
    /// By the first of its tasks, which is its name.
    of_task: BTreeMap<(TaskKind, &'a str), &'a str>,
}

/// A task, or a mark that tasks have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node<'a> {
    Task(TaskKind, &'a str),
    Mark(TaskKind, &'a str),
}

/// Nodes that are joined, each by a number.
#[derive(Debug, Default)]
struct JoinedNodes<'a> {
    numbers: BTreeMap<Node<'a>, usize>,
    /// A node's own number, or that of another one that it is joined to.
    joined_to: Vec<usize>,
}

impl<'a> JoinedNodes<'a> {
    fn number(&mut self, node: Node<'a>) -> usize {
        let next = self.joined_to.len();
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.joined_to.push(next);
        }
        number
    }

    fn root(&self, mut number: usize) -> usize {
        while let Some(to) = self.joined_to.get(number).copied().filter(|to| *to != number) {
            number = to;
        }
        number
    }

    fn join(&mut self, one: Node<'a>, other: Node<'a>) {
        let (one, other) = (self.number(one), self.number(other));
        let (one, other) = (self.root(one), self.root(other));
        if let Some(to) = self.joined_to.get_mut(one.max(other)) {
            *to = one.min(other);
        }
    }
}

impl<'a> StudyClusters<'a> {
    /// Finds the clusters of these cells' tasks.
    pub fn new(cells: impl IntoIterator<Item = &'a BenchCell>) -> Self {
        let mut joined = JoinedNodes::default();
        let mut known = BTreeSet::new();
        for cell in cells {
            let task = Node::Task(cell.kind, &cell.task);
            // Repeats and arms of a task have its marks.
            if known.insert((task, cell.study.as_slice())) {
                joined.number(task);
                for mark in &cell.study {
                    joined.join(task, Node::Mark(cell.kind, mark));
                }
            }
        }
        let mut names = BTreeMap::new();
        let of_task = joined.numbers.iter().filter_map(|(node, number)| match node {
            Node::Task(kind, task) => {
                let name = *names.entry(joined.root(*number)).or_insert(*task);
                Some(((*kind, *task), name))
            }
            Node::Mark(..) => None,
        });
        Self {
            of_task: of_task.collect(),
        }
    }

    /// The name of a cell's cluster, which is that of one of its tasks.
    pub fn of<'b>(&self, cell: &'b BenchCell) -> &'b str
    where
        'a: 'b,
    {
        let own = self.of_task.get(&(cell.kind, cell.task.as_str()));
        own.copied().unwrap_or(&cell.task)
    }

    /// The share of the cells of one kind that reached what they were run for, of those that count, with an interval over
    /// clusters.
    pub fn success(&self, cells: &[&BenchCell]) -> CountedShare {
        let successes = cells
            .iter()
            .filter_map(|cell| Some((self.of(cell), cell.result.is_success()?)));
        CountedShare::clustered(successes)
    }

    /// The clusters that cells of one kind are in.
    pub fn count<'b>(&self, cells: impl IntoIterator<Item = &'b BenchCell>) -> usize
    where
        'a: 'b,
    {
        let names: BTreeSet<&str> = cells.into_iter().map(|cell| self.of(cell)).collect();
        names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellResult;
    use super::super::figures::tests::cell;
    use super::*;

    fn of(task: &str, marks: &[&str]) -> BenchCell {
        BenchCell {
            study: marks.iter().map(|mark| (*mark).to_owned()).collect(),
            ..cell(task, "native", CellResult::Met)
        }
    }

    /// Neither of the outer two has anything in common with the other, and the middle one with both.
    #[test]
    fn marks_join_tasks_through_others() {
        let cells = [
            of("d", &["doi:2"]),
            of("c", &["doi:1"]),
            of("b", &["doi:1", "paper:9"]),
            of("a", &["paper:9"]),
            of("e", &[]),
            of("f", &[]),
        ];
        let clusters = StudyClusters::new(&cells);
        let names: Vec<&str> = cells.iter().map(|cell| clusters.of(cell)).collect();
        assert_eq!(names, ["d", "a", "a", "a", "e", "f"]);
        assert_eq!((clusters.count(&cells), clusters.count(&cells[1..4])), (4, 1));
    }

    /// A paper that was given with its results under one arm, and without under another, is one task's all the same.
    #[test]
    fn a_task_is_one_cluster_whatever_its_arms_are_marked_by() {
        let mut cells = [
            of("a", &["paper:1"]),
            of("a", &["paper:2"]),
            of("b", &["paper:2"]),
        ];
        assert_eq!(StudyClusters::new(&cells).count(&cells), 1);
        // A capsule of the same name is another task.
        cells[2].kind = TaskKind::Capsule;
        cells[2].task = "a".to_owned();
        let clusters = StudyClusters::new(&cells);
        assert_eq!(clusters.of_task.len(), 2);
        assert_eq!(StudyClusters::default().of(&cells[0]), "a");
    }
}
