//! A figure as a report prints it, and the same figure as a run printed it.

use std::fmt;
use std::path::Path;

use regex::Regex;
use reprise::documents::limits::Limits;
use reprise::documents::pdf::read::read;
use unicode_normalization::UnicodeNormalization;

/// The claim about a figure.
#[derive(Debug, Clone, Copy)]
pub enum Claim {
    /// Ours, rounded to the digits printed, is the reported one.
    Same,
    /// The report prints a bound, and ours lies below it.
    Below,
    /// Ours is another one, for the reason given.
    Differs(&'static str),
}

/// One figure of a report, and where a run prints it.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    pub what: &'static str,
    /// A pattern over the report's text with one group, the figure.
    pub reported: &'static str,
    /// A pattern over standard output with one group, and which match of it counts, from 0.
    pub printed: (&'static str, usize),
    /// What ours is multiplied by, such as 100 for a percentage.
    pub scale: f64,
    pub claim: Claim,
}

/// A figure that has to be the same.
pub const fn same(what: &'static str, reported: &'static str, printed: (&'static str, usize)) -> Figure {
    Figure {
        what,
        reported,
        printed,
        scale: 1.0,
        claim: Claim::Same,
    }
}

impl Figure {
    pub const fn percent(self) -> Self {
        Self { scale: 100.0, ..self }
    }

    pub const fn below(self) -> Self {
        Self {
            claim: Claim::Below,
            ..self
        }
    }

    pub const fn differs(self, why: &'static str) -> Self {
        Self {
            claim: Claim::Differs(why),
            ..self
        }
    }
}

/// A text in which figures are looked up, with the pages that it came from.
pub struct Source {
    text: String,
    /// Where each page begins in `text`; empty for a text without pages.
    pages: Vec<usize>,
}

impl Source {
    /// The text of a PDF, one space between any two words.
    pub fn pdf(file: &Path) -> Self {
        let document = read(std::fs::read(file).unwrap(), &Limits::default()).unwrap();
        let (mut text, mut pages) = (String::new(), Vec::new());
        for page in &document.pages {
            pages.push(text.len());
            text.push_str(&plain(&page.text));
            text.push(' ');
        }
        Self { text, pages }
    }

    /// A text as it is, as of a script.
    pub fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            pages: Vec::new(),
        }
    }

    /// The only group of a pattern's only match, with its page and the words before it.
    pub fn find(&self, pattern: &str) -> (String, String) {
        let pattern = Regex::new(pattern).unwrap();
        let found: Vec<_> = pattern.captures_iter(&self.text).collect();
        let [one] = found.as_slice() else {
            panic!("{} places fit {pattern}", found.len());
        };
        let group = one.get(1).unwrap();
        let page = self.pages.iter().filter(|begin| **begin <= group.start()).count();
        let before: Vec<char> = self.text[..group.start()].chars().rev().take(24).collect();
        let before: String = before.into_iter().rev().collect();
        let page = if page == 0 {
            String::new()
        } else {
            format!("page {page}: ")
        };
        (
            group.as_str().to_owned(),
            format!("{page}…{}", before.trim_start().replace('\n', " ")),
        )
    }

    /// Whether a sentence stands there, and on which page.
    pub fn says(&self, sentence: &str) -> Option<usize> {
        let place = self.text.find(sentence)?;
        Some(self.pages.iter().filter(|begin| **begin <= place).count())
    }
}

fn plain(text: &str) -> String {
    let folded: String = text.nfkc().collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One line of the comparison.
pub struct Row {
    pub figure: Figure,
    pub reported: String,
    pub place: String,
    pub ours: String,
    pub holds: bool,
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match (self.figure.claim, self.holds) {
            (_, false) => "WRONG",
            (Claim::Same, _) => "same",
            (Claim::Below, _) => "below",
            (Claim::Differs(_), _) => "differs",
        };
        let Self {
            figure,
            reported,
            place,
            ours,
            ..
        } = self;
        write!(
            formatter,
            "{:34} {reported:>14} {ours:>16} {word:8} {place}",
            figure.what
        )?;
        if let Claim::Differs(why) = figure.claim {
            write!(formatter, "\n{:34} {why}", "")?;
        }
        Ok(())
    }
}

/// Looks a figure up on both sides and compares them.
pub fn compare(figure: Figure, report: &Source, stdout: &str) -> Row {
    let (reported, place) = report.find(figure.reported);
    let pattern = Regex::new(figure.printed.0).unwrap();
    let ours = pattern
        .captures_iter(stdout)
        .nth(figure.printed.1)
        .unwrap_or_else(|| panic!("{}: the run printed nothing like {pattern}", figure.what))
        .get(1)
        .unwrap()
        .as_str()
        .to_owned();
    let number: f64 = ours.parse().unwrap_or_else(|_| panic!("{}: {ours}", figure.what));
    let is_same = rounded(number * figure.scale, &reported) == reported;
    let holds = match figure.claim {
        Claim::Same => is_same,
        Claim::Below => number < reported.parse().unwrap(),
        Claim::Differs(_) => !is_same,
    };
    Row {
        figure,
        reported,
        place,
        ours,
        holds,
    }
}

/// A number in the form of another: its decimals, its exponent, its thousands.
fn rounded(number: f64, like: &str) -> String {
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    if let Some((mantissa, exponent)) = like.split_once('e') {
        let text = format!("{number:.*e}", decimals(mantissa));
        // R writes at least two digits of an exponent.
        let (ours, power) = text.split_once('e').unwrap();
        let power: i32 = power.parse().unwrap();
        let sign = if power < 0 { "-" } else { "+" };
        let width = exponent.trim_start_matches(['+', '-']).len();
        return format!("{ours}e{sign}{:0width$}", power.abs());
    }
    let text = format!("{number:.*}", decimals(like));
    if like.contains(',') {
        let (head, tail) = text.split_at(text.len() - 3);
        return format!("{head},{tail}");
    }
    text
}

#[test]
fn figures_are_rounded_to_the_digits_of_the_report() {
    for (number, like) in [
        (0.1829, "0.183"),
        (8.6373e-3, "0.009"),
        (1.742_986_142_6e-16, "1.742986e-16"),
        (14_555.336_7, "14555"),
        (10_069.0, "10,069"),
        (11.741_7, "11.74"),
        (0.142_374_1, "1.423741e-01"),
    ] {
        assert_eq!(rounded(number, like), like);
    }
    assert_ne!(rounded(0.1824, "0.183"), "0.183");
    assert_ne!(rounded(2.220_446e-16, "1.742986e-16"), "1.742986e-16");
}
