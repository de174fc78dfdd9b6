//! Single values and numbers as people read them.

use std::fmt::Write;

use crate::documents::table::column::{Column, DataType, Key, Values};
use crate::documents::table::dates;
use crate::domain::excerpt;

/// Longest cell, in characters.
pub const CELL: usize = 60;
/// Values or labels that are listed one by one.
pub const LISTED: usize = 20;
/// Stands where there is no value.
pub const MISSING: &str = "(missing)";
/// Stands where a value is personal.
pub const HIDDEN: &str = "(not shown)";

/// A value as people read it: dates as dates, labelled numbers with their labels.
/// `None` where it is missing.
pub fn value(column: &Column, row: usize) -> Option<String> {
    let number = match &column.values {
        Values::Strings(texts) => return texts.get(row).map(str::to_owned),
        Values::Numbers(numbers) => *numbers.get(row)?,
    };
    if number.is_nan() {
        return None;
    }
    Some(match column.sort {
        DataType::Bool => (number != 0.0).to_string(),
        DataType::Date => dates::date(number).unwrap_or_else(|| number.to_string()),
        DataType::DateTime => dates::date_time(number).unwrap_or_else(|| number.to_string()),
        DataType::Time => dates::time(number),
        DataType::Factor { .. } => column
            .label_of(number)
            .map_or_else(|| number.to_string(), str::to_owned),
        _ => match column.label_of(number) {
            Some(label) => format!("{number} = {label}"),
            None => number.to_string(),
        },
    })
}

/// What the values of a column stand for, as one line.
pub fn labels(column: &Column) -> String {
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

/// A number with six significant digits.
pub fn brief(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    if number.abs() < 1e-6 || number.abs() >= 1e15 {
        return format!("{number:.5e}");
    }
    let digits = (5 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Text that fits a cell of a Markdown table: one line, no bars, at most [`CELL`] characters.
pub fn cell(text: &str) -> String {
    let flat: String = text
        .chars()
        .map(|character| {
            if character.is_whitespace() || character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    excerpt::fitted(flat.trim(), CELL).replace('|', "\\|")
}

/// Says how much of a list is shown, where that is not all.
pub fn cut(text: &mut String, all: usize, most: usize, what: &str) {
    if all > most {
        let _ = writeln!(text, "(the first {most} of {all} {what})");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_break_the_table() {
        assert_eq!(cell("a|b\nc\u{1b}"), "a\\|b c");
        assert_eq!(cell(&"x".repeat(80)).chars().count(), CELL);
    }

    #[test]
    fn numbers_keep_six_digits() {
        let written = [0.0, 1_234_567.0, 0.123_456_789, -12.5, 1e-9, 3.0, 1e300].map(brief);
        assert_eq!(
            written,
            [
                "0",
                "1234567",
                "0.123457",
                "-12.5",
                "1.00000e-9",
                "3",
                "1.00000e300"
            ]
        );
    }
}
