//! A post-registration beside its paper.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::items::{Asked, is_figure_field, items};
use super::line::{Line, Sought};
use super::locations;
use super::number;
use super::paper::Paper;
use super::quotation;
use super::tolerances::Tolerances;

/// Most lines of one kind.
const MOST: usize = 1_000;

/// Looks up everything that a post-registration says, in the order of its fields:
/// quotations, locations, numbers.
pub fn ground(registered: &Value, paper: &Paper) -> Vec<Line> {
    ground_within(registered, paper, &Tolerances::default())
}

/// The same within other tolerances.
pub fn ground_within(registered: &Value, paper: &Paper, tolerances: &Tolerances) -> Vec<Line> {
    let items = items(registered);
    let mut lines = Vec::new();
    for text in &items.texts {
        for quoted in quotation::quotations(&text.text) {
            let found = quotation::look_up(&quoted, paper, tolerances);
            lines.push(Line {
                sought: Sought::Quotation,
                field: text.field.clone(),
                text: quoted,
                standing: found.standing,
                place: found.place,
                supports: None,
                note: found.note,
                spans: found.spans,
                stated_page: None,
            });
        }
    }
    lines.truncate(MOST);
    let mut stated: BTreeSet<u32> = BTreeSet::new();
    let mut stated_pages = StatedPages::default();
    for text in items.locations.iter().take(MOST) {
        for located in locations::look_up(&text.text, paper) {
            if text.field.ends_with("statement_location") {
                stated.extend(&located.pages);
            }
            stated_pages.add(&text.field, located.pages.first().copied());
            lines.push(Line {
                sought: Sought::Location,
                field: text.field.clone(),
                text: located.text,
                standing: located.standing,
                place: located.place,
                supports: None,
                note: located.note,
                spans: located.spans,
                stated_page: None,
            });
        }
    }
    for asked in items.numbers.into_iter().take(MOST) {
        lines.push(number_line(asked, &stated, paper, tolerances));
    }
    for line in lines.iter_mut().filter(|line| line.sought != Sought::Location) {
        line.stated_page = stated_pages.stated_for(&line.field);
    }
    lines
}

/// The first page that each location names, by the field that it is the location of.
#[derive(Debug, Default)]
struct StatedPages(BTreeMap<String, u32>);

impl StatedPages {
    fn add(&mut self, location: &str, page: Option<u32>) {
        let field = location
            .strip_suffix("_location")
            .or_else(|| location.strip_suffix("location"));
        if let (Some(field), Some(page)) = (field, page) {
            self.0.entry(field.to_owned()).or_insert(page);
        }
    }

    /// The page of the nearest location that covers a field.
    fn stated_for(&self, field: &str) -> Option<u32> {
        let own = self
            .0
            .iter()
            .filter(|(covered, _)| field.starts_with(covered.as_str()));
        let nearest = own
            .max_by_key(|(covered, _)| covered.len())
            .map(|(_, page)| *page);
        nearest.or_else(|| {
            let claim = self.0.get("claim.statement").filter(|_| is_claim(field));
            claim.copied()
        })
    }
}

/// True if a field's numbers are said to stand where the claim's statement stands.
fn is_claim(field: &str) -> bool {
    field == "claim.statement" || (field.starts_with("results.numerical_results") && is_figure_field(field))
}

fn number_line(mut asked: Asked, stated: &BTreeSet<u32>, paper: &Paper, tolerances: &Tolerances) -> Line {
    if is_claim(&asked.field) {
        asked.company.pages.clone_from(stated);
    }
    let found = number::look_up(&asked.figure, &asked.company, paper, tolerances);
    Line {
        sought: Sought::Number,
        field: asked.field,
        text: asked.text,
        standing: found.standing,
        place: found.place,
        supports: asked.supports.filter(|text| !text.is_empty()),
        note: found.note,
        spans: found.spans,
        stated_page: None,
    }
}
