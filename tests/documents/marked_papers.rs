//! Human references to the shared papers, marked in copies of them, and held against where
//! `pdftotext` sees the same digits.

use std::path::{Path, PathBuf};
use std::process::Command;

use lopdf::{Document as Pdf, Object};
use regex::Regex;
use reprise::documents::limits::Limits;
use reprise::documents::pdf::marks::copy::mark;
use reprise::documents::read::read;
use reprise::report::grounding;
use reprise::report::marked_paper::MarkedPaper;

use crate::need;
use crate::shared;

/// Least share of marks with digits at which `pdftotext` sees the same digits, as a word
/// or as a part of one.
const LEAST: f64 = 0.97;

/// A word of a page: left, top, right, bottom in points from its upper left corner.
struct Word {
    area: [f64; 4],
    text: String,
}

/// The words of each page, and the pages' heights.
fn words(pdf: &Path) -> Vec<(f64, Vec<Word>)> {
    let output = Command::new("pdftotext")
        .arg("-bbox")
        .arg(pdf)
        .arg("-")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let page = Regex::new(r#"<page width="[^"]*" height="([^"]*)">"#).unwrap();
    let word =
        Regex::new(r#"<word xMin="([^"]*)" yMin="([^"]*)" xMax="([^"]*)" yMax="([^"]*)">([^<]*)<"#).unwrap();
    let mut pages: Vec<(f64, Vec<Word>)> = Vec::new();
    for line in text.lines() {
        if let Some(found) = page.captures(line) {
            pages.push((found[1].parse().unwrap(), Vec::new()));
        } else if let Some(found) = word.captures(line) {
            let edge = |at: usize| found[at].parse::<f64>().unwrap();
            pages.last_mut().unwrap().1.push(Word {
                area: [edge(1), edge(2), edge(3), edge(4)],
                text: found[5].to_owned(),
            });
        }
    }
    pages
}

/// Every human reference with its paper.
fn references(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    shared::files(folder)
        .into_iter()
        .filter(|path| path.ends_with("gt") || path.parent().is_some_and(|parent| parent.ends_with("gt")))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let study = path.parent().unwrap().parent().unwrap().to_owned();
            (path, study.join("input/original_paper.pdf"))
        })
        .collect()
}

/// The text that a page's words show inside a rectangle.
fn shown(words: &[Word], [left, top, right, bottom]: [f64; 4]) -> String {
    let inside = words.iter().filter(|word| {
        let [x0, y0, x1, y1] = word.area;
        let (across, down) = (x1.min(right) - x0.max(left), y1.min(bottom) - y0.max(top));
        across > 0.5 && down > 0.3 * (y1 - y0).min(bottom - top)
    });
    inside
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The bounds of a copy's highlights of a page, as it is shown, from its upper left corner.
fn highlights(copy: &Pdf, page: u32, height: f64) -> Vec<[f64; 4]> {
    let page = copy.get_pages()[&page];
    let turn = copy
        .get_dictionary(page)
        .unwrap()
        .get(b"Rotate")
        .and_then(Object::as_i64)
        .unwrap_or(0);
    let annotations = copy.get_page_annotations(page).unwrap();
    let ours = annotations.iter().filter(|annotation| {
        annotation.has(b"RepriseMark")
            && annotation.get(b"Subtype").unwrap().as_name().unwrap() == b"Highlight"
    });
    ours.map(|annotation| {
        let edges = annotation.get(b"Rect").and_then(Object::as_array).unwrap();
        let edges: Vec<f64> = edges
            .iter()
            .map(|edge| f64::from(edge.as_float().unwrap()))
            .collect();
        match turn {
            0 => [edges[0], height - edges[3], edges[2], height - edges[1]],
            90 => [edges[1], edges[0], edges[3], edges[2]],
            turn => panic!("no paper has pages turned by {turn}"),
        }
    })
    .collect()
}

#[test]
fn marked_numbers_stand_where_another_reader_sees_their_digits() {
    let Some(folder) = shared::folder("replicatorbench/original") else {
        return;
    };
    if need::program("pdftotext", "apt-get install poppler-utils").is_none() {
        return;
    }
    let (mut right, mut wrong, mut unplaced, mut all) = (0, Vec::new(), 0, 0);
    let scratch = tempfile::tempdir().unwrap();
    for (reference, paper) in references(&folder) {
        let bytes = std::fs::read(&paper).unwrap();
        let document = read("paper.pdf", &bytes, &Limits::default()).unwrap();
        let registered = serde_json::from_slice(&std::fs::read(&reference).unwrap()).unwrap();
        let found = grounding::ground_paper(&registered, &document);
        let request = MarkedPaper::new(&found.lines, &document).request;
        let copy = mark(&bytes, &request).unwrap();
        all += request.marks.len();
        unplaced += copy.unplaced.len();
        let file = scratch.path().join("copy.pdf");
        std::fs::write(&file, &copy.pdf).unwrap();
        let pages = words(&file);
        let pdf = Pdf::load_mem(&copy.pdf).unwrap();
        let placed = request
            .marks
            .iter()
            .enumerate()
            .filter(|(at, _)| !copy.unplaced.contains(at));
        let mut seen = std::collections::HashMap::<u32, usize>::new();
        for (_, mark) in placed {
            let (height, words) = &pages[mark.page as usize - 1];
            let nth = seen.entry(mark.page).or_default();
            let area = highlights(&pdf, mark.page, *height)[*nth];
            *nth += 1;
            let [part] = &mark.parts[..] else {
                continue;
            };
            let wanted = digits(&part.line[part.bytes.clone()]);
            if wanted.is_empty() {
                continue;
            }
            let there = shown(words, area);
            if digits(&there).contains(&wanted) {
                right += 1;
            } else {
                wrong.push(format!(
                    "{} page {}: {wanted} is not in {there:?}",
                    paper.display(),
                    mark.page
                ));
            }
        }
    }
    println!(
        "{all} marks, {unplaced} without a place; with digits: {right} where they are, {} not",
        wrong.len()
    );
    for line in &wrong {
        println!("  {line}");
    }
    assert!(right > 100, "only {right} marks were looked at");
    assert!(f64::from(right) >= LEAST * (f64::from(right) + wrong.len() as f64));
    assert!(unplaced * 50 <= all, "{unplaced} of {all} marks have no place");
}
