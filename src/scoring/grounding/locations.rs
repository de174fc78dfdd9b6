//! Pages, tables and sections that a text names, looked up in a paper.

use std::collections::BTreeSet;

use super::captions::captions;
use super::line::{PaperPlace, Standing};
use super::paper::Paper;
use super::span::TextSpan;
use super::typography::{plain, words};

use crate::domain::lazy_regex::LazyRegex;

/// Titles that need no word beside them to be sections.
const TITLES: [&str; 12] = [
    "abstract",
    "introduction",
    "results",
    "methods",
    "method",
    "discussion",
    "conclusion",
    "conclusions",
    "summary",
    "background",
    "data",
    "theory",
];
/// Words around a section's name that are none of it.
const AROUND: [&str; 20] = [
    "also",
    "in",
    "the",
    "see",
    "discussed",
    "stated",
    "mentioned",
    "it",
    "is",
    "of",
    "row",
    "column",
    "labeled",
    "at",
    "end",
    "beginning",
    "on",
    "paragraph",
    "first",
    "last",
];
/// Longest heading, in words beyond those asked for.
const HEADING: usize = 10;

static EXHIBIT: LazyRegex =
    LazyRegex::new(r"(?i)\b(table|figure|fig)s?\.?\s*([a-z]?\d{1,3}(?:\.\d+)?|[ivx]{1,5}\b)");
static PAGE: LazyRegex = LazyRegex::new(r"(?i)\b(?:pp?\.|pp|pages?)\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?");

/// A place that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// `table` or `figure`, and its number.
    Exhibit(String, String),
    Pages(u32, u32),
    /// A section's title; whether the text calls it a section.
    Section(String, bool),
}

/// A named place, located in the paper, with the pages that it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    pub text: String,
    pub standing: Standing,
    pub place: Option<PaperPlace>,
    pub note: Option<String>,
    pub pages: BTreeSet<u32>,
    /// The heading, caption or mention that it is; none for pages.
    pub spans: Vec<TextSpan>,
}

/// The places that a text names, in their order.
pub fn named(text: &str) -> Vec<Named> {
    let text = plain(text);
    let mut found = Vec::new();
    for captures in EXHIBIT.captures_iter(&text) {
        let kind = if captures[1].eq_ignore_ascii_case("table") {
            "table"
        } else {
            "figure"
        };
        found.push(Named::Exhibit(kind.to_owned(), captures[2].to_lowercase()));
    }
    for captures in PAGE.captures_iter(&text) {
        let number = |at| {
            captures
                .get(at)
                .and_then(|part: regex::Match| part.as_str().parse::<u32>().ok())
        };
        if let Some(first) = number(1) {
            found.push(Named::Pages(
                first,
                number(2).unwrap_or(first).clamp(first, first.saturating_add(200)),
            ));
        }
    }
    let rest = PAGE.replace_all(&text, ";").into_owned();
    let rest = EXHIBIT.replace_all(&rest, ";").into_owned();
    for phrase in rest.split([';', '(', ')', '|', ':', ',', '"', '\n', '.']) {
        found.extend(titles(phrase));
    }
    found.dedup();
    found
}

/// The sections that a phrase may name: a title, or what stands before and
/// behind the word `section`.
fn titles(phrase: &str) -> Option<Named> {
    let all: Vec<String> = words(phrase).into_iter().map(|(_, word)| word).collect();
    let is_marker = |word: &String| matches!(word.as_str(), "section" | "sections" | "subsection");
    let explicit = all.iter().any(is_marker);
    let idle = |word: &&String| AROUND.contains(&word.as_str()) || word.chars().all(|c| c.is_ascii_digit());
    let title: Vec<String> = all.iter().skip_while(idle).cloned().collect();
    let end = title
        .iter()
        .rposition(|word| !idle(&word))
        .map_or(0, |last| last + 1);
    let title = &title[..end];
    let known = title.len() == 1 && TITLES.contains(&title[0].as_str());
    let capital = phrase.trim().chars().next().is_some_and(char::is_uppercase);
    let named = explicit || known || (capital && title.len() > 1);
    let says = title.iter().any(|word| !is_marker(word));
    (named && says && title.len() <= 20).then(|| Named::Section(title.join(" "), explicit))
}

/// Looks up every place that a text names. A title that is neither a heading
/// nor called a section is left out: it may be no place at all.
pub fn look_up(text: &str, paper: &Paper) -> Vec<Located> {
    named(text)
        .into_iter()
        .filter_map(|named| match named {
            Named::Exhibit(kind, number) => Some(exhibit(&kind, &number, paper)),
            Named::Pages(first, last) => (paper.pages > 0).then(|| pages(first, last, paper)),
            Named::Section(title, explicit) => section(&title, explicit, paper),
        })
        .collect()
}

fn exhibit(kind: &str, number: &str, paper: &Paper) -> Located {
    let captions = captions(kind, number, paper);
    let mentioned = paper.words.windows(2).find_map(|pair| {
        let same = pair[0].0 == kind && pair[1].0 == number || pair[0].0 == format!("{kind}{number}");
        same.then_some(pair[0].1)
    });
    let place = |line: usize| Some(paper.place(line, 0));
    let mut pages: BTreeSet<u32> = BTreeSet::new();
    for line in &captions {
        // Tables go on overleaf.
        let page = paper.lines[*line].page;
        pages.extend([page, page + 1]);
    }
    let (standing, at, note) = match (captions.first(), mentioned) {
        (Some(line), _) => (Standing::Found, Some(*line), None),
        (None, Some(line)) => (
            Standing::Elsewhere,
            Some(line),
            Some("mentioned, without a caption".to_owned()),
        ),
        (None, None) => (Standing::Absent, None, None),
    };
    Located {
        text: format!("{kind} {number}"),
        standing,
        place: at.and_then(place),
        note,
        pages,
        spans: at
            .and_then(|line| exhibit_name(line, kind, number, paper))
            .into_iter()
            .collect(),
    }
}

/// The words `Table 2` of a line that begins a caption with them or mentions them.
fn exhibit_name(line: usize, kind: &str, number: &str, paper: &Paper) -> Option<TextSpan> {
    let found = words(&paper.lines.get(line)?.text);
    let is_kind = |word: &str| word == kind || (kind == "figure" && word == "fig");
    let is_number = |word: &str| word == number || number.starts_with(&format!("{word}."));
    let first = found.iter().enumerate().position(|(at, (_, word))| {
        let next = found.get(at + 1).is_some_and(|(_, next)| is_number(next));
        is_kind(word) && next || *word == format!("{kind}{number}")
    })?;
    let glued = found.get(first).is_some_and(|(_, word)| !is_kind(word));
    paper.span_of_words(line, first..first + if glued { 1 } else { 2 })
}

fn pages(first: u32, last: u32, paper: &Paper) -> Located {
    // A stated number may be the printed one or the viewer's; both are taken.
    let printed = |page: u32| u32::try_from(i64::from(page) - paper.offset).unwrap_or(0);
    let all: BTreeSet<u32> = (first..=last)
        .flat_map(|page| [page, printed(page)])
        .filter(|page| (1..=paper.pages).contains(page))
        .collect();
    let text = if first == last {
        format!("page {first}")
    } else {
        format!("pages {first}-{last}")
    };
    let first_line = all
        .iter()
        .next()
        .and_then(|page| paper.lines.iter().position(|line| line.page == *page));
    Located {
        text,
        standing: if all.is_empty() {
            Standing::Absent
        } else {
            Standing::Found
        },
        place: first_line.map(|line| paper.place(line, 0)),
        note: all
            .is_empty()
            .then(|| format!("the paper's pages are 1 to {}", paper.pages)),
        pages: all,
        spans: Vec::new(),
    }
}

fn section(title: &str, explicit: bool, paper: &Paper) -> Option<Located> {
    let wanted: Vec<&str> = title.split(' ').collect();
    let located = |part: &[&str], standing, line: Option<usize>, note: Option<&str>| Located {
        text: format!("section \"{}\"", part.join(" ")),
        standing,
        place: line.map(|line| paper.place(line, 0)),
        note: note.map(str::to_owned),
        pages: BTreeSet::new(),
        spans: line.and_then(|line| paper.whole_line(line)).into_iter().collect(),
    };
    // The whole, then shorter parts before and behind the words around a title.
    let parts = parts(&wanted);
    if let Some((part, line)) = parts.iter().find_map(|part| Some((part, heading(part, paper)?))) {
        return Some(located(part, Standing::Found, Some(line), None));
    }
    if !explicit {
        return None;
    }
    if let Some((part, line)) = parts
        .iter()
        .filter(|part| part.len() > 1 || part.len() == parts[0].len())
        .find_map(|part| Some((part, in_text(part, paper)?)))
    {
        let note = Some("in the text, not as a heading");
        return Some(located(part, Standing::Elsewhere, Some(line), note));
    }
    // A long phrase is a sentence about places, and no title.
    let first = parts.first()?;
    (first.len() <= 8).then(|| located(first, Standing::Absent, None, None))
}

/// The runs of words between `section`, `and` and the like, the longest first.
fn parts<'t>(title: &[&'t str]) -> Vec<Vec<&'t str>> {
    let marker = |word: &&str| matches!(*word, "section" | "sections" | "subsection");
    let mut parts: Vec<Vec<&str>> = title.split(marker).map(<[&str]>::to_vec).collect();
    let halves: Vec<Vec<&str>> = parts
        .iter()
        .flat_map(|part| part.split(|word| matches!(*word, "and" | "the" | "in" | "under")))
        .map(<[&str]>::to_vec)
        .collect();
    parts.extend(halves);
    parts.retain(|part| !part.is_empty());
    parts
}

/// The line that a title stands on as a heading.
fn heading(wanted: &[&str], paper: &Paper) -> Option<usize> {
    paper.lines.iter().position(|line| {
        let found = words(&line.text);
        let found: Vec<&str> = found
            .iter()
            .map(|(_, word)| word.as_str())
            .skip_while(|word| word.chars().all(|c| c.is_ascii_digit() || "ivx".contains(c)))
            .collect();
        // A title of one word stands alone, or before a colon or full stop.
        let short = wanted.len() == 1 && found.len() > 3;
        let ends = line
            .text
            .trim_start()
            .get(wanted[0].len()..)
            .is_some_and(|rest| rest.starts_with([':', '.', '-']));
        let fits = !short || ends;
        found.starts_with(wanted)
            && fits
            && found.len() <= wanted.len() + HEADING
            && !line.text.trim_end().ends_with(',')
    })
}

fn in_text(wanted: &[&str], paper: &Paper) -> Option<usize> {
    let first = paper.index.get(*wanted.first()?)?;
    first.iter().copied().find_map(|at| {
        let part = paper.words.get(at..at + wanted.len())?;
        let same = part.iter().zip(wanted).all(|((word, _), wanted)| word == wanted);
        same.then_some(part[0].1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::document::Document;
    use crate::documents::kind::Kind;

    #[test]
    fn an_exhibit_is_marked_by_its_name_alone() {
        let mut document = Document::new(Kind::Text);
        document.text = "0.4 | Fig. 2: Rates of it\nas Table 3 shows\nTable12 Means".to_owned();
        let paper = Paper::new(&document);
        let shown = |text: &str| {
            let found = look_up(text, &paper);
            let span = &found[0].spans[0];
            span.text[span.bytes.clone()].to_owned()
        };
        let read = ["Figure 2", "Table 3", "Table 12"].map(shown);
        assert_eq!(read, ["Fig. 2", "Table 3", "Table12"]);
    }

    #[test]
    fn an_exhibit_is_found_at_its_caption_before_what_is_said_of_it() {
        let mut document = Document::new(Kind::Text);
        document.text = "Table 2 shows that it holds.\nWe come back to these means and to what is said in\n\
                         Table 2. They differ from those of Table 2.1 A\nTable 2.1 Rest\nIt ends here.\n\
                         Table 2. Means of it\nTable 3, which follows, is left out.\nFigure 1 A mean"
            .to_owned();
        let paper = Paper::new(&document);
        let at = |text: &str| {
            let found = &look_up(text, &paper)[0];
            (found.standing, found.place.clone().unwrap().context)
        };
        assert_eq!(
            at("Table 2"),
            (Standing::Found, "Table 2. Means of it".to_owned())
        );
        assert_eq!(at("Table 2.1"), (Standing::Found, "Table 2.1 Rest".to_owned()));
        assert_eq!(at("Figure 1"), (Standing::Found, "Figure 1 A mean".to_owned()));
        assert_eq!(at("Table 3").0, Standing::Elsewhere);
    }

    #[test]
    fn places_are_told_apart() {
        assert_eq!(
            named("Page 4, Results section; page 7, Table 1."),
            [
                Named::Exhibit("table".into(), "1".into()),
                Named::Pages(4, 4),
                Named::Pages(7, 7),
                Named::Section("results section".into(), true),
            ]
        );
        assert_eq!(
            named("pp. 78–79 of section 1.2. Factors affecting learning"),
            [
                Named::Pages(78, 79),
                Named::Section("factors affecting learning".into(), false)
            ]
        );
        assert!(named("it is discussed in the literature").is_empty());
    }
}
