//! A plan's free text on its model, in the names of the data's columns.

use std::collections::BTreeSet;

use crate::domain::data_table::DataTable;
use crate::domain::fit_details::FitDetails;

/// The parts of a plan that name columns, and the columns that there are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlanWords {
    pub outcome: String,
    pub predictors: String,
    pub controls: String,
    /// Model and equation.
    pub method: String,
    pub fit: FitDetails,
    /// What it says of the rows that are used.
    pub rows: String,
    /// Everything that the plan says of data and method.
    pub all: String,
    pub tables: Vec<DataTable>,
}

impl PlanWords {
    /// The columns that an item of the list begins with.
    ///
    /// Lists say the name first: `urban (share in cities); single (share of ...)`.
    /// What an item says further on may be what is not in the model.
    pub fn leading(&self, list: &str) -> BTreeSet<&str> {
        items(list)
            .into_iter()
            .filter_map(|item| {
                let first = identifiers(item).into_iter().next()?;
                self.columns().find(|column| column.eq_ignore_ascii_case(first))
            })
            .collect()
    }

    /// Whether the plan's text has the name as a word anywhere.
    pub fn mentions(&self, name: &str) -> bool {
        has_word(&self.all, name)
    }

    /// Every column of every table.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.tables
            .iter()
            .flat_map(|table| table.columns.iter().map(String::as_str))
    }

    /// Whether the plan names rows that it leaves out, for another reason than that
    /// they lack values.
    pub fn names_exclusions(&self) -> bool {
        const LEAVING: [&str; 9] = [
            "exclu", "drop", "left out", "leave", "remov", "filter", "restrict", "subset", "trim",
        ];
        const LACKING: [&str; 6] = ["missing", "lack", "complete", "no value", "n/a", " na"];
        self.rows.to_lowercase().split(['.', ';', '\n']).any(|sentence| {
            LEAVING.iter().any(|word| sentence.contains(word))
                && !LACKING.iter().any(|word| sentence.contains(word))
        })
    }
}

/// Whether a text has a name as a word of its own.
pub fn has_word(text: &str, name: &str) -> bool {
    identifiers(text)
        .iter()
        .any(|word| word.eq_ignore_ascii_case(name))
}

/// Whether a variable of a model is a column, or made of it: `log_income`, `income_c`.
pub fn is_made_of(variable: &str, column: &str) -> bool {
    let (variable, column) = (variable.to_lowercase(), column.to_lowercase());
    variable == column
        || variable.split(['_', '.']).any(|part| part == column)
        || (column.len() > 2 && (variable.starts_with(&column) || variable.ends_with(&column)))
}

/// The names in a text or formula: runs of letters, digits, `_` and `.` that begin with a letter.
pub fn identifiers(text: &str) -> Vec<&str> {
    text.split(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '.')))
        .map(|word| word.trim_matches('.'))
        .filter(|word| word.chars().next().is_some_and(char::is_alphabetic))
        .collect()
}

/// The columns that a text names, also in the plural: `classes` for `class`.
pub fn columns_in(text: &str, is_column: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in identifiers(text) {
        let singular = [word.strip_suffix("es"), word.strip_suffix('s')];
        let mut named = std::iter::once(word).chain(singular.into_iter().flatten());
        let column = named.find(|name| is_column(name));
        if let Some(column) = column.filter(|column| !found.iter().any(|one| one == column)) {
            found.push(column.to_owned());
        }
    }
    found
}

/// The items of a list: between commas, semicolons, `+` and `and`, but not inside of brackets.
pub fn items(list: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    for (at, character) in list.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' | ';' | '+' | '\n' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found.into_iter().flat_map(|item| item.split(" and ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(controls: &str) -> PlanWords {
        PlanWords {
            controls: controls.to_owned(),
            tables: vec![DataTable {
                columns: ["violent", "poverty", "urban", "single"]
                    .map(str::to_owned)
                    .to_vec(),
                ..DataTable::default()
            }],
            ..PlanWords::default()
        }
    }

    #[test]
    fn columns_are_read_from_the_head_of_each_item() {
        let of = |text: &str| {
            let plan = words(text);
            plan.leading(text)
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            of("urban (share, not violent); single (of families)"),
            ["single", "urban"]
        );
        assert_eq!(of("Urban and single"), ["single", "urban"]);
        assert_eq!(of("none; poverty is the predictor"), ["poverty"]);
        assert_eq!(of("no control, since urban is left out"), [""; 0]);
    }

    #[test]
    fn variables_are_known_again_when_they_were_transformed() {
        assert!(is_made_of("log_income", "income") && is_made_of("income2", "income"));
        assert!(is_made_of("income.c", "Income") && !is_made_of("outcome", "income"));
    }

    #[test]
    fn exclusions_are_more_than_missing_values() {
        let of = |rows: &str| {
            PlanWords {
                rows: rows.to_owned(),
                ..PlanWords::default()
            }
            .names_exclusions()
        };
        assert!(of("Respondents under 18 are excluded."));
        assert!(!of("Rows that lack a value are dropped. All states."));
    }
}
