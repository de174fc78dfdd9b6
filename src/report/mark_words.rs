//! Notes and colours of the marks in a marked copy of a paper.

use crate::documents::document::Document;
use crate::documents::pdf::marks::request::Colour;
use crate::domain::excerpt;
use crate::scoring::grounding::line::{Line, Standing};

use super::sanitize::visible;

/// Longest text of one lookup, in characters.
const TEXT: usize = 400;
/// The colour of a page's note, and of one that lists what is absent.
pub const PLAIN: Colour = [1.0, 0.85, 0.4];
pub const MISSING: Colour = [0.95, 0.45, 0.4];

/// How the standings are shown, and in which order they are named.
pub const SHOWN: [(Standing, &str, Colour); 4] = [
    (Standing::Found, "green", [0.6, 0.92, 0.6]),
    (Standing::Elsewhere, "blue", [0.6, 0.82, 1.0]),
    (Standing::Altered, "orange", [1.0, 0.72, 0.35]),
    (Standing::Common, "grey", [0.82, 0.82, 0.82]),
];

/// The colour of a place that several lookups share: of the one that most needs a reader.
pub fn colour<'a>(lines: impl Iterator<Item = &'a Line>) -> Colour {
    let rank = |standing| match standing {
        Standing::Altered => 3,
        Standing::Elsewhere => 2,
        Standing::Common => 1,
        Standing::Found | Standing::Absent => 0,
    };
    let standing = lines
        .map(|line| line.standing)
        .max_by_key(|standing| rank(*standing));
    let shown = SHOWN.iter().find(|(shown, ..)| Some(*shown) == standing);
    shown.map_or(PLAIN, |(.., colour)| *colour)
}

/// What the colours mean, with the counts, and what could not be read.
pub fn legend(lines: &[Line], paper: &Document) -> String {
    let count = |standing| lines.iter().filter(|line| line.standing == standing).count();
    let mut parts: Vec<String> = SHOWN
        .iter()
        .map(|(standing, name, _)| (count(*standing), standing.words(), *name))
        .filter(|(count, ..)| *count > 0)
        .map(|(count, words, name)| format!("{count} {words} ({name})"))
        .collect();
    let absent = count(Standing::Absent);
    if absent > 0 {
        parts.push(format!(
            "{absent} absent (in a note at the top of the page that was named, or of this one)"
        ));
    }
    let mut text = format!(
        "What was extracted from this paper, looked up in it: {}.",
        parts.join(", ")
    );
    for note in &paper.notes {
        text.push_str(&format!("\n{}", visible(note)));
    }
    text
}

/// Some lookups under a title.
pub fn list(title: &str, lookups: &[usize], lines: &[Line]) -> String {
    let entries: Vec<String> = lookups.iter().map(|at| entry(&lines[*at])).collect();
    format!("{title}:\n\n{}", entries.join("\n\n"))
}

/// A lookup's field, what it says, and how that stands in the paper.
pub fn entry(line: &Line) -> String {
    let text = excerpt::shortened(&line.text, TEXT);
    let mut entry = format!(
        "{}\n{} “{text}”: {}",
        line.field,
        line.sought,
        line.standing.words()
    );
    if let Some(note) = &line.note {
        entry.push_str(&format!(", {note}"));
    }
    let is_missed = matches!(line.standing, Standing::Elsewhere | Standing::Absent);
    if let Some(page) = line.stated_page.filter(|_| is_missed) {
        entry.push_str(&format!("; it is said to be on page {page}"));
    }
    if let Some(supports) = &line.supports {
        entry.push_str(&format!("\nof: {}", excerpt::shortened(supports, TEXT)));
    }
    visible(&entry)
}
