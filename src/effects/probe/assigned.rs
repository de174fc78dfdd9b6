//! The groups to which the focal predictor was assigned: a school's class, a state.

use std::collections::HashMap;

use crate::documents::table::column::{Column, Table, Values};
use crate::domain::workspace_path::WorkspacePath;
use crate::verdict::plan_words::{PlanWords, has_word};

/// Rows of a group on average, and groups, from which rows are not taken for the units.
const FEWEST_ROWS: usize = 2;
const FEWEST_GROUPS: usize = 6;

/// The column that the plan names, within whose values the focal column is constant; of
/// several, the one with the fewest values.
pub fn find(tables: &[(WorkspacePath, Table)], focal: &str, plan: &PlanWords) -> Option<String> {
    let (_, table) = tables.iter().find(|(_, table)| table.column(focal).is_some())?;
    let values = numbered(table.column(focal)?);
    let is_named = |name: &str| {
        let plural = [format!("{name}s"), format!("{name}es")];
        plan.mentions(name) || plural.iter().any(|word| has_word(&plan.all, word))
    };
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
        .filter(|column| column.name != focal && is_named(&column.name))
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
