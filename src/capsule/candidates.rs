//! Candidate answers in the outputs of several executions of the same code.
//!
//! A number is a candidate where a line says the same in every execution but for its numbers:
//! its values are those of one gold answer. A picture is a candidate for a question about it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::lazy_regex::LazyRegex;

/// A number as programs print it.
static NUMBER: LazyRegex = LazyRegex::new(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?");

/// The most lines of one file that are looked at.
const MOST_LINES: usize = 2_000;
/// The longest line, in characters.
const LONGEST: usize = 400;

/// The text files that one execution left, by their names, and its pictures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecutionOutputs {
    pub texts: BTreeMap<String, String>,
    pub pictures: Vec<String>,
}

/// An answer that a person may ask for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The question, which a person writes; empty: it is not asked for.
    #[serde(default)]
    pub question: String,
    pub file: String,
    /// Counted from 1; absent of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The line as the first execution printed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The number among those of the line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// The value of each execution, as it was printed; of a picture, the answer that a person
    /// fills in.
    pub values: Vec<String>,
    /// False: each execution printed the same, so that the value is exact.
    pub varies: bool,
}

/// The candidates of several executions, by file and line.
pub fn find(executions: &[ExecutionOutputs]) -> Vec<Candidate> {
    let Some(first) = executions.first() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (file, text) in &first.texts {
        let others: Option<Vec<Vec<&str>>> = executions
            .iter()
            .map(|one| Some(lines(one.texts.get(file)?)))
            .collect();
        // What is not always written is no answer.
        let Some(others) = others else { continue };
        for (place, line) in lines(text).into_iter().enumerate() {
            let same: Option<Vec<&str>> = others.iter().map(|lines| lines.get(place).copied()).collect();
            if let Some(same) = same {
                found.extend(in_line(file, place + 1, line, &same));
            }
        }
    }
    let pictures = first
        .pictures
        .iter()
        .filter(|name| executions.iter().all(|one| one.pictures.contains(name)));
    found.extend(pictures.map(|file| Candidate {
        question: String::new(),
        file: file.clone(),
        line: None,
        text: None,
        number: None,
        values: vec![String::new()],
        varies: false,
    }));
    found
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().take(MOST_LINES).collect()
}

fn in_line(file: &str, line: usize, text: &str, same: &[&str]) -> Vec<Candidate> {
    let is_short = |text: &&str| text.chars().count() <= LONGEST;
    let words = |text: &str| NUMBER.replace_all(text, "#").into_owned();
    let label = words(text);
    if !same.iter().all(|other| is_short(other) && words(other) == label) {
        return Vec::new();
    }
    let numbers: Vec<Vec<&str>> = same
        .iter()
        .map(|text| NUMBER.find_iter(text).map(|found| found.as_str()).collect())
        .collect();
    let count = numbers.first().map_or(0, Vec::len);
    (0..count)
        .map(|place| {
            let values: Vec<String> = numbers.iter().map(|one| one[place].to_owned()).collect();
            Candidate {
                question: String::new(),
                file: file.to_owned(),
                line: Some(line),
                text: Some(text.to_owned()),
                number: Some(place + 1),
                varies: values.iter().any(|value| *value != values[0]),
                values,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(text: &str, pictures: &[&str]) -> ExecutionOutputs {
        ExecutionOutputs {
            texts: BTreeMap::from([("out.txt".to_owned(), text.to_owned())]),
            pictures: pictures.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    #[test]
    fn a_number_is_a_candidate_where_its_line_says_the_same() {
        let found = find(&[
            outputs(
                "mean 4.5 of n = 10\nat 12:03\nseed -1e-3\ndone",
                &["fig.png", "odd.png"],
            ),
            outputs("mean 4.6 of n = 10\nat noon\nseed -2e-3\ndone", &["fig.png"]),
        ]);
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.line, one.number, one.values.join(" "), one.varies))
            .collect();
        assert_eq!(
            told,
            [
                (Some(1), Some(1), "4.5 4.6".to_owned(), true),
                (Some(1), Some(2), "10 10".to_owned(), false),
                (Some(3), Some(1), "-1e-3 -2e-3".to_owned(), true),
                (None, None, String::new(), false),
            ]
        );
        assert_eq!(found[3].file, "fig.png");
    }

    #[test]
    fn what_is_not_always_written_is_no_candidate() {
        let none = ExecutionOutputs::default();
        assert!(find(&[outputs("a 1", &[]), none]).is_empty());
        assert!(find(&[]).is_empty());
        assert!(find(&[outputs("a 1\nb 2", &[]), outputs("a 1", &[])]).len() == 1);
    }
}
