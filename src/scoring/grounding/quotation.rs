//! A quotation looked up in a paper.

use std::collections::BTreeMap;
use std::ops::Range;

use super::line::Standing;
use super::number::NumberFinding;
use super::paper::Paper;
use super::tolerances::Tolerances;
use super::typography::{plain, words};

/// Most words that are compared.
const WORDS: usize = 200;
/// Places of a word that say where a quotation may be.
const COMMON: usize = 200;

/// The texts between quotation marks, each of at least three letters.
pub fn quotations(text: &str) -> Vec<String> {
    let text = plain(text);
    let mut found = Vec::new();
    let mut start = None;
    for (at, _) in text.match_indices('"') {
        match start {
            None => start = Some(at + 1),
            Some(first) => {
                found.push(text[first..at].to_owned());
                start = None;
            }
        }
    }
    // Single marks are apostrophes unless a space or bracket stands outside both.
    let mut open: Option<usize> = None;
    for (at, _) in text.match_indices('\'') {
        let before = text[..at].chars().next_back();
        let after = text[at + 1..].chars().next();
        let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        if open.is_none() && outside(before) && !outside(after) {
            open = Some(at + 1);
        } else if let Some(first) =
            open.filter(|_| outside(after) && before.is_some_and(|c| !c.is_whitespace()))
        {
            found.push(text[first..at].to_owned());
            open = None;
        }
    }
    found.retain(|quoted| quoted.chars().filter(|c| c.is_alphabetic()).count() > 2);
    found
}

/// Looks a quotation up; dots in it stand for words that were left out.
pub fn look_up(quotation: &str, paper: &Paper, tolerances: &Tolerances) -> NumberFinding {
    let parts: Vec<Vec<String>> = quotation
        .replace('…', "...")
        .split("...")
        .map(|part| {
            let words = words(&plain(part)).into_iter().map(|(_, word)| word);
            words.take(WORDS).collect()
        })
        .filter(|words: &Vec<String>| !words.is_empty())
        .collect();
    let mut first = None;
    let mut altered = Vec::new();
    let mut spans = Vec::new();
    for part in &parts {
        if let Some(words) = exact(part, paper).or_else(|| joined(part, paper)) {
            first.get_or_insert(words.start);
            spans.extend(paper.spans_of_words(words));
        } else if let Some(near) = near(part, paper, tolerances.kept) {
            first.get_or_insert(near.about);
            spans.extend(paper.spans_of_words(near.words));
            altered.push(if near.kept == part.len() {
                "all words in their order, with others between".to_owned()
            } else {
                format!("{} of {} words in their order", near.kept, part.len())
            });
        } else {
            return NumberFinding::absent();
        }
    }
    let line = first.and_then(|at| paper.words.get(at)).map(|(_, line)| *line);
    NumberFinding {
        standing: match (line, altered.is_empty()) {
            (None, _) => Standing::Absent,
            (Some(_), true) => Standing::Found,
            (Some(_), false) => Standing::Altered,
        },
        place: line.map(|line| paper.place(line, 0)),
        note: (!altered.is_empty()).then(|| altered.join("; ")),
        spans,
    }
}

/// The words of the paper that are the wanted ones, one after another.
fn exact(wanted: &[String], paper: &Paper) -> Option<Range<usize>> {
    let rarest = (0..wanted.len()).min_by_key(|at| paper.index.get(&wanted[*at]).map_or(0, Vec::len))?;
    paper.index.get(&wanted[rarest])?.iter().find_map(|place| {
        let start = place.checked_sub(rarest)?;
        let part = paper.words.get(start..start + wanted.len())?;
        part.iter()
            .zip(wanted)
            .all(|((word, _), wanted)| word == wanted)
            .then_some(start..start + wanted.len())
    })
}

/// The words of the paper with the same letters, however they are cut into words: words
/// joined or parted at the end of a line.
fn joined(wanted: &[String], paper: &Paper) -> Option<Range<usize>> {
    let letters: String = wanted.concat();
    let mut starts: Vec<usize> = paper.index.get(&wanted[0]).cloned().unwrap_or_default();
    if let Some(last) = wanted.last() {
        // The first word may be the one that is cut otherwise.
        let ends = paper.index.get(last).into_iter().flatten();
        starts.extend(ends.flat_map(|end| (end + 1).saturating_sub(wanted.len() + 2)..=*end));
    }
    starts.truncate(20_000);
    starts.into_iter().find_map(|start| {
        let mut rest = letters.as_str();
        for (at, (word, _)) in paper.words.iter().enumerate().skip(start) {
            rest = rest.strip_prefix(word.as_str())?;
            if rest.is_empty() {
                return Some(start..at + 1);
            }
        }
        None
    })
}

/// Words of a paper that are most of a quotation's.
struct NearWords {
    /// A word near their beginning.
    about: usize,
    /// From the first of them to behind the last.
    words: Range<usize>,
    /// How many of the quotation's words they keep, in their order.
    kept: usize,
}

/// The place where most of the words stand in their order.
fn near(wanted: &[String], paper: &Paper, share: f64) -> Option<NearWords> {
    if wanted.len() < 5 {
        return None;
    }
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    for (at, word) in wanted.iter().enumerate() {
        let places = paper.index.get(word).map_or(&[] as &[usize], Vec::as_slice);
        for place in places.iter().take(COMMON) {
            let start = place.saturating_sub(at) / 8;
            *votes.entry(start).or_default() += 1;
        }
    }
    let (bucket, _) = votes.into_iter().max_by_key(|(_, count)| *count)?;
    let start = (bucket * 8).saturating_sub(8);
    let end = (start + wanted.len() + wanted.len() / 3 + 24).min(paper.words.len());
    let mut wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let window = paper.words.get(start..end)?;
    let mut window: Vec<&str> = window.iter().map(|(word, _)| word.as_str()).collect();
    let (kept, last) = in_order(&wanted, &window);
    if kept == 0 || (kept as f64) < share * wanted.len() as f64 {
        return None;
    }
    // The same from behind tells where they begin.
    window.truncate(last);
    window.reverse();
    wanted.reverse();
    let (_, length) = in_order(&wanted, &window);
    Some(NearWords {
        about: bucket * 8,
        words: start + last - length..start + last,
        kept,
    })
}

/// The longest common subsequence of two lists of at most a few hundred words, and
/// how much of the second list holds it.
fn in_order(wanted: &[&str], window: &[&str]) -> (usize, usize) {
    let mut row = vec![0usize; window.len() + 1];
    for word in wanted {
        let mut diagonal = 0;
        for (at, other) in window.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    let kept = row.last().copied().unwrap_or_default();
    (
        kept,
        row.iter().position(|length| *length == kept).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::document::Document;
    use crate::documents::kind::Kind;

    fn paper(text: &str) -> Paper {
        let mut document = Document::new(Kind::Text);
        document.text = text.to_owned();
        Paper::new(&document)
    }

    fn shown(found: &NumberFinding) -> Vec<&str> {
        found
            .spans
            .iter()
            .map(|span| &span.text[span.bytes.clone()])
            .collect()
    }

    #[test]
    fn quotations_are_found_through_typography_and_line_ends() {
        let paper = paper(
            "We find that eﬀects of self-\nconcept don’t grow; the decreases are “large”\nin 45 cases.",
        );
        for quotation in [
            "effects of selfconcept don't grow",
            "effects ... in 45 cases",
            "the decreases are \"large\" in",
        ] {
            assert_eq!(
                look_up(quotation, &paper, &Tolerances::default()).standing,
                Standing::Found,
                "{quotation}"
            );
        }
        let altered = look_up(
            "the decreases are not large in 45 cases",
            &paper,
            &Tolerances::default(),
        );
        assert_eq!(altered.standing, Standing::Altered);
        assert_eq!(altered.note.as_deref(), Some("7 of 8 words in their order"));
        assert_eq!(shown(&altered), ["the decreases are \"large", "in 45 cases"]);
        let joined = look_up("selfconcept don't ... in 45", &paper, &Tolerances::default());
        assert_eq!(shown(&joined), ["self", "concept don't", "in 45"]);
        assert_eq!(
            look_up("the increases are small", &paper, &Tolerances::default()).standing,
            Standing::Absent
        );
    }

    #[test]
    fn marks_of_every_kind_are_seen() {
        assert_eq!(
            quotations("rated “good” or better; the authors' ('does not matter at all,') \"x\" isn't"),
            ["good", "does not matter at all,"]
        );
    }
}
