//! Answers about a table in Markdown, short enough for a model's context.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::documents::table::column::{Column, Key, Sort, Table, Values};
use crate::documents::table::dates;
use crate::documents::table::hints::{column_hints, is_personal};
use crate::documents::table::moments::{distinct, moments};

/// Longest cell, in characters.
const CELL: usize = 60;
/// Values that are listed one by one.
const LISTED: usize = 20;

/// Name, type, missing values and label of every column, up to a number of columns.
pub fn columns(table: &Table, most: usize) -> String {
    let mut text = headline(table);
    text.push_str("\n| # | column | type | missing | distinct | example | label |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (index, column) in table.columns.iter().enumerate().take(most) {
        let example = if is_personal(column) {
            "(not shown)".to_owned()
        } else {
            (0..column.values.len())
                .find_map(|row| shown(column, row))
                .unwrap_or_default()
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            index + 1,
            cell(&column.name),
            column.sort.name(),
            column.values.missing(),
            distinct(column),
            cell(&example),
            cell(column.label.as_deref().unwrap_or_default())
        );
    }
    cut(&mut text, table.columns.len(), most, "columns");
    text
}

/// The first rows of some columns (of all where none is named).
pub fn head(table: &Table, names: &[&str], rows: usize, most: usize) -> String {
    let chosen: Vec<&Column> = if names.is_empty() {
        table.columns.iter().take(most).collect()
    } else {
        names
            .iter()
            .filter_map(|name| table.column(name))
            .take(most)
            .collect()
    };
    let mut text = headline(table);
    let titles: Vec<String> = chosen.iter().map(|column| cell(&column.name)).collect();
    let _ = writeln!(
        text,
        "\n| row | {} |\n| --- |{}",
        titles.join(" | "),
        " --- |".repeat(chosen.len())
    );
    for row in 0..rows.min(table.rows) {
        let cells: Vec<String> = chosen
            .iter()
            .map(|column| cell(&shown(column, row).unwrap_or_else(|| "(missing)".to_owned())))
            .collect();
        let _ = writeln!(text, "| {} | {} |", row + 1, cells.join(" | "));
    }
    if names.is_empty() {
        cut(&mut text, table.columns.len(), most, "columns");
    }
    text
}

/// Rows with a value, mean, standard deviation and quartiles of every number column.
pub fn summary(table: &Table, most: usize) -> String {
    let mut text = headline(table);
    text.push_str("\n| column | n | mean | sd | min | 25% | median | 75% | max |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    let numeric = table
        .columns
        .iter()
        .filter(|column| matches!(column.sort, Sort::Number | Sort::Integer | Sort::Bool));
    let count = numeric.clone().count();
    for column in numeric.take(most) {
        let Some(moments) = moments(column) else {
            let _ = writeln!(text, "| {} | 0 | | | | | | | |", cell(&column.name));
            continue;
        };
        let numbers = [
            moments.mean,
            moments.deviation,
            moments.quantiles[0],
            moments.quantiles[1],
            moments.quantiles[2],
            moments.quantiles[3],
            moments.quantiles[4],
        ];
        let numbers: Vec<String> = numbers.into_iter().map(brief).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            cell(&column.name),
            moments.count,
            numbers.join(" | ")
        );
    }
    cut(&mut text, count, most, "number columns");
    text
}

/// All that is known of one variable.
pub fn variable(column: &Column) -> String {
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
    if let (Sort::Number | Sort::Integer, Some(moments)) = (column.sort, moments(column)) {
        let quantiles: Vec<String> = moments.quantiles.into_iter().map(brief).collect();
        let _ = writeln!(
            text,
            "Mean {}, sd {}; min, quartiles, max: {}.",
            brief(moments.mean),
            brief(moments.deviation),
            quantiles.join(", ")
        );
    }
    let counts = if is_personal(column) {
        Vec::new()
    } else {
        counts(column)
    };
    if is_personal(column) {
        text.push_str("Its values are not shown.\n");
    } else if counts.len() <= LISTED || matches!(column.sort, Sort::Factor { .. } | Sort::Text) {
        text.push_str("\n| value | rows |\n| --- | --- |\n");
        for (value, count) in counts.iter().take(LISTED) {
            let _ = writeln!(text, "| {} | {count} |", cell(value));
        }
        cut(&mut text, counts.len(), LISTED, "values, the most frequent first");
    } else if !column.labels.is_empty() {
        let _ = writeln!(text, "Value labels: {}.", labels(column));
    }
    for hint in column_hints(column) {
        let _ = writeln!(text, "Note: {hint}");
    }
    text
}

/// How often the values of two columns meet.
pub fn crosstab(first: &Column, second: &Column, most: usize) -> String {
    let mut cells: BTreeMap<(String, String), usize> = BTreeMap::new();
    let missing = || "(missing)".to_owned();
    for row in 0..first.values.len() {
        let key = (
            shown(first, row).unwrap_or_else(missing),
            shown(second, row).unwrap_or_else(missing),
        );
        *cells.entry(key).or_default() += 1;
    }
    let order = |column: &Column| -> Vec<String> {
        let mut values: Vec<String> = counts(column).into_iter().map(|(value, _)| value).collect();
        values.sort_by(|a, b| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => a.total_cmp(&b),
            _ => a.cmp(b),
        });
        values.push(missing());
        values
    };
    let (down, across) = (order(first), order(second));
    if down.len() > most || across.len() > most {
        return format!(
            "`{}` has {} values and `{}` has {}: too many for a table of at most {most} each way.",
            first.name,
            down.len() - 1,
            second.name,
            across.len() - 1
        );
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
    for value in &down {
        let counts: Vec<usize> = across
            .iter()
            .map(|other| cells.get(&(value.clone(), other.clone())).copied().unwrap_or(0))
            .collect();
        let all: usize = counts.iter().sum();
        if all == 0 {
            continue;
        }
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "| {} | {} | {all} |", cell(value), counts.join(" | "));
    }
    text
}

/// Labels, value labels and missing codes of every column, up to a number of columns.
pub fn codebook(table: &Table, most: usize) -> String {
    let mut text = headline(table);
    text.push('\n');
    for column in table.columns.iter().take(most) {
        let _ = write!(text, "- `{}` ({})", cell(&column.name), column.sort.name());
        if let Some(label) = &column.label {
            let _ = write!(text, ": {}", cell(label));
        }
        if !column.labels.is_empty() {
            let _ = write!(text, "; {}", labels(column));
        }
        if !column.declared_missing.is_empty() {
            let _ = write!(text, "; missing: {}", column.declared_missing.join(", "));
        }
        text.push('\n');
    }
    cut(&mut text, table.columns.len(), most, "columns");
    text
}

/// A value as people read it: dates as dates, labelled numbers with their labels.
pub fn shown(column: &Column, row: usize) -> Option<String> {
    let number = match &column.values {
        Values::Texts(texts) => return texts.get(row).map(str::to_owned),
        Values::Numbers(numbers) => *numbers.get(row)?,
    };
    if number.is_nan() {
        return None;
    }
    Some(match column.sort {
        Sort::Bool => (number != 0.0).to_string(),
        Sort::Date => dates::date(number).unwrap_or_else(|| number.to_string()),
        Sort::DateTime => dates::date_time(number).unwrap_or_else(|| number.to_string()),
        Sort::Time => dates::time(number),
        Sort::Factor { .. } => column
            .label_of(number)
            .map_or_else(|| number.to_string(), str::to_owned),
        _ => match column.label_of(number) {
            Some(label) => format!("{number} = {label}"),
            None => number.to_string(),
        },
    })
}

/// Values with their number of rows, the most frequent first.
fn counts(column: &Column) -> Vec<(String, usize)> {
    let mut counts: HashMap<u64, (usize, usize)> = HashMap::new();
    let mut texts: HashMap<&str, usize> = HashMap::new();
    match &column.values {
        Values::Numbers(numbers) => {
            for (row, number) in numbers.iter().enumerate().filter(|(_, number)| !number.is_nan()) {
                counts.entry((number + 0.0).to_bits()).or_insert((0, row)).0 += 1;
            }
        }
        Values::Texts(values) => {
            for text in values.iter().flatten() {
                *texts.entry(text).or_default() += 1;
            }
        }
    }
    let numbers = counts
        .into_values()
        .filter_map(|(count, row)| Some((shown(column, row)?, count)));
    let mut all: Vec<(String, usize)> = numbers
        .chain(texts.into_iter().map(|(text, count)| (text.to_owned(), count)))
        .collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all
}

fn labels(column: &Column) -> String {
    let shown = column.labels.iter().take(LISTED).map(|(key, label)| match key {
        Key::Number(number) => format!("{number} = {}", cell(label)),
        Key::Text(text) => format!("\"{}\" = {}", cell(text), cell(label)),
        Key::Missing(code) => format!("{code} = {}", cell(label)),
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if column.labels.len() > LISTED {
        let _ = write!(text, ", and {} more", column.labels.len() - LISTED);
    }
    text
}

fn headline(table: &Table) -> String {
    let name = if table.name.is_empty() {
        "The table".to_owned()
    } else {
        format!("`{}`", table.name)
    };
    let label = table
        .label
        .as_ref()
        .map_or_else(String::new, |label| format!(" ({})", cell(label)));
    format!(
        "{name}{label} has {} rows and {} columns.\n",
        table.rows,
        table.columns.len()
    )
}

fn cut(text: &mut String, all: usize, most: usize, what: &str) {
    if all > most {
        let _ = writeln!(text, "(the first {most} of {all} {what})");
    }
}

/// A number with six significant digits.
fn brief(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let digits = (5 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    if number.abs() < 1e-6 {
        return format!("{number:.5e}");
    }
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Text that fits a cell of a Markdown table.
pub fn cell(text: &str) -> String {
    let flat: String = text
        .chars()
        .map(|character| if character.is_whitespace() { ' ' } else { character })
        .collect();
    let flat = flat.trim().replace('|', "\\|");
    if flat.chars().count() > CELL {
        format!("{}…", flat.chars().take(CELL - 1).collect::<String>())
    } else {
        flat
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::document::Limits;
    use crate::documents::table::delimited;

    fn table() -> Table {
        let text = "id,age,group,age2,score\n1,20,a,20,1\n2,30,b,30,x\n3,-9,a,-9,3\n4,41,b,41,4\n5,,a,,5\n";
        delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap()
    }

    #[test]
    fn quartiles_are_those_of_r_and_pandas() {
        let text = "x\n1\n2\n4\n8\n";
        let table = delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap();
        let text = summary(&table, 9);
        assert!(
            text.contains("| x | 4 | 3.75 | 3.0957 | 1 | 1.75 | 3 | 5 | 8 |"),
            "{text}"
        );
    }

    #[test]
    fn counts_of_two_columns_meet_in_a_table() {
        let table = table();
        let text = crosstab(&table.columns[2], &table.columns[4], 10);
        assert!(text.contains("| a | 1 | 1 | 0 | 1 | 0 | 0 | 3 |"), "{text}");
        assert!(crosstab(&table.columns[2], &table.columns[4], 3).contains("too many"));
    }

    #[test]
    fn cells_cannot_break_the_table() {
        assert_eq!(cell("a|b\nc"), "a\\|b c");
        assert_eq!(cell(&"x".repeat(80)).chars().count(), CELL);
    }
}
