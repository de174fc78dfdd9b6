//! A paper in which everything that was looked up is marked at its place.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::documents::document::{Document, Line as PageLine};
use crate::documents::pdf::marks::request::{Colour, Mark, MarkRequest, MarkedPart, PageNote};
use crate::domain::excerpt;
use crate::scoring::grounding::line::{Line, Sought, Standing};
use crate::scoring::grounding::span::TextSpan;
use crate::scoring::grounding::typography::plain;

use super::mark_words::{MISSING, PLAIN, colour, entry, legend, list};

/// Longest text of a mark and of a page's note, in characters.
const MARK: usize = 4_000;
const NOTE: usize = 20_000;

/// The marked copy of a paper, planned from some lookups.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedPaper {
    pub request: MarkRequest,
    /// Which lookups each mark is for.
    lookups: Vec<Vec<usize>>,
    /// How each lookup is shown, if all its marks find their place.
    shown: Vec<Shown>,
}

/// The form in which a marked copy shows a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Highlighted,
    /// It names whole pages: in the note at the top of the first.
    OnPage,
    /// In the note at the top of its page, which has no letters where it would stand.
    WithoutPlace,
    /// In the note at the top of the page that is stated for it, or of the first.
    Absent,
}

/// Counts of lookups by the form in which a marked copy shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MarkCounts {
    /// Highlighted ones by their standing.
    pub highlighted: BTreeMap<Standing, usize>,
    /// Places that are whole pages, in the notes of these pages.
    pub pages: usize,
    /// In the paper, at a place on their page that could not be told.
    pub without_place: usize,
    pub absent: usize,
}

impl MarkedPaper {
    /// The marks and notes for the lookups in a paper with pages.
    pub fn new(lines: &[Line], paper: &Document) -> Self {
        let places = Places::new(paper);
        let mut plan = Plan::default();
        for (at, line) in lines.iter().enumerate() {
            let shown = plan.add(at, line, &places);
            plan.shown.push(shown);
        }
        plan.finish(lines, paper)
    }

    /// How many lookups are shown where some of the marks found no place.
    pub fn counts(&self, lines: &[Line], unplaced: &[usize]) -> MarkCounts {
        let mut shown = self.shown.clone();
        let lost = unplaced
            .iter()
            .filter_map(|mark| self.lookups.get(*mark))
            .flatten();
        for at in lost {
            shown[*at] = Shown::WithoutPlace;
        }
        let mut counts = MarkCounts::default();
        for (line, shown) in lines.iter().zip(shown) {
            match shown {
                Shown::Highlighted => *counts.highlighted.entry(line.standing).or_default() += 1,
                Shown::OnPage => counts.pages += 1,
                Shown::WithoutPlace => counts.without_place += 1,
                Shown::Absent => counts.absent += 1,
            }
        }
        counts
    }
}

impl MarkCounts {
    /// The counts in words: `12 marked (11 found; 1 found elsewhere), 2 absent`.
    pub fn words(&self) -> String {
        let marked: usize = self.highlighted.values().sum();
        let each: Vec<String> = self
            .highlighted
            .iter()
            .map(|(standing, count)| format!("{count} {}", standing.words()))
            .collect();
        let mut words = format!("{marked} marked");
        if !each.is_empty() {
            words.push_str(&format!(" ({})", each.join("; ")));
        }
        for (count, what) in [
            (self.pages, "noted at the top of the pages they name"),
            (
                self.without_place,
                "noted at the top of their page, without a place on it",
            ),
            (self.absent, "absent, listed in notes"),
        ] {
            if count > 0 {
                words.push_str(&format!(", {count} {what}"));
            }
        }
        words
    }
}

/// The lines of a paper's pages that hold text, as lookups count them.
struct Places<'a> {
    pages: BTreeMap<u32, Vec<&'a PageLine>>,
}

impl<'a> Places<'a> {
    fn new(paper: &'a Document) -> Self {
        let lines = |lines: &'a [PageLine]| lines.iter().filter(|line| !plain(&line.text).trim().is_empty());
        Self {
            pages: paper
                .pages
                .iter()
                .map(|page| (page.number, lines(&page.lines).collect()))
                .collect(),
        }
    }

    /// A page that the paper has; the first where it has not this one.
    fn page(&self, page: Option<u32>) -> u32 {
        page.filter(|page| self.pages.contains_key(page)).unwrap_or(1)
    }

    /// A part of a line with its area; none where the line has no area, as those that were
    /// recognised in a picture.
    fn part(&self, span: &TextSpan) -> Option<MarkedPart> {
        let lines = self.pages.get(&span.page)?;
        let line = lines.get(span.line)?;
        let has_area = |line: &&&PageLine| line.area[2] > line.area[0];
        Some(line)
            .filter(has_area)
            .filter(|line| plain(&line.text).trim_end() == span.text)
            .map(|line| MarkedPart {
                line: span.text.clone(),
                bytes: span.bytes.clone(),
                area: line.area,
                below: lines.get(span.line + 1).filter(has_area).map(|line| line.area),
            })
    }

    /// Spans by their page, with their parts; none where one of them has no area.
    fn parts(&self, spans: &[TextSpan]) -> Option<BTreeMap<u32, Vec<MarkedPart>>> {
        let mut pages: BTreeMap<u32, Vec<MarkedPart>> = BTreeMap::new();
        for span in spans {
            pages.entry(span.page).or_default().push(self.part(span)?);
        }
        Some(pages)
    }
}

/// Marks and notes before their texts are put together.
#[derive(Default)]
struct Plan {
    marks: Vec<(u32, Vec<MarkedPart>)>,
    lookups: Vec<Vec<usize>>,
    shown: Vec<Shown>,
    /// By page: what is absent, and what else is to be said.
    absent: BTreeMap<u32, Vec<usize>>,
    noted: BTreeMap<u32, Vec<usize>>,
}

impl Plan {
    fn add(&mut self, at: usize, line: &Line, places: &Places<'_>) -> Shown {
        if line.standing == Standing::Absent {
            let page = places.page(line.stated_page);
            self.absent.entry(page).or_default().push(at);
            return Shown::Absent;
        }
        let parts = places.parts(&line.spans).filter(|parts| !parts.is_empty());
        let Some(parts) = parts else {
            let page = line.place.as_ref().and_then(|place| place.page);
            self.noted.entry(places.page(page)).or_default().push(at);
            return if line.spans.is_empty() && line.sought == Sought::Location {
                Shown::OnPage
            } else {
                Shown::WithoutPlace
            };
        };
        for (page, parts) in parts {
            self.mark(at, page, parts);
        }
        Shown::Highlighted
    }

    /// Lookups at one and the same place share a mark.
    fn mark(&mut self, at: usize, page: u32, parts: Vec<MarkedPart>) {
        let mark = (page, parts);
        match self.marks.iter().position(|other| *other == mark) {
            Some(other) => self.lookups[other].push(at),
            None => {
                self.marks.push(mark);
                self.lookups.push(vec![at]);
            }
        }
    }

    fn finish(self, lines: &[Line], paper: &Document) -> MarkedPaper {
        let marks = self.marks.into_iter().zip(&self.lookups);
        let marks = marks.map(|((page, parts), lookups)| {
            let own = lookups.iter().map(|at| &lines[*at]);
            Mark {
                page,
                parts,
                colour: colour(own.clone()),
                note: excerpt::shortened(&own.map(entry).collect::<Vec<_>>().join("\n\n"), MARK),
            }
        });
        let mut notes: BTreeMap<u32, PageNote> = BTreeMap::new();
        say(&mut notes, 1, PLAIN, legend(lines, paper));
        for (page, lookups) in &self.absent {
            let text = list("Not in the paper", lookups, lines);
            say(&mut notes, *page, MISSING, text);
        }
        for (page, lookups) in &self.noted {
            say(&mut notes, *page, PLAIN, list("On this page", lookups, lines));
        }
        MarkedPaper {
            request: MarkRequest {
                marks: marks.collect(),
                notes: notes.into_values().collect(),
            },
            lookups: self.lookups,
            shown: self.shown,
        }
    }
}

/// Adds a text to the note of a page; what is missing gives it its colour.
fn say(notes: &mut BTreeMap<u32, PageNote>, page: u32, colour: Colour, text: String) {
    let note = notes.entry(page).or_insert_with(|| PageNote {
        page,
        colour,
        text: String::new(),
    });
    if colour == MISSING {
        note.colour = MISSING;
    }
    let parts = [note.text.as_str(), &text]
        .into_iter()
        .filter(|part| !part.is_empty());
    note.text = excerpt::shortened(&parts.collect::<Vec<_>>().join("\n\n"), NOTE);
}

#[cfg(test)]
mod tests {
    use crate::documents::document::Page;

    use super::super::mark_words::SHOWN;
    use super::*;

    const TEXTS: [&str; 2] = ["The mean is 0.45 | here", "“An effect” of 1.9"];

    /// A paper of two pages with these lines; the second page's have no area.
    fn paper() -> Document {
        let mut paper = Document::new(crate::documents::kind::Kind::Pdf);
        for number in 1..=2 {
            let right = if number == 1 { 200.0 } else { 0.0 };
            let lines = TEXTS.iter().map(|text| PageLine {
                text: (*text).to_owned(),
                area: [0.0, 0.0, right, 10.0],
            });
            paper.pages.push(Page {
                number,
                text: format!("{}\n\n{}\n", TEXTS[0], TEXTS[1]),
                lines: lines.collect(),
                images: 0,
            });
        }
        paper
    }

    fn lookup(field: &str, standing: Standing, spans: Vec<TextSpan>) -> Line {
        Line {
            sought: Sought::Number,
            field: field.to_owned(),
            text: "0.45".to_owned(),
            standing,
            place: None,
            supports: None,
            note: None,
            spans,
            stated_page: None,
        }
    }

    fn span(page: u32, line: usize, part: &str) -> TextSpan {
        let text = plain(TEXTS[line]);
        let start = text.find(part).unwrap();
        TextSpan {
            page,
            line,
            bytes: start..start + part.len(),
            text,
        }
    }

    #[test]
    fn lookups_at_one_place_share_a_mark_in_the_colour_of_the_worst() {
        let lines = [
            lookup("a", Standing::Found, vec![span(1, 0, "0.45")]),
            lookup("b", Standing::Altered, vec![span(1, 0, "0.45")]),
            lookup(
                "c",
                Standing::Found,
                vec![span(1, 0, "mean is"), span(1, 1, "effect")],
            ),
        ];
        let marked = MarkedPaper::new(&lines, &paper());
        let [both, other] = &marked.request.marks[..] else {
            panic!("{:?}", marked.request.marks);
        };
        assert_eq!(
            both.note,
            "a\nnumber “0.45”: found\n\nb\nnumber “0.45”: found altered"
        );
        assert_eq!((both.colour, other.colour), (SHOWN[2].2, SHOWN[0].2));
        assert_eq!(other.parts.len(), 2);
        assert_eq!(both.parts[0].below, Some([0.0, 0.0, 200.0, 10.0]));
        assert_eq!(
            marked.counts(&lines, &[]).words(),
            "3 marked (2 found; 1 found altered)"
        );
        let lost = marked.counts(&lines, &[0]);
        assert_eq!((lost.without_place, lost.highlighted[&Standing::Found]), (2, 1));
    }

    #[test]
    fn what_is_absent_stands_on_the_page_that_was_named_for_it() {
        let mut named = lookup("named", Standing::Absent, Vec::new());
        named.stated_page = Some(2);
        let mut beyond = lookup("beyond\u{1b}[2J", Standing::Absent, Vec::new());
        beyond.stated_page = Some(9);
        let lines = [
            named,
            beyond,
            lookup("scan", Standing::Found, vec![span(2, 0, "0.45")]),
        ];
        let mut paper = paper();
        paper.notes.push("A part is missing.".to_owned());
        let marked = MarkedPaper::new(&lines, &paper);
        let [first, second] = &marked.request.notes[..] else {
            panic!("{:?}", marked.request.notes);
        };
        assert!(first.text.contains("2 absent") && first.text.contains("A part is missing."));
        assert!(
            first.text.contains("beyond␛[2J\nnumber “0.45”: absent"),
            "{}",
            first.text
        );
        assert!(
            second.text.starts_with("Not in the paper:\n\nnamed\n"),
            "{}",
            second.text
        );
        assert_eq!((first.colour, second.colour), (MISSING, MISSING));
        let counts = marked.counts(&lines, &[]);
        assert_eq!((counts.absent, counts.without_place), (2, 1));
        assert!(marked.request.marks.is_empty());
    }

    #[test]
    fn a_line_of_another_text_is_not_marked() {
        let mut other = span(1, 0, "0.45");
        other.text = "Another paper's 0.45".to_owned();
        let lines = [lookup("a", Standing::Found, vec![other])];
        let marked = MarkedPaper::new(&lines, &paper());
        assert_eq!(marked.counts(&lines, &[]).without_place, 1);
    }
}
