//! Finding the one place in a text that an edit means.

use std::ops::Range;

use similar::TextDiff;

use crate::domain::excerpt;
use crate::domain::format;

/// Lines of the file that are compared for a suggestion, and characters of each.
const COMPARED: usize = 2_000;
const LINE: usize = 200;
/// Lines of a text that is looked for with its trailing space ignored.
const TOLERATED: usize = 500;

/// The one place, and whether trailing space had to be ignored to find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextMatch {
    pub range: Range<usize>,
    pub spaces_ignored: bool,
}

/// The fault of a text that means no single place, with what is there instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSinglePlace {
    #[error("argument `{0}` is empty")]
    Empty(String),
    #[error(
        "`{argument}` occurs {} times, in lines {lines}: add the lines around the place that is meant",
        format::count(*times)
    )]
    Repeated {
        argument: String,
        times: usize,
        /// The first of their numbers.
        lines: String,
    },
    #[error(
        "`{argument}` is not in the file; every character counts, spaces included{}",
        nearest(near)
    )]
    Missing { argument: String, near: Vec<NearLine> },
}

/// A line that resembles the text that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearLine {
    /// Counted from 1.
    pub number: usize,
    pub text: String,
}

/// Finds `wanted` in `text`.
///
/// # Errors
/// A text that is empty, not there, or there more than once, with what is there instead.
pub fn locate(text: &str, wanted: &str, argument: &str) -> Result<TextMatch, NoSinglePlace> {
    if wanted.is_empty() {
        return Err(NoSinglePlace::Empty(argument.to_owned()));
    }
    let mut found = text.match_indices(wanted).map(|(at, _)| at);
    match (found.next(), found.next()) {
        (Some(at), None) => Ok(TextMatch {
            range: at..at + wanted.len(),
            spaces_ignored: false,
        }),
        (Some(_), Some(_)) => {
            let places: Vec<_> = text.match_indices(wanted).map(|(at, _)| at).collect();
            Err(repeated(text, &places, argument))
        }
        (None, _) => {
            let mut tolerant = ignoring_trailing_space(text, wanted);
            match (tolerant.len(), tolerant.pop()) {
                (1, Some(range)) => Ok(TextMatch {
                    range,
                    spaces_ignored: true,
                }),
                _ => Err(missing(text, wanted, argument)),
            }
        }
    }
}

fn repeated(text: &str, places: &[usize], argument: &str) -> NoSinglePlace {
    let (mut lines, mut line, mut counted) = (Vec::new(), 1, 0);
    for at in places.iter().take(10) {
        line += text[counted..*at].matches('\n').count();
        counted = *at;
        lines.push(line.to_string());
    }
    let more = if places.len() > 10 { ", ..." } else { "" };
    NoSinglePlace::Repeated {
        argument: argument.to_owned(),
        times: places.len(),
        lines: format!("{}{more}", lines.join(", ")),
    }
}

/// The ranges of whole lines that equal `wanted` but for space at their ends.
fn ignoring_trailing_space(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let pattern: Vec<_> = wanted.lines().map(str::trim_end).collect();
    if pattern.len() > TOLERATED || pattern.iter().all(|line| line.is_empty()) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    let mut found = Vec::new();
    for window in lines.windows(pattern.len()) {
        if window
            .iter()
            .zip(&pattern)
            .all(|((_, line), wanted)| line.trim_end() == *wanted)
        {
            let (Some((start, _)), Some((last, line))) = (window.first(), window.last()) else {
                continue;
            };
            let body = if wanted.ends_with('\n') {
                line
            } else {
                line.trim_end_matches('\n')
            };
            found.push(*start..last + body.len());
        }
    }
    found
}

fn missing(text: &str, wanted: &str, argument: &str) -> NoSinglePlace {
    let first = wanted.lines().map(str::trim).find(|line| !line.is_empty());
    let first = excerpt::start(first.unwrap_or_default(), LINE);
    let length = first.chars().count();
    let mut near: Vec<(f32, usize, &str)> = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index, excerpt::start(line.trim(), LINE)))
        .filter(|(_, line)| {
            let other = line.chars().count();
            other > 0 && 2 * other >= length && other <= 2 * length
        })
        .take(COMPARED)
        .map(|(index, line)| (TextDiff::from_chars(first, line).ratio(), index + 1, line))
        .filter(|(ratio, ..)| *ratio >= 0.6)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    near.truncate(3);
    NoSinglePlace::Missing {
        argument: argument.to_owned(),
        near: near
            .into_iter()
            .map(|(_, number, text)| NearLine {
                number,
                text: text.to_owned(),
            })
            .collect(),
    }
}

fn nearest(near: &[NearLine]) -> String {
    if near.is_empty() {
        return ". No line resembles it: `read_file` or `search_files` shows what is there".to_owned();
    }
    let mut message = ". The nearest lines to its first line are:".to_owned();
    for NearLine { number, text } in near {
        message.push_str(&format!("\n{number}: {text}"));
    }
    message.push('\n');
    message
}
