//! The request to the program that fits a model.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::equation::{Factor, Term};
use super::family::Family;
use super::planned::PlannedRefit;

/// The values of a column; missing ones are `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RefitColumn {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<Option<String>>),
}

impl RefitColumn {
    /// Whether a row has a value.
    fn has(&self, row: usize) -> bool {
        match self {
            Self::Numbers(values) => values.get(row).is_some_and(Option::is_some),
            Self::Texts(values) => values.get(row).is_some_and(Option::is_some),
        }
    }

    fn keep(&mut self, rows: &[bool]) {
        let mut at = rows.iter();
        match self {
            Self::Numbers(values) => values.retain(|_| at.next() == Some(&true)),
            Self::Texts(values) => values.retain(|_| at.next() == Some(&true)),
        }
    }
}

/// One request, format 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefitRequest {
    pub format: u32,
    pub family: Family,
    pub columns: BTreeMap<String, RefitColumn>,
    pub outcome: Term,
    pub event: Option<String>,
    pub terms: Vec<Term>,
    pub endogenous: Vec<Term>,
    pub instruments: Vec<Term>,
    pub intercept: bool,
    pub absorb: Vec<String>,
    pub groups: Option<String>,
    pub weights: Option<String>,
    pub exposure: Option<String>,
    pub clusters: Vec<String>,
}

impl RefitRequest {
    /// The request for a planned model; `None` if the data lack one of its columns.
    pub fn new(model: &PlannedRefit, column: impl Fn(&str) -> Option<RefitColumn>) -> Option<Self> {
        let equation = &model.equation;
        let (endogenous, instruments) = equation.instrumented.clone().unwrap_or_default();
        let names: BTreeSet<&str> = model.columns().into_iter().collect();
        let columns = names
            .into_iter()
            .map(|name| Some((name.to_owned(), column(name)?)))
            .collect::<Option<_>>()?;
        let one = |factor: &Factor| Term {
            factors: vec![factor.clone()],
        };
        Some(Self {
            format: 1,
            family: model.family,
            columns,
            outcome: one(&equation.outcome),
            event: equation.event.clone(),
            terms: equation.terms.clone(),
            endogenous,
            instruments,
            intercept: equation.intercept,
            absorb: model.absorbed.clone(),
            groups: equation.groups.clone(),
            weights: model.weights.clone(),
            exposure: equation.exposure.clone(),
            clusters: model.clusters.clone(),
        })
    }

    /// Rows with a value in every column, of those that `kept` has.
    pub fn complete(&self, kept: &[bool]) -> u64 {
        let has_all = |row: &usize| self.columns.values().all(|column| column.has(*row));
        (0..kept.len()).filter(|row| kept[*row]).filter(has_all).count() as u64
    }

    /// Leaves out the rows that `kept` does not have.
    pub fn keep(&mut self, kept: &[bool]) {
        for column in self.columns.values_mut() {
            column.keep(kept);
        }
    }
}
