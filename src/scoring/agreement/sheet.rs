//! A person's marks, as a table that a spreadsheet writes.

use std::collections::BTreeSet;

use crate::scoring::aggregate::grading::{Mark, mark, short};
use crate::scoring::released::json::Node;

use super::field_path::settled;

/// The columns of a sheet; those behind `score` may be left out.
pub const COLUMNS: [&str; 5] = ["paper", "field", "score", "stage", "run"];

/// The rows of a sheet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RatingSheet {
    pub rows: Vec<SheetRow>,
    /// Rows that could not be used, a clause each that names the row.
    pub problems: Vec<String>,
}

/// One item of a grading, marked by a person.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetRow {
    /// Which row it is, the heading being the first.
    pub number: usize,
    /// Empty in a sheet of one paper.
    pub paper: String,
    /// In the spelling of [`settled`].
    pub field: String,
    pub mark: Mark,
    /// The graded stage; `None` where the sheet does not say.
    pub stage: Option<String>,
    /// Which run of the paper; `None` where the sheet does not say.
    pub run: Option<String>,
}

/// The error of a table of ratings that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    #[error(transparent)]
    Table(#[from] csv::Error),
    #[error(
        "it has no column `{wanted}`, only `{found}`: give paper, field and score, and where it matters stage \
         and run, parted by commas, semicolons or tabs"
    )]
    NoColumn { wanted: &'static str, found: String },
}

impl RatingSheet {
    /// Reads columns in any order, parted by commas, semicolons or tabs.
    ///
    /// # Errors
    /// A column that is missing, or a table that cannot be read.
    pub fn read(bytes: &[u8]) -> Result<Self, SheetError> {
        let heading = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let many = |delimiter: u8| heading.iter().filter(|byte| **byte == delimiter).count();
        let delimiter = [b',', b';', b'\t'].into_iter().rev().max_by_key(|one| many(*one));
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .delimiter(delimiter.unwrap_or(b','))
            .from_reader(bytes);
        let headers = reader.headers()?.clone();
        let column = |name: &'static str| {
            let found = headers
                .iter()
                .position(|header| header.trim_start_matches('\u{feff}').eq_ignore_ascii_case(name));
            found.ok_or_else(|| SheetError::NoColumn {
                wanted: name,
                found: short(&headers.iter().collect::<Vec<_>>().join("`, `")),
            })
        };
        let [paper, field, score] = [column("paper")?, column("field")?, column("score")?];
        let [stage, run] = [column("stage").ok(), column("run").ok()];
        let mut sheet = Self::default();
        for (at, record) in reader.records().enumerate() {
            let record = record?;
            let cell = |at: usize| record.get(at).unwrap_or_default();
            let said = |at: Option<usize>| at.map(cell).filter(|text| !text.is_empty()).map(str::to_owned);
            let number = at + 2;
            match mark(Some(&Node::Text(cell(score).into()))) {
                Ok(mark) => sheet.rows.push(SheetRow {
                    number,
                    paper: cell(paper).to_owned(),
                    field: settled(cell(field)),
                    mark,
                    stage: said(stage),
                    run: said(run),
                }),
                Err(what) => sheet.problems.push(format!(
                    "row {number}: `{}`{} {what} and is left out",
                    short(cell(field)),
                    paper_clause(cell(paper))
                )),
            }
        }
        Ok(sheet)
    }

    /// The papers that it names.
    pub fn papers(&self) -> BTreeSet<&str> {
        self.rows.iter().map(|row| row.paper.as_str()).collect()
    }

    /// The rows about one grading: of its paper, and where they say so of its
    /// stage and its run. An unnamed paper on either side is the only one.
    pub fn about<'s>(&'s self, paper: &str, stage: &str, run: &str) -> impl Iterator<Item = &'s SheetRow> {
        let is_only = paper.is_empty() && self.papers().len() == 1;
        self.rows.iter().filter(move |row| {
            (is_only || row.paper.is_empty() || row.paper == paper)
                && row.stage.as_deref().is_none_or(|own| own == stage)
                && row.run.as_deref().is_none_or(|own| own == run)
        })
    }
}

/// The paper as a clause names it; nothing of an unnamed one.
pub(super) fn paper_clause(paper: &str) -> String {
    match paper {
        "" => String::new(),
        paper => format!(" of paper `{}`", short(paper)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_spreadsheets_delimiter_and_order_of_columns_is_read() {
        let comma = RatingSheet::read(b"paper,field,score\np,a.0.b,1\n").unwrap();
        assert_eq!(comma.rows[0].field, "a[0].b");
        for text in [
            "\u{feff}score;field;paper\r\n1;a.0.b;p\r\n",
            "field\tpaper\tscore\na.0.b\tp\t1\n",
        ] {
            assert_eq!(RatingSheet::read(text.as_bytes()).unwrap(), comma, "{text}");
        }
        let error = RatingSheet::read(b"a|b\n1|2\n").unwrap_err().to_string();
        assert!(error.contains("no column `paper`, only `a|b`"), "{error}");
    }

    #[test]
    fn a_mark_that_is_none_is_named_by_its_row() {
        let sheet = RatingSheet::read(b"paper,field,score\np,a,1\np,b,lots\n").unwrap();
        assert_eq!(sheet.rows.len(), 1);
        assert_eq!(
            sheet.problems,
            ["row 3: `b` of paper `p` has the score `lots` and is left out"]
        );
    }

    #[test]
    fn rows_find_their_grading() {
        let sheet =
            RatingSheet::read(b"paper,field,score,stage,run\np,a,1,,\np,b,2,design,\np,c,3,,m\nq,d,0,,\n")
                .unwrap();
        let fields = |paper: &str, stage: &str, run: &str| -> String {
            sheet
                .about(paper, stage, run)
                .map(|row| row.field.as_str())
                .collect()
        };
        assert_eq!(fields("p", "extract", "m"), "ac");
        assert_eq!(fields("p", "design", "other"), "ab");
        assert_eq!(fields("q", "design", "m"), "d");
        assert_eq!(
            fields("", "design", "m"),
            "",
            "of several papers an unnamed one is none"
        );
        let one = RatingSheet::read(b"paper,field,score\np,a,1\n").unwrap();
        assert_eq!(one.about("", "extract", "").count(), 1);
    }
}
