//! The columns of a table without any of its rows.

use std::fmt::Write;

use crate::documents::table::column::{Column, DataType, Table};
use crate::documents::table::describe::cells::{HIDDEN, brief, cell, cut, labels};
use crate::documents::table::describe::variable::counts;
use crate::documents::table::moments::moments;
use crate::documents::table::personal::Privacy;

/// Columns that are described.
const MOST: usize = 2_000;
/// Different values up to which a column of texts is taken for a list of groups.
const GROUPS: usize = 20;
/// Rows that a group has at least, so that its name tells of no single one.
const ROWS_OF_A_GROUP: usize = 5;
/// Rows behind a range at least.
const ROWS_OF_A_RANGE: usize = 20;

/// Name, type, missing values, range or groups, label, labels of values and missing codes of each
/// column. No row is shown, nothing joins two columns, and personal columns are named alone.
pub fn facts(table: &Table, privacy: &Privacy) -> String {
    let mut text = String::new();
    for column in table.columns.iter().take(MOST) {
        let _ = write!(
            text,
            "- `{}` ({}, {} missing)",
            cell(&column.name),
            column.sort.name(),
            column.values.missing()
        );
        if let Some(label) = &column.label {
            let _ = write!(text, ": {}", cell(label));
        }
        if privacy.hides(column) {
            let _ = write!(text, "; {HIDDEN}");
        } else {
            text.push_str(&values(column));
        }
        if !column.declared_missing.is_empty() {
            let _ = write!(text, "; missing: {}", column.declared_missing.join(", "));
        }
        for code in &column.coded {
            let _ = write!(text, "; `{}` stands for missing", cell(&code.code));
        }
        text.push('\n');
    }
    cut(&mut text, table.columns.len(), MOST, "columns");
    text
}

/// The range of a column of numbers, the groups of one of texts, and labels.
fn values(column: &Column) -> String {
    let mut text = String::new();
    let is_number = matches!(column.sort, DataType::Number | DataType::Integer | DataType::Bool);
    let found = moments(column).filter(|found| is_number && found.count >= ROWS_OF_A_RANGE);
    if let Some(found) = found {
        let [least, _, _, _, most] = found.quantiles;
        let _ = write!(text, "; from {} to {}", brief(least), brief(most));
    }
    if let DataType::Text | DataType::Factor { .. } = column.sort {
        // Levels can be as many as rows.
        text.push_str(&groups(column));
    } else if !column.labels.is_empty() {
        let _ = write!(text, "; {}", labels(column));
    }
    text
}

/// The groups that a column parts the rows into, where each has several.
fn groups(column: &Column) -> String {
    let counts = counts(column);
    let is_grouped = !counts.is_empty()
        && counts.len() <= GROUPS
        && counts.iter().all(|(_, rows)| *rows >= ROWS_OF_A_GROUP);
    if !is_grouped {
        return String::new();
    }
    let mut groups: Vec<String> = counts.iter().map(|(group, _)| cell(group)).collect();
    groups.sort();
    format!("; one of {}", groups.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::delimited;

    #[test]
    fn columns_are_described_and_no_row_is() {
        let mut csv = "id,score,arm,email,free\n".to_owned();
        for row in 0..40 {
            let arm = if row % 2 == 0 { "treated" } else { "control" };
            csv.push_str(&format!(
                "s{row},{},{arm},p{row}@example.org,said {row}\n",
                100 + row
            ));
        }
        let table = delimited::read(csv.as_bytes(), b',', &Limits::default()).unwrap();
        let text = facts(&table, &Privacy::default());
        assert!(
            text.contains("- `score` (integer, 0 missing); from 100 to 139\n"),
            "{text}"
        );
        assert!(text.contains("; one of control, treated\n"), "{text}");
        for value in ["s7", "120", "p7@", "said"] {
            assert!(!text.contains(value), "{value}: {text}");
        }
    }
}
