//! Captions of tables and figures, told apart from sentences that begin with their names.

use super::paper::Paper;
use super::typography::words;

/// The likeness of a line that begins with an exhibit's name to a caption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// A sentence about it.
    Mention,
    /// Written as a caption, in the middle of a sentence.
    Doubtful,
    Caption,
}

/// The lines that are likeliest to be the captions of an exhibit; none where there are
/// only mentions.
pub fn captions(kind: &str, number: &str, paper: &Paper) -> Vec<usize> {
    let likeness = |line: usize| -> Option<Likeness> {
        // A caption may follow another column's text on its line.
        let parts = paper.lines[line].text.split(" | ");
        let written = parts.filter_map(|part| Some(is_titled(behind_name(part, kind, number)?)));
        let written = written.max()?;
        Some(
            match (
                written,
                line.checked_sub(1).and_then(|above| paper.lines.get(above)),
            ) {
                (false, _) => Likeness::Mention,
                (true, Some(above)) if above.page == paper.lines[line].page && is_open(&above.text) => {
                    Likeness::Doubtful
                }
                (true, _) => Likeness::Caption,
            },
        )
    };
    let found: Vec<(usize, Likeness)> = (0..paper.lines.len())
        .filter_map(|line| Some((line, likeness(line)?)))
        .collect();
    let best = found.iter().map(|(_, likeness)| *likeness).max();
    found
        .into_iter()
        .filter(|(_, likeness)| *likeness > Likeness::Mention && Some(*likeness) == best)
        .map(|(line, _)| line)
        .collect()
}

/// What stands behind the name of an exhibit with which a text begins.
fn behind_name<'t>(text: &'t str, kind: &str, number: &str) -> Option<&'t str> {
    let found = words(text);
    let (first, word) = found.first()?;
    let rest = if *word == format!("{kind}{number}") {
        text.get(first + word.len()..)?
    } else if word == kind || (kind == "figure" && word == "fig") {
        let (start, _) = found.get(1)?;
        let behind = text.get(*start..)?;
        behind
            .get(..number.len())
            .filter(|own| own.eq_ignore_ascii_case(number))?;
        behind.get(number.len()..)?
    } else {
        return None;
    };
    let mut next = rest.chars();
    let goes_on = match next.next() {
        Some('.') => next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => c.is_alphanumeric(),
        None => false,
    };
    (!goes_on).then_some(rest)
}

/// Whether a title, or nothing, follows an exhibit's name: a sentence goes on in small
/// letters or with a comma.
fn is_titled(rest: &str) -> bool {
    let rest = rest.trim();
    if rest.to_lowercase().starts_with("(cont") {
        return true;
    }
    let title = rest.trim_start_matches(['.', ':', '-', '|', ' ']);
    match title.chars().next() {
        None => true,
        Some(first) if title.len() < rest.len() => !matches!(first, ',' | ';' | ')'),
        Some(first) => first.is_uppercase() || first.is_ascii_digit() || matches!(first, '"' | '\'' | '['),
    }
}

/// Whether a line ends in the middle of a sentence.
fn is_open(text: &str) -> bool {
    let text = text.trim_end();
    let row = text.contains(" | ");
    let last = text.rsplit(' ').next().unwrap_or_default();
    let word = last.trim_start_matches(|c: char| !c.is_alphanumeric());
    let small = word.chars().next().is_some_and(char::is_lowercase);
    // The last words of a heading are small letters too, but few stand on its line.
    let long = text.split(' ').count() >= 5;
    !row && ((small && long && last.ends_with(char::is_alphabetic)) || text.ends_with([',', '(', ';']))
}
