//! Raised and lowered words: exponents, indices, marks of notes, stars of significance.

use crate::documents::pdf::characters;
use crate::documents::pdf::word::Word;

/// Most neighbours looked at when a raised or lowered word looks for its line.
const NEIGHBOURS: usize = 200;
/// How far behind a number its stars may stand, in parts of the number's size.
const STARS_GAP: f32 = 6.0;
/// How far behind a word that is no number.
const NEAR: f32 = 0.4;
/// The largest star beside a number, as a part of the number's size.
const LARGEST_STAR: f32 = 2.0;
/// The least rise of a star that is not smaller than its number.
const LEAST_RISE: f32 = 0.05;

/// The part that a word may be of a larger one beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Script,
    /// Stars of significance, which tables often set in a column of their own.
    Stars,
    /// A tall bracket of a formula font, which hangs from its baseline.
    Bracket,
}

/// Nothing hangs on stars: they hang on numbers themselves.
fn is_stars(word: &Word) -> bool {
    word.text
        .chars()
        .all(|character| matches!(character, '*' | '†' | '‡'))
}

fn part(word: &Word) -> Part {
    if is_stars(word) {
        Part::Stars
    } else if matches!(word.text.as_str(), "(" | ")" | "[" | "]" | "{" | "}") {
        Part::Bracket
    } else {
        Part::Script
    }
}

/// How far a word is from the line of another, if it can belong to it.
fn distance(small: &Word, part: Part, large: &Word) -> Option<f32> {
    if is_stars(large) {
        return None;
    }
    let rise = (large.baseline - small.baseline) / large.size;
    let gap = (small.left - large.right).max(large.left - small.right) / large.size;
    let after = small.left > large.left;
    let fits = match part {
        Part::Script => small.size <= 0.86 * large.size && (-0.35..0.7).contains(&rise) && gap <= 0.25,
        // Of any size, and level with the line where only a column parts them from it.
        Part::Stars if after && gap <= STARS_GAP && small.size <= LARGEST_STAR * large.size => {
            let least = if small.size <= 0.86 * large.size {
                0.0
            } else {
                LEAST_RISE
            };
            let near = gap <= NEAR
                || large
                    .text
                    .ends_with(|c: char| c.is_ascii_digit() || matches!(c, ')' | ']'));
            (least..0.7).contains(&rise) && (near || small.size <= 0.86 * large.size)
        }
        Part::Stars => false,
        Part::Bracket => (0.3..1.0).contains(&rise) && gap <= 0.4,
    };
    (fits && gap >= -0.5).then_some(gap.abs() + rise.abs())
}

/// Gives a small raised or lowered word the line of the larger word beside it.
/// Words come sorted by baseline.
pub fn attach_scripts(words: &mut [Word]) {
    let largest = words.iter().map(|word| word.size).fold(0.0, f32::max);
    for index in 0..words.len() {
        let Some(attachment) = attachment(words, index, largest) else {
            continue;
        };
        let word = &mut words[index];
        word.line = attachment.line;
        if let Some(script) = attachment.script {
            word.text = script;
        }
    }
}

/// The line that a word belongs to, and its text in raised or lowered characters.
struct Attachment {
    line: f32,
    script: Option<String>,
}

fn attachment(words: &[Word], index: usize, largest: f32) -> Option<Attachment> {
    let small = &words[index];
    let part = part(small);
    // No line that a word belongs to is further away than the largest type size.
    let (first, last) = (
        index.saturating_sub(NEIGHBOURS),
        (index + NEIGHBOURS).min(words.len()),
    );
    let above = &words[first..index];
    let above = &above[above.partition_point(|other| other.baseline < small.baseline - largest)..];
    let below = words.get(index + 1..last).unwrap_or_default();
    let below = &below[..below.partition_point(|other| other.baseline <= small.baseline + largest)];
    let others = || above.iter().chain(below);
    let beside = |other: &Word| {
        let gap = (small.left - other.right).max(other.left - small.right);
        (other.baseline - small.baseline).abs() < 0.1 * small.size && gap < 0.6 * small.size
    };
    if part == Part::Bracket && others().any(beside) {
        return None;
    }
    let (_, large) = others()
        .filter_map(|large| Some((distance(small, part, large)?, large)))
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let rise = (large.baseline - small.baseline) / large.size;
    let script = match part {
        Part::Script if rise > 0.15 => characters::raised(&small.text),
        Part::Script if rise < -0.08 => characters::lowered(&small.text),
        _ => None,
    };
    Some(Attachment {
        line: large.line,
        script,
    })
}
