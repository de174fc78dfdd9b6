//! Attempts, what came of them, and the table that shows it.

use std::collections::BTreeSet;

use reprise::domain::execution::Tier;
use serde::Deserialize;

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was not let through.
    Refused,
    /// It was done, and touched nothing but what is the sandbox's own, or was cut at its limit.
    Contained,
    /// It was done, and the tier's notes say that it can be.
    Open,
    /// It was done, or nearly.
    Escaped,
    /// The attempt itself is wrong.
    Broken,
}

/// One attempt.
#[derive(Debug, Clone, Deserialize)]
pub struct Attempt {
    pub category: String,
    pub name: String,
    pub outcome: Outcome,
    /// What was seen; for an open one, words of the tier's notes.
    pub what: String,
}

/// Every attempt in one tier.
#[derive(Debug)]
pub struct Table {
    pub tier: Tier,
    attempts: Vec<Attempt>,
}

impl Table {
    pub fn new(tier: Tier) -> Self {
        Self {
            tier,
            attempts: Vec::new(),
        }
    }

    pub fn extend(&mut self, attempts: impl IntoIterator<Item = Attempt>) {
        self.attempts.extend(attempts);
    }

    pub fn add(&mut self, category: &str, name: &str, outcome: Outcome, what: impl Into<String>) {
        self.attempts.push(Attempt {
            category: category.to_owned(),
            name: name.to_owned(),
            outcome,
            what: what.into(),
        });
    }

    /// Adds an attempt that has come to nothing when `held`.
    pub fn held(&mut self, category: &str, name: &str, held: bool, what: impl Into<String>) {
        let outcome = if held {
            Outcome::Contained
        } else {
            Outcome::Escaped
        };
        self.add(category, name, outcome, what);
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.attempts
            .iter()
            .filter(|attempt| attempt.outcome == outcome)
            .count()
    }

    /// Prints the table and its sums.
    pub fn print(&self) {
        let mut category = "";
        let mut text = format!("\n{:?}\n", self.tier);
        for attempt in &self.attempts {
            if attempt.category != category {
                category = &attempt.category;
                text.push_str(&format!("  {category}\n"));
            }
            let outcome = format!("{:?}", attempt.outcome).to_lowercase();
            text.push_str(&format!(
                "    {:<50} {outcome:<10} {}\n",
                attempt.name,
                attempt.what.escape_debug()
            ));
        }
        println!(
            "{text}{:?}: {} attempts: {} refused, {} contained, {} open and said so, {} succeeded, {} broken",
            self.tier,
            self.attempts.len(),
            self.count(Outcome::Refused),
            self.count(Outcome::Contained),
            self.count(Outcome::Open),
            self.count(Outcome::Escaped),
            self.count(Outcome::Broken),
        );
    }

    /// Stops the test at an attempt that succeeded, or that is open and not admitted in `notes`.
    pub fn judge(&self, least: usize, notes: &[String]) {
        let names: BTreeSet<_> = self
            .attempts
            .iter()
            .map(|attempt| (&attempt.category, &attempt.name))
            .collect();
        assert_eq!(names.len(), self.attempts.len(), "an attempt is counted twice");
        assert!(names.len() >= least, "only {} attempts", names.len());
        let bad: Vec<_> = self
            .attempts
            .iter()
            .filter(|attempt| match attempt.outcome {
                Outcome::Refused | Outcome::Contained => false,
                Outcome::Open => !notes.iter().any(|note| note.contains(&attempt.what)),
                Outcome::Escaped | Outcome::Broken => true,
            })
            .collect();
        assert!(bad.is_empty(), "{:?}: {bad:#?}", self.tier);
    }
}

#[test]
#[should_panic(expected = "let in")]
fn an_attempt_that_succeeds_stops_the_test() {
    let mut table = Table::new(Tier::Namespaces);
    table.add("files", "let in", Outcome::Escaped, "");
    table.judge(1, &[]);
}

#[test]
#[should_panic(expected = "left open")]
fn what_is_open_must_be_admitted() {
    let mut table = Table::new(Tier::Landlock);
    table.add("files", "left open", Outcome::Open, "files can be seen");
    table.judge(1, &["nothing can be seen".to_owned()]);
}
