//! A quotation looked up in a paper.

use std::collections::BTreeMap;

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
    for part in &parts {
        if let Some(at) = exact(part, paper).or_else(|| joined(part, paper)) {
            first.get_or_insert(at);
        } else if let Some((at, kept)) = near(part, paper, tolerances.kept) {
            first.get_or_insert(at);
            altered.push(if kept == part.len() {
                "all words in their order, with others between".to_owned()
            } else {
                format!("{kept} of {} words in their order", part.len())
            });
        } else {
            return NumberFinding {
                standing: Standing::Absent,
                place: None,
                note: None,
            };
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
    }
}

/// The place of the words one after another.
fn exact(wanted: &[String], paper: &Paper) -> Option<usize> {
    let rarest = (0..wanted.len()).min_by_key(|at| paper.index.get(&wanted[*at]).map_or(0, Vec::len))?;
    paper.index.get(&wanted[rarest])?.iter().find_map(|place| {
        let start = place.checked_sub(rarest)?;
        let part = paper.words.get(start..start + wanted.len())?;
        part.iter()
            .zip(wanted)
            .all(|((word, _), wanted)| word == wanted)
            .then_some(start)
    })
}

/// The place of the same letters, however they are cut into words: words
/// joined or parted at the end of a line.
fn joined(wanted: &[String], paper: &Paper) -> Option<usize> {
    let letters: String = wanted.concat();
    let mut starts: Vec<usize> = paper.index.get(&wanted[0]).cloned().unwrap_or_default();
    if let Some(last) = wanted.last() {
        // The first word may be the one that is cut otherwise.
        let ends = paper.index.get(last).into_iter().flatten();
        starts.extend(ends.flat_map(|end| (end + 1).saturating_sub(wanted.len() + 2)..=*end));
    }
    starts.truncate(20_000);
    starts.into_iter().find(|start| {
        let mut rest = letters.as_str();
        for (word, _) in paper.words.get(*start..).unwrap_or_default() {
            match rest.strip_prefix(word.as_str()) {
                Some("") => return true,
                Some(after) => rest = after,
                None => return false,
            }
        }
        false
    })
}

/// The place where most of the words stand in their order, and how many do.
fn near(wanted: &[String], paper: &Paper, share: f64) -> Option<(usize, usize)> {
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
    let window = paper.words.get(start..end)?;
    // Longest common subsequence; both sides have at most a few hundred words.
    let mut row = vec![0usize; window.len() + 1];
    for word in wanted {
        let mut diagonal = 0;
        for (at, (other, _)) in window.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    let kept = *row.last()?;
    (kept as f64 >= share * wanted.len() as f64).then_some((bucket * 8, kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::document::Document;
    use crate::documents::kind::Kind;

    fn paper(text: &str) -> Paper {
        let mut document = Document::new(Kind::Text);
        document.text = text.to_owned();
        Paper::of(&document)
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
