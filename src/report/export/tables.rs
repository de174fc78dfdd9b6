//! Tables of runs, of their stages and of the decisions in them, as CSV and JSON lines with a
//! Frictionless data package that says what each column holds.

use serde_json::{Map, Value, json};

use super::exported_run::ExportedRun;
use super::member::Member;
use crate::domain::digest::Digest;
use crate::report::money;
use crate::run::decide::failed_stage;
use crate::run::event::{DecidedBy, StageEnd};

/// A column: its name, its Frictionless type and what it holds.
#[derive(Debug, Clone, Copy)]
struct Column {
    name: &'static str,
    kind: &'static str,
    holds: &'static str,
}

const fn column(name: &'static str, kind: &'static str, holds: &'static str) -> Column {
    Column { name, kind, holds }
}

const RUNS: [Column; 33] = [
    column("run", "string", "The run's name."),
    column(
        "track",
        "string",
        "The kind of its task: replication, capsule or another track.",
    ),
    column("task", "string", "The study, the capsule or another task."),
    column("title", "string", "The title of the task."),
    column(
        "variant",
        "string",
        "The setting or the level, and the arms of a bench.",
    ),
    column("arm", "string", "The arms of a bench as a JSON object."),
    column("agent", "string", "The agent of the bench, else the model."),
    column("model", "string", "The model's full name."),
    column(
        "repeat",
        "integer",
        "Counted from 1 among runs alike in agent, task and variant.",
    ),
    column("standing", "string", "finished, failed or open."),
    column(
        "result",
        "string",
        "The result in the bench; empty of a run of its own.",
    ),
    column("verdict", "string", "By the preregistered rule, of replications."),
    column("reason", "string", "One sentence with the numbers that decided."),
    column("score", "number", "From 0 to 1, by the grader of another track."),
    column("grader", "string", "The grader's name."),
    column("failed_stage", "string", "The stage that ended it early."),
    column("failure_cause", "string", "One of the closed causes of failure."),
    column("failure_detail", "string", "The failure in words."),
    column("started_at", "datetime", "The time of the first event."),
    column("ended_at", "datetime", "The time of the last event."),
    column(
        "working_seconds",
        "number",
        "Without waits for persons and for the provider, and without stops.",
    ),
    column("wall_seconds", "number", "From the first event to the last."),
    column("turns", "integer", "Answers of the model."),
    column("executions", "integer", "Commands of the main analysis that ran."),
    column("input_tokens", "integer", "Prompt tokens, cached ones included."),
    column(
        "cached_tokens",
        "integer",
        "Those that the provider served from its cache.",
    ),
    column(
        "output_tokens",
        "integer",
        "Completion tokens, reasoning included.",
    ),
    column("reasoning_tokens", "integer", "Those spent on hidden reasoning."),
    column(
        "cost_usd",
        "number",
        "US dollars; empty where a price is unknown.",
    ),
    column("study_digest", "string", "SHA-256 over the task's inputs."),
    column("data_digest", "string", "SHA-256 over the staged data."),
    column(
        "catalog_digest",
        "string",
        "SHA-256 over prompts, schemas and limits of stages.",
    ),
    column("engine", "string", "The version of reprise."),
];

const STAGES: [Column; 10] = [
    column("run", "string", "The run's name."),
    column("stage", "string", "The stage's name."),
    column("order", "integer", "Its place in the run, counted from 1."),
    column("result", "string", "finished, failed or open."),
    column("cause", "string", "Of a failed one, one of the closed causes."),
    column("turns", "integer", "Answers of the model."),
    column("tool_calls", "integer", "Calls of tools that were answered."),
    column(
        "input_tokens",
        "integer",
        "Prompt tokens of all its calls of models, cached ones included.",
    ),
    column(
        "output_tokens",
        "integer",
        "Completion tokens of all its calls of models.",
    ),
    column(
        "model_seconds",
        "number",
        "From asking the model to its answers, waits included.",
    ),
];

const DECISIONS: [Column; 9] = [
    column("run", "string", "The run's name."),
    column("question", "string", "The question's id."),
    column("stage", "string", "The stage that asked."),
    column("asking", "string", "execute, write, network, session or person."),
    column("summary", "string", "The question in one line."),
    column(
        "digest",
        "string",
        "SHA-256 of the content that the answer holds for.",
    ),
    column("allowed", "boolean", "The answer; empty while there is none."),
    column("by", "string", "person, policy or setting."),
    column("words", "string", "Advice with a refusal, or the rule's reason."),
];

type Record = Map<String, Value>;

struct Table {
    name: &'static str,
    title: &'static str,
    columns: &'static [Column],
    /// The columns that tell its records apart.
    key: &'static [&'static str],
    records: Vec<Record>,
}

/// An error of a table that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("the table cannot be written: {0}")]
    Csv(#[from] csv::Error),
    #[error("the table cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

/// The tables of runs as files, with their `datapackage.json`; `shown` is what is shown of a text.
///
/// # Errors
/// A table that cannot be written.
pub fn tables(
    name: &str,
    runs: &[ExportedRun<'_>],
    shown: impl Fn(&str) -> String,
) -> Result<Vec<Member>, TableError> {
    let mut tables = [
        Table {
            name: "runs",
            title: "Runs",
            columns: &RUNS,
            key: &["run"],
            records: runs.iter().map(of_run).collect(),
        },
        Table {
            name: "stages",
            title: "Stages of runs",
            columns: &STAGES,
            key: &["run", "stage"],
            records: runs.iter().flat_map(of_stages).collect(),
        },
        Table {
            name: "decisions",
            title: "Questions that had to be answered, and by whom they were",
            columns: &DECISIONS,
            key: &["run", "question"],
            records: runs.iter().flat_map(of_decisions).collect(),
        },
    ];
    let records = tables.iter_mut().flat_map(|table| &mut table.records);
    for value in records.flat_map(Map::values_mut) {
        if let Value::String(text) = value {
            *text = shown(text);
        }
    }
    let mut members = Vec::new();
    let mut resources = Vec::new();
    for table in &tables {
        let csv = Member {
            path: format!("{}.csv", table.name),
            bytes: table.csv()?,
        };
        resources.push(table.resource(&csv));
        members.push(csv);
        members.push(Member {
            path: format!("{}.jsonl", table.name),
            bytes: table.json_lines(),
        });
    }
    let package = json!({
        "profile": "tabular-data-package",
        "name": package_name(name),
        "title": name,
        "description": "Runs of reprise. Each table stands beside it as JSON lines (NAME.jsonl) too.",
        "resources": resources,
    });
    members.push(Member::json("datapackage.json", &package));
    Ok(members)
}

/// A text that a spreadsheet takes for no formula.
fn as_text(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

/// A name in the letters that data packages allow.
fn package_name(name: &str) -> String {
    let plain = name.to_lowercase();
    let plain: String = plain
        .chars()
        .map(|letter| match letter {
            letter if letter.is_ascii_alphanumeric() || "._-".contains(letter) => letter,
            _ => '-',
        })
        .collect();
    match plain.trim_matches('-') {
        "" => "runs".to_owned(),
        name => name.to_owned(),
    }
}

impl Table {
    fn csv(&self) -> Result<Vec<u8>, TableError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|column| column.name))?;
        for record in &self.records {
            writer.write_record(self.columns.iter().map(|column| match record.get(column.name) {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => as_text(text),
                Some(value) => value.to_string(),
            }))?;
        }
        Ok(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)
    }

    fn json_lines(&self) -> Vec<u8> {
        let lines = self.records.iter().map(|record| format!("{}\n", json!(record)));
        lines.collect::<String>().into_bytes()
    }

    fn resource(&self, file: &Member) -> Value {
        let fields = self.columns.iter().map(|column| {
            let mut field = json!({
                "name": column.name, "type": column.kind, "description": column.holds,
            });
            if self.key.contains(&column.name) {
                field["constraints"] = json!({ "required": true });
            }
            field
        });
        let mut schema = json!({
            "fields": fields.collect::<Vec<_>>(),
            "primaryKey": self.key,
            "missingValues": [""],
        });
        if self.name != "runs" {
            let reference = json!({ "resource": "runs", "fields": ["run"] });
            schema["foreignKeys"] = json!([{ "fields": ["run"], "reference": reference }]);
        }
        json!({
            "profile": "tabular-data-resource",
            "name": self.name,
            "title": self.title,
            "path": file.path,
            "format": "csv",
            "mediatype": "text/csv",
            "encoding": "utf-8",
            "bytes": file.bytes.len(),
            "hash": Digest::compute(&file.bytes).to_string(),
            "schema": schema,
        })
    }
}

/// A record by its columns and its values in the same order.
fn record(columns: &[Column], values: Vec<Value>) -> Record {
    debug_assert_eq!(columns.len(), values.len());
    let names = columns.iter().map(|column| column.name.to_owned());
    names.zip(values).collect()
}

fn of_run(exported: &ExportedRun<'_>) -> Record {
    let (run, started) = (exported.run, exported.started);
    let (state, settings) = (&run.state, &started.settings);
    let (usage, clocks) = (state.usage(), state.elapsed.clocks());
    let failed = failed_stage(state);
    let verdict = state.verdict.as_ref();
    let cost = money::money(run, state.stages.values());
    record(
        &RUNS,
        vec![
            json!(started.run),
            json!(exported.track()),
            json!(exported.task),
            json!(started.title),
            json!(exported.variant),
            json!(exported.cell.map(|cell| json!(cell.arm).to_string())),
            json!(exported.agent),
            json!(settings.model),
            json!(exported.repeat),
            json!(exported.standing().word()),
            json!(exported.cell.map(|cell| cell.result)),
            json!(verdict.map(|verdict| verdict.outcome)),
            json!(verdict.map(|verdict| &verdict.reason)),
            json!(state.grade.as_ref().and_then(|grade| grade.mean())),
            json!(state.grade.as_ref().map(|grade| &grade.grader)),
            json!(failed.as_ref().map(|failed| failed.stage)),
            json!(failed.as_ref().map(|failed| failed.cause)),
            json!(failed.as_ref().map(|failed| failed.detail)),
            json!(exported.first_event()),
            json!(exported.last_event()),
            json!(clocks.working_ms as f64 / 1e3),
            json!(clocks.wall_ms as f64 / 1e3),
            json!(
                state
                    .stages
                    .values()
                    .map(|stage| stage.turns.len())
                    .sum::<usize>()
            ),
            json!(state.executions.iter().count()),
            json!(usage.input),
            json!(usage.cached),
            json!(usage.output),
            json!(usage.reasoning),
            json!(cost.map(|cost| cost.0 as f64 / 1e6)),
            json!(started.study_digest),
            json!(started.data_digest),
            json!(settings.catalog),
            json!(started.engine),
        ],
    )
}

fn of_stages<'a>(exported: &'a ExportedRun<'_>) -> impl Iterator<Item = Record> + 'a {
    (1..)
        .zip(&exported.run.state.stages)
        .map(|(order, (stage, state)): (u32, _)| {
            let usage = state.usage();
            let wall: u64 = state.turns.iter().map(|turn| turn.wall_ms).sum();
            record(
                &STAGES,
                vec![
                    json!(exported.started.run),
                    json!(stage),
                    json!(order),
                    json!(match &state.end {
                        Some(StageEnd::Finished { .. }) => "finished",
                        Some(StageEnd::Failed { .. }) => "failed",
                        None => "open",
                    }),
                    match &state.end {
                        Some(StageEnd::Failed { cause, .. }) => json!(cause),
                        _ => Value::Null,
                    },
                    json!(state.turns.len()),
                    json!(state.turns.iter().map(|turn| turn.results.len()).sum::<usize>()),
                    json!(usage.input),
                    json!(usage.output),
                    json!(wall as f64 / 1e3),
                ],
            )
        })
}

fn of_decisions<'a>(exported: &'a ExportedRun<'_>) -> impl Iterator<Item = Record> + 'a {
    exported.run.state.gate.all().map(|(asked, decided)| {
        record(
            &DECISIONS,
            vec![
                json!(exported.started.run),
                json!(asked.id.to_string()),
                json!(asked.at.stage),
                json!(asked.asking),
                json!(asked.summary),
                json!(asked.digest),
                json!(decided.map(|decided| decided.allowed)),
                json!(decided.map(|decided| match decided.by {
                    DecidedBy::Person => "person",
                    DecidedBy::Policy => "policy",
                    DecidedBy::Setting => "setting",
                })),
                json!(decided.and_then(|decided| decided.words.as_ref())),
            ],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_a_table_is_no_formula_to_a_spreadsheet() {
        let link = "=HYPERLINK(\"https://x\", \"y\")";
        assert_eq!(as_text(link), format!("'{link}"));
        assert_eq!(as_text("run work/a.py"), "run work/a.py");
    }
}
