//! `reprise score search`.

use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::scoring::released::url_match;
use crate::scoring::released::url_match::{Credit, Prefixes};
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::Prediction;
use crate::scoring::url_match::level::Level;
use crate::scoring::url_match::levels;
use crate::scoring::url_match::levels::{CaseMatches, Limit, PredictionMatch};
use crate::scoring::url_match::metrics::{Counts, ModelScore, RunScore, Spread};
use crate::scoring::url_match::runs::by_model;

use super::args::{SearchArgs, SearchMode};
use super::search_files::{self, Given};
use super::table::{Table, percent};

/// One figure of a run, with its name.
type Figure = (&'static str, fn(&RunScore) -> f64);

/// The figures of a run.
const FIGURES: [Figure; 8] = [
    ("precision", |run| run.macro_average.precision),
    ("recall", |run| run.macro_average.recall),
    ("F1", |run| run.macro_average.f1),
    ("micro P", |run| run.micro_average.precision),
    ("micro R", |run| run.micro_average.recall),
    ("micro F1", |run| run.micro_average.f1),
    ("hit@any", |run| run.hit_any),
    ("hit@all", |run| run.hit_all),
];

/// Scores proposed addresses against a gold set.
pub fn search(printer: Printer, args: &SearchArgs) -> Result<Status, Failure> {
    let given = search_files::read(args)?;
    let all = (&given.gold, &given.predictions, &given.curated);
    let scores = match args.mode {
        SearchMode::Compat => vec![(COMPAT, url_match::score(all.0, all.1, Prefixes::EitherWay))],
        SearchMode::Strict => vec![(
            Limit::Strict.name(),
            levels::score(all.0, all.1, all.2, Limit::Strict),
        )],
        SearchMode::Levels => (Limit::ALL.into_iter())
            .map(|limit| (limit.name(), levels::score(all.0, all.1, all.2, limit)))
            .collect(),
    };
    show(printer, args, &given, &scores)
}

/// What the released rule is called.
const COMPAT: &str = "compat";

/// One answer of one run.
struct Answered<'a> {
    model: &'a str,
    run: usize,
    prediction: &'a Prediction,
    /// By rule.
    counts: Vec<(&'static str, Counts)>,
    found: Found,
}

/// What became of an answer's addresses.
enum Found {
    Credited(Vec<Credit>),
    /// Prediction by prediction and resource by resource.
    Leveled(CaseMatches, Vec<PredictionMatch>),
}

fn answers(given: &Given, mode: SearchMode) -> Vec<Answered<'_>> {
    let limits: &[Limit] = match mode {
        SearchMode::Compat => &[],
        SearchMode::Strict => &[Limit::Strict],
        SearchMode::Levels => &Limit::ALL,
    };
    let mut answers = Vec::new();
    for model in by_model(&given.predictions) {
        for (case, runs) in &model.cases {
            let Some(gold) = given.gold.iter().find(|gold| gold.id == **case) else {
                continue;
            };
            for (run, prediction) in runs.iter().copied().enumerate() {
                let urls = &prediction.urls;
                let (counts, found) = if mode == SearchMode::Compat {
                    let (counts, credits) = url_match::trace(gold, urls, Prefixes::EitherWay);
                    (vec![(COMPAT, counts)], Found::Credited(credits))
                } else {
                    let matches = levels::matches(gold, urls, &given.curated);
                    let counts = limits.iter().map(|limit| (limit.name(), matches.count(*limit)));
                    let predictions = levels::by_prediction(gold, urls, &given.curated);
                    (counts.collect(), Found::Leveled(matches, predictions))
                };
                answers.push(Answered {
                    model: model.model,
                    run,
                    prediction,
                    counts,
                    found,
                });
            }
        }
    }
    answers
}

/// By model and run, the cases of the gold set that the run has no prediction of.
fn missing(given: &Given) -> Vec<(&str, Vec<Vec<&CaseId>>)> {
    let models = by_model(&given.predictions);
    let of_run = |present: Vec<&CaseId>| -> Vec<&CaseId> {
        let all = given.gold.iter().map(|case| &case.id);
        all.filter(|case| !present.contains(case)).collect()
    };
    (models.iter())
        .map(|model| {
            let runs = (0..model.count()).map(|run| of_run(model.run(run).map(|one| &one.case).collect()));
            (model.model, runs.collect())
        })
        .collect()
}

fn show(
    printer: Printer,
    args: &SearchArgs,
    given: &Given,
    scores: &[(&'static str, Vec<ModelScore>)],
) -> Result<Status, Failure> {
    for problem in &given.problems {
        printer.note(problem);
    }
    let missing = missing(given);
    if args.json {
        let scored: Vec<Value> = (scores.iter())
            .flat_map(|(rule, models)| models.iter().map(|model| model_json(rule, model, &missing)))
            .collect();
        printer.json(&json!({
            "format": "reprise-search-scores/1",
            "gold_cases": given.gold.len(),
            "models": scored,
            "answers": answers(given, args.mode).iter().map(answer_json).collect::<Vec<_>>(),
            "problems": given.problems,
        }))?;
        return Ok(Status::Done);
    }
    let shown = match args.mode {
        SearchMode::Levels => answers(given, args.mode),
        SearchMode::Compat | SearchMode::Strict => Vec::new(),
    };
    for line in shown.iter().flat_map(answer_lines) {
        printer.line(line);
    }
    for line in table(scores, given.gold.len()) {
        printer.line(line);
    }
    printer.line(missing_line(args.mode, &missing, given.gold.len()));
    if args.mode == SearchMode::Levels {
        for line in level_table(&shown) {
            printer.line(line);
        }
    }
    Ok(Status::Done)
}

/// How cases without a prediction are treated, and how many there are.
fn missing_line(mode: SearchMode, missing: &[(&str, Vec<Vec<&CaseId>>)], gold: usize) -> String {
    let treated = match mode {
        SearchMode::Compat => "is left out of its averages, as by the released rule",
        SearchMode::Strict | SearchMode::Levels => "counts as one with nothing found",
    };
    let counts = missing.iter().flat_map(|(model, runs)| {
        let runs = runs.iter().enumerate().filter(|(_, cases)| !cases.is_empty());
        runs.map(move |(run, cases)| format!("{model} run {} lacks {} of {gold}", run + 1, cases.len()))
    });
    let counts: Vec<String> = counts.collect();
    let counts = if counts.is_empty() {
        "none is missing".to_owned()
    } else {
        counts.join(", ")
    };
    format!("A case that a run does not have {treated}; {counts}.")
}

fn model_json(rule: &str, model: &ModelScore, missing: &[(&str, Vec<Vec<&CaseId>>)]) -> Value {
    let spread: serde_json::Map<String, Value> = FIGURES
        .iter()
        .map(|(name, figure)| ((*name).to_owned(), json!(model.spread(figure))))
        .collect();
    let by_run = missing.iter().find(|(name, _)| *name == model.model);
    let missing = json!({
        "counted_as": if rule == COMPAT { "left_out" } else { "nothing_found" },
        "by_run": by_run.map(|(_, runs)| runs),
    });
    json!({
        "rule": rule,
        "model": model.model,
        "runs": model.runs,
        "over_runs": spread,
        "missing_cases": missing,
    })
}

fn answer_json(answer: &Answered<'_>) -> Value {
    let url = |position: usize| url(answer, position);
    let counts: serde_json::Map<String, Value> = (answer.counts.iter())
        .map(|(rule, counts)| ((*rule).to_owned(), json!(counts)))
        .collect();
    let mut told = json!({
        "model": answer.model,
        "run": answer.run + 1,
        "case": answer.prediction.case,
        "counts": counts,
    });
    match &answer.found {
        Found::Credited(credits) => {
            let credits = credits.iter();
            let credits = credits.map(|one| json!({"url": url(one.position), "resource": one.resource}));
            told["predictions"] = credits.collect();
        }
        Found::Leveled(case, predictions) => {
            told["predictions"] = (predictions.iter())
                .map(|one| {
                    json!({
                        "url": url(one.position),
                        "resource": one.closest.as_ref().map(|(id, _)| id),
                        "level": one.closest.as_ref().map(|(_, level)| level),
                    })
                })
                .collect();
            told["resources"] = (case.resources.iter())
                .map(|one| {
                    json!({
                        "resource": one.resource,
                        "required": one.required,
                        "addressable": one.addressable,
                        "url": one.closest.map(|(position, _)| url(position)),
                        "level": one.closest.map(|(_, level)| level),
                    })
                })
                .collect();
        }
    }
    told
}

fn url<'a>(answer: &'a Answered<'_>, position: usize) -> &'a str {
    let found = answer.prediction.urls.get(position);
    found.map_or("", |one| one.url.as_str())
}

fn answer_lines(answer: &Answered<'_>) -> Vec<String> {
    let Found::Leveled(case, predictions) = &answer.found else {
        return Vec::new();
    };
    let met = |level: Option<Level>| level.map_or("no match", Level::words);
    let mut lines = vec![format!(
        "{} run {} case {}",
        answer.model,
        answer.run + 1,
        case.case
    )];
    for one in predictions {
        let url = url(answer, one.position).trim();
        let resource = one
            .closest
            .as_ref()
            .map_or(String::new(), |(id, _)| format!(" of {id}"));
        let level = met(one.closest.as_ref().map(|(_, level)| *level));
        lines.push(format!("  {level}{resource}: {url}"));
    }
    for one in &case.resources {
        if one.closest.is_none() {
            let kind = if one.required { "required" } else { "optional" };
            let without = if one.addressable {
                ""
            } else {
                ", and without an address"
            };
            lines.push(format!("  not found: {} ({kind}{without})", one.resource));
        }
    }
    lines
}

/// All figures in percent; several runs with their standard deviation.
fn table(scores: &[(&str, Vec<ModelScore>)], gold: usize) -> Vec<String> {
    let mut table = Table::new([
        "",
        FIGURES[0].0,
        FIGURES[1].0,
        FIGURES[2].0,
        FIGURES[3].0,
        FIGURES[4].0,
        FIGURES[5].0,
        FIGURES[6].0,
        FIGURES[7].0,
        "cases",
        "runs",
    ]);
    for (rule, models) in scores {
        for model in models {
            let shown = |spread: Spread| match model.runs.len() {
                1 => percent(spread.mean),
                _ => format!("{} ± {}", percent(spread.mean), percent(spread.deviation)),
            };
            let cases = model.runs.iter().map(|run| run.cases).max().unwrap_or(0);
            let figures = FIGURES.iter().map(|(_, figure)| shown(model.spread(figure)));
            let name = format!("{} ({rule})", model.model);
            let counts = [format!("{cases}/{gold}"), model.runs.len().to_string()];
            table.row([name].into_iter().chain(figures).chain(counts));
        }
    }
    table.lines()
}

/// Required resources by model and level, over all runs.
fn level_table(answers: &[Answered<'_>]) -> Vec<String> {
    let levels = [
        Level::Curated,
        Level::CanonicalUrl,
        Level::Doi,
        Level::SameRecord,
        Level::OtherVersion,
        Level::Path,
        Level::SameRepository,
        Level::Domain,
    ];
    let mut table = Table::new([
        "required resources",
        "recorded",
        "address",
        "DOI",
        "record",
        "version",
        "path",
        "beside",
        "domain",
        "none",
    ]);
    let mut models: Vec<&str> = answers.iter().map(|answer| answer.model).collect();
    models.dedup();
    for model in models {
        let cases: Vec<CaseMatches> = (answers.iter())
            .filter(|answer| answer.model == model)
            .filter_map(|answer| match &answer.found {
                Found::Leveled(case, _) => Some(case.clone()),
                Found::Credited(_) => None,
            })
            .collect();
        let (by_level, none) = levels::by_level(&cases);
        let counts = levels.map(|level| by_level.get(&level).copied().unwrap_or(0).to_string());
        table.row(
            [model.to_owned()]
                .into_iter()
                .chain(counts)
                .chain([none.to_string()]),
        );
    }
    table.lines()
}
