//! Questions about a data set, answered in Markdown for models and people alike.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::documents::document::Document;
use crate::documents::table::choose::{self, NoColumn};
use crate::documents::table::column::{Column, Table};
use crate::documents::table::describe::cells::cell;
use crate::documents::table::describe::crosstab::{NoCrosstab, crosstab};
use crate::documents::table::describe::overview;
use crate::documents::table::describe::variable::variable;
use crate::documents::table::personal::Privacy;

/// Names of tables that are listed.
const TABLES: usize = 40;

/// A question to a table; `columns` chooses by names and patterns, all where absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    Columns { columns: Option<String> },
    Head { columns: Option<String>, rows: usize },
    Summary { columns: Option<String> },
    Variable { column: String },
    Crosstab { down: String, across: String },
    Codebook { columns: Option<String> },
}

/// The limits of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerLimits {
    /// Columns that are listed, one a line.
    pub listed: usize,
    /// Columns beside one another.
    pub across: usize,
    /// Values of a crosstab, each way.
    pub values: usize,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self {
            listed: 300,
            across: 40,
            values: 40,
        }
    }
}

/// The reason for which a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error(transparent)]
    Column(#[from] NoColumn),
    #[error(transparent)]
    Crosstab(#[from] NoCrosstab),
    #[error("the file holds no table `{wanted}`; its tables are {tables}")]
    Table { wanted: String, tables: String },
    /// What the file is instead, in sentences.
    #[error("{0}")]
    NoData(String),
}

/// The table of a name, or the first of a file.
///
/// # Errors
/// A document without tables, or without one of the name.
pub fn table<'d>(document: &'d Document, name: Option<&str>) -> Result<&'d Table, NoAnswer> {
    let Some(first) = document.tables.first() else {
        let mut why = document.kind.advice();
        if document.kind.is_table() {
            why = format!("This is {} without any rows and columns.", document.kind);
        }
        for note in &document.notes {
            let _ = write!(why, " {note}");
        }
        return Err(NoAnswer::NoData(why));
    };
    let Some(wanted) = name.map(str::trim).filter(|name| !name.is_empty()) else {
        return Ok(first);
    };
    let same = |table: &&Table| table.name.eq_ignore_ascii_case(wanted);
    document.tables.iter().find(same).ok_or_else(|| NoAnswer::Table {
        wanted: cell(wanted),
        tables: names(document),
    })
}

/// The names of a file's tables, as one line.
fn names(document: &Document) -> String {
    let mut names: Vec<String> = document
        .tables
        .iter()
        .take(TABLES)
        .map(|table| {
            format!(
                "`{}` ({} × {})",
                cell(&table.name),
                table.rows,
                table.columns.len()
            )
        })
        .collect();
    if document.tables.len() > TABLES {
        names.push(format!("and {} more", document.tables.len() - TABLES));
    }
    names.join(", ")
}

/// Format, size and notes of a table, for the head of an answer.
pub fn headline(document: &Document, table: &Table) -> String {
    let mut text = format!(
        "{} rows, {} columns ({}",
        table.rows,
        table.columns.len(),
        document.kind
    );
    if let Some(encoding) = document.encoding.as_ref().filter(|name| *name != "UTF-8") {
        let _ = write!(text, ", {encoding}");
    }
    text.push_str(")\n");
    if let Some(label) = &table.label {
        let _ = writeln!(text, "Label: {}", cell(label));
    }
    if document.tables.len() > 1 {
        let _ = writeln!(
            text,
            "The file holds {} tables: {}. This is `{}`.",
            document.tables.len(),
            names(document),
            cell(&table.name)
        );
    }
    let others = document
        .tables
        .iter()
        .filter(|other| !std::ptr::eq(*other, table));
    let foreign: Vec<&String> = others.flat_map(|other| &other.notes).collect();
    let notes: BTreeSet<&String> = document.notes.iter().collect();
    for note in notes {
        if foreign.contains(&note) && !table.notes.contains(note) {
            continue;
        }
        let _ = writeln!(text, "Note: {note}");
    }
    text
}

/// Answers a question about a table, without the values that are kept back.
///
/// # Errors
/// A column that the table lacks, or a question that its values do not answer.
pub fn answer(
    table: &Table,
    question: &Question,
    most: AnswerLimits,
    privacy: &Privacy,
) -> Result<String, NoAnswer> {
    let chosen = |columns: &Option<String>| -> Result<Vec<&Column>, NoColumn> {
        match columns
            .as_deref()
            .map(str::trim)
            .filter(|names| !names.is_empty())
        {
            Some(names) => choose::several(table, names),
            None => Ok(table.columns.iter().collect()),
        }
    };
    Ok(match question {
        Question::Columns { columns } => overview::columns(table, &chosen(columns)?, most.listed, privacy),
        Question::Head { columns, rows } => {
            overview::head(table, &chosen(columns)?, *rows, most.across, privacy)
        }
        Question::Summary { columns } => overview::summary(&chosen(columns)?, most.listed, privacy),
        Question::Variable { column } => variable(choose::one(table, column)?, privacy),
        Question::Crosstab { down, across } => crosstab(
            choose::one(table, down)?,
            choose::one(table, across)?,
            most.values,
            privacy,
        )?,
        Question::Codebook { columns } => overview::codebook(&chosen(columns)?, most.listed, privacy),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::kind::Kind;
    use crate::documents::limits::Limits;
    use crate::documents::read::read;

    fn two() -> Document {
        let limits = Limits::default();
        let mut document = read("a.csv", b"x,y\n1,2\n", &limits).unwrap();
        let mut other = read("b.csv", b"z\n1\n", &limits).unwrap();
        document.tables[0].name = "one".to_owned();
        other.tables[0].name = "two".to_owned();
        other.tables[0].notes.push("odd".to_owned());
        document.notes.push("odd".to_owned());
        document.tables.append(&mut other.tables);
        document
    }

    #[test]
    fn a_table_is_chosen_by_its_name() {
        let document = two();
        assert_eq!(table(&document, Some("TWO")).unwrap().rows, 1);
        assert_eq!(
            table(&document, Some("three")).unwrap_err().to_string(),
            "the file holds no table `three`; its tables are `one` (1 × 2), `two` (1 × 1)"
        );
        let head = headline(&document, table(&document, None).unwrap());
        assert!(head.contains("This is `one`.") && !head.contains("odd"), "{head}");
        let head = headline(&document, table(&document, Some("two")).unwrap());
        assert!(head.contains("Note: odd"), "{head}");
    }

    #[test]
    fn a_page_in_the_place_of_data_is_called_that() {
        let page = read("d.csv", b"<html><body>403</body></html>", &Limits::default()).unwrap();
        let why = table(&page, None).unwrap_err().to_string();
        assert!(why.contains("failed or blocked download"), "{why}");
        let empty = table(&Document::new(Kind::Rds), None).unwrap_err().to_string();
        assert!(empty.contains("without any rows"), "{empty}");
    }
}
