//! Notes below the records of a text.

use super::sampled::{Sampled, is_number, shortened, width};
use crate::documents::table::records::BLANKS;
use crate::domain::excerpt;

/// The most lines of notes.
const MOST_LINES: usize = 30;
/// Bytes at the end in which notes are looked for.
const TAIL: usize = 8 << 10;
/// First words of notes below a table.
const NOTE_WORDS: [&str; 20] = [
    "source",
    "sources",
    "note",
    "notes",
    "quelle",
    "quellen",
    "anmerkung",
    "anmerkungen",
    "fuente",
    "nota",
    "notas",
    "remarque",
    "remarques",
    "bron",
    "fonte",
    "data",
    "last",
    "©",
    "copyright",
    "*",
];
/// First words of a row that sums up the others.
const TOTALS: [&str; 16] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "overall",
    "all",
    "mean",
    "average",
    "gesamt",
    "insgesamt",
    "summe",
    "totale",
    "totaal",
    "suma",
    "итого",
    "合計",
];

/// The end of the records, and what is said of what follows it.
pub(super) struct Footer {
    pub end: usize,
    pub notes: Vec<String>,
}

/// Finds notes below the records that begin at `start`, and a row that sums the others up.
pub(super) fn footer(text: &str, delimiter: u8, body: &[&Sampled<'_>], start: usize) -> Footer {
    let mut footer = Footer {
        end: text.len(),
        notes: Vec::new(),
    };
    let width = width(body.iter().copied());
    if width < 2 || delimiter == BLANKS {
        return footer;
    }
    // Where records of one field are among the others, such a line at the end may be one of them.
    let is_single = |record: &&&Sampled<'_>| record.fields.len() == 1;
    let is_even = !body
        .iter()
        .rev()
        .skip_while(is_single)
        .any(|record| is_single(&record));
    let from = text.len().saturating_sub(TAIL).max(start);
    let end = excerpt::between(text, from, text.len());
    let mut notes: Vec<&str> = Vec::new();
    let mut is_total = None;
    for line in end.split_inclusive('\n').rev().take(MOST_LINES) {
        let content = line.trim_end();
        let at = footer.end - line.len();
        if at <= start || line.matches('"').count() % 2 == 1 {
            break;
        }
        let fields: Vec<&str> = content
            .split(char::from(delimiter))
            .map(|field| field.trim_matches([' ', '"']))
            .collect();
        let filled = fields.iter().filter(|field| !field.is_empty()).count();
        let first = fields.first().copied().unwrap_or_default();
        let word = first
            .split([' ', ':', '.', ')'])
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let is_note = filled == 1
            && !first.is_empty()
            && !is_number(first)
            && (fields.len() == 1
                || NOTE_WORDS.contains(&word.as_str())
                || first.contains(' ') && first.contains(':'));
        // Text with a few delimiters in it is a sentence if its first word says so.
        let is_short = fields.len() < width || (fields.len() == width && first.contains(": "));
        let is_sentence = is_short && first.contains(' ') && NOTE_WORDS.contains(&word.as_str());
        if content.is_empty() {
            footer.end = at;
        } else if (is_note || is_sentence) && is_even {
            notes.push(first);
            footer.end = at;
        } else {
            let name = first.trim_end_matches([':', '.']).to_lowercase();
            is_total = TOTALS.contains(&name.as_str()).then_some(first);
            break;
        }
    }
    if notes.is_empty() {
        footer.end = text.len();
    } else {
        let last = notes.last().copied().unwrap_or_default();
        footer.notes.push(format!(
            "Below the records {} left out, the first \"{}\".",
            match notes.len() {
                1 => "a line that is no record was".to_owned(),
                many => format!("{many} lines that are no records were"),
            },
            shortened(last)
        ));
    }
    if let Some(total) = is_total {
        footer.notes.push(format!(
            "The last row (\"{}\") seems to sum the others up: leave it out before you compute.",
            shortened(total)
        ));
    }
    footer
}
