//! `inspect_data`: what a data set holds, as Markdown.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::arguments;
use super::contract::{Observation, Tool, ToolOutcome};
use super::cut::{self, Keep, TextCap};
use super::workspace::Workspace;
use crate::documents::document::Document;
use crate::documents::limits::ReadError;
use crate::documents::table::ask::{self, AnswerLimits, Question};
use crate::documents::table::personal::Privacy;
use crate::domain::format;
use crate::model::chat::ToolSpec;

/// Most bytes of a data set.
const LARGEST: u64 = 128 << 20;
const CAP: TextCap = TextCap {
    lines: 600,
    characters: 30_000,
};

/// Something that reads data sets, by their content.
pub trait DataReader: Send + Sync {
    /// Reads a whole file. What was read before may be shared.
    ///
    /// # Errors
    /// What the file is instead, or why it cannot be read, in words for the model.
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Arc<Document>, ReadError>;
}

/// Inspects data sets.
pub struct InspectData {
    reader: Arc<dyn DataReader>,
    privacy: Privacy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Columns,
    Head,
    Summary,
    Variable,
    Crosstab,
    Codebook,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The data file, relative to the workspace: csv, tsv, Excel, ODS, Stata, SPSS, R, MATLAB, JSON.
    path: String,
    /// `columns` lists the variables with types, labels and what to check; `head` shows the first
    /// rows; `summary` gives statistics; `variable` describes one in detail; `crosstab` counts the
    /// rows by two variables; `codebook` lists all labels and missing codes.
    #[serde(default = "columns")]
    operation: Operation,
    /// For `variable` and `crosstab`: a variable's name. For the others, the variables to show:
    /// a comma-separated list in which `*` stands for any characters.
    #[serde(default)]
    variable: Option<String>,
    /// For `crosstab`: the variable across.
    #[serde(default)]
    by: Option<String>,
    /// The sheet or data frame, where a file holds several; the first one otherwise.
    #[serde(default)]
    table: Option<String>,
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

impl Arguments {
    fn question(&self) -> Result<Question, Observation> {
        let named = |value: &Option<String>, argument: &str| match value.as_deref().map(str::trim) {
            Some(name) if !name.is_empty() => Ok(name.to_owned()),
            _ => Err(Observation::bad(format!(
                "Argument `{argument}` is missing: it names a variable for this operation."
            ))),
        };
        let columns = self.variable.clone();
        Ok(match self.operation {
            Operation::Columns => Question::Columns { columns },
            Operation::Head => Question::Head {
                columns,
                rows: self.rows,
            },
            Operation::Summary => Question::Summary { columns },
            Operation::Codebook => Question::Codebook { columns },
            Operation::Variable => Question::Variable {
                column: named(&self.variable, "variable")?,
            },
            Operation::Crosstab => Question::Crosstab {
                down: named(&self.variable, "variable")?,
                across: named(&self.by, "by")?,
            },
        })
    }
}

impl InspectData {
    /// The tool over a reader of data sets, with the personal columns that may be shown.
    pub fn new(reader: Arc<dyn DataReader>, privacy: Privacy) -> Self {
        Self { reader, privacy }
    }

    fn inspect(&self, given: &Value, workspace: &Workspace) -> Result<String, Observation> {
        let asked: Arguments = arguments::read(self.name(), given)?;
        let path = arguments::path(&asked.path)?;
        let question = asked.question()?;
        let refuse = |why: String| Observation::bad(format!("`{path}` cannot be inspected: {why}"));
        let content = workspace
            .read(&path, LARGEST)
            .map_err(|problem| Observation::bad(problem.to_string()))?;
        if !content.is_whole() {
            let (found, most) = (format::size(content.size), format::size(LARGEST));
            return Err(refuse(format!(
                "it has {found}, and at most {most} are read; write a script that summarises it."
            )));
        }
        let document = self
            .reader
            .read(path.file_name(), &content.bytes)
            .map_err(|error| match error {
                ReadError::NotReadable { what, .. } => refuse(what),
                other => refuse(format!("{other}.")),
            })?;
        let table = ask::table(&document, asked.table.as_deref()).map_err(|why| refuse(why.to_string()))?;
        let answer = ask::answer(table, &question, AnswerLimits::default(), &self.privacy)
            .map_err(|why| refuse(format!("{why}.")))?;
        let text = format!("`{path}`: {}\n{answer}", ask::headline(&document, table));
        let whole = "name fewer variables in `variable`, or write a script";
        Ok(cut::cut(&text, CAP, Keep::Beginning, whole))
    }
}

impl Tool for InspectData {
    fn name(&self) -> &'static str {
        "inspect_data"
    }

    fn spec(&self) -> ToolSpec {
        arguments::spec_of::<Arguments>(
            self.name(),
            "Describes a data set of any format: its variables, first rows, statistics, labels, one variable, or \
             two against each other.",
        )
    }

    fn call(&self, given: &Value, workspace: &Workspace) -> ToolOutcome {
        ToolOutcome::Observed(match self.inspect(given, workspace) {
            Ok(text) => Observation::good(text),
            Err(problem) => problem,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture::{Fixture, InProcess};
    use super::*;

    const DATA: &[u8] = b"id,score,group\n1,2,a\n2,4,b|c\n3,4,a\n4,5,\n5,10,a\n6,NA,a\n";

    fn tool() -> InspectData {
        InspectData::new(Arc::new(InProcess), Privacy::default())
    }

    fn shown(arguments: Value) -> String {
        let fixture = Fixture::new(&[("data/d.csv", DATA)]);
        let mut arguments = arguments;
        arguments["path"] = json!("data/d.csv");
        let text = fixture.good(&tool(), arguments);
        let head = "`data/d.csv`: 6 rows, 3 columns (comma-separated text)\n\n";
        text.strip_prefix(head)
            .unwrap_or_else(|| panic!("{text}"))
            .to_owned()
    }

    #[test]
    fn each_operation() {
        assert_eq!(
            shown(json!({})),
            "| column | type | missing | distinct | example | label |\n| --- | --- | --- | --- | --- | --- |\n\
             | id | integer | 0 | 6 | 1 |  |\n| score | integer | 1 | 4 | 2 |  |\n| group | text | 1 | 2 | a |  |\n"
        );
        assert_eq!(
            shown(json!({"operation": "head", "rows": 2, "variable": "group, id"})),
            "| row | group | id |\n| --- | --- | --- |\n| 1 | a | 1 |\n| 2 | b\\|c | 2 |\n(the first 2 of 6 rows)\n"
        );
        assert!(
            shown(json!({"operation": "summary"}))
                .contains("| score | 5 | 1 | 5 | 3 | 2 | 4 | 4 | 5 | 10 |\n")
        );
        let detail = shown(json!({"operation": "variable", "variable": "SCORE"}));
        assert!(
            detail.contains("Mean 5, sd 3; min, quartiles, max: 2, 4, 4, 5, 10.\n"),
            "{detail}"
        );
        let crosstab = shown(json!({"operation": "crosstab", "variable": "group", "by": "score"}));
        assert!(crosstab.contains("| a | 1 | 1 | 0 | 1 | 1 | 4 |\n"), "{crosstab}");
        assert!(shown(json!({"operation": "codebook"})).contains("holds no labels"));
    }

    #[test]
    fn a_column_that_a_person_allows_is_shown() {
        let fixture = Fixture::new(&[("data/d.csv", b"Name,x\nJane Doe,1\nJoe Roe,2\n")]);
        let head = json!({"path": "data/d.csv", "operation": "head"});
        assert!(!fixture.good(&tool(), head.clone()).contains("Jane"));
        let privacy = Privacy::allowing(["Name".to_owned()]);
        let allowing = InspectData::new(Arc::new(InProcess), privacy);
        assert!(fixture.good(&allowing, head).contains("Jane Doe"));
    }

    #[test]
    fn what_cannot_be_inspected_is_named() {
        let fixture = Fixture::new(&[
            ("data/d.csv", DATA),
            ("data/e.csv", b""),
            (
                "data/l.csv",
                b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 7000000\n",
            ),
            ("data/h.csv", b"<!DOCTYPE html><html><body>403</body></html>"),
            ("data/p.csv", b"\x89PNG\r\n\x1a\n"),
        ])
        .with_traps();
        let near = json!({"path": "data/d.csv", "operation": "variable", "variable": "scores"});
        assert!(fixture.bad(&tool(), near).contains("the nearest are `score`"));
        let missing = json!({"path": "data/d.csv", "operation": "crosstab", "variable": "group"});
        assert!(fixture.bad(&tool(), missing).contains("`by` is missing"));
        for (file, words) in [
            ("data/e.csv", "empty"),
            ("data/l.csv", "7000000 bytes"),
            ("data/h.csv", "failed or blocked download"),
            ("data/p.csv", "a PNG image"),
        ] {
            let text = fixture.bad(&tool(), json!({"path": file}));
            assert!(text.contains(words), "{text}");
        }
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
