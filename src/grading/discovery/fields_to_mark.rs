//! The fields of gradings that a person can mark.

use std::collections::BTreeMap;
use std::path::Path;

use crate::grading::discovery::bounded_file;
use crate::grading::discovery::grading_files;
use crate::scoring::aggregate::grading::short;
use crate::scoring::agreement::gradings::Marks;

/// A field by paper, run, stage and path.
pub type FieldKey = [String; 4];

/// The fields of the gradings below a folder, but for those that code decided.
#[derive(Debug, Default)]
pub struct FieldsToMark {
    /// Each with the mark that the named judge gave it.
    pub fields: BTreeMap<FieldKey, Option<String>>,
    /// True if the named judge has a grading there, or none is named.
    pub knows_judge: bool,
    /// Gradings and fields that could not be used, a sentence each.
    pub problems: Vec<String>,
}

impl FieldsToMark {
    /// Reads the gradings below a folder, and one judge's marks where one is named.
    pub fn below(root: &Path, judge: Option<&str>) -> Self {
        let mut found = Self {
            knows_judge: judge.is_none(),
            ..Self::default()
        };
        for grading in grading_files::below(root) {
            let mut marks = Marks::default();
            match bounded_file::read(&grading.path) {
                Ok(bytes) => marks.add_json("", &bytes),
                Err(error) => marks.problems.push(error.to_string()),
            }
            let place = grading.path.display();
            let said = marks.problems.iter();
            (found.problems).extend(said.map(|problem| format!("{place}: {problem}.")));
            marks.leave_out(&grading.by_code());
            let is_asked = judge.is_some_and(|judge| grading.is_of(judge));
            found.knows_judge |= is_asked;
            for ((_, field), mark) in marks.items {
                let key = [
                    grading.paper.clone(),
                    grading.run.clone(),
                    grading.stage.to_owned(),
                    field,
                ];
                // A spreadsheet takes such a cell for a formula.
                if key
                    .iter()
                    .any(|cell| cell.starts_with(['=', '+', '-', '@', '\t', '\r']))
                {
                    found.problems.push(format!(
                        "{place}: `{}` starts like a formula and is left out.",
                        short(&key[3])
                    ));
                    continue;
                }
                let cell = found.fields.entry(key).or_default();
                if is_asked {
                    *cell = Some(mark.map_or_else(|| "NA".to_owned(), |mark| mark.to_string()));
                }
            }
        }
        found
    }
}
