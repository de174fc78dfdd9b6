//! All that is known of one variable.

use std::collections::HashMap;
use std::fmt::Write;

use crate::documents::table::column::{Column, DataType, Values};
use crate::documents::table::describe::cells::{LISTED, brief, cell, cut, labels, value};
use crate::documents::table::hints::column_hints;
use crate::documents::table::moments::{distinct, moments};
use crate::documents::table::personal::Privacy;

/// Type, labels, missing codes, moments, values and hints.
pub fn variable(column: &Column, privacy: &Privacy) -> String {
    let mut text = format!("**{}**: {}", cell(&column.name), column.sort.name());
    if let Some(label) = &column.label {
        let _ = write!(text, ", \"{}\"", cell(label));
    }
    let (rows, missing) = (column.values.len(), column.values.missing());
    let _ = writeln!(
        text,
        ". {rows} rows, {missing} missing, {} distinct values.",
        distinct(column)
    );
    if !column.declared_missing.is_empty() {
        let _ = writeln!(
            text,
            "Declared as missing by the file: {}.",
            column.declared_missing.join(", ")
        );
    }
    for code in &column.coded {
        let _ = writeln!(
            text,
            "Missing with code `{}`: {} rows.",
            cell(&code.code),
            code.rows.len()
        );
    }
    let found = moments(column).filter(|_| !privacy.hides(column));
    if let (DataType::Number | DataType::Integer, Some(moments)) = (column.sort, found) {
        let quantiles: Vec<String> = moments.quantiles.into_iter().map(brief).collect();
        let _ = writeln!(
            text,
            "Mean {}, sd {}; min, quartiles, max: {}.",
            brief(moments.mean),
            brief(moments.deviation),
            quantiles.join(", ")
        );
    }
    if privacy.hides(column) {
        text.push_str("Its values are not shown.\n");
    } else {
        values(column, &mut text);
    }
    for hint in column_hints(column, privacy) {
        let _ = writeln!(text, "Note: {hint}");
    }
    text
}

fn values(column: &Column, text: &mut String) {
    let counts = counts(column);
    if counts.len() <= LISTED || matches!(column.sort, DataType::Factor { .. } | DataType::Text) {
        text.push_str("\n| value | rows |\n| --- | --- |\n");
        for (value, count) in counts.iter().take(LISTED) {
            let _ = writeln!(text, "| {} | {count} |", cell(value));
        }
        cut(text, counts.len(), LISTED, "values, the most frequent first");
    } else if !column.labels.is_empty() {
        let _ = writeln!(text, "Value labels: {}.", labels(column));
    }
}

/// Values with their number of rows, the most frequent first; missing ones left out.
pub fn counts(column: &Column) -> Vec<(String, usize)> {
    let mut numbers: HashMap<u64, (usize, usize)> = HashMap::new();
    let mut texts: HashMap<&str, usize> = HashMap::new();
    match &column.values {
        Values::Numbers(values) => {
            for (row, number) in values.iter().enumerate().filter(|(_, number)| !number.is_nan()) {
                // Adding zero makes one of the two zeros.
                numbers.entry((number + 0.0).to_bits()).or_insert((0, row)).0 += 1;
            }
        }
        Values::Strings(values) => {
            for text in values.iter().flatten() {
                *texts.entry(text).or_default() += 1;
            }
        }
    }
    let numbers = numbers
        .into_values()
        .filter_map(|(count, row)| Some((value(column, row)?, count)));
    let mut all: Vec<(String, usize)> = numbers
        .chain(texts.into_iter().map(|(text, count)| (text.to_owned(), count)))
        .collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::delimited;

    #[test]
    fn a_variable_is_described_with_its_values_and_hints() {
        let text = "age\n20\n30\n-9\n41\n30\n";
        let table = delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap();
        let text = variable(&table.columns[0], &Privacy::default());
        assert!(
            text.starts_with(
                "**age**: integer. 5 rows, 0 missing, 4 distinct values.\nMean 22.4, sd 19.0604;"
            ),
            "{text}"
        );
        assert!(
            text.contains("| 30 | 2 |") && text.contains("-9 in 1 rows may be coded"),
            "{text}"
        );
    }
}
