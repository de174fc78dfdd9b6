//! Least squares of plain columns, which needs no other program.

use std::collections::BTreeMap;

use crate::statistics::least_squares::least_squares;

use super::answer::{DroppedRows, RefitAnswer, RefitFit};
use super::equation::{Form, Term};
use super::errors::ErrorKind;
use super::family::Family;
use super::request::{RefitColumn, RefitRequest};

/// Fits a linear model of columns that are all numbers, with conventional errors; `None` of any other.
pub fn fit(request: &RefitRequest) -> Option<RefitAnswer> {
    if request.family != Family::Linear || request.weights.is_some() {
        return None;
    }
    let numbers = |term: &Term| match term.factors.as_slice() {
        [factor] if factor.form == Form::Number => match request.columns.get(&factor.column)? {
            RefitColumn::Numbers(values) => Some((factor.column.clone(), values)),
            RefitColumn::Texts(_) => None,
        },
        _ => None,
    };
    let (_, outcome) = numbers(&request.outcome)?;
    let terms: Vec<_> = request.terms.iter().map(numbers).collect::<Option<_>>()?;
    let is_complete =
        |row: &usize| outcome[*row].is_some() && terms.iter().all(|(_, values)| values[*row].is_some());
    let rows: Vec<usize> = (0..outcome.len()).filter(is_complete).collect();
    let taken = |values: &[Option<f64>]| -> Vec<f64> { rows.iter().filter_map(|row| values[*row]).collect() };
    let mut columns: Vec<Vec<f64>> = terms.iter().map(|(_, values)| taken(values)).collect();
    if request.intercept {
        columns.push(vec![1.0; rows.len()]);
    }
    let fit = least_squares(&taken(outcome), &columns)?;
    let pairs = fit.coefficients.iter().zip(&fit.errors);
    let coefficients: BTreeMap<String, (f64, f64)> = terms
        .iter()
        .zip(pairs)
        .map(|((name, _), (estimate, error))| (name.clone(), (*estimate, *error)))
        .collect();
    Some(RefitAnswer {
        n: rows.len() as u64,
        dropped: DroppedRows {
            missing: (outcome.len() - rows.len()) as u64,
            ..DroppedRows::default()
        },
        fits: vec![RefitFit {
            kind: ErrorKind::Classical,
            member: String::new(),
            variant: String::new(),
            df: Some(fit.df as f64),
            coefficients,
        }],
        ..RefitAnswer::default()
    })
}
