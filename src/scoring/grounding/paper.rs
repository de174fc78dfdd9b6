//! A paper, ready to be looked things up in.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::documents::document::Document;
use crate::domain::excerpt;

use super::figures::{Figure, apart, figures, spelled};
use super::line::PaperPlace;
use super::typography::{plain, topics, words};

/// Longest context, in characters.
const CONTEXT: usize = 110;

/// One line of the paper.
#[derive(Debug, Clone)]
pub struct TextLine {
    /// The page's number from 1; 0 where the paper has no pages.
    pub page: u32,
    pub text: String,
    pub topics: Vec<String>,
    /// How many of the topics stand before the first number: a table row's name.
    pub label: usize,
}

/// A number of the paper, and the line that it stands on.
#[derive(Debug, Clone, Copy)]
pub struct Printed {
    pub figure: Figure,
    pub line: usize,
}

/// The lines, numbers and words of a paper.
#[derive(Debug, Default)]
pub struct Paper {
    pub lines: Vec<TextLine>,
    /// Ascending in magnitude.
    pub printed: Vec<Printed>,
    /// All words with their lines.
    pub words: Vec<(String, usize)>,
    /// Where each word stands among `words`.
    pub index: HashMap<String, Vec<usize>>,
    /// To be added to a page's number to get the printed one.
    pub offset: i64,
    pub pages: u32,
}

impl Paper {
    /// Reads a document's pages, or its text where it has none.
    pub fn new(document: &Document) -> Self {
        let mut paper = Self {
            pages: document.pages.len() as u32,
            ..Self::default()
        };
        if document.pages.is_empty() {
            paper.add(0, &document.text);
        }
        for page in &document.pages {
            paper.add(page.number, &page.text);
        }
        paper.offset = paper.printed_offset();
        paper
            .printed
            .sort_by(|one, other| one.figure.magnitude.total_cmp(&other.figure.magnitude));
        for (position, (word, _)) in paper.words.iter().enumerate() {
            paper.index.entry(word.clone()).or_default().push(position);
        }
        paper
    }

    fn add(&mut self, page: u32, text: &str) {
        for text in plain(text).lines().filter(|line| !line.trim().is_empty()) {
            let line = self.lines.len();
            let mut found = figures(text);
            let parts: Vec<Figure> = found.iter().flat_map(|figure| apart(text, figure)).collect();
            found.extend(parts.into_iter().chain(spelled(text)));
            self.printed
                .extend(found.into_iter().map(|figure| Printed { figure, line }));
            self.words
                .extend(words(text).into_iter().map(|(_, word)| (word, line)));
            let first = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
            self.lines.push(TextLine {
                label: if text.contains(" | ") {
                    topics(&text[..first]).len()
                } else {
                    0
                },
                page,
                text: text.trim_end().to_owned(),
                topics: topics(text),
            });
        }
    }

    /// The numbers whose magnitude lies between two bounds.
    pub fn between(&self, low: f64, high: f64) -> &[Printed] {
        let first = self
            .printed
            .partition_point(|printed| printed.figure.magnitude < low);
        let end = self
            .printed
            .partition_point(|printed| printed.figure.magnitude <= high);
        self.printed.get(first..end).unwrap_or_default()
    }

    /// True if a number stands on one of some pages, or none are given.
    pub fn is_on(&self, printed: &Printed, pages: &BTreeSet<u32>) -> bool {
        pages.is_empty()
            || self
                .lines
                .get(printed.line)
                .is_some_and(|line| pages.contains(&line.page))
    }

    /// A line as a place, with the part of it around a byte offset.
    pub fn place(&self, line: usize, at: usize) -> PaperPlace {
        let (page, context) = self
            .lines
            .get(line)
            .map_or((0, String::new()), |line| (line.page, around(&line.text, at)));
        PaperPlace {
            page: (page > 0).then_some(page),
            printed: (page > 0 && self.offset != 0)
                .then(|| u32::try_from(i64::from(page) + self.offset).ok())
                .flatten(),
            context,
        }
    }

    /// Printed numbers of pages: what stands alone at the edges of a page and
    /// grows by one from page to page.
    fn printed_offset(&self) -> i64 {
        let mut by_page: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.page > 0) {
            by_page.entry(line.page).or_default().push(&line.text);
        }
        let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
        for (page, lines) in &by_page {
            let edges = lines.iter().take(2).chain(lines.iter().rev().take(2));
            let mut offsets: Vec<i64> = edges
                .flat_map(|line| {
                    let parts: Vec<&str> = line.split_whitespace().collect();
                    [parts.first().copied(), parts.last().copied()]
                })
                .flatten()
                .filter_map(|part| part.parse::<i64>().ok())
                .map(|number| number - i64::from(*page))
                .collect();
            offsets.sort_unstable();
            offsets.dedup();
            for offset in offsets {
                *votes.entry(offset).or_default() += 1;
            }
        }
        let best = votes.into_iter().max_by_key(|(_, count)| *count);
        match best {
            Some((offset, count)) if count >= 3 && count * 10 >= by_page.len() * 4 => offset,
            _ => 0,
        }
    }
}

/// The part of a line around a byte offset, with dots where it was cut.
fn around(text: &str, at: usize) -> String {
    let first = at
        .saturating_sub(CONTEXT / 2)
        .min(text.len().saturating_sub(CONTEXT));
    excerpt::words_between(text, first, first + CONTEXT)
}
