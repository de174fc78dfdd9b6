//! Runs and their scores as a table of colours.

use serde::Serialize;

use crate::scoring::aggregate::grading::GradedStage;

use super::naming::Names;
use crate::grading::scorecard::card::{CODE, Scorecard};

/// A cell of the heat map.
#[derive(Debug, Clone, Serialize)]
pub struct HeatCell {
    /// In percent of the best; absent when unscored.
    percent: Option<f64>,
    /// Marked of all, where something is unscored.
    partial: Option<String>,
    /// The text for a pointer over the cell.
    title: String,
}

/// A run's row of the heat map.
#[derive(Debug, Clone, Serialize)]
pub struct HeatRow {
    study: String,
    model: String,
    setting: String,
    anchor: String,
    cells: Vec<HeatCell>,
}

/// The map of one judge, or of what code decides.
#[derive(Debug, Clone, Serialize)]
pub struct HeatGroup {
    /// Who decided; in full, and as a heading can hold it.
    judge: String,
    short: String,
    columns: Vec<String>,
    rows: Vec<HeatRow>,
    /// Runs in which it scored nothing, and which have no row.
    without: usize,
}

/// The runs and their scores as colours, one map for each that decides: beside
/// one another they would be too wide for any screen.
#[derive(Debug, Clone, Serialize)]
pub struct Heat {
    groups: Vec<HeatGroup>,
    /// True if any of them is a judge's.
    judged: bool,
}

/// The place of a run on its page.
pub fn anchor(at: usize) -> String {
    format!("run-{}", at + 1)
}

/// A column: who decided, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    judge: String,
    name: String,
}

/// The map of all runs; a column in which nothing is scored is left out.
pub fn heat(cards: &[Scorecard]) -> Heat {
    let mut columns: Vec<Column> = Vec::new();
    let mut add = |column: Column| {
        if !columns.contains(&column) {
            columns.push(column);
        }
    };
    for card in cards {
        for headline in &card.headlines {
            add(Column {
                judge: CODE.to_owned(),
                name: short(&headline.label),
            });
        }
    }
    for card in cards {
        // What code decides has its headlines.
        for judge in card.judges.iter().filter(|judge| judge.judge != CODE) {
            for stage in GradedStage::all() {
                let of_stage = judge.stages.iter().filter(|card| card.stage == stage);
                of_stage.for_each(|card| {
                    add(Column {
                        judge: judge.judge.clone(),
                        name: card.label(),
                    });
                });
            }
        }
    }
    columns.retain(|column| cards.iter().any(|card| cell(card, column).percent.is_some()));
    columns.sort_by_key(|column| place(cards, &column.judge));
    let groups = groups(cards, &columns, &Names::from_cards(cards));
    Heat {
        judged: groups.iter().any(|group| group.judge != CODE),
        groups,
    }
}

/// Code first, then the judges as they come.
fn place(cards: &[Scorecard], judge: &str) -> usize {
    let mut judges = cards.iter().flat_map(|card| &card.judges);
    match judge {
        CODE => 0,
        _ => {
            1 + judges
                .position(|known| known.judge == judge)
                .unwrap_or(usize::MAX - 1)
        }
    }
}

fn groups(cards: &[Scorecard], columns: &[Column], names: &Names) -> Vec<HeatGroup> {
    let of_one_judge = columns.chunk_by(|one, next| one.judge == next.judge);
    let group = |columns: &[Column]| {
        let judge = &columns.first()?.judge;
        let all = cards.iter().enumerate().map(|(at, card)| HeatRow {
            study: card.study.clone(),
            model: card.model.clone(),
            setting: card.setting.clone(),
            anchor: anchor(at),
            cells: columns.iter().map(|column| cell(card, column)).collect(),
        });
        let scored = |row: &HeatRow| row.cells.iter().any(|cell| cell.percent.is_some());
        let rows: Vec<HeatRow> = all.filter(|row| judge == CODE || scored(row)).collect();
        Some(HeatGroup {
            judge: judge.clone(),
            short: names.short(judge).to_owned(),
            columns: columns.iter().map(|column| column.name.clone()).collect(),
            without: cards.len() - rows.len(),
            rows,
        })
    };
    of_one_judge.filter_map(group).collect()
}

/// A headline's label up to its first comma, bracket or relative clause.
fn short(label: &str) -> String {
    let first = label.split([',', '(']).next().unwrap_or(label);
    first.split(" that ").next().unwrap_or(first).trim().to_owned()
}

fn cell(card: &Scorecard, column: &Column) -> HeatCell {
    let Column { judge, name } = column;
    let nothing = HeatCell {
        percent: None,
        partial: None,
        title: "not scored".to_owned(),
    };
    if judge == CODE {
        let mut headlines = card.headlines.iter();
        let Some(headline) = headlines.find(|headline| short(&headline.label) == *name) else {
            return nothing;
        };
        let max = headline.max;
        return HeatCell {
            percent: (headline.value)
                .filter(|_| max > 0.0)
                .map(|value| 100.0 * value / max),
            partial: None,
            title: headline.note.clone(),
        };
    }
    let judged = card.judges.iter().find(|known| known.judge == *judge);
    let Some(stage) = judged.and_then(|judge| judge.stages.iter().find(|stage| stage.label() == *name))
    else {
        return nothing;
    };
    let figures = stage.figures();
    HeatCell {
        percent: figures
            .and_then(|figures| figures.score)
            .map(|score| 100.0 * score),
        partial: figures
            .filter(|figures| figures.coverage.hits < figures.coverage.of)
            .map(|figures| figures.coverage.to_string()),
        title: stage.unscored.clone().unwrap_or_else(|| {
            figures.map_or_else(String::new, |figures| {
                format!("{} fields marked", figures.coverage)
            })
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_the_name_without_its_details() {
        assert_eq!(short("Search, required resources found (strict)"), "Search");
        assert_eq!(
            short("Execution checkpoints that code can decide"),
            "Execution checkpoints"
        );
    }

    #[test]
    fn columns_of_one_judge_stand_below_its_name() {
        let column = |judge: &str, name: &str| Column {
            judge: judge.to_owned(),
            name: name.to_owned(),
        };
        let columns = [
            column(CODE, "Search"),
            column("recorded:a/b.json", "extract"),
            column("recorded:a/b.json", "design"),
        ];
        let found = groups(&[], &columns, &Names::default());
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].short.as_str(), found[1].columns.len()), ("b.json", 2));
        assert!(heat(&[]).groups.is_empty());
    }
}
