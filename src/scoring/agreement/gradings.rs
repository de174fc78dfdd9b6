//! Two gradings of the same items, read into pairs.

use std::collections::BTreeMap;

use super::table::Rating;
use crate::scoring::aggregate::grading::{Mark, distinct, mark, short};
use crate::scoring::aggregate::json::Node;

/// The marks of one grading, by paper and field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marks {
    /// `None`: the rater called the item not applicable.
    pub items: BTreeMap<(String, String), Option<u8>>,
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

    fn descend(&mut self, paper: &str, node: &Node<'_>, path: &mut Vec<String>) {
        let Some(members) = node.members() else { return };
        if !path.is_empty() && node.get("score").is_some() {
            let field = path.join(".");
            match mark(node.get("score")) {
                Ok(found) => self.insert(paper, field, found),
                Err(what) => self
                    .problems
                    .push(format!("`{}` {what} and is left out", short(&field))),
            }
            return;
        }
        for (key, value) in distinct(members) {
            path.push(key.to_owned());
            self.descend(paper, value, path);
            path.pop();
        }
    }

    /// Adds a table with the columns `paper`, `field` and `score`, in any order.
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
                Ok(found) => self.insert(cell(paper), cell(field).to_owned(), found),
                Err(what) => self
                    .problems
                    .push(format!("`{}` {what} and is left out", short(cell(field)))),
            }
        }
        Ok(())
    }

    fn insert(&mut self, paper: &str, field: String, found: Mark) {
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
        self.items.insert((paper.to_owned(), field), value);
    }
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
        assert!(
            Marks::default()
                .add_csv(b"a,b\n1,2\n")
                .unwrap_err()
                .contains("`paper`")
        );
    }
}
