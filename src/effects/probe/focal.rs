//! The focal result of a run, read from its sub-runs as from the run itself.

use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::domain::result_line;
use crate::verdict::focal::{Unread, focal_result};
use crate::verdict::printed_findings::printed_findings;
use crate::verdict::probe::printed_place::PrintedPlaces;
use crate::verdict::term::of_term;
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
    /// The result of that term, counted from 0 among those of the same term.
    Recorded {
        term: String,
        turn: usize,
    },
    /// The row of that term, counted likewise.
    Row {
        term: String,
        turn: usize,
    },
    Printed(Box<PrintedPlaces>),
}

impl FocalReader {
    /// Finds the focal result in what a run recorded, else where it printed what the
    /// agent reported. The error says why there is none.
    pub fn find(
        criterion: &Criterion,
        reported: &[Finding],
        (results, stdout): (&str, &str),
        outputs: &Output,
    ) -> Result<Self, String> {
        let reported = match focal_result(&criterion.focal_term, criterion.rule, reported, outputs) {
            Ok(finding) => Some(finding),
            Err(Unread::NotPrinted { finding, .. }) => Some(*finding),
            Err(_) => None,
        };
        let recorded = recorded(results, &criterion.focal_term);
        let near = |finding: &Finding| {
            let pair = finding
                .estimate
                .zip(reported.as_ref().and_then(|one| one.estimate));
            pair.is_some_and(|(one, other)| (one - other).abs() <= 0.01 * other.abs())
        };
        let turn = recorded.iter().position(near).unwrap_or(0);
        if let Some(focal) = recorded.into_iter().nth(turn) {
            let term = criterion.focal_term.clone();
            return Ok(Self {
                focal,
                source: Source::Recorded { term, turn },
            });
        }
        let rows = printed(stdout, &criterion.focal_term);
        let turn = rows.iter().position(near).unwrap_or(0);
        if let Some(focal) = rows.into_iter().nth(turn) {
            let term = criterion.focal_term.clone();
            return Ok(Self {
                focal,
                source: Source::Row { term, turn },
            });
        }
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
            Source::Recorded { term, turn } => recorded(results, term).into_iter().nth(*turn),
            Source::Row { term, turn } => printed(stdout, term).into_iter().nth(*turn),
            Source::Printed(places) => places.read(stdout),
        }
    }
}

/// The recorded results of a term.
fn recorded(results: &str, term: &str) -> Vec<Finding> {
    let (lines, _) = result_line::parse(results);
    let findings: Vec<Finding> = lines.iter().map(result_line::ResultLine::finding).collect();
    of_term(term, &findings).into_iter().cloned().collect()
}

/// The rows of an output that name a term.
fn printed(stdout: &str, term: &str) -> Vec<Finding> {
    let findings = printed_findings(stdout);
    of_term(term, &findings).into_iter().cloned().collect()
}
