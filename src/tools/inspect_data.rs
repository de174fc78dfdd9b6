//! `inspect_data`: what a data set holds, as Markdown.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Outcome, Tool};
use super::cut::{self, Cap, Keep, grouped};
use super::describe::{detail, list, shown, summary, written};
use super::table::{Column, Table, TableReader};
use super::text_file;
use super::workspace::Workspace;
use crate::model::chat::ToolSpec;

/// Most bytes of a data set.
const LARGEST: u64 = 128 << 20;
const CAP: Cap = Cap {
    lines: 600,
    characters: 30_000,
};
/// Most columns of a head.
const ACROSS: usize = 40;

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
}
