//! The groups to which the focal predictor was assigned: a school's class, a state.

use std::collections::HashMap;

use crate::documents::table::column::{Column, Table, Values};
use crate::domain::workspace_path::WorkspacePath;
use crate::verdict::plan_words::{PlanWords, columns_in};

/// Rows of a group on average, and groups, from which rows are not taken for the units.
const FEWEST_ROWS: usize = 2;
const FEWEST_GROUPS: usize = 6;

/// The column that the plan names, within whose values the focal column is constant; of
/// several, the one with the fewest values.
pub fn find(tables: &[(WorkspacePath, Table)], focal: &str, plan: &PlanWords) -> Option<String> {
    let (_, table) = tables.iter().find(|(_, table)| table.column(focal).is_some())?;
    let values = numbered(table.column(focal)?);
    let named = columns_in(&plan.all, &|name| table.column(name).is_some());
    let groups = |column: &Column| {
        let groups = numbered(column);
        let mut own: HashMap<usize, usize> = HashMap::new();
        let constant = groups
            .iter()
            .zip(&values)
            .all(|(group, value)| *own.entry(*group).or_insert(*value) == *value);
        (constant && own.len() >= FEWEST_GROUPS && own.len() * FEWEST_ROWS <= table.rows).then_some(own.len())
    };
    table
        .columns
        .iter()
        .filter(|column| column.name != focal && named.contains(&column.name))
        .filter_map(|column| Some((groups(column)?, column)))
        .min_by_key(|(count, _)| *count)
        .map(|(_, column)| column.name.clone())
}

/// Each row's value as the number of the value, from 0.
fn numbered(column: &Column) -> Vec<usize> {
    match &column.values {
        Values::Numbers(numbers) => {
            let mut known: HashMap<u64, usize> = HashMap::new();
            numbers
                .iter()
                .map(|number| {
                    let next = known.len();
                    *known.entry(number.to_bits()).or_insert(next)
                })
                .collect()
        }
        Values::Strings(texts) => texts.places().iter().map(|place| *place as usize).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::table::column::DataType;

    fn table(tutoring: impl Fn(usize) -> f64) -> Table {
        let column = |name: &str, value: &dyn Fn(usize) -> f64| {
            Column::numbers(name, DataType::Number, (0..40).map(value).collect())
        };
        Table {
            columns: vec![
                column("tutoring", &tutoring),
                column("class", &|row| (row / 4) as f64),
                column("pupil", &|row| row as f64),
                column("school", &|row| (row / 20) as f64),
            ],
            rows: 40,
            ..Table::default()
        }
    }

    fn found(table: Table, plan: &str) -> Option<String> {
        let plan = PlanWords {
            all: plan.to_owned(),
            ..PlanWords::default()
        };
        find(
            &[("replication_data/d.csv".parse().unwrap(), table)],
            "tutoring",
            &plan,
        )
    }

    #[test]
    fn a_predictor_of_whole_classes_is_assigned_to_them_if_the_plan_names_them() {
        let by_class = |row: usize| f64::from(u8::from((row / 4).is_multiple_of(2)));
        assert_eq!(
            found(table(by_class), "a random intercept for classes").as_deref(),
            Some("class")
        );
        // Two schools are no groups to permute, and every pupil is a row.
        assert_eq!(found(table(by_class), "pupils of two schools"), None);
        assert_eq!(found(table(|row| (row % 2) as f64), "classes"), None);
    }
}
