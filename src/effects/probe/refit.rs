//! The planned model, fitted again by a program of our own on the data that the code opened.
//!
//! The program gets columns and no formula; it runs in the sandbox of the run, in an
//! environment that is held to digests and has nothing of the agent's.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use crate::catalog::artifacts::replication_info::PlannedMethod;
use crate::documents::table::column::{Column, Table, Values};
use crate::domain::execution::{EnvironmentSpec, Limits, LockedFiles};
use crate::domain::fit_details::FitDetails;
use crate::domain::ids::RunId;
use crate::domain::refit::Refit;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::{command, workspace_files};
use crate::engine::error::EngineError;
use crate::engine::watch::Watch;
use crate::sandbox::contract::{Execution, Sandbox};
use crate::verdict::refit::answer::RefitAnswer;
use crate::verdict::refit::compare::{RecordedResult, compare};
use crate::verdict::refit::conditions::{RowCondition, conditions};
use crate::verdict::refit::errors::ErrorKind;
use crate::verdict::refit::planned::{NoModel, PlanTexts, PlannedRefit, planned};
use crate::verdict::refit::quick;
use crate::verdict::refit::request::{RefitColumn, RefitRequest};

use super::scratch::Scratch;
use super::tables::is_missing_text;

const PROGRAM: &str = include_str!("refit.py");
const LOCK: &str = include_str!("refit.lock.json");
/// Values that are handed over at most.
const MOST_VALUES: usize = 20_000_000;
/// Seconds and memory of the program.
const LIMITS: (u64, u64) = (300, 3 << 30);

/// The packages of the program.
#[derive(Deserialize)]
struct Lock {
    versions: BTreeMap<String, String>,
    /// Wheels of every Python, by package.
    any: BTreeMap<String, String>,
    /// Wheels by release of Python, processor and package.
    python: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>,
}

/// The run and the place of a refit.
pub struct Refitting {
    pub run: RunId,
    pub sandbox: Arc<dyn Sandbox>,
    /// A folder that is made for it.
    pub folder: PathBuf,
    pub watch: Arc<dyn Watch>,
}

/// The planned model, and the result that it is compared with.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    pub method: &'a PlannedMethod,
    pub fit: &'a FitDetails,
    pub result: RecordedResult<'a>,
    /// What the plan says of the rows that it uses.
    pub rows: &'a str,
}

/// A model with the data to fit it on.
struct Task {
    model: PlannedRefit,
    request: RefitRequest,
    /// Rows that it is due to have.
    expected: Option<u64>,
}

impl Refitting {
    /// Fits the planned model on the one table that has its columns, and compares it with the
    /// recorded result; if the plan's model cannot be read, the recorded model. `Ok(None)` says that
    /// it was cut short.
    ///
    /// # Errors
    /// A folder that cannot be made, or a sandbox that fails.
    pub async fn refit(
        &self,
        tables: &[(WorkspacePath, Table)],
        planned: Planned<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<Refit>, EngineError> {
        let task = match task(tables, planned) {
            Ok(task) => task,
            Err(why) => return Ok(Some(Refit::NotMade { why })),
        };
        let result = RecordedResult {
            expected: task.expected,
            ..planned.result
        };
        let quick = quick::fit(&task.request).map(|answer| compare(&task.model, &answer, result));
        let has_planned_errors = task.model.errors.is_none_or(|kind| kind == ErrorKind::Classical);
        let is_decided = match quick {
            Some(Refit::Agrees { .. }) => has_planned_errors,
            Some(Refit::NotMade { .. }) => true,
            Some(Refit::Differs { .. }) | None => false,
        };
        if is_decided {
            return Ok(quick);
        }
        let fitted = match self.fit(&task.request, cancel).await? {
            Fitted::Answer(answer) => compare(&task.model, &answer, result),
            Fitted::NotMade(why) => quick.unwrap_or(Refit::NotMade { why }),
            Fitted::Interrupted => return Ok(None),
        };
        Ok(Some(fitted))
    }

    async fn fit(&self, request: &RefitRequest, cancel: &CancellationToken) -> Result<Fitted, EngineError> {
        let spec = match self.environment().await {
            Ok(spec) => spec,
            Err(why) => return Ok(Fitted::NotMade(why)),
        };
        self.watch.line("Fitting the planned model again.");
        let quiet = |_: &str| {};
        let prepared = tokio::select! {
            () = cancel.cancelled() => return Ok(Fitted::Interrupted),
            prepared = self.sandbox.prepare(&spec, cancel, &quiet) => prepared,
        };
        let environment = match prepared {
            Ok(environment) => environment,
            Err(_) if cancel.is_cancelled() => return Ok(Fitted::Interrupted),
            Err(failure) => return Ok(Fitted::NotMade(no_environment(&failure))),
        };
        let scratch = Scratch::make(self.folder.clone())?;
        let work = command::work()?;
        let inside = work.below(scratch.path());
        fs::create_dir_all(&inside).map_err(|error| EngineError::io(&inside, error))?;
        let request = serde_json::to_vec(request).unwrap_or_default();
        for (name, bytes) in [("refit.py", PROGRAM.as_bytes()), ("request.json", &request)] {
            let path = inside.join(name);
            fs::write(&path, bytes).map_err(|error| EngineError::io(&path, error))?;
        }
        let (seconds, memory) = LIMITS;
        let execution = Execution {
            variables: BTreeMap::from([("OMP_NUM_THREADS".to_owned(), "1".to_owned())]),
            limits: Limits {
                seconds,
                memory,
                ..Limits::default()
            },
            ..Execution::alone(
                self.run.clone(),
                environment,
                &["python", "refit.py", "request.json"],
                scratch.path(),
                work,
                scratch.path(),
            )
        };
        let ended = self.sandbox.execute(&execution, cancel).await?;
        if cancel.is_cancelled() {
            return Ok(Fitted::Interrupted);
        }
        if !ended.ending.ok() {
            return Ok(Fitted::NotMade(format!(
                "the program that fits it {}",
                ended.ending.words()
            )));
        }
        let printed = workspace_files::text_if_there(&execution.stdout)?;
        Ok(match serde_json::from_str::<RefitAnswer>(&printed) {
            Ok(answer) => Fitted::Answer(Box::new(answer)),
            Err(error) => Fitted::NotMade(format!("the program that fits it gave no answer ({error})")),
        })
    }

    /// The environment of the program, by the Python that this machine has.
    async fn environment(&self) -> Result<EnvironmentSpec, String> {
        let lock: Lock = serde_json::from_str(LOCK).map_err(|error| error.to_string())?;
        let python = lock
            .versions
            .iter()
            .map(|(name, version)| format!("{name}=={version}"));
        let mut spec = EnvironmentSpec {
            python: Some(python.collect()),
            ..EnvironmentSpec::default()
        };
        let here = self
            .sandbox
            .python_of(&spec)
            .await
            .map_err(|failure| no_environment(&failure))?;
        let release = here.as_deref().map(release).unwrap_or_default();
        let own = lock
            .python
            .get(&release)
            .and_then(|processors| processors.get(std::env::consts::ARCH))
            .ok_or_else(|| {
                let releases: Vec<&str> = lock.python.keys().map(String::as_str).collect();
                format!(
                    "it needs one of Python {}, and the sandbox has {}",
                    releases.join(", "),
                    here.as_deref().unwrap_or("none")
                )
            })?;
        spec.python_files = Some(LockedFiles {
            python: release,
            sha256: lock
                .any
                .iter()
                .chain(own)
                .map(|(name, digest)| (name.clone(), digest.clone()))
                .collect(),
        });
        Ok(spec)
    }
}

enum Fitted {
    Answer(Box<RefitAnswer>),
    NotMade(String),
    Interrupted,
}

fn no_environment(failure: &crate::domain::execution::BuildFailure) -> String {
    format!(
        "its environment could not be made ({})",
        failure.summary.trim_end_matches('.')
    )
}

/// The first two numbers of a version.
fn release(version: &str) -> String {
    version.split('.').take(2).collect::<Vec<_>>().join(".")
}

/// The planned model, or else the recorded one, with its columns.
fn task(tables: &[(WorkspacePath, Table)], plan: Planned<'_>) -> Result<Task, String> {
    let of_plan = PlanTexts {
        models: &plan.method.models,
        estimation: &plan.method.planned_estimation_and_test.estimation,
        missing: &plan.method.missing_data_handling,
        fit: Some(plan.fit),
    };
    let by_plan = read(tables, of_plan, plan.result.term);
    let why = match by_plan {
        Ok((model, table)) => {
            let mut task = with_data(model, table, plan.result.expected)?;
            restrict(&mut task, table, plan.rows);
            return Ok(task);
        }
        Err(why) => why,
    };
    // The model is the plan's own if it is not written as an equation.
    let recorded = plan
        .result
        .finding
        .model
        .as_deref()
        .filter(|_| matches!(why, NoModel::Equation(_)));
    let of_record = PlanTexts {
        models: recorded.unwrap_or_default(),
        ..PlanTexts::default()
    };
    match read(tables, of_record, plan.result.term) {
        Ok((model, table)) => with_data(model, table, None),
        Err(_) => Err(why.to_string()),
    }
}

/// The model in the columns of the first table that has them all.
fn read<'a>(
    tables: &'a [(WorkspacePath, Table)],
    texts: PlanTexts<'_>,
    term: &str,
) -> Result<(PlannedRefit, &'a Table), NoModel> {
    let mut first = None;
    for (_, table) in tables {
        match planned(texts, term, &|name| table.column(name).is_some()) {
            Ok(model) => return Ok((model, table)),
            Err(why) => first = first.or(Some(why)),
        }
    }
    Err(first.unwrap_or(NoModel::Data))
}

fn with_data(model: PlannedRefit, table: &Table, expected: Option<u64>) -> Result<Task, String> {
    let request = RefitRequest::new(&model, |name| table.column(name).map(values))
        .ok_or_else(|| NoModel::Data.to_string())?;
    if table.rows.saturating_mul(request.columns.len()) > MOST_VALUES {
        return Err(format!("its columns have more than {MOST_VALUES} values"));
    }
    Ok(Task {
        model,
        request,
        expected,
    })
}

/// Leaves out the rows that the plan's conditions leave out, if as many remain as the plan expects.
fn restrict(task: &mut Task, table: &Table, rows: &str) {
    let stated = conditions(rows, &|name| table.column(name).is_some());
    let Some(expected) = task.expected.filter(|_| !stated.is_empty()) else {
        return;
    };
    let holds = |row: usize, condition: &RowCondition| {
        let column = table.column(&condition.column).map(|column| &column.values);
        match column {
            Some(Values::Numbers(numbers)) => numbers.get(row).is_some_and(|value| condition.holds(*value)),
            _ => true,
        }
    };
    let kept: Vec<bool> = (0..table.rows)
        .map(|row| stated.iter().all(|condition| holds(row, condition)))
        .collect();
    if task.request.complete(&kept) == expected {
        task.request.keep(&kept);
    }
}

fn values(column: &Column) -> RefitColumn {
    match &column.values {
        Values::Numbers(numbers) => RefitColumn::Numbers(
            numbers
                .iter()
                .map(|number| Some(*number).filter(|one| one.is_finite()))
                .collect(),
        ),
        Values::Strings(texts) => RefitColumn::Texts(
            texts
                .iter()
                .map(|text| text.filter(|text| !is_missing_text(text)).map(ToOwned::to_owned))
                .collect(),
        ),
    }
}
