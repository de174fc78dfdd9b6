//! The focal result of a run, read from its sub-runs as from the run itself.

use crate::domain::condition::Condition;
use crate::domain::criterion::Criterion;
use crate::domain::finding::{Finding, Group};
use crate::domain::result_line;
use crate::domain::verdict::NumberSource;
use crate::verdict::candidates::{Lines, candidates};
use crate::verdict::contrary_evidence::DataFacts;
use crate::verdict::focal::{Unread, focal_result};
use crate::verdict::plan_words::PlanWords;
use crate::verdict::printed_findings::printed_findings;
use crate::verdict::probe::printed_place::PrintedPlaces;
use crate::verdict::term::findings_for_term;
use crate::verdict::trace::Output;

/// Further results that are probed at most.
const MOST: usize = 20;

/// Reads the focal result of an output.
#[derive(Debug, Clone)]
pub struct FocalReader {
    /// What the run itself gave.
    pub focal: Finding,
    /// Further results of the run that the verdict rests on.
    pub further: Vec<Finding>,
    source: Source,
    /// Where these stand, in the focal result's own source.
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
enum Source {
    Recorded(Line),
    Row(Line),
    Printed(Box<PrintedPlaces>),
}

/// The result of that name, counted from 0 among those of the same name.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    name: String,
    turn: usize,
}

impl Line {
    fn at(pool: &[Finding], at: usize) -> Self {
        let name = pool.get(at).map_or_else(String::new, |one| one.name.clone());
        let before = pool.iter().take(at);
        Self {
            turn: before.filter(|one| one.name == name).count(),
            name,
        }
    }

    fn find(&self, pool: &[Finding]) -> Option<Finding> {
        pool.iter()
            .filter(|one| one.name == self.name)
            .nth(self.turn)
            .cloned()
    }
}

/// The outputs of a run, and the words of its plan and its data.
#[derive(Debug, Clone, Copy)]
pub struct FocalSources<'a> {
    /// The lines that the run recorded.
    pub results: &'a str,
    pub stdout: &'a str,
    /// What the agent reported.
    pub reported: &'a [Finding],
    pub outputs: &'a Output,
    pub plan: &'a PlanWords,
    pub data: &'a DataFacts,
}

/// The reason for which no line of a run tells what the agent reported of a term.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoFocalLine {
    #[error("no result of `{0}` was recorded or reported")]
    NoResult(String),
    #[error("the result of `{0}` was not recorded, and is not in the output")]
    NotPrinted(String),
}

impl FocalReader {
    /// Finds the line that the verdict decides on, else where the run printed what
    /// the agent reported.
    ///
    /// # Errors
    /// No line that tells what the agent reported.
    pub fn find(criterion: &Criterion, sources: FocalSources<'_>) -> Result<Self, NoFocalLine> {
        let FocalSources {
            results,
            stdout,
            reported,
            outputs,
            plan,
            data,
        } = sources;
        let recorded = self::recorded(results);
        let printed = printed_findings(stdout);
        let lines = Lines {
            recorded: &recorded,
            printed: &printed,
            reported,
            plan,
            data,
        };
        if let Some(found) = candidates(criterion, lines) {
            let line = Line::at(found.pool, found.at);
            let (lines, further) = further(criterion, &line, found.pool).into_iter().unzip();
            return Ok(Self {
                focal: found.finding.clone(),
                further,
                source: match found.source {
                    NumberSource::Recorded => Source::Recorded(line),
                    _ => Source::Row(line),
                },
                lines,
            });
        }
        let reported = match focal_result(&criterion.focal_term, criterion.rule, reported, outputs) {
            Ok(finding) => Some(finding),
            Err(Unread::NotPrinted { finding, .. }) => Some(*finding),
            Err(_) => None,
        };
        let Some(mut reported) = reported else {
            return Err(NoFocalLine::NoResult(criterion.focal_term.clone()));
        };
        reported.scale = reported.scale.or(criterion.scale);
        let places = PrintedPlaces::find(&reported, stdout);
        let read = places.and_then(|places| Some((places.read(stdout)?, places)));
        match read {
            Some((mut focal, places)) => {
                focal.n = reported.n;
                Ok(Self {
                    focal,
                    further: Vec::new(),
                    source: Source::Printed(Box::new(places)),
                    lines: Vec::new(),
                })
            }
            None => Err(NoFocalLine::NotPrinted(criterion.focal_term.clone())),
        }
    }

    /// The focal result of another output of the same code.
    pub fn read(&self, results: &str, stdout: &str) -> Option<Finding> {
        match &self.source {
            Source::Recorded(line) => line.find(&recorded(results)),
            Source::Row(line) => line.find(&printed_findings(stdout)),
            Source::Printed(places) => places.read(stdout),
        }
    }

    /// The further results of another output, each in its place.
    pub fn read_further(&self, results: &str, stdout: &str) -> Vec<Option<Finding>> {
        if self.lines.is_empty() {
            return Vec::new();
        }
        let pool = match &self.source {
            Source::Recorded(_) => recorded(results),
            _ => printed_findings(stdout),
        };
        self.lines.iter().map(|line| line.find(&pool)).collect()
    }
}

/// The lines besides the deciding one that the verdict rests on.
fn further(criterion: &Criterion, deciding: &Line, pool: &[Finding]) -> Vec<(Line, Finding)> {
    let focal = criterion.condition();
    let conditions: Vec<&Condition> = [&focal]
        .into_iter()
        .chain(&criterion.all)
        .chain(&criterion.any)
        .collect();
    let groups = groups(criterion);
    let is_group = |name: &str| {
        let same = |group: &Group| group.name.trim().eq_ignore_ascii_case(name.trim());
        groups.iter().any(|one| one == name) && pool.iter().any(|line| line.groups.iter().any(same))
    };
    let mut terms: Vec<&str> = Vec::new();
    for (at, condition) in conditions.iter().enumerate() {
        // Of the focal term one line decides.
        terms.extend((at > 0).then_some(condition.term.as_str()));
        terms.extend(condition.minus.as_deref());
        terms.extend(condition.contrast.as_deref());
        let greater = condition.greater.iter().map(String::as_str);
        terms.extend(greater.filter(|name| !is_group(name)));
    }
    // A line that gives the mean of such a group.
    let with_groups = pool
        .iter()
        .filter(|line| line.groups.iter().any(|group| is_group(&group.name)))
        .map(|line| line.name.as_str());
    let deciding_line = deciding.find(pool);
    let mut found: Vec<(Line, Finding)> = Vec::new();
    for term in terms.into_iter().chain(with_groups) {
        for finding in findings_for_term(term, pool) {
            let known =
                deciding_line.as_ref() == Some(finding) || found.iter().any(|(_, one)| one == finding);
            if !known && found.len() < MOST {
                let at = pool.iter().position(|one| std::ptr::eq(one, finding));
                found.extend(at.map(|at| (Line::at(pool, at), finding.clone())));
            }
        }
    }
    found
}

/// The names whose means, or estimates, a condition orders.
pub fn groups(criterion: &Criterion) -> Vec<String> {
    criterion
        .greater
        .iter()
        .chain(
            criterion
                .all
                .iter()
                .chain(&criterion.any)
                .flat_map(|one| &one.greater),
        )
        .cloned()
        .collect()
}

fn recorded(results: &str) -> Vec<Finding> {
    let (lines, _) = result_line::parse(results);
    lines.iter().map(result_line::ResultLine::finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Direction;

    fn reader(results: &str) -> FocalReader {
        let criterion = Criterion::significance("dose", Direction::Positive, 0.05, true);
        FocalReader::find(
            &criterion,
            FocalSources {
                results,
                stdout: "",
                reported: &[],
                outputs: &Output::default(),
                plan: &PlanWords::default(),
                data: &DataFacts::default(),
            },
        )
        .unwrap()
    }

    #[test]
    fn the_line_that_is_read_is_the_line_that_decides() {
        let results = |of_test: f64, estimate: f64| {
            format!(
                "{{\"term\": \"dose\", \"statistic\": {{\"kind\": \"t\", \"value\": {of_test}, \"df\": 40}}}}\n\
                 {{\"term\": \"age\", \"estimate\": 7, \"se\": 1}}\n\
                 {{\"term\": \"dose\", \"estimate\": {estimate}, \"se\": 0.5}}\n"
            )
        };
        let reader = reader(&results(0.4, 3.0));
        assert_eq!(reader.focal.estimate, Some(3.0));
        let other = reader.read(&results(0.1, -0.2), "").unwrap();
        assert_eq!(other.estimate, Some(-0.2));
        assert_eq!(reader.read("", ""), None);
    }

    #[test]
    fn what_else_decides_is_read_as_well() {
        let mut criterion = Criterion::significance("dose", Direction::Positive, 0.05, true);
        criterion.minus = Some("placebo".to_owned());
        criterion.greater = vec!["high".to_owned(), "low".to_owned()];
        criterion.all = vec![Condition::significance("age", Direction::Positive, 0.05, 2)];
        let results = |age: f64, placebo: f64| {
            format!(
                "{{\"term\": \"dose\", \"estimate\": 3, \"se\": 0.5, \"groups\": [{{\"name\": \"high\", \"mean\": 4}}]}}\n\
                 {{\"term\": \"weight\", \"estimate\": 9, \"se\": 1}}\n\
                 {{\"term\": \"low\", \"estimate\": 1, \"se\": 0.5}}\n\
                 {{\"term\": \"age\", \"estimate\": {age}, \"se\": 1}}\n\
                 {{\"term\": \"placebo\", \"estimate\": {placebo}, \"se\": 0.5}}\n"
            )
        };
        let given = results(7.0, -2.0);
        let reader = FocalReader::find(
            &criterion,
            FocalSources {
                results: &given,
                stdout: "",
                reported: &[],
                outputs: &Output::default(),
                plan: &PlanWords::default(),
                data: &DataFacts::default(),
            },
        )
        .unwrap();
        let names: Vec<&str> = reader.further.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["placebo", "low", "age"]);
        let read = reader.read_further(&results(6.5, -1.0), "");
        let estimates: Vec<_> = read.iter().flatten().map(|one| one.estimate).collect();
        assert_eq!(estimates, [Some(-1.0), Some(1.0), Some(6.5)]);
        assert_eq!(reader.read_further("", ""), [None, None, None]);
    }
}
