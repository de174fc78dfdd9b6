//! Crosstabs: counts of each pair of values of two columns.

use std::collections::BTreeMap;

use crate::documents::table::column::Column;
use crate::documents::table::describe::cells::{MISSING, cell, value};
use crate::documents::table::describe::variable::counts;
use crate::documents::table::personal::Privacy;

/// The reason for which there is no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoCrosstab {
    #[error(
        "`{column}` has {values} different values, and a table shows at most {most}; choose a column of fewer values"
    )]
    TooMany {
        column: String,
        values: usize,
        most: usize,
    },
    #[error("`{0}` is likely personal data, and its values are not shown")]
    Personal(String),
}

/// Counts of rows by the values of two columns of one table, missing ones among them.
///
/// # Errors
/// A column of personal data, or one with too many values to be counted across.
pub fn crosstab(
    first: &Column,
    second: &Column,
    most: usize,
    privacy: &Privacy,
) -> Result<String, NoCrosstab> {
    if let Some(hidden) = [first, second].into_iter().find(|column| privacy.hides(column)) {
        return Err(NoCrosstab::Personal(hidden.name.clone()));
    }
    let (down, across) = (order(first, most)?, order(second, most)?);
    let mut cells: BTreeMap<(String, String), usize> = BTreeMap::new();
    let shown = |column: &Column, row| value(column, row).unwrap_or_else(|| MISSING.to_owned());
    for row in 0..first.values.len() {
        *cells.entry((shown(first, row), shown(second, row))).or_default() += 1;
    }
    let titles: Vec<String> = across.iter().map(|value| cell(value)).collect();
    let mut text = format!(
        "| {} \\ {} | {} | all |\n|",
        cell(&first.name),
        cell(&second.name),
        titles.join(" | ")
    );
    text.push_str(&" --- |".repeat(across.len() + 2));
    text.push('\n');
    let mut totals = vec![0; across.len()];
    for value in &down {
        let counts: Vec<usize> = across
            .iter()
            .map(|other| cells.get(&(value.clone(), other.clone())).copied().unwrap_or(0))
            .collect();
        totals
            .iter_mut()
            .zip(&counts)
            .for_each(|(total, count)| *total += count);
        text.push_str(&line(value, &counts));
    }
    text.push_str(&line("all", &totals));
    Ok(text)
}

fn line(title: &str, counts: &[usize]) -> String {
    let all: usize = counts.iter().sum();
    let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
    format!("| {} | {} | {all} |\n", cell(title), counts.join(" | "))
}

/// The values of a column in their order: numbers by size, the rest by name, missing last.
fn order(column: &Column, most: usize) -> Result<Vec<String>, NoCrosstab> {
    let mut values: Vec<String> = counts(column).into_iter().map(|(value, _)| value).collect();
    if values.len() > most {
        return Err(NoCrosstab::TooMany {
            column: column.name.clone(),
            values: values.len(),
            most,
        });
    }
    let number = |text: &str| text.split(" = ").next().unwrap_or(text).parse::<f64>();
    values.sort_by(|a, b| match (number(a), number(b)) {
        (Ok(a), Ok(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    if column.values.missing() > 0 {
        values.push(MISSING.to_owned());
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::delimited;

    #[test]
    fn counts_meet_in_a_table() {
        let text = "group,score\na,10\nb,9\na,\nb,10\na,10\n";
        let table = delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap();
        assert_eq!(
            crosstab(&table.columns[0], &table.columns[1], 10, &Privacy::default()).unwrap(),
            "| group \\ score | 9 | 10 | (missing) | all |\n| --- | --- | --- | --- | --- |\n\
             | a | 0 | 2 | 1 | 3 |\n| b | 1 | 1 | 0 | 2 |\n| all | 1 | 3 | 1 | 5 |\n"
        );
        let refused = crosstab(&table.columns[0], &table.columns[1], 1, &Privacy::default()).unwrap_err();
        assert!(
            refused.to_string().contains("`group` has 2 different values"),
            "{refused}"
        );
    }
}
