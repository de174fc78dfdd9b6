//! A task that is proposed, by a person or by a model.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::cli::exit::Failure;

use super::args::MakeArgs;
use super::solution;
use super::values::{AgreedAnswer, ValuePattern};

/// The most cells, values and landmarks of a proposal; an attempt of as many cells has a step left to
/// submit.
const MOST: usize = 99;

/// The reason for which a proposal cannot be used, as a clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnusableProposal(String);

impl From<String> for UnusableProposal {
    fn from(why: String) -> Self {
        Self(why)
    }
}

/// A proposed task, before anything of it was run.
#[derive(Debug, Clone)]
pub struct Proposal {
    pub task: String,
    pub report: String,
    pub instructions: String,
    /// The cells that solve it.
    pub cells: Vec<String>,
    pub values: Vec<ValuePattern>,
    pub landmarks: Vec<String>,
    pub entry_point: Option<String>,
}

/// A proposal as a model writes it.
#[derive(Debug, Deserialize)]
struct WrittenProposal {
    task: String,
    report: String,
    #[serde(default)]
    instructions: String,
    cells: Vec<String>,
    values: Map<String, Value>,
    #[serde(default)]
    landmarks: Vec<String>,
    #[serde(default)]
    entry_point: Option<String>,
}

impl Proposal {
    /// The proposal of a person.
    ///
    /// # Errors
    /// Cells that cannot be read, or what is missing.
    pub fn by_person(args: &MakeArgs) -> Result<Self, Failure> {
        let cells = match &args.cells {
            Some(path) => solution::cells(path)?,
            None => args.cell.clone(),
        };
        let proposal = Self {
            task: args.task.clone().unwrap_or_default(),
            report: args.report.clone().unwrap_or_default(),
            instructions: args.instructions.clone(),
            cells,
            values: args.values.clone(),
            landmarks: args.landmarks.clone(),
            entry_point: args.entry_point.clone(),
        };
        match proposal.fault() {
            Some(why) => Err(Failure::usage(why)),
            None => Ok(proposal),
        }
    }

    /// The proposal that an agent submitted; what a person gave stands above it.
    ///
    /// # Errors
    /// What cannot be used of it.
    pub fn by_model(submitted: &str, args: &MakeArgs) -> Result<Self, UnusableProposal> {
        let written: WrittenProposal = serde_json::from_str(submitted)
            .map_err(|error| format!("it is not in the form that was asked for ({error})"))?;
        let values = written.values.iter().map(|(name, expression)| {
            let expression = expression
                .as_str()
                .ok_or_else(|| format!("the expression of `{name}` is no text"))?;
            ValuePattern::new(name, expression).map_err(|fault| fault.to_string())
        });
        let proposal = Self {
            task: written.task,
            report: written.report,
            instructions: match args.instructions.is_empty() {
                true => written.instructions,
                false => args.instructions.clone(),
            },
            cells: written.cells,
            values: values.collect::<Result<Vec<_>, String>>()?,
            landmarks: match args.landmarks.is_empty() {
                true => written.landmarks,
                false => args.landmarks.clone(),
            },
            entry_point: args.entry_point.clone().or(written.entry_point),
        };
        match proposal.fault() {
            Some(why) => Err(why.into()),
            None => Ok(proposal),
        }
    }

    /// What is missing or too much of it, in a sentence.
    fn fault(&self) -> Option<String> {
        if self.task.trim().is_empty() || self.report.trim().is_empty() {
            return Some("the task says neither what is to be done nor what is to be reported: give --task and --report".to_owned());
        }
        if self.cells.is_empty() {
            return Some("nothing solves the task: give its cells with --cell or --cells".to_owned());
        }
        if self.values.is_empty() {
            return Some("nothing is answered: name each value with --value NAME=REGEX".to_owned());
        }
        let counts = [self.cells.len(), self.values.len(), self.landmarks.len()];
        if counts.iter().any(|count| *count > MOST) {
            return Some(format!(
                "at most {MOST} cells, values and landmarks are taken each"
            ));
        }
        None
    }

    /// The whole text of the task, put together as the published ones are.
    fn query(&self, address: &str) -> String {
        let mut query = format!("{}\n\n{}", self.task.trim(), self.report.trim());
        if !self.instructions.trim().is_empty() {
            query.push_str(&format!(
                "\n\nAdditional instructions:\n{}",
                self.instructions.trim()
            ));
        }
        query.push_str(&format!("\n\nGit repository: {address}"));
        query
    }

    /// The record of the task file, with what was agreed on once it is.
    pub fn record(&self, place: &RecordPlace<'_>, agreed: Option<&AgreedAnswer>) -> Value {
        let mut record = json!({
            "task_id": place.id, "github_repo": place.address, "git_commit": place.commit,
            "query": self.query(place.address),
            "query_components": {
                "e2e_task": self.task.trim(), "scenario_task": "", "report": self.report.trim(),
                "instructions": self.instructions.trim(),
            },
            "pre_execute_cells": [],
            "answer": agreed.map_or_else(String::new, |agreed| json!(agreed.answer).to_string()),
            "landmarks": if agreed.is_some() { json!(self.landmarks) } else { json!([]) },
            "solution_dependencies": "",
        });
        if let Some(agreed) = agreed {
            if let Some(entry_point) = &self.entry_point {
                record["entrypoint"] = json!(entry_point);
            }
            if let Some(tolerance) = agreed.tolerance {
                record["tolerance"] = json!(tolerance);
            }
        }
        record
    }
}

/// The task's name, and its repository.
pub struct RecordPlace<'a> {
    pub id: &'a str,
    pub address: &'a str,
    pub commit: Option<&'a str>,
}
