//! A table as a whole: its columns, first rows, statistics and codebook.

use std::fmt::Write;

use crate::documents::table::column::{Column, DataType, Table};
use crate::documents::table::describe::cells::{HIDDEN, MISSING, brief, cell, cut, labels, value};
use crate::documents::table::describe::variable::counts;
use crate::documents::table::hints::hints;
use crate::documents::table::moments::{distinct, moments};
use crate::documents::table::personal::Privacy;

/// Hints that are listed below the columns.
const HINTS: usize = 30;
/// Frequent values of a column in a summary.
const FREQUENT: usize = 3;

/// Name, type, missing values, an example and the label of each column, and
/// what to check before analysing.
pub fn columns(table: &Table, chosen: &[&Column], most: usize, privacy: &Privacy) -> String {
    let mut text = "| column | type | missing | distinct | example | label |\n\
                    | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for column in chosen.iter().take(most) {
        let example = if privacy.hides(column) {
            HIDDEN.to_owned()
        } else {
            (0..column.values.len())
                .find_map(|row| value(column, row))
                .unwrap_or_default()
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            cell(&column.name),
            column.sort.name(),
            column.values.missing(),
            distinct(column),
            cell(&example),
            cell(column.label.as_deref().unwrap_or_default())
        );
    }
    cut(&mut text, chosen.len(), most, "columns");
    let hints = hints(table, chosen, privacy);
    if !hints.is_empty() {
        text.push_str("\nTo check before analysing:\n");
        for hint in hints.iter().take(HINTS) {
            let _ = writeln!(text, "- {hint}");
        }
        cut(&mut text, hints.len(), HINTS, "points");
    }
    text
}

/// The first rows of some columns.
pub fn head(table: &Table, chosen: &[&Column], rows: usize, most: usize, privacy: &Privacy) -> String {
    let shown = &chosen[..chosen.len().min(most)];
    let titles: Vec<String> = shown.iter().map(|column| cell(&column.name)).collect();
    let mut text = format!(
        "| row | {} |\n| --- |{}\n",
        titles.join(" | "),
        " --- |".repeat(shown.len())
    );
    let hidden: Vec<bool> = shown.iter().map(|column| privacy.hides(column)).collect();
    for row in 0..rows.min(table.rows) {
        let cells: Vec<String> = shown
            .iter()
            .zip(&hidden)
            .map(|(column, hidden)| match value(column, row) {
                None => MISSING.to_owned(),
                Some(_) if *hidden => HIDDEN.to_owned(),
                Some(value) => cell(&value),
            })
            .collect();
        let _ = writeln!(text, "| {} | {} |", row + 1, cells.join(" | "));
    }
    cut(&mut text, table.rows, rows, "rows");
    cut(&mut text, chosen.len(), most, "columns");
    text
}

/// Moments and quartiles of the number columns, and the frequent values of the others.
pub fn summary(chosen: &[&Column], most: usize, privacy: &Privacy) -> String {
    let shown = &chosen[..chosen.len().min(most)];
    let (numbers, others): (Vec<&Column>, Vec<&Column>) = shown
        .iter()
        .partition(|column| matches!(column.sort, DataType::Number | DataType::Integer | DataType::Bool));
    let mut text = String::new();
    if !numbers.is_empty() {
        text.push_str(
            "| column | n | missing | mean | sd | min | 25% | median | 75% | max |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        );
    }
    for column in numbers {
        let missing = column.values.missing();
        if privacy.hides(column) {
            let count = column.values.len() - missing;
            let _ = writeln!(
                text,
                "| {} | {count} | {missing} | {HIDDEN} | | | | | | |",
                cell(&column.name)
            );
            continue;
        }
        let Some(found) = moments(column) else {
            let _ = writeln!(text, "| {} | 0 | {missing} | | | | | | | |", cell(&column.name));
            continue;
        };
        let figures = [found.mean, found.deviation].into_iter().chain(found.quantiles);
        let figures: Vec<String> = figures.map(brief).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {missing} | {} |",
            cell(&column.name),
            found.count,
            figures.join(" | ")
        );
    }
    if !others.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(
            "| column | type | n | missing | distinct | most frequent (rows) |\n\
             | --- | --- | --- | --- | --- | --- |\n",
        );
    }
    for column in others {
        let missing = column.values.missing();
        let frequent: Vec<String> = if privacy.hides(column) {
            vec![HIDDEN.to_owned()]
        } else {
            let counts = counts(column).into_iter().take(FREQUENT);
            counts
                .map(|(value, count)| format!("{} ({count})", cell(&value)))
                .collect()
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {missing} | {} | {} |",
            cell(&column.name),
            column.sort.name(),
            column.values.len() - missing,
            distinct(column),
            frequent.join(", ")
        );
    }
    cut(&mut text, chosen.len(), most, "columns");
    text
}

/// Labels, value labels and missing codes of each column.
pub fn codebook(chosen: &[&Column], most: usize, privacy: &Privacy) -> String {
    let mut text = String::new();
    for column in chosen.iter().take(most) {
        let _ = write!(text, "- `{}` ({})", cell(&column.name), column.sort.name());
        if let Some(label) = &column.label {
            let _ = write!(text, ": {}", cell(label));
        }
        if !column.labels.is_empty() {
            let shown = if privacy.hides(column) {
                HIDDEN.to_owned()
            } else {
                labels(column)
            };
            let _ = write!(text, "; {shown}");
        }
        if !column.declared_missing.is_empty() {
            let _ = write!(text, "; missing: {}", column.declared_missing.join(", "));
        }
        for code in &column.coded {
            let _ = write!(
                text,
                "; `{}` in {} rows, as missing",
                cell(&code.code),
                code.rows.len()
            );
        }
        text.push('\n');
    }
    let silent = chosen
        .iter()
        .all(|column| column.label.is_none() && column.labels.is_empty());
    if silent {
        text.push_str("(the file holds no labels; look for a codebook beside it)\n");
    }
    cut(&mut text, chosen.len(), most, "columns");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::delimited;
    use crate::documents::table::describe::variable::variable;

    fn table(text: &str) -> Table {
        delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap()
    }

    #[test]
    fn quartiles_are_those_of_r_and_pandas() {
        let table = table("x,g\n1,a\n2,b\n4,a\n8,\n");
        let text = summary(&table.columns.iter().collect::<Vec<_>>(), 9, &Privacy::default());
        assert!(
            text.contains("| x | 4 | 0 | 3.75 | 3.0957 | 1 | 1.75 | 3 | 5 | 8 |"),
            "{text}"
        );
        assert!(text.contains("| g | text | 3 | 1 | 2 | a (2), b (1) |"), "{text}");
    }

    #[test]
    fn personal_values_are_never_shown() {
        let table = table("id,email,phone\n1,jane@example.org,5550109999\n2,joe@example.org,5550101234\n");
        let all: Vec<&Column> = table.columns.iter().collect();
        let shown = [
            columns(&table, &all, 9, &Privacy::default()),
            head(&table, &all, 9, 9, &Privacy::default()),
            summary(&all, 9, &Privacy::default()),
            codebook(&all, 9, &Privacy::default()),
            variable(all[1], &Privacy::default()),
            variable(all[2], &Privacy::default()),
        ]
        .concat();
        assert!(
            !shown.contains("example.org") && !shown.contains("55501") && shown.contains(HIDDEN),
            "{shown}"
        );
        let allowed = Privacy::allowing(["email".to_owned()]);
        let shown = columns(&table, &all, 9, &allowed);
        assert!(
            shown.contains("jane@example.org") && shown.contains("a person has allowed"),
            "{shown}"
        );
    }

    #[test]
    fn a_cut_says_how_much_there_is() {
        let table = table("a,b,c\n1,2,3\n4,5,6\n7,8,9\n");
        let all: Vec<&Column> = table.columns.iter().collect();
        let text = head(&table, &all, 1, 2, &Privacy::default());
        assert!(
            text.contains("(the first 1 of 3 rows)") && text.contains("(the first 2 of 3 columns)"),
            "{text}"
        );
    }
}
