//! `inspect_data`: what a data set holds, as Markdown.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Outcome, Tool};
use super::cut::{self, Cap, Keep, grouped};
use super::table::{Cell, Column, ColumnType, Table, TableReader, moments};
use super::text_file;
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;

/// Most bytes of a data set.
const LARGEST: u64 = 128 << 20;
const CAP: Cap = Cap {
    lines: 600,
    characters: 30_000,
};
/// Most characters of one cell, most columns of a head, most values listed.
const CELL: usize = 60;
const ACROSS: usize = 40;
const VALUES: usize = 20;
/// Distinct values that are told apart.
const DISTINCT: usize = 200_000;

/// Inspects data sets.
pub struct InspectData {
    reader: Arc<dyn TableReader>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Columns,
    Head,
    Summary,
    Variable,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The data file, relative to the workspace.
    path: String,
    /// `columns` lists the variables with types and labels; `head` shows the first rows; `summary`
    /// describes every variable; `variable` describes one in detail.
    #[serde(default = "columns")]
    operation: Operation,
    /// For `variable`: its name. For `head`, a comma-separated list of the variables to show.
    #[serde(default)]
    variable: Option<String>,
    /// For `head`: how many rows, from 1 to 100.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    rows: usize,
}

fn columns() -> Operation {
    Operation::Columns
}

fn ten() -> usize {
    10
}

impl InspectData {
    /// The tool over a reader of tables.
    pub fn new(reader: Arc<dyn TableReader>) -> Self {
        Self { reader }
    }

    fn inspect(&self, given: &Value, workspace: &Workspace) -> Result<String, Observation> {
        let asked: Arguments = arguments::read(self.name(), given)?;
        let path = arguments::path(&asked.path)?;
        let refuse = |why: String| Observation::bad(format!("`{path}` cannot be inspected: {why}."));
        let content = workspace
            .read(&path, LARGEST)
            .map_err(|problem| Observation::bad(problem.to_string()))?;
        if content.bytes.is_empty() {
            return Err(refuse("it is empty".to_owned()));
        }
        if let Some(real) = text_file::lfs_size(&content.bytes) {
            let real = cut::size(real);
            return Err(refuse(format!(
                "it is a Git LFS pointer, and the file of {real} was not fetched"
            )));
        }
        if !content.is_whole() {
            let (found, most) = (cut::size(content.size), cut::size(LARGEST));
            return Err(refuse(format!(
                "it has {found}, and at most {most} are read; write a script that summarises it"
            )));
        }
        let table = self
            .reader
            .read(path.file_name(), &content.bytes)
            .map_err(refuse)?;
        let mut text = format!(
            "`{path}`: {} rows, {} variables ({}, {})\n",
            grouped(table.rows),
            grouped(table.columns.len()),
            table.format,
            cut::size(content.size)
        );
        for note in &table.notes {
            text.push_str(note);
            text.push('\n');
        }
        text.push('\n');
        match asked.operation {
            Operation::Columns => list(&table, &mut text),
            Operation::Summary => summary(&table, &mut text),
            Operation::Head => head(&table, &asked, &mut text)?,
            Operation::Variable => {
                let name = asked.variable.as_deref().unwrap_or_default();
                detail(find(&table, name)?, &mut text);
            }
        }
        let whole = "ask for single variables, or write a script";
        Ok(cut::cut(&text, CAP, Keep::Beginning, whole))
    }
}

fn find<'t>(table: &'t Table, name: &str) -> Result<&'t Column, Observation> {
    let wanted = name.trim();
    let exact = table.columns.iter().find(|column| column.name == wanted);
    let other = || {
        table
            .columns
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(wanted))
    };
    exact.or_else(other).ok_or_else(|| {
        let names: Vec<_> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let near = similar::get_close_matches(wanted, &names, 5, 0.5);
        let near = if near.is_empty() {
            &names[..names.len().min(10)]
        } else {
            near.as_slice()
        };
        Observation::bad(format!(
            "Argument `variable` is `{}`, and no variable has that name. Variables are: {}.",
            shown(wanted),
            near.iter().map(|name| shown(name)).collect::<Vec<_>>().join(", ")
        ))
    })
}

fn list(table: &Table, text: &mut String) {
    text.push_str("| variable | type | missing | label |\n|---|---|---|---|\n");
    for column in &table.columns {
        let label = column.label.as_deref().unwrap_or_default();
        text.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            shown(&column.name),
            column.kind(),
            grouped(column.missing()),
            shown(label)
        ));
    }
}

fn head(table: &Table, asked: &Arguments, text: &mut String) -> Result<(), Observation> {
    let columns: Vec<&Column> = match &asked.variable {
        Some(names) => names
            .split(',')
            .map(|name| find(table, name))
            .collect::<Result<_, _>>()?,
        None => table.columns.iter().collect(),
    };
    let across = &columns[..columns.len().min(ACROSS)];
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    text.push_str(&line(across.iter().map(|column| shown(&column.name)).collect()));
    text.push_str(&line(across.iter().map(|_| "---".to_owned()).collect()));
    let rows = across.first().map_or(0, |column| column.cells.len());
    for row in 0..rows.min(asked.rows) {
        text.push_str(&line(
            across
                .iter()
                .map(|column| column.cells.get(row).map_or(String::new(), written))
                .collect(),
        ));
    }
    if columns.len() > ACROSS {
        text.push_str(&format!(
            "\nThe first {ACROSS} of {} variables; name others in `variable`.\n",
            columns.len()
        ));
    }
    Ok(())
}

fn summary(table: &Table, text: &mut String) {
    text.push_str(
        "| variable | type | missing | min | mean | max | sd | values |\n|---|---|---|---|---|---|---|---|\n",
    );
    for column in &table.columns {
        let kind = column.kind();
        let found = moments(&column.numbers()).filter(|_| kind != ColumnType::Mixed);
        let number = |value: Option<f64>| value.map_or(String::new(), figure);
        text.push_str(&format!(
            "| {} | {kind} | {} | {} | {} | {} | {} | {} |\n",
            shown(&column.name),
            grouped(column.missing()),
            number(found.map(|found| found.quantiles[0])),
            number(found.map(|found| found.mean)),
            number(found.map(|found| found.quantiles[4])),
            number(found.and_then(|found| found.sd)),
            tally(column).short(),
        ));
    }
}

fn detail(column: &Column, text: &mut String) {
    text.push_str(&format!("**{}**", shown(&column.name)));
    if let Some(label) = &column.label {
        text.push_str(&format!(": {}", shown(label)));
    }
    let tally = tally(column);
    text.push_str(&format!(
        "\n\n- type: {}\n- rows: {}, missing: {}\n- distinct values: {}\n",
        column.kind(),
        grouped(column.cells.len()),
        grouped(column.missing()),
        tally.distinct()
    ));
    if let Some(found) = moments(&column.numbers()) {
        let [low, first, median, third, high] = found.quantiles.map(figure);
        text.push_str(&format!(
            "- mean: {}, sd: {}\n- min: {low}, 25 %: {first}, median: {median}, 75 %: {third}, max: {high}\n",
            figure(found.mean),
            found.sd.map_or("none".to_owned(), figure)
        ));
    }
    text.push_str("\n| value | rows |\n|---|---|\n");
    for (value, count) in tally.top(VALUES) {
        let meaning = column.value_labels.iter().find(|(code, _)| code == value);
        let meaning = meaning.map_or(String::new(), |(_, meaning)| format!(" ({})", shown(meaning)));
        text.push_str(&format!("| {}{meaning} | {} |\n", shown(value), grouped(count)));
    }
    if tally.counts.len() > VALUES {
        text.push_str(&format!("\nThe {VALUES} most frequent values.\n"));
    }
}

/// How often each value occurs.
struct Tally {
    counts: BTreeMap<String, usize>,
    complete: bool,
}

fn tally(column: &Column) -> Tally {
    let mut tally = Tally {
        counts: BTreeMap::new(),
        complete: true,
    };
    for cell in &column.cells {
        let value = match cell {
            Cell::Missing => continue,
            Cell::Number(number) => number.to_string(),
            Cell::Text(text) => text.clone(),
        };
        if let Some(count) = tally.counts.get_mut(&value) {
            *count += 1;
        } else if tally.counts.len() < DISTINCT {
            tally.counts.insert(value, 1);
        } else {
            tally.complete = false;
        }
    }
    tally
}

impl Tally {
    fn distinct(&self) -> String {
        let more = if self.complete { "" } else { "more than " };
        format!("{more}{}", grouped(self.counts.len()))
    }

    /// The most frequent values; equal ones in the order of their text.
    fn top(&self, most: usize) -> Vec<(&str, usize)> {
        let mut values: Vec<_> = self
            .counts
            .iter()
            .map(|(value, count)| (value.as_str(), *count))
            .collect();
        values.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        values.truncate(most);
        values
    }

    fn short(&self) -> String {
        let top: Vec<_> = self
            .top(3)
            .into_iter()
            .map(|(value, count)| {
                let value: String = value.chars().take(20).collect();
                format!("{} ({})", shown(&value), grouped(count))
            })
            .collect();
        format!("{} distinct: {}", self.distinct(), top.join(", "))
    }
}

fn written(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => shown(text),
    }
}

/// A statistic with six significant digits.
fn figure(number: f64) -> String {
    if number == 0.0 || (1e-4..1e15).contains(&number.abs()) {
        let digits = 5 - number.abs().max(1e-4).log10().floor() as i32;
        let text = format!("{number:.*}", digits.max(0) as usize);
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    format!("{number:.5e}")
}

/// Text in a cell of Markdown: one line, no bars, at most [`CELL`] characters.
fn shown(text: &str) -> String {
    let mut cell: String = text
        .chars()
        .take(CELL)
        .map(|found| if found.is_control() { ' ' } else { found })
        .collect();
    if text.chars().nth(CELL).is_some() {
        cell.push_str("...");
    }
    cell.replace('|', "\\|")
}

impl Tool for InspectData {
    fn name(&self) -> &'static str {
        "inspect_data"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Describes a data set: its variables, its first rows, summary statistics, or one variable.",
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> Outcome {
        Outcome::Observed(match self.inspect(given, workspace) {
            Ok(text) => Observation::good(text),
            Err(problem) => problem,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::csv_table::DelimitedText;
    use super::super::fixture::Fixture;
    use super::*;

    const DATA: &[u8] = b"id,score,group\n1,2,a\n2,4,b|c\n3,4,a\n4,5,\n5,10,a\n6,NA,a\n";

    fn tool() -> InspectData {
        InspectData::new(Arc::new(DelimitedText))
    }

    fn shown(arguments: Value) -> String {
        let fixture = Fixture::new(&[("data/d.csv", DATA)]);
        let mut arguments = arguments;
        arguments["path"] = json!("data/d.csv");
        let text = fixture.good(&tool(), arguments);
        let head = "`data/d.csv`: 6 rows, 3 variables (delimited text, separated by commas, 54 bytes)\n\n";
        text.strip_prefix(head)
            .unwrap_or_else(|| panic!("{text}"))
            .to_owned()
    }

    #[test]
    fn each_operation() {
        assert_eq!(
            shown(json!({})),
            "| variable | type | missing | label |\n|---|---|---|---|\n| id | integer | 0 |  |\n\
             | score | integer | 1 |  |\n| group | text | 1 |  |\n"
        );
        assert_eq!(
            shown(json!({"operation": "head", "rows": 2, "variable": "group, id"})),
            "| group | id |\n| --- | --- |\n| a | 1 |\n| b\\|c | 2 |\n"
        );
        assert!(
            shown(json!({"operation": "summary"}))
                .contains("| score | integer | 1 | 2 | 5 | 10 | 3 | 4 distinct: 4 (2), 10 (1), 2 (1) |\n")
        );
        let detail = shown(json!({"operation": "variable", "variable": "SCORE"}));
        assert!(
            detail.contains("- mean: 5, sd: 3\n- min: 2, 25 %: 4, median: 4, 75 %: 5, max: 10\n"),
            "{detail}"
        );
    }

    #[test]
    fn what_cannot_be_inspected_is_named() {
        let fixture = Fixture::new(&[
            ("data/d.csv", DATA),
            ("data/e.csv", b""),
            (
                "data/l.csv",
                b"version https://git-lfs.github.com/spec/v1\nsize 7000000\n",
            ),
            ("data/p.csv", b"\x89PNG"),
        ])
        .with_traps();
        let near = json!({"path": "data/d.csv", "operation": "variable", "variable": "scores"});
        assert!(fixture.bad(&tool(), near).contains("Variables are: score"));
        assert!(
            fixture
                .bad(&tool(), json!({"path": "data/e.csv"}))
                .contains("empty")
        );
        assert!(
            fixture
                .bad(&tool(), json!({"path": "data/l.csv"}))
                .contains("7.0 MB")
        );
        assert!(
            fixture
                .bad(&tool(), json!({"path": "data/p.csv"}))
                .contains("a PNG image")
        );
        for trap in Fixture::TRAPS {
            fixture.bad(&tool(), json!({"path": trap}));
        }
        let huge = std::fs::File::create(fixture.root().join("data/huge.csv")).unwrap();
        huge.set_len(LARGEST + 1).unwrap();
        assert!(
            fixture
                .bad(&tool(), json!({"path": "data/huge.csv"}))
                .contains("at most 134.2 MB")
        );
    }

    #[test]
    fn figures_keep_six_digits() {
        let written: Vec<_> = [0.0, 1234567.0, 0.123456789, -12.5, 1e-9, 3.0].map(figure).into();
        assert_eq!(written, ["0", "1234567", "0.123457", "-12.5", "1.00000e-9", "3"]);
    }
}
