//! Scores as one HTML page that needs nothing else.

use minijinja::context;
use minijinja::value::Value;
use serde::Serialize;

use crate::report::evidence::{Evidence, Headline};
use crate::report::html::forest::Forest;
use crate::report::inert;
use crate::report::template::{TemplateError, environment, value};
use crate::report::view::View;
use crate::scoring::aggregate::grading::GradedStage;

use super::card::Scorecard;
use super::together::Together;

const TEMPLATES: [(&str, &str); 6] = [
    ("scores_page.html", include_str!("../templates/scores_page.html")),
    ("scores_run.html", include_str!("../templates/scores_run.html")),
    (
        "scores_judge.html",
        include_str!("../templates/scores_judge.html"),
    ),
    ("forest.html", include_str!("../templates/forest.html")),
    ("criteria.html", include_str!("../templates/criteria.html")),
    (
        "scores_macros.html",
        include_str!("../templates/scores_macros.html"),
    ),
];

/// A cell of the heat map.
#[derive(Debug, Clone, Serialize)]
struct Cell {
    /// In percent of the best; absent when unscored.
    percent: Option<f64>,
    /// What a pointer over the cell is told.
    title: String,
}

/// A run's row of the heat map.
#[derive(Debug, Clone, Serialize)]
struct HeatRow {
    study: String,
    model: String,
    setting: String,
    anchor: String,
    cells: Vec<Cell>,
}

/// The runs and their scores as colours.
#[derive(Debug, Clone, Serialize)]
struct Heat {
    columns: Vec<String>,
    rows: Vec<HeatRow>,
}

/// Runs with their scores as one self-contained page.
pub fn render(cards: &[Scorecard]) -> Result<String, TemplateError> {
    let mut environment = environment()?;
    environment.add_filter("prose", |text: &str| {
        Value::from_safe_string(inert::html_prose(text))
    });
    environment.add_filter("percent", |share: f64| format!("{:.1}", 100.0 * share));
    environment.add_filter("across", |share: f64| {
        format!("{:.2}", 100.0 * share.clamp(0.0, 1.0))
    });
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    let runs: Vec<Value> = (cards.iter().enumerate())
        .map(|(at, card)| {
            context! { card => value(card), forest => value(forest(card)), anchor => anchor(at) }
        })
        .collect();
    let styles = [
        include_str!("../templates/style.css"),
        include_str!("../templates/scores.css"),
    ];
    let page = environment.get_template("scores_page.html")?.render(context! {
        runs => runs,
        heat => value(heat(cards)),
        together => value(Together::of(cards)),
        style => Value::from_safe_string(styles.concat()),
    })?;
    Ok(page)
}

fn anchor(at: usize) -> String {
    format!("run-{}", at + 1)
}

/// The plot of the report, of these findings alone.
fn forest(card: &Scorecard) -> Option<Forest> {
    let evidence = Evidence {
        original: card.original.clone(),
        replication: card.replication.clone(),
        scale: card.scale.clone(),
        ..Evidence::default()
    };
    Forest::of(&View::build(&[], &|_| Err(String::new()), &evidence))
}

fn heat(cards: &[Scorecard]) -> Heat {
    let mut columns: Vec<String> = Vec::new();
    for card in cards {
        let judged = card
            .judges
            .iter()
            .flat_map(|judge| GradedStage::all().map(move |stage| column(stage, &judge.judge)));
        for name in card
            .headlines
            .iter()
            .map(|headline| short(&headline.label))
            .chain(judged)
        {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
    }
    let rows = cards.iter().enumerate().map(|(at, card)| HeatRow {
        study: card.study.clone(),
        model: card.model.clone(),
        setting: card.setting.clone(),
        anchor: anchor(at),
        cells: columns.iter().map(|name| cell(card, name)).collect(),
    });
    let rows = rows.collect::<Vec<_>>();
    // A column in which nothing is scored says nothing.
    let used: Vec<bool> = (0..columns.len())
        .map(|at| {
            rows.iter()
                .any(|row| row.cells.get(at).is_some_and(|cell| cell.percent.is_some()))
        })
        .collect();
    let kept = |at: usize| used.get(at).copied().unwrap_or(false);
    Heat {
        columns: columns
            .into_iter()
            .enumerate()
            .filter(|(at, _)| kept(*at))
            .map(|(_, name)| name)
            .collect(),
        rows: rows
            .into_iter()
            .map(|row| HeatRow {
                cells: row
                    .cells
                    .into_iter()
                    .enumerate()
                    .filter(|(at, _)| kept(*at))
                    .map(|(_, cell)| cell)
                    .collect(),
                ..row
            })
            .collect(),
    }
}

fn column(stage: GradedStage, judge: &str) -> String {
    format!("{stage} · {judge}")
}

/// A headline's label up to its first comma or bracket.
fn short(label: &str) -> String {
    label.split([',', '(']).next().unwrap_or(label).trim().to_owned()
}

fn cell(card: &Scorecard, name: &str) -> Cell {
    let headline = card
        .headlines
        .iter()
        .find(|headline| short(&headline.label) == name);
    if let Some(Headline { value, max, note, .. }) = headline {
        return Cell {
            percent: value.filter(|_| *max > 0.0).map(|value| 100.0 * value / max),
            title: note.clone(),
        };
    }
    for judge in &card.judges {
        for stage in judge
            .stages
            .iter()
            .filter(|stage| column(stage.stage, &judge.judge) == name)
        {
            let figures = stage.figures();
            return Cell {
                percent: figures
                    .and_then(|figures| figures.score)
                    .map(|score| 100.0 * score),
                title: stage.unscored.clone().unwrap_or_else(|| {
                    figures.map_or_else(String::new, |figures| {
                        format!("{} fields marked", figures.coverage)
                    })
                }),
            };
        }
    }
    Cell {
        percent: None,
        title: "not scored".to_owned(),
    }
}
