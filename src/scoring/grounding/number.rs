//! A number looked up in a paper.

use std::collections::BTreeSet;

use super::chance::chance;
use super::figures::Figure;
use super::line::{PaperPlace, Standing};
use super::paper::{Paper, Printed};
use super::span::TextSpan;
use super::tolerances::Tolerances;

/// The words and numbers that belong to a number where it is stated.
#[derive(Debug, Clone, Default)]
pub struct Company {
    /// The beginnings of the words around it.
    pub topics: BTreeSet<String>,
    /// Other numbers of the same result or sentence.
    pub figures: Vec<Figure>,
    /// The pages it is said to stand on; empty where that is not said.
    pub pages: BTreeSet<u32>,
}

/// The finding of a number in the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberFinding {
    pub standing: Standing,
    pub place: Option<PaperPlace>,
    pub note: Option<String>,
    /// The parts of the paper's lines that hold it.
    pub spans: Vec<TextSpan>,
}

impl NumberFinding {
    /// What the paper does not hold.
    pub fn absent() -> Self {
        Self {
            standing: Standing::Absent,
            place: None,
            note: None,
            spans: Vec::new(),
        }
    }
}

/// Looks a number up.
pub fn look_up(asked: &Figure, company: &Company, paper: &Paper, tolerances: &Tolerances) -> NumberFinding {
    let is_known = |found: &Match| is_known(asked, found, company, paper, tolerances.shared);
    let all = occurrences(asked, paper);
    let (same, other): (Vec<Match>, Vec<Match>) = all.into_iter().partition(|found| found.same_sign);
    let everywhere = chance(asked, paper, &BTreeSet::new());
    let there = |found: &Match| paper.is_on(&found.printed, &company.pages);
    // Where a page is stated, only that page's numbers compete.
    let stated = if company.pages.is_empty() {
        everywhere
    } else {
        chance(asked, paper, &company.pages)
    };
    let certain = |found: &&Match| {
        let chance = if there(found) { stated } else { everywhere };
        if is_single_digit(asked) {
            // A single digit is everywhere, whatever stands beside it.
            return asked.percent && found.printed.figure.percent && is_known(found);
        }
        (chance <= tolerances.chance && asked.significant > 1 && !found.scaled) || is_known(found)
    };
    let finding = |standing, found: &Match, note| {
        let Printed { figure, line } = found.printed;
        NumberFinding {
            standing,
            place: Some(paper.place(line, figure.start)),
            note,
            spans: paper.span(line, figure.start..figure.end).into_iter().collect(),
        }
    };
    let Some(first) = same.first() else {
        return other
            .iter()
            .find(certain)
            .map_or_else(NumberFinding::absent, |found| {
                let note = "printed with the other sign".to_owned();
                finding(Standing::Altered, found, Some(note))
            });
    };
    let mut good: Vec<&Match> = same.iter().filter(certain).collect();
    if good.is_empty() {
        let note = match (is_single_digit(asked), same.len()) {
            (true, 1) => "a single digit, once".to_owned(),
            (true, count) => format!("a single digit, in {count} places"),
            (false, 1) => "once, beside nothing that belongs to it".to_owned(),
            (false, count) => format!("in {count} places, none beside what belongs to it"),
        };
        return finding(Standing::Common, first, Some(note));
    }
    // The stated page first, then the exact digits, then the order of the paper.
    good.sort_by_key(|found| (!there(found), !is_known(found), found.rounded, found.printed.line));
    let best = good[0];
    let standing = if there(best) {
        Standing::Found
    } else {
        Standing::Elsewhere
    };
    let note = best.rounded.then(|| "rounded from the printed number".to_owned());
    finding(standing, best, note)
}

/// True if a number is one digit and nothing else.
fn is_single_digit(asked: &Figure) -> bool {
    asked.significant < 2 && asked.decimals == 0
}

/// A number of the paper that may be the one that is asked for.
#[derive(Debug, Clone, Copy)]
struct Match {
    printed: Printed,
    rounded: bool,
    /// True if one is a share and the other a percentage.
    scaled: bool,
    same_sign: bool,
}

fn occurrences(asked: &Figure, paper: &Paper) -> Vec<Match> {
    let mut found = Vec::new();
    // As it is; as a percentage of the printed share; as a share of the printed percentage.
    for (scale, shift) in [(1.0, 0), (0.01, 2), (100.0, -2)] {
        let (value, decimals) = (asked.magnitude * scale, asked.decimals + shift);
        let step = 10f64.powi(-decimals);
        let near = paper.between(value - step * 0.500_001, value + step * 0.500_001);
        for printed in near {
            let fits = match shift {
                2 => asked.percent && !printed.figure.percent && printed.figure.magnitude <= 1.0,
                -2 => printed.figure.percent && !asked.percent && asked.magnitude <= 1.0,
                _ => true,
            };
            // `.91` may be `.910`, but `7` is not `7.000`.
            let exact = (printed.figure.magnitude - value).abs() <= 1e-9 * value.abs()
                && printed.figure.decimals + 1 >= decimals;
            let rounds = printed.figure.decimals > decimals && decimals > 0;
            // A bound is printed as one, or as a level in percent.
            let bounds = !asked.bound || (exact && (printed.figure.bound || shift == -2));
            if !fits || !(exact || rounds) || !bounds {
                continue;
            }
            found.push(Match {
                printed: *printed,
                rounded: !exact,
                scaled: shift != 0,
                same_sign: printed.figure.negative == asked.negative || asked.magnitude == 0.0,
            });
        }
    }
    found.sort_by_key(|found| (found.rounded, found.printed.line));
    found
}

/// True if a number that belongs to the one asked for stands on an occurrence's
/// line or next to it, or its line shares enough words with it, or its table row is named so.
fn is_known(asked: &Figure, found: &Match, company: &Company, paper: &Paper, least: usize) -> bool {
    let line = found.printed.line;
    let first = line.saturating_sub(1);
    let end = (line + 2).min(paper.lines.len());
    let companions = company.figures.iter().filter(|other| {
        other.significant > 1 && (other.magnitude - asked.magnitude).abs() > 1e-12 && !other.bound
    });
    for companion in companions {
        let half = 1e-9 * companion.magnitude.abs();
        let near = paper.between(companion.magnitude - half, companion.magnitude + half);
        if near.iter().any(|printed| (first..end).contains(&printed.line)) {
            return true;
        }
    }
    let Some(line) = paper.lines.get(line) else {
        return false;
    };
    let label = line.topics.get(..line.label).unwrap_or_default();
    let named = label
        .iter()
        .filter(|topic| company.topics.contains(*topic))
        .count();
    if named > 0 && named * 3 >= label.len() * 2 {
        return true;
    }
    let shared: BTreeSet<&String> = line
        .topics
        .iter()
        .filter(|topic| company.topics.contains(*topic))
        .collect();
    shared.len() >= least
}
