//! Lines around the records of a delimited text.

use super::footer::footer;
use super::header::header;
use super::sampled::{Sampled, sample, width};
use super::second_names::{SecondNames, second_names};
use crate::documents::table::records::BLANKS;

/// The part of a text that is the table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Around {
    /// Where the names of the columns begin, and their line.
    pub start: usize,
    pub line: u64,
    /// Where the records end.
    pub end: usize,
    /// The records after the names that are units or question texts.
    pub second: SecondNames,
    /// The sign that opens lines between the records which are none.
    pub comment: Option<char>,
    /// Whether each record ends in a delimiter that the names have not.
    pub is_trailing: bool,
    /// Whether the records begin with the names of rows, for which the first line has no name.
    pub has_row_names: bool,
    pub notes: Vec<String>,
}

impl Around {
    /// Looks for what is around the records of a text.
    pub fn from_text(text: &str, delimiter: u8) -> Self {
        let sample = sample(text, delimiter);
        let mut around = Self {
            line: 1,
            end: text.len(),
            ..Self::default()
        };
        let Some(header) = header(&sample) else {
            return around;
        };
        let records = &sample[header + 1..];
        let names = &sample[header];
        (around.start, around.line) = (names.start, names.line);
        if header > 0 {
            around.notes.push(format!(
                "The names of the columns are on line {}. Everything above it ({}) was left out.",
                names.line,
                sample[0].quoted()
            ));
        }
        let wide = width(records.iter());
        let is_aside = |record: &&Sampled<'_>| record.is_comment() && record.fields.len() < wide;
        around.comment = records
            .iter()
            .find(is_aside)
            .and_then(|record| record.field(0).chars().next());
        let body: Vec<&Sampled<'_>> = records.iter().filter(|record| !is_aside(record)).collect();
        around.is_trailing = is_trailing(names, &body, text);
        if around.is_trailing {
            around.notes.push(
                "Every record ends in a delimiter that the line of names has not: the empty last field was left out. \
                 Without `index_col=False` pandas takes the first column for row names, and every column moves by one."
                    .to_owned(),
            );
        }
        let wider = body
            .iter()
            .filter(|record| record.fields.len() == names.fields.len() + 1)
            .count();
        // Tables written by R name every column but the row names.
        around.has_row_names = !around.is_trailing && wider > 0 && wider * 2 >= body.len();
        around.second = second_names(&body, names).unwrap_or_default();
        if around.second.count > 0 {
            around.notes.push(around.second.note.clone());
        }
        let footer = footer(text, delimiter, &body, around.start);
        around.end = footer.end;
        around.notes.extend(footer.notes);
        if header > 0
            || around.comment.is_some()
            || around.second.count > 0
            || around.is_trailing
            || around.end < text.len()
        {
            let call = call(&around, text, delimiter);
            around.notes.push(format!("pandas reads the same with `{call}`."));
        }
        around
    }
}

/// Whether each record has one field more than the names, and nothing in it.
fn is_trailing(names: &Sampled<'_>, body: &[&Sampled<'_>], text: &str) -> bool {
    let width = names.fields.len();
    let full: Vec<&&Sampled<'_>> = body.iter().filter(|record| record.fields.len() > width).collect();
    // R puts the names of rows into quotes, and has no name for their column.
    let is_row_names = full.iter().all(|record| text[record.start..].starts_with('"'))
        && text[names.start..].starts_with('"');
    full.len() >= 2
        && full.len() * 10 >= body.len() * 9
        && full
            .iter()
            .all(|record| record.fields.len() == width + 1 && record.field(width).is_empty())
        && !is_row_names
}

/// The call of pandas that reads the same records.
fn call(around: &Around, text: &str, delimiter: u8) -> String {
    let mut call = "read_csv(FILE".to_owned();
    match delimiter {
        b',' => {}
        b'\t' => call += ", sep=\"\\t\"",
        BLANKS => call += ", sep=r\"\\s+\"",
        other => call += &format!(", sep=\"{}\"", char::from(other)),
    }
    let above = around.line - 1;
    let first = around.line + 1;
    if around.second.count > 0 {
        let lines: Vec<String> = (0..above)
            .chain(first - 1..first - 1 + around.second.count as u64)
            .map(|line| line.to_string())
            .collect();
        call += &format!(", skiprows=[{}]", lines.join(", "));
    } else if above > 0 {
        call += &format!(", skiprows={above}");
    }
    if let Some(comment) = around.comment {
        call += &format!(", comment=\"{comment}\"");
    }
    if around.is_trailing {
        call += ", index_col=False";
    }
    let below = text[around.end..].lines().count();
    if below > 0 {
        call += &format!(", skipfooter={below}, engine=\"python\"");
    }
    call + ")"
}
