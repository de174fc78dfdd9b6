//! The focal result of a run, read from its sub-runs as from the run itself.

use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::domain::result_line;
use crate::domain::verdict::NumberSource;
use crate::verdict::against::DataFacts;
use crate::verdict::candidates::{Lines, candidates};
use crate::verdict::focal::{Unread, focal_result};
use crate::verdict::plan_words::PlanWords;
use crate::verdict::printed_findings::printed_findings;
use crate::verdict::probe::printed_place::PrintedPlaces;
use crate::verdict::trace::Output;

/// Reads the focal result of an output.
#[derive(Debug, Clone)]
pub struct FocalReader {
    /// What the run itself gave.
    pub focal: Finding,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Recorded(Line),
    Row(Line),
    Printed(Box<PrintedPlaces>),
}

/// The result of that name, counted from 0 among those of the same name.
#[derive(Debug, Clone)]
struct Line {
    name: String,
    turn: usize,
}

impl Line {
    fn at(pool: &[Finding], at: usize, name: &str) -> Self {
        let before = pool.iter().take(at);
        Self {
            name: name.to_owned(),
            turn: before.filter(|one| one.name == name).count(),
        }
    }

    fn of(&self, pool: &[Finding]) -> Option<Finding> {
        pool.iter()
            .filter(|one| one.name == self.name)
            .nth(self.turn)
            .cloned()
    }
}

impl FocalReader {
    /// Finds the line that the verdict decides on, else where the run printed what
    /// the agent reported. The error says why there is none.
    pub fn find(
        criterion: &Criterion,
        reported: &[Finding],
        (results, stdout): (&str, &str),
        outputs: &Output,
        (plan, data): (&PlanWords, &DataFacts),
    ) -> Result<Self, String> {
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
            let line = Line::at(found.pool, found.at, &found.finding.name);
            return Ok(Self {
                focal: found.finding.clone(),
                source: match found.source {
                    NumberSource::Recorded => Source::Recorded(line),
                    _ => Source::Row(line),
                },
            });
        }
        let reported = match focal_result(&criterion.focal_term, criterion.rule, reported, outputs) {
            Ok(finding) => Some(finding),
            Err(Unread::NotPrinted { finding, .. }) => Some(*finding),
            Err(_) => None,
        };
        let Some(mut reported) = reported else {
            return Err(format!(
                "no result of `{}` was recorded or reported",
                criterion.focal_term
            ));
        };
        reported.scale = reported.scale.or(criterion.scale);
        let places = PrintedPlaces::find(&reported, stdout);
        let read = places.and_then(|places| Some((places.read(stdout)?, places)));
        match read {
            Some((mut focal, places)) => {
                focal.n = reported.n;
                Ok(Self {
                    focal,
                    source: Source::Printed(Box::new(places)),
                })
            }
            None => Err(format!(
                "the result of `{}` was not recorded, and is not in the output",
                criterion.focal_term
            )),
        }
    }

    /// The focal result of another output of the same code.
    pub fn read(&self, results: &str, stdout: &str) -> Option<Finding> {
        match &self.source {
            Source::Recorded(line) => line.of(&recorded(results)),
            Source::Row(line) => line.of(&printed_findings(stdout)),
            Source::Printed(places) => places.read(stdout),
        }
    }
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
            &[],
            (results, ""),
            &Output::default(),
            (&PlanWords::default(), &DataFacts::default()),
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
}
