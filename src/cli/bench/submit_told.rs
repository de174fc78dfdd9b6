//! A submission in words.

use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::standing::{Standing, StandingCell};
use super::submission::Submission;
use crate::cli::exit::Failure;
use crate::cli::output::{Printer, one_line};

/// A cell that is not submitted, and why.
#[derive(Debug, Serialize)]
pub struct LeftCell {
    cell: String,
    name: String,
    standing: Standing,
    why: String,
}

/// A submission that was handed over.
pub struct Handed {
    pub submission: Submission,
    pub calls: Vec<ArrayCall>,
    /// Ids of the arrays, by their order.
    pub jobs: Vec<String>,
}

/// The call of `sbatch` that hands an array over.
pub struct ArrayCall {
    pub script: String,
    pub arguments: Vec<String>,
}

impl LeftCell {
    pub fn new(cell: &StandingCell, why: String) -> Self {
        Self {
            cell: cell.plan.cell.clone(),
            name: cell.plan.name(),
            standing: cell.standing,
            why,
        }
    }
}

/// The outcome of a call of the verb.
pub struct SubmitOutcome<'a> {
    pub printer: Printer,
    pub json: bool,
    pub dry_run: bool,
    /// The folder of the bench.
    pub out: &'a Path,
    pub handed: Option<&'a Handed>,
    pub finished: usize,
    pub left: &'a [LeftCell],
}

impl SubmitOutcome<'_> {
    /// Prints it.
    ///
    /// # Errors
    /// Figures that JSON cannot hold.
    pub fn tell(&self) -> Result<(), Failure> {
        let (handed, finished, left) = (self.handed, self.finished, self.left);
        let printer = self.printer;
        if self.json {
            let arrays = handed.map(|handed| {
                let arrays = handed.submission.arrays.iter().enumerate();
                let arrays = arrays.map(|(number, array)| {
                    let job = handed.jobs.get(number);
                    json!({ "job": job, "name": array.name, "folder": array.folder, "shape": array.shape, "cells": array.cells })
                });
                arrays.collect::<Vec<_>>()
            });
            return printer.json(&json!({
                "submission": handed.filter(|_| !self.dry_run).map(|handed| handed.submission.number),
                "arrays": arrays.unwrap_or_default(),
                "finished": finished,
                "left": left,
            }));
        }
        for (number, array) in handed
            .iter()
            .flat_map(|handed| handed.submission.arrays.iter().enumerate())
        {
            let job = handed.and_then(|handed| handed.jobs.get(number));
            let job = job.map_or("not submitted".to_owned(), |job| format!("job {job}"));
            printer.line(format!(
                "{job}: {} cells, {}; {}",
                array.cells.len(),
                array.shape.words(),
                self.out.join(&array.folder).display()
            ));
        }
        if let Some(handed) = handed.filter(|_| self.dry_run) {
            for call in &handed.calls {
                printer.raw(&call.script);
            }
        }
        for cell in left {
            printer.line(format!(
                "left out: {}: {}",
                one_line(&cell.name),
                one_line(&cell.why)
            ));
        }
        let cells = handed.map_or(0, |handed| {
            handed
                .submission
                .arrays
                .iter()
                .map(|array| array.cells.len())
                .sum()
        });
        let verb = if self.dry_run {
            "to be submitted"
        } else {
            "submitted"
        };
        printer.line(format!(
            "{cells} cells {verb}, {finished} finished, {} left out",
            left.len()
        ));
        Ok(())
    }
}
