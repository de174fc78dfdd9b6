//! A second line of names: units, question texts.

use super::sampled::{Sampled, is_number};
use crate::documents::table::guess;

/// The most lines between the names and the first record.
const MOST_SECOND: usize = 3;
/// Units that are written without brackets.
const UNITS: [&str; 34] = [
    "%", "percent", "mm", "cm", "m", "km", "g", "mg", "kg", "t", "l", "ml", "s", "ms", "sec", "min", "h",
    "hours", "days", "weeks", "months", "years", "yr", "usd", "eur", "$", "€", "£", "°c", "k", "hz", "n",
    "count", "points",
];

/// Units and question texts between the names and the first record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecondNames {
    /// Their records.
    pub count: usize,
    /// What they hold, by column.
    pub labels: Vec<String>,
    pub note: String,
}

/// Finds units and question texts between the names and the first record.
pub(super) fn second_names(body: &[&Sampled<'_>], names: &Sampled<'_>) -> Option<SecondNames> {
    let columns: Vec<usize> = (0..names.fields.len()).collect();
    // By column: leading values that are no numbers, where all later ones are.
    let leading = |column: usize| -> Option<usize> {
        let values: Vec<&str> = body.iter().map(|record| record.field(column)).collect();
        let texts = values
            .iter()
            .take(MOST_SECOND)
            .rposition(|value| !value.is_empty() && !is_number(value));
        let first = texts.map_or(0, |last| last + 1);
        let rest = values
            .get(first..)?
            .iter()
            .filter(|value| !guess::is_missing(value));
        let all = rest.clone().all(|value| is_number(value));
        (all && rest.count() >= 2).then_some(first)
    };
    let numeric: Vec<(usize, usize)> = columns
        .iter()
        .filter_map(|column| Some((*column, leading(*column)?)))
        .collect();
    let second = numeric.iter().map(|(_, leading)| *leading).max().unwrap_or(0);
    let rows = &body[..second];
    if second == 0 || !rows.iter().all(|row| is_second(row, &numeric)) {
        return None;
    }
    let labels = columns
        .iter()
        .map(|column| {
            let texts = rows.iter().map(|row| row.field(*column));
            let texts: Vec<&str> = texts
                .filter(|text| !text.is_empty() && !text.starts_with('{'))
                .collect();
            texts.join(" ")
        })
        .collect();
    let follow = match second {
        1 => "follows a line",
        _ => "follow lines",
    };
    let quoted: Vec<String> = rows.iter().map(|row| row.quoted()).collect();
    Some(SecondNames {
        count: second,
        labels,
        note: format!(
            "After the names {follow} ({}) of units or question texts: the labels of the columns, and no record.",
            quoted.join(", ")
        ),
    })
}

/// Whether a record is a second line of names for columns of numbers.
fn is_second(row: &Sampled<'_>, numeric: &[(usize, usize)]) -> bool {
    let texts: Vec<&str> = numeric
        .iter()
        .map(|(column, _)| row.field(*column))
        .filter(|text| !text.is_empty())
        .collect();
    if texts.is_empty()
        || texts
            .iter()
            .any(|text| is_number(text) || guess::is_missing(text))
    {
        return false;
    }
    let is_unit = |text: &&str| {
        let bracketed =
            (text.starts_with('(') && text.ends_with(')')) || (text.starts_with('[') && text.ends_with(']'));
        bracketed || UNITS.contains(&text.to_lowercase().as_str())
    };
    let mut different: Vec<&str> = texts.clone();
    different.sort_unstable();
    different.dedup();
    let is_import = texts
        .iter()
        .all(|text| text.starts_with('{') && text.contains("ImportId"));
    let are_long = texts.iter().map(|text| text.chars().count()).sum::<usize>() >= 15 * texts.len();
    texts.iter().all(is_unit)
        || is_import
        || (different.len() == texts.len() && (texts.len() >= 3 || (texts.len() == 2 && are_long)))
}
