//! A post-registration beside its paper.

use std::collections::BTreeSet;

use serde_json::Value;

use super::items::{Asked, is_figure_field, items};
use super::line::{Line, Sought, Standing};
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
            });
        }
    }
    lines.truncate(MOST);
    let mut stated: BTreeSet<u32> = BTreeSet::new();
    for text in items.locations.iter().take(MOST) {
        for located in locations::look_up(&text.text, paper) {
            if text.field.ends_with("statement_location") {
                stated.extend(&located.pages);
            }
            lines.push(Line {
                sought: Sought::Location,
                field: text.field.clone(),
                text: located.text,
                standing: located.standing,
                place: located.place,
                supports: None,
                note: located.note,
            });
        }
    }
    for asked in items.numbers.into_iter().take(MOST) {
        lines.push(number_line(asked, &stated, paper, tolerances));
    }
    lines
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
    }
}

/// How many lines have each standing, of one kind.
pub fn count(lines: &[Line], sought: Sought, standing: Standing) -> usize {
    lines
        .iter()
        .filter(|line| line.sought == sought && line.standing == standing)
        .count()
}
