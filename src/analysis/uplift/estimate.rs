//! The ratio of the minutes of two conditions: least squares on log minutes with dummies of papers
//! and of researchers, as the analysis of CORE-Bench v1.1 has it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::cluster_robust::{Design, NoCoefficient};
use super::session::WorkSession;
use crate::domain::finding::Interval;
use crate::statistics::distributions::t_two_sided;
use crate::statistics::intervals::student;

/// Errors within which something is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Clusters {
    Researcher,
    Paper,
}

impl Clusters {
    /// Both, that of the main figure first.
    pub const ALL: [Self; 2] = [Self::Researcher, Self::Paper];

    /// The word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Researcher => "researcher",
            Self::Paper => "paper",
        }
    }

    fn of(self, session: &WorkSession) -> &str {
        match self {
            Self::Researcher => &session.researcher,
            Self::Paper => &session.paper,
        }
    }
}

/// The difference of two conditions in log minutes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Uplift {
    /// The condition that the other is held against.
    pub reference: String,
    pub condition: String,
    pub rows: usize,
    pub coefficients: usize,
    pub papers: usize,
    pub researchers: usize,
    /// The natural logarithm of the ratio.
    pub log_ratio: f64,
    /// Minutes in the condition by minutes in the reference.
    pub ratio: f64,
    /// One for each kind of cluster.
    pub errors: Vec<ClusteredError>,
}

/// The uncertainty of the difference, with errors that are dependent within clusters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClusteredError {
    pub clusters: Clusters,
    pub count: usize,
    /// CR2, of the logarithm.
    pub standard_error: f64,
    /// Satterthwaite's.
    pub df: f64,
    pub t: f64,
    pub p_value: f64,
    /// Of the logarithm, 95 %.
    pub interval: Option<Interval>,
    /// Of the ratio, 95 %.
    pub ratio_interval: Option<Interval>,
}

/// The reason for which there is no estimate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoUplift {
    #[error("there are {0} conditions ({1}), and a difference is of two: leave out the rows of the others")]
    Conditions(usize, String),
    #[error("no row has the condition `{0}`: name one of {1} with --reference")]
    Reference(String, String),
    #[error("the condition cannot be told apart from papers and researchers: {0}")]
    Condition(NoCoefficient),
    #[error("clustered by {0}: {1}")]
    Clusters(&'static str, NoCoefficient),
}

/// The coverage of the intervals.
const LEVEL: f64 = 0.95;

/// Estimates the difference between two conditions; `reference` is the first of their names in
/// the alphabet where none is named.
///
/// # Errors
/// Other than two conditions, or a design in which their difference cannot be told.
pub fn uplift(sessions: &[WorkSession], reference: Option<&str>) -> Result<Uplift, NoUplift> {
    let conditions = levels(sessions, |session| &session.condition);
    let named = || conditions.join(", ");
    let [first, second] = conditions[..] else {
        return Err(NoUplift::Conditions(conditions.len(), named()));
    };
    let reference = reference.unwrap_or(first);
    let condition = match (reference == first, reference == second) {
        (true, _) => second,
        (_, true) => first,
        _ => return Err(NoUplift::Reference(reference.to_owned(), named())),
    };
    let focal = indicator(sessions, |session| session.condition == condition);
    let (papers, researchers) = (
        levels(sessions, |session| &session.paper),
        levels(sessions, |session| &session.researcher),
    );
    let mut others = vec![vec![1.0; sessions.len()]];
    let papers_but_one = papers.iter().skip(1);
    others.extend(papers_but_one.map(|paper| indicator(sessions, |session| session.paper == *paper)));
    let researchers_but_one = researchers.iter().skip(1);
    others.extend(researchers_but_one.map(|one| indicator(sessions, |session| session.researcher == *one)));
    let design = Design::new(&others, &focal).map_err(NoUplift::Condition)?;
    let log_minutes: Vec<f64> = sessions.iter().map(|session| session.minutes.ln()).collect();
    let mut log_ratio = f64::NAN;
    let mut errors = Vec::new();
    for clusters in Clusters::ALL {
        let names = levels(sessions, |session| clusters.of(session));
        let places: Vec<usize> = sessions
            .iter()
            .map(|session| names.binary_search(&clusters.of(session)).unwrap_or_default())
            .collect();
        let found = design
            .coefficient(&log_minutes, &places)
            .map_err(|error| NoUplift::Clusters(clusters.word(), error))?;
        log_ratio = found.estimate;
        let t = found.estimate / found.standard_error;
        let interval = student(found.estimate, found.standard_error, found.df, LEVEL);
        errors.push(ClusteredError {
            clusters,
            count: found.clusters,
            standard_error: found.standard_error,
            df: found.df,
            t,
            p_value: t_two_sided(t, found.df),
            ratio_interval: interval.map(|interval| Interval {
                lower: interval.lower.exp(),
                upper: interval.upper.exp(),
                ..interval
            }),
            interval,
        });
    }
    Ok(Uplift {
        reference: reference.to_owned(),
        condition: condition.to_owned(),
        rows: sessions.len(),
        coefficients: design.rank(),
        papers: papers.len(),
        researchers: researchers.len(),
        log_ratio,
        ratio: log_ratio.exp(),
        errors,
    })
}

/// The different values of a column, in order.
fn levels(sessions: &[WorkSession], of: impl Fn(&WorkSession) -> &str) -> Vec<&str> {
    let mut levels = BTreeSet::new();
    for session in sessions {
        levels.insert(of(session));
    }
    levels.into_iter().collect()
}

fn indicator(sessions: &[WorkSession], holds: impl Fn(&WorkSession) -> bool) -> Vec<f64> {
    sessions
        .iter()
        .map(|session| f64::from(u8::from(holds(session))))
        .collect()
}
