//! `reprise read`, of a data set.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::app;
use crate::documents::document::Document;
use crate::documents::limits::ReadError;
use crate::documents::table::ask::{self, AnswerLimits, Question};
use crate::documents::table::column::{Column, Key, Table};
use crate::documents::table::hints::{column_hints, hints};
use crate::documents::table::moments::{distinct, moments};
use crate::documents::table::personal::{Privacy, is_personal};
use crate::settings::Settings;
use crate::tools::conversion::convert::would_try;
use crate::tools::inspect_data::DataReader;

use super::exit::{Failure, Status};
use super::output::{Printer, printable};
use super::terminal;

/// The part of a data set that is shown.
#[derive(Debug, Args)]
pub struct DataArgs {
    /// Describe one variable.
    #[arg(long, value_name = "NAME", group = "question", help_heading = "Data sets")]
    pub variable: Option<String>,
    /// Count the rows by two variables.
    #[arg(long, num_args = 2, value_names = ["DOWN", "ACROSS"], group = "question", help_heading = "Data sets")]
    pub crosstab: Vec<String>,
    /// Show the first rows.
    #[arg(long, value_name = "ROWS", group = "question", help_heading = "Data sets")]
    pub head: Option<usize>,
    /// Means, quartiles and frequent values.
    #[arg(long, group = "question", help_heading = "Data sets")]
    pub summary: bool,
    /// All labels and missing codes.
    #[arg(long, group = "question", help_heading = "Data sets")]
    pub codebook: bool,
    /// The columns to show: names between commas, `*` for any characters.
    #[arg(long, value_name = "NAMES", help_heading = "Data sets")]
    pub columns: Option<String>,
    /// The sheet or data frame, where the file holds several [default: the first]
    #[arg(long, value_name = "NAME", help_heading = "Data sets")]
    pub table: Option<String>,
    /// Let the sandbox's pandas or R convert what is not understood here; pandas is installed once.
    #[arg(long, help_heading = "Data sets")]
    pub convert: bool,
    /// A column whose values are shown though they may be personal; may be repeated.
    #[arg(long, value_name = "COLUMN", help_heading = "Data sets")]
    pub show_personal: Vec<String>,
}

impl DataArgs {
    /// Whether the file is to be shown as a data set, whatever it is.
    pub fn asks_for_data(&self) -> bool {
        let names_columns = self.columns.is_some() || self.variable.is_some() || !self.crosstab.is_empty();
        let chooses = self.table.is_some() || self.convert || !self.show_personal.is_empty();
        names_columns || chooses || self.head.is_some() || self.summary || self.codebook
    }
}

/// More than fits a screen is still wanted by who asks for it.
const MOST: AnswerLimits = AnswerLimits {
    listed: 5_000,
    across: 200,
    values: 200,
};

/// Shows what a data set holds.
///
/// # Errors
/// A file that is no data set, or a table or column that it does not have.
pub fn show(
    printer: Printer,
    file: &Path,
    document: &Document,
    args: &DataArgs,
    json: bool,
) -> Result<Status, Failure> {
    let refuse = |why: ask::NoAnswer| {
        let why = why.to_string();
        Failure::usage(format!("{}: {}", file.display(), why.trim_end_matches('.')))
    };
    let table = ask::table(document, args.table.as_deref()).map_err(refuse)?;
    let lacking = |name: &&String| !table.columns.iter().any(|column| column.name == **name);
    if let Some(name) = args.show_personal.iter().find(lacking) {
        return Err(Failure::usage(format!(
            "{}: `--show-personal {name}` names no column of this table; give a name as the file has it",
            file.display()
        )));
    }
    let privacy = Privacy::allowing(args.show_personal.iter().cloned());
    if json {
        printer.json(&described(file, args, document, table, &privacy)?)?;
        return Ok(Status::Done);
    }
    let answer = ask::answer(table, &question(args), MOST, &privacy).map_err(refuse)?;
    let text = format!("{}: {}\n{answer}", file.display(), ask::headline(document, table));
    for line in text.lines() {
        printer.line(printable(line));
    }
    Ok(Status::Done)
}

/// Reads a file by this program's own readers, or has it converted if that is asked for or agreed to.
///
/// # Errors
/// A file that cannot be read.
pub fn read(
    settings: &Settings,
    printer: Printer,
    path: &Path,
    convert: bool,
) -> Result<Arc<Document>, Failure> {
    let name = path.display();
    let failed = |error: &dyn std::fmt::Display| Failure::usage(format!("{name}: {error}"));
    let bytes = fs::read(path).map_err(|error| failed(&error))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let refused = |error: ReadError| match error {
        // Whoever names a file as data is told what it is instead.
        ReadError::NotReadable { what, .. } => failed(&what.trim_end_matches('.')),
        other => failed(&other),
    };
    let converted = || {
        let readers = app::toolset::readers(settings).map_err(|error| failed(&error))?;
        DataReader::read(&readers, &file, &bytes).map_err(refused)
    };
    if convert {
        return converted();
    }
    let readers = app::toolset::native_readers().map_err(|error| failed(&error))?;
    let native = DataReader::read(&readers, &file, &bytes);
    let Some(needs) = would_try(&bytes, native.as_deref()) else {
        return native.map_err(refused);
    };
    let takes = needs.takes();
    let question = format!(
        "{name} can be converted with {}: {takes}.\nConvert it? [y]es or [n]o:",
        needs.program()
    );
    if terminal::agrees(printer, &question) {
        return converted();
    }
    let way = format!("`--convert` has it converted ({takes})");
    match native {
        Ok(document) => {
            let mut document = Arc::unwrap_or_clone(document);
            document.notes.push(format!("{way}."));
            Ok(Arc::new(document))
        }
        Err(ReadError::NotReadable { what, .. }) => {
            Err(failed(&format!("{}. {way}", what.trim_end_matches('.'))))
        }
        Err(error) => Err(failed(&format!("{error}. {way}"))),
    }
}

fn question(args: &DataArgs) -> Question {
    let columns = args.columns.clone();
    if let Some(column) = &args.variable {
        return Question::Variable {
            column: column.clone(),
        };
    }
    if let [down, across] = args.crosstab.as_slice() {
        return Question::Crosstab {
            down: down.clone(),
            across: across.clone(),
        };
    }
    match args.head {
        Some(rows) => Question::Head { columns, rows },
        None if args.summary => Question::Summary { columns },
        None if args.codebook => Question::Codebook { columns },
        None => Question::Columns { columns },
    }
}

/// Everything that is known of the table, without its rows.
fn described(
    file: &Path,
    args: &DataArgs,
    document: &Document,
    table: &Table,
    privacy: &Privacy,
) -> Result<Value, Failure> {
    let chosen: Vec<&Column> = match args.variable.as_ref().or(args.columns.as_ref()) {
        Some(names) => crate::documents::table::choose::several(table, names)
            .map_err(|why| Failure::usage(format!("{}: {why}", file.display())))?,
        None => table.columns.iter().collect(),
    };
    Ok(json!({
        "format": "reprise-data/1",
        "file": file,
        "kind": document.kind.name(),
        "encoding": document.encoding,
        "tables": document.tables.iter().map(|table| json!({
            "name": table.name, "rows": table.rows, "columns": table.columns.len(),
        })).collect::<Vec<_>>(),
        "table": table.name,
        "label": table.label,
        "rows": table.rows,
        "columns": chosen.iter().map(|column| describe_column(column, privacy)).collect::<Vec<_>>(),
        "hints": hints(table, &chosen, privacy),
        "notes": document.notes,
    }))
}

fn describe_column(column: &Column, privacy: &Privacy) -> Value {
    let is_hidden = privacy.hides(column);
    let shown = if is_hidden { &[][..] } else { &column.labels };
    let labels: Vec<Value> = shown
        .iter()
        .map(|(key, label)| {
            let value = match key {
                Key::Number(number) => json!(number),
                Key::Text(text) | Key::Missing(text) => json!(text),
            };
            json!({ "value": value, "label": label })
        })
        .collect();
    let found = moments(column).filter(|_| !is_hidden);
    json!({
        "name": column.name,
        "label": column.label,
        "type": column.sort.name(),
        "rows": column.values.len(),
        "missing": column.values.missing(),
        "distinct": distinct(column),
        "likely_personal": is_personal(column),
        "values_hidden": is_hidden,
        "value_labels": labels,
        "declared_missing": column.declared_missing,
        "missing_codes": column.coded.iter().map(|code| json!({
            "code": code.code, "rows": code.rows.len(),
        })).collect::<Vec<_>>(),
        "mean": found.as_ref().map(|found| found.mean),
        "sd": found.as_ref().map(|found| found.deviation).filter(|sd| sd.is_finite()),
        "quantiles": found.map(|found| found.quantiles),
        "hints": column_hints(column, privacy),
    })
}
