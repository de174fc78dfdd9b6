//! The record that names the columns, and the titles above it.

use super::sampled::{COMMENTS, Sampled, is_number, is_year, width};
use crate::documents::table::guess;

/// The most lines above the names.
const MOST_LINES: usize = 30;

/// The place of the record that names the columns; `None` if the first one does as far as is known.
pub(super) fn header(sample: &[Sampled<'_>]) -> Option<usize> {
    let comments = sample.iter().take_while(|record| record.is_comment()).count();
    let rest = sample.get(comments..).unwrap_or_default();
    let most = width(rest.iter());
    if rest.len() < 2 || most < 1 {
        return Some(0).filter(|_| comments == 0 && !sample.is_empty());
    }
    if comments > 0 {
        let last = &sample[comments - 1];
        // `#id,name` names the columns if the next line is a record.
        let names = last.fields.len() == most && most > 1 && rest[0].has_numbers() && !last.has_numbers();
        if names && last.field(0).trim_start_matches(COMMENTS).len() > 1 {
            return Some(comments - 1);
        }
    }
    let titles = titles(rest, most).unwrap_or(0);
    Some(comments + titles)
}

/// How many records are titles above the names of the columns.
fn titles(rest: &[Sampled<'_>], most: usize) -> Option<usize> {
    let is_sep =
        |record: &Sampled<'_>| record.line == 1 && record.field(0).to_lowercase().starts_with("sep=");
    if most < 2 {
        return None;
    }
    if is_sep(&rest[0]) {
        return Some(1 + titles(rest.get(1..)?, most).unwrap_or(0));
    }
    let at = rest.iter().take(MOST_LINES).position(|record| {
        record.fields.len() + 1 >= most && 2 * record.filled() >= most.max(4) && record.filled() > most / 2
    })?;
    let above = &rest[..at];
    let is_title = |record: &Sampled<'_>| {
        let is_short = record.fields.len() + 1 < most && 2 * record.filled() <= most;
        (record.filled() <= 1 || is_short || record.filled() <= most / 2) && !record.has_numbers()
    };
    let (names, body) = (&rest[at], &rest[at + 1..]);
    if at == 0 || !above.iter().all(is_title) || names.has_numbers() || names.filled() + 1 < most {
        return None;
    }
    let has_column_of_numbers = (0..most).any(|column| {
        let values = body.iter().map(|record| record.field(column));
        let (numbers, filled) = values
            .filter(|value| !guess::is_missing(value))
            .fold((0, 0), |counts, value| {
                (counts.0 + usize::from(is_number(value)), counts.1 + 1)
            });
        let name = names.field(column);
        numbers >= 2 && numbers * 5 >= filled * 4 && (!is_number(name) || is_year(name))
    });
    (has_column_of_numbers && body.len() >= 2).then_some(at)
}
