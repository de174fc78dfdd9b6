//! The fields of a run that a person should look at: those without a mark,
//! those on which judges differ, and those with the lowest mark.

use serde::Serialize;

use crate::domain::excerpt;
use crate::grading::judge::grade::{FieldGrade, Grading};
use crate::grading::judge::mark::Mark;
use crate::scoring::aggregate::grading::GradedStage;

use crate::grading::scorecard::card::{JudgeCard, Scorecard};

/// Marks that differ by this much are not a matter of taste.
const FAR: f64 = 2.0;
/// Fields without a mark for one reason that are told in one row, from here on.
const MANY: usize = 3;
/// The most that is quoted of a judge's reason, in bytes.
const QUOTED: usize = 240;

/// The reason why a field is listed; the first that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewReason {
    Differ,
    Unscored,
    Lowest,
}

/// One field, or several that are unscored for the same reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewRow {
    pub stage: GradedStage,
    pub fields: Vec<String>,
    pub why: ReviewReason,
    pub highest: u8,
    /// One a judge, in the card's order; absent where it did not grade the field.
    pub marks: Vec<Option<Mark>>,
    /// The judges, by their place, whose words explain it, with these words.
    pub said: Vec<(usize, String)>,
}

/// The fields of a run that a person should look at.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FieldsToReview {
    pub judges: Vec<String>,
    pub rows: Vec<ReviewRow>,
    /// Fields that have a mark, or none to give, and are not listed.
    pub unlisted: usize,
}

impl FieldsToReview {
    /// The fields of a card, by stage; of several references the first.
    pub fn from_card(card: &Scorecard) -> Self {
        let mut review = Self {
            judges: card.judges.iter().map(|judge| judge.judge.clone()).collect(),
            ..Self::default()
        };
        for stage in GradedStage::all() {
            let gradings: Vec<Option<&Grading>> =
                (card.judges.iter()).map(|judge| grading(judge, stage)).collect();
            let mut rows = Vec::new();
            for path in paths(&gradings) {
                match row(stage, path, &gradings) {
                    Some(row) => rows.push(row),
                    None => review.unlisted += 1,
                }
            }
            review.rows.extend(together(rows));
        }
        review
    }
}

fn grading(judge: &JudgeCard, stage: GradedStage) -> Option<&Grading> {
    let card = judge.stages.iter().find(|card| card.stage == stage)?;
    Some(&card.against.first()?.grading)
}

/// All fields that any judge was given, in order.
fn paths<'a>(gradings: &[Option<&'a Grading>]) -> Vec<&'a str> {
    let mut paths: Vec<&str> = Vec::new();
    for field in gradings.iter().flatten().flat_map(|grading| &grading.fields) {
        if !paths.contains(&field.path.as_str()) {
            paths.push(&field.path);
        }
    }
    paths
}

fn row(stage: GradedStage, path: &str, gradings: &[Option<&Grading>]) -> Option<ReviewRow> {
    let fields: Vec<Option<&FieldGrade>> = (gradings.iter())
        .map(|grading| grading.and_then(|one| one.fields.iter().find(|field| field.path == path)))
        .collect();
    let marks: Vec<Option<Mark>> = fields.iter().map(|field| field.map(|one| one.mark)).collect();
    let scores = || marks.iter().flatten().filter_map(|mark| mark.score());
    let (least, most) = (scores().reduce(f64::min), scores().reduce(f64::max));
    let listed = if least.zip(most).is_some_and(|(least, most)| most - least >= FAR) {
        ReviewReason::Differ
    } else if marks.contains(&Some(Mark::Unscored)) {
        ReviewReason::Unscored
    } else if least == Some(0.0) {
        ReviewReason::Lowest
    } else {
        return None;
    };
    let explains = |mark: Mark| match listed {
        ReviewReason::Differ => mark
            .score()
            .is_some_and(|score| Some(score) == least || Some(score) == most),
        ReviewReason::Unscored => mark == Mark::Unscored,
        ReviewReason::Lowest => mark == Mark::Score(0),
    };
    let said = fields.iter().enumerate().filter_map(|(judge, field)| {
        let field = field.filter(|field| explains(field.mark))?;
        Some((judge, reason(field)?))
    });
    Some(ReviewRow {
        stage,
        fields: vec![path.to_owned()],
        why: listed,
        highest: (gradings.iter().flatten())
            .map(|grading| grading.highest)
            .max()
            .unwrap_or_default(),
        said: said.collect(),
        marks,
    })
}

/// The explanation of the mark that counts, cut to the width of a table.
fn reason(field: &FieldGrade) -> Option<String> {
    let given = (field.given.iter().find(|one| one.mark == field.mark)).or(field.given.first())?;
    let whole = given.explanation.trim();
    let cut = excerpt::first_bytes(whole, QUOTED);
    let end = if cut.len() < whole.len() { "…" } else { "" };
    (!whole.is_empty()).then(|| format!("{}{end}", cut.trim_end()))
}

/// Rows that say the same of unscored fields, as one.
fn together(rows: Vec<ReviewRow>) -> Vec<ReviewRow> {
    let same = |one: &ReviewRow, other: &ReviewRow| {
        one.why == ReviewReason::Unscored
            && other.why == ReviewReason::Unscored
            && (&one.marks, &one.said) == (&other.marks, &other.said)
    };
    let mut kept: Vec<ReviewRow> = Vec::new();
    for row in &rows {
        if rows.iter().filter(|other| same(row, other)).count() < MANY {
            kept.push(row.clone());
        } else if let Some(known) = kept.iter_mut().find(|known| same(row, known)) {
            known.fields.extend(row.fields.iter().cloned());
        } else {
            kept.push(row.clone());
        }
    }
    kept.sort_by_key(|row| row.why);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;
    use crate::grading::judge::grade::GradedBy;
    use crate::grading::judge::mark::Given;

    fn graded(marks: &[(&str, Mark, &str)]) -> Grading {
        let fields = marks.iter().map(|(path, mark, explanation)| FieldGrade {
            path: (*path).to_owned(),
            mark: *mark,
            by: GradedBy::Judge,
            given: vec![Given {
                mark: *mark,
                evidence: String::new(),
                explanation: (*explanation).to_owned(),
            }],
            spread: None,
            flipped: None,
            stated: None,
        });
        Grading {
            stage: GradedStage::Extract,
            reference: "r".to_owned(),
            rubric: Digest::compute(b""),
            highest: 3,
            repeats: 1,
            orders: Vec::new(),
            fields: fields.collect(),
            notes: Vec::new(),
        }
    }

    fn rows(gradings: &[Grading]) -> Vec<ReviewRow> {
        let all: Vec<Option<&Grading>> = gradings.iter().map(Some).collect();
        let rows = paths(&all)
            .into_iter()
            .filter_map(|path| row(GradedStage::Extract, path, &all));
        together(rows.collect())
    }

    #[test]
    fn only_what_needs_a_look_is_listed_and_the_farthest_first() {
        let one = graded(&[
            ("fine", Mark::Score(3), ""),
            ("near", Mark::Score(2), ""),
            ("none", Mark::Score(0), "not there"),
            ("far", Mark::Score(3), "the same"),
            ("na", Mark::NotApplicable, ""),
        ]);
        let other = graded(&[
            ("fine", Mark::Score(3), ""),
            ("near", Mark::Score(3), ""),
            ("none", Mark::Score(1), "a trace"),
            ("far", Mark::Score(1), "another"),
            ("na", Mark::NotApplicable, ""),
        ]);
        let found = rows(&[one, other]);
        let names: Vec<(&str, ReviewReason)> = found
            .iter()
            .map(|row| (row.fields[0].as_str(), row.why))
            .collect();
        assert_eq!(
            names,
            [("far", ReviewReason::Differ), ("none", ReviewReason::Lowest)]
        );
        assert_eq!(
            found[0].said,
            [(0, "the same".to_owned()), (1, "another".to_owned())]
        );
        assert_eq!(found[1].said, [(0, "not there".to_owned())]);
    }

    #[test]
    fn fields_that_nobody_marked_for_one_reason_share_a_row() {
        let silent = "The judge did not answer.";
        let grading = graded(&[
            ("a", Mark::Unscored, silent),
            ("b", Mark::Unscored, "Too long."),
            ("c", Mark::Unscored, silent),
            ("d", Mark::Unscored, silent),
        ]);
        let found = rows(&[grading]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].fields, ["a", "c", "d"]);
        assert_eq!(found[1].fields, ["b"]);
    }

    #[test]
    fn a_long_reason_is_cut_between_two_characters() {
        let long = "ä".repeat(QUOTED);
        let found = rows(&[graded(&[("a", Mark::Score(0), &long)])]);
        let (_, said) = &found[0].said[0];
        assert!(said.ends_with("ä…") && said.len() <= QUOTED + '…'.len_utf8());
    }
}
