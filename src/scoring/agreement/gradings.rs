//! Two gradings of the same items, read into pairs.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::field_path::settled;
use super::sheet::{SheetRow, paper_clause};
use super::table::Rating;
use crate::scoring::aggregate::grading::{Mark, mark, short};
use crate::scoring::released::json::{Node, distinct};

/// The marks of one grading, by paper and field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// `None`: the rater called the item not applicable.
    pub items: BTreeMap<(String, String), Option<u8>>,
    /// Items of a table that stand in it with different marks: which one is meant cannot be told.
    disputed: BTreeSet<(String, String)>,
    /// Items that could not be used, a sentence each.
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

    /// Adds the rows of a sheet that belong to a grading; an item that stands in
    /// it with different marks is left out, and named.
    pub fn add_rows<'r>(&mut self, paper: &str, rows: impl IntoIterator<Item = &'r SheetRow>) {
        for row in rows {
            self.insert(paper, row.field.clone(), row.mark, Again::Disputed);
        }
    }

    /// Takes the fields away that code decided: no rater has marked them.
    pub fn leave_out(&mut self, fields: &BTreeSet<String>) {
        self.items.retain(|(_, field), _| !fields.contains(field));
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
        let of = paper_clause(paper);
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

/// The treatment of an item that comes again.
#[derive(Clone, Copy)]
enum Again {
    /// As Python reads a repeated key of JSON.
    LastCounts,
    /// As of two people whose rows nobody can tell apart.
    Disputed,
}

/// Pairs two gradings item by item; what only one has marked stays unpaired.
pub fn pair(first: &Marks, second: &Marks) -> Vec<Rating> {
    let (mut firsts, mut seconds) = (first.items.iter().peekable(), second.items.iter().peekable());
    let mut ratings = Vec::with_capacity(first.items.len().max(second.items.len()));
    loop {
        let order = match (firsts.peek(), seconds.peek()) {
            (Some((one, _)), Some((other, _))) => one.cmp(other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return ratings,
        };
        let judge = firsts.next_if(|_| order.is_le());
        let human = seconds.next_if(|_| order.is_ge());
        ratings.extend(judge.or(human).map(|((paper, _), _)| Rating {
            paper: paper.clone(),
            judge: judge.and_then(|(_, mark)| *mark),
            human: human.and_then(|(_, mark)| *mark),
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::agreement::sheet::RatingSheet;

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
        let table = RatingSheet::read(b"score,field,paper\n2,claim.statement,p\nNA,a.b.1.2,p\n").unwrap();
        let mut human = Marks::default();
        human.add_rows("p", &table.rows);
        let pairs = pair(&judge, &human);
        let both = pairs
            .iter()
            .filter(|one| one.judge.is_some() && one.human.is_some());
        assert_eq!((pairs.len(), both.count()), (3, 1));
        let table = RatingSheet::read(b"paper,field,score\np,a,1\np,a,3\np,a,1\np,b,2\np,b,2\n").unwrap();
        let mut twice = Marks::default();
        twice.add_rows("p", &table.rows);
        assert_eq!(twice.items.len(), 1, "{:?}", twice.items);
        assert_eq!(twice.problems.len(), 2, "{:?}", twice.problems);
        assert!(twice.problems[0].contains("`a` of paper `p` stands more than once with different marks"));
        assert!(twice.problems[1].contains("`b` of paper `p` stands twice with the same mark"));
        judge.leave_out(&BTreeSet::from(["claim.statement".to_owned()]));
        assert_eq!(judge.items.len(), 2);
    }
}
