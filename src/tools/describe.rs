//! Variables of a table, described in Markdown.

use std::collections::BTreeMap;

use super::cut::grouped;
use super::table::{Cell, Column, ColumnType, Table, moments};

/// Most characters of one cell, and most values listed.
const CELL: usize = 60;
const VALUES: usize = 20;
/// Distinct values that are told apart.
const DISTINCT: usize = 200_000;

pub(super) fn list(table: &Table, text: &mut String) {
    text.push_str("| variable | type | missing | label |\n|---|---|---|---|\n");
    for column in &table.columns {
        let label = column.label.as_deref().unwrap_or_default();
        text.push_str(&format!(
            "| {} | {} | {} | {} |\n",
            shown(&column.name),
            column.kind(),
            grouped(column.missing()),
            shown(label)
        ));
    }
}

pub(super) fn summary(table: &Table, text: &mut String) {
    text.push_str(
        "| variable | type | missing | min | mean | max | sd | values |\n|---|---|---|---|---|---|---|---|\n",
    );
    for column in &table.columns {
        let kind = column.kind();
        let found = moments(&column.numbers()).filter(|_| kind != ColumnType::Mixed);
        let number = |value: Option<f64>| value.map_or(String::new(), figure);
        text.push_str(&format!(
            "| {} | {kind} | {} | {} | {} | {} | {} | {} |\n",
            shown(&column.name),
            grouped(column.missing()),
            number(found.map(|found| found.quantiles[0])),
            number(found.map(|found| found.mean)),
            number(found.map(|found| found.quantiles[4])),
            number(found.and_then(|found| found.sd)),
            tally(column).short(),
        ));
    }
}

pub(super) fn detail(column: &Column, text: &mut String) {
    text.push_str(&format!("**{}**", shown(&column.name)));
    if let Some(label) = &column.label {
        text.push_str(&format!(": {}", shown(label)));
    }
    let tally = tally(column);
    text.push_str(&format!(
        "\n\n- type: {}\n- rows: {}, missing: {}\n- distinct values: {}\n",
        column.kind(),
        grouped(column.cells.len()),
        grouped(column.missing()),
        tally.distinct()
    ));
    if let Some(found) = moments(&column.numbers()) {
        let [low, first, median, third, high] = found.quantiles.map(figure);
        text.push_str(&format!(
            "- mean: {}, sd: {}\n- min: {low}, 25 %: {first}, median: {median}, 75 %: {third}, max: {high}\n",
            figure(found.mean),
            found.sd.map_or("none".to_owned(), figure)
        ));
    }
    text.push_str("\n| value | rows |\n|---|---|\n");
    for (value, count) in tally.top(VALUES) {
        let meaning = column.value_labels.iter().find(|(code, _)| code == value);
        let meaning = meaning.map_or(String::new(), |(_, meaning)| format!(" ({})", shown(meaning)));
        text.push_str(&format!("| {}{meaning} | {} |\n", shown(value), grouped(count)));
    }
    if tally.counts.len() > VALUES {
        text.push_str(&format!("\nThe {VALUES} most frequent values.\n"));
    }
}

/// How often each value occurs.
struct Tally {
    counts: BTreeMap<String, usize>,
    complete: bool,
}

fn tally(column: &Column) -> Tally {
    let mut tally = Tally {
        counts: BTreeMap::new(),
        complete: true,
    };
    for cell in &column.cells {
        let value = match cell {
            Cell::Missing => continue,
            Cell::Number(number) => number.to_string(),
            Cell::Text(text) => text.clone(),
        };
        if let Some(count) = tally.counts.get_mut(&value) {
            *count += 1;
        } else if tally.counts.len() < DISTINCT {
            tally.counts.insert(value, 1);
        } else {
            tally.complete = false;
        }
    }
    tally
}

impl Tally {
    fn distinct(&self) -> String {
        let more = if self.complete { "" } else { "more than " };
        format!("{more}{}", grouped(self.counts.len()))
    }

    /// The most frequent values; equal ones in the order of their text.
    fn top(&self, most: usize) -> Vec<(&str, usize)> {
        let mut values: Vec<_> = self
            .counts
            .iter()
            .map(|(value, count)| (value.as_str(), *count))
            .collect();
        values.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        values.truncate(most);
        values
    }

    fn short(&self) -> String {
        let top: Vec<_> = self
            .top(3)
            .into_iter()
            .map(|(value, count)| {
                let value: String = value.chars().take(20).collect();
                format!("{} ({})", shown(&value), grouped(count))
            })
            .collect();
        format!("{} distinct: {}", self.distinct(), top.join(", "))
    }
}

pub(super) fn written(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => shown(text),
    }
}

/// A statistic with six significant digits.
fn figure(number: f64) -> String {
    if number == 0.0 || (1e-4..1e15).contains(&number.abs()) {
        let digits = 5 - number.abs().max(1e-4).log10().floor() as i32;
        let text = format!("{number:.*}", digits.max(0) as usize);
        return match text.contains('.') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
    }
    format!("{number:.5e}")
}

/// Text in a cell of Markdown: one line, no bars, at most [`CELL`] characters.
pub(super) fn shown(text: &str) -> String {
    let mut cell: String = text
        .chars()
        .take(CELL)
        .map(|found| if found.is_control() { ' ' } else { found })
        .collect();
    if text.chars().nth(CELL).is_some() {
        cell.push_str("...");
    }
    cell.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_six_digits() {
        let written: Vec<_> = [0.0, 1234567.0, 0.123456789, -12.5, 1e-9, 3.0].map(figure).into();
        assert_eq!(written, ["0", "1234567", "0.123457", "-12.5", "1.00000e-9", "3"]);
    }
}
