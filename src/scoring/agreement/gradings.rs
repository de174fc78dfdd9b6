//! Two gradings of the same items, read into pairs.

use std::collections::{BTreeMap, BTreeSet};

use super::table::Rating;
use crate::scoring::aggregate::grading::{Mark, distinct, mark, short};
use crate::scoring::aggregate::items::ROOTS;
use crate::scoring::aggregate::json::Node;
use crate::scoring::checkpoints::checkpoint::Checkpoint;

/// The marks of one grading, by paper and field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// `None`: the rater called the item not applicable.
    pub items: BTreeMap<(String, String), Option<u8>>,
    /// Items of a table that stand in it with different marks: which one is meant cannot be told.
    disputed: BTreeSet<(String, String)>,
    /// What could not be used, a sentence each.
    pub problems: Vec<String>,
}

impl Marks {
    /// Adds a judge's JSON, whose objects with a `score` are its items, however deep.
    pub fn add_json(&mut self, paper: &str, bytes: &[u8]) {
        match Node::parse(bytes) {
            Ok(node) => self.descend(paper, &node, &mut Vec::new()),
            Err(error) => self.problems.push(format!("it is not JSON ({error})")),
        }
    }

    fn descend<'n>(&mut self, paper: &str, node: &'n Node<'_>, path: &mut Vec<&'n str>) {
        let Some(members) = node.members() else { return };
        if !path.is_empty() && node.get("score").is_some() {
            let field = settled(&path.join("."));
            match mark(node.get("score")) {
                Ok(found) => self.insert(paper, field, found, Again::LastCounts),
                Err(what) => self
                    .problems
                    .push(format!("`{}` {what} and is left out", short(&field))),
            }
            return;
        }
        for (key, value) in distinct(members) {
            path.push(key);
            self.descend(paper, value, path);
            path.pop();
        }
    }

    /// Adds a table with the columns `paper`, `field` and `score`, in any order;
    /// an item that stands in it with different marks is left out, and named.
    ///
    /// # Errors
    /// A sentence when a column is missing or the table cannot be read.
    pub fn add_csv(&mut self, bytes: &[u8]) -> Result<(), String> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
        let headers = reader.headers().map_err(|error| error.to_string())?.clone();
        let column = |name: &str| {
            let found = headers
                .iter()
                .position(|header| header.trim_start_matches('\u{feff}').eq_ignore_ascii_case(name));
            found.ok_or_else(|| format!("it has no column `{name}`: give paper,field,score"))
        };
        let (paper, field, score) = (column("paper")?, column("field")?, column("score")?);
        for record in reader.records() {
            let record = record.map_err(|error| error.to_string())?;
            let cell = |at: usize| record.get(at).unwrap_or_default();
            let found = mark(Some(&Node::Text(cell(score).into())));
            match found {
                Ok(found) => self.insert(cell(paper), cell(field).to_owned(), found, Again::Disputed),
                Err(what) => self
                    .problems
                    .push(format!("`{}` {what} and is left out", short(cell(field)))),
            }
        }
        Ok(())
    }

    fn insert(&mut self, paper: &str, field: String, found: Mark, again: Again) {
        let value = match found {
            Mark::NotApplicable => None,
            Mark::Score(score) if score.fract() == 0.0 && (0.0..=100.0).contains(&score) => Some(score as u8),
            Mark::Score(score) => {
                self.problems.push(format!(
                    "`{}` has the score {score}, which is no whole number from 0 to 100, and is left out",
                    short(&field)
                ));
                return;
            }
        };
        let key = (paper.to_owned(), field);
        if self.disputed.contains(&key) {
            return;
        }
        let Some(known) = self.items.get(&key).copied() else {
            self.items.insert(key, value);
            return;
        };
        let of = match paper {
            "" => String::new(),
            paper => format!(" of paper `{}`", short(paper)),
        };
        let what = match again {
            _ if known == value => "stands twice with the same mark and counts once",
            Again::LastCounts => "stands twice with different marks; the last one counts",
            Again::Disputed => "stands more than once with different marks and is left out",
        };
        self.problems.push(format!("`{}`{of} {what}", short(&key.1)));
        match again {
            Again::LastCounts => _ = self.items.insert(key, value),
            Again::Disputed if known != value => {
                self.items.remove(&key);
                self.disputed.insert(key);
            }
            Again::Disputed => {}
        }
    }
}

/// What becomes of an item that comes again.
#[derive(Clone, Copy)]
enum Again {
    /// As Python reads a repeated key of JSON.
    LastCounts,
    /// As of two people whose rows nobody can tell apart.
    Disputed,
}

/// A field's path without root, list positions in one spelling: judges write
/// `a[0].b`, `a.0.b` and `a.[0].b`.
fn settled(field: &str) -> String {
    let root = ROOTS
        .iter()
        .find_map(|root| field.strip_prefix(root)?.strip_prefix('.'));
    let mut settled = String::new();
    for part in root.unwrap_or(field).split('.') {
        let position = part.trim_start_matches('[').trim_end_matches(']');
        let follows = !settled.is_empty();
        let is_position = !position.is_empty() && position.bytes().all(|byte| byte.is_ascii_digit());
        // The parts of a checkpoint's key are numbers too, and no positions.
        if follows && is_position && !is_checkpoint(field) {
            settled.push_str(&format!("[{position}]"));
        } else {
            settled.push_str(if follows { "." } else { "" });
            settled.push_str(part);
        }
    }
    settled
}

/// Whether a path ends in the key of a checkpoint, such as `1.3.2`.
fn is_checkpoint(field: &str) -> bool {
    Checkpoint::all().any(|checkpoint| field.ends_with(checkpoint.key()))
}

/// Pairs two gradings item by item; what only one has marked stays unpaired.
pub fn pair(first: &Marks, second: &Marks) -> Vec<Rating> {
    let mut keys: Vec<&(String, String)> = first.items.keys().chain(second.items.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .map(|key| Rating {
            paper: key.0.clone(),
            judge: first.items.get(key).copied().flatten(),
            human: second.items.get(key).copied().flatten(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_in_every_spelling() {
        for path in [
            "original_study.results.numerical_results[3].value",
            "results.numerical_results.3.value",
            "results.numerical_results.[3].value",
        ] {
            assert_eq!(settled(path), "results.numerical_results[3].value");
        }
        assert_eq!(
            settled("evaluate_design.file_system.1.3.2"),
            "evaluate_design.file_system.1.3.2"
        );
    }

    #[test]
    fn json_of_any_depth_and_tables_meet() {
        let mut judge = Marks::default();
        judge.add_json(
            "p",
            br#"{"claim.statement": {"score": 3}, "a": {"b": {"1.2": {"score": "0"}}}, "n": {"score": "NA"}, "x": {"score": 2.5}}"#,
        );
        assert_eq!(judge.items.len(), 3);
        assert!(judge.problems[0].contains("2.5"), "{:?}", judge.problems);
        let mut human = Marks::default();
        human
            .add_csv(b"score,field,paper\n2,claim.statement,p\nNA,a.b.1.2,p\nlots,n,p\n")
            .unwrap();
        assert_eq!(human.problems.len(), 1);
        let pairs = pair(&judge, &human);
        let both = pairs
            .iter()
            .filter(|one| one.judge.is_some() && one.human.is_some());
        assert_eq!((pairs.len(), both.count()), (3, 1));
        let mut twice = Marks::default();
        twice
            .add_csv(b"paper,field,score\np,a,1\np,a,3\np,a,1\np,b,2\np,b,2\nq,a,1\n")
            .unwrap();
        assert_eq!(twice.items.len(), 2, "{:?}", twice.items);
        assert_eq!(twice.problems.len(), 2, "{:?}", twice.problems);
        assert!(twice.problems[0].contains("`a` of paper `p` stands more than once with different marks"));
        assert!(twice.problems[1].contains("`b` of paper `p` stands twice with the same mark"));
        assert!(
            Marks::default()
                .add_csv(b"a,b\n1,2\n")
                .unwrap_err()
                .contains("`paper`")
        );
    }
}
