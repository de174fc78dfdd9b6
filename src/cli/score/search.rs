//! `reprise score search`.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::scoring::aliases::compat::{self, Prefixes};
use crate::scoring::aliases::files::{BadFile, Prediction, read_aliases, read_predictions};
use crate::scoring::aliases::gold::{GoldCase, read_gold};
use crate::scoring::aliases::levels::{self, CaseMatches, CuratedAlias, Level, Limit, PredictionMatch};
use crate::scoring::aliases::metrics::{ModelScore, RunScore, Spread};
use crate::scoring::aliases::runs::by_model;

use super::args::{SearchArgs, SearchMode};
use super::input;
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

/// What was read of all files.
struct Given {
    gold: Vec<GoldCase>,
    predictions: Vec<Prediction>,
    curated: Vec<CuratedAlias>,
    problems: Vec<String>,
}

/// Scores proposed addresses against a gold set.
pub fn search(printer: Printer, args: &SearchArgs) -> Result<Status, Failure> {
    let given = read(args)?;
    let all = (&given.gold, &given.predictions, &given.curated);
    match args.mode {
        SearchMode::Compat => {
            let scores = compat::score(all.0, all.1, Prefixes::EitherWay);
            show(printer, args, &given, &[("compat", scores)], Vec::new())
        }
        SearchMode::Strict => {
            let scores = levels::score(all.0, all.1, all.2, Limit::Strict);
            show(printer, args, &given, &[("strict", scores)], Vec::new())
        }
        SearchMode::Levels => {
            let limits = Limit::ALL.map(|limit| (name(limit), levels::score(all.0, all.1, all.2, limit)));
            show(printer, args, &given, &limits, answers(&given))
        }
    }
}

fn name(limit: Limit) -> &'static str {
    match limit {
        Limit::Strict => "strict",
        Limit::Lenient => "lenient",
        Limit::Domain => "domain",
    }
}

fn read(args: &SearchArgs) -> Result<Given, Failure> {
    let bad = |path: &Path| {
        let path = path.display().to_string();
        move |error: BadFile| Failure::usage(format!("{path}: {error}"))
    };
    let gold = read_gold(&input::read(&args.gold)?).map_err(bad(&args.gold))?;
    let mut problems = gold.problems;
    let gold = gold.records;
    let mut predictions = Vec::new();
    for path in &args.predictions {
        let found = read_predictions(&input::read(path)?);
        let name = path.display();
        problems.extend(found.problems.iter().map(|problem| format!("{name}: {problem}")));
        if found.records.is_empty() {
            return Err(Failure::usage(format!(
                "{name} holds no prediction: give records such as {{\"id\": 1, \"result\": {{\"urls\": []}}}}"
            )));
        }
        for stray in found
            .records
            .iter()
            .filter(|one| gold.iter().all(|case| case.id != one.case))
        {
            problems.push(format!(
                "{name}: case {} is not in the gold set and is left out.",
                stray.case
            ));
        }
        predictions.extend(found.records);
    }
    predictions.retain(|one| gold.iter().any(|case| case.id == one.case));
    if predictions.is_empty() {
        return Err(Failure::usage(format!(
            "no prediction is of a case of {}, so nothing can be scored: the `id` of a prediction is that of its case",
            args.gold.display()
        )));
    }
    let curated = match &args.aliases {
        Some(path) => read_aliases(&input::read(path)?).map_err(bad(path))?,
        None => Vec::new(),
    };
    for alias in &curated {
        let known = gold.iter().any(|case| {
            case.id == alias.case
                && case
                    .resources
                    .iter()
                    .any(|resource| resource.id == alias.resource)
        });
        if !known {
            problems.push(format!(
                "The alias {} names the resource `{}` of case {}, which the gold set does not have.",
                alias.address, alias.resource, alias.case
            ));
        }
    }
    Ok(Given {
        gold,
        predictions,
        curated,
        problems,
    })
}

/// One answer of one run, prediction by prediction and resource by resource.
struct Answered<'a> {
    model: &'a str,
    run: usize,
    prediction: &'a Prediction,
    case: CaseMatches,
    predictions: Vec<PredictionMatch>,
}

fn answers(given: &Given) -> Vec<Answered<'_>> {
    let mut answers = Vec::new();
    for model in by_model(&given.predictions) {
        for (case, runs) in &model.cases {
            let Some(gold) = given.gold.iter().find(|gold| gold.id == *case) else {
                continue;
            };
            for (run, prediction) in runs.iter().enumerate() {
                answers.push(Answered {
                    model: model.model,
                    run,
                    prediction,
                    case: levels::matches(gold, &prediction.urls, &given.curated),
                    predictions: levels::by_prediction(gold, &prediction.urls, &given.curated),
                });
            }
        }
    }
    answers
}

fn show(
    printer: Printer,
    args: &SearchArgs,
    given: &Given,
    scores: &[(&str, Vec<ModelScore>)],
    answers: Vec<Answered<'_>>,
) -> Result<Status, Failure> {
    for problem in &given.problems {
        printer.note(problem);
    }
    if args.json {
        let scored: Vec<Value> = (scores.iter())
            .flat_map(|(rule, models)| models.iter().map(move |model| model_json(rule, model)))
            .collect();
        printer.json(&json!({
            "format": "reprise-search-scores/1",
            "gold_cases": given.gold.len(),
            "models": scored,
            "answers": answers.iter().map(answer_json).collect::<Vec<_>>(),
            "problems": given.problems,
        }))?;
        return Ok(Status::Done);
    }
    for answer in &answers {
        for line in answer_lines(answer) {
            printer.line(line);
        }
    }
    for line in table(scores, given.gold.len()) {
        printer.line(line);
    }
    if !answers.is_empty() {
        for line in level_table(&answers) {
            printer.line(line);
        }
    }
    Ok(Status::Done)
}

fn model_json(rule: &str, model: &ModelScore) -> Value {
    let spread: serde_json::Map<String, Value> = FIGURES
        .iter()
        .map(|(name, figure)| ((*name).to_owned(), json!(model.spread(figure))))
        .collect();
    json!({"rule": rule, "model": model.model, "runs": model.runs, "over_runs": spread})
}

fn answer_json(answer: &Answered<'_>) -> Value {
    let url = |position: usize| {
        answer
            .prediction
            .urls
            .get(position)
            .map_or("", |one| one.url.as_str())
    };
    let predictions: Vec<Value> = (answer.predictions.iter())
        .map(|one| {
            json!({
                "url": url(one.position),
                "resource": one.closest.as_ref().map(|(id, _)| id),
                "level": one.closest.as_ref().map(|(_, level)| level),
            })
        })
        .collect();
    let resources: Vec<Value> = (answer.case.resources.iter())
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
    json!({
        "model": answer.model,
        "run": answer.run + 1,
        "case": answer.case.case,
        "predictions": predictions,
        "resources": resources,
    })
}

fn answer_lines(answer: &Answered<'_>) -> Vec<String> {
    let met = |level: Option<Level>| level.map_or("no match", Level::words);
    let mut lines = vec![format!(
        "{} run {} case {}",
        answer.model,
        answer.run + 1,
        answer.case.case
    )];
    for one in &answer.predictions {
        let url = answer
            .prediction
            .urls
            .get(one.position)
            .map_or("", |one| one.url.trim());
        let resource = one
            .closest
            .as_ref()
            .map_or(String::new(), |(id, _)| format!(" of {id}"));
        let level = met(one.closest.as_ref().map(|(_, level)| *level));
        lines.push(format!("  {level}{resource}: {url}"));
    }
    for one in &answer.case.resources {
        if one.closest.is_none() {
            let kind = if one.required { "required" } else { "optional" };
            lines.push(format!("  not found: {} ({kind})", one.resource));
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
        "domain",
        "none",
    ]);
    let mut models: Vec<&str> = answers.iter().map(|answer| answer.model).collect();
    models.dedup();
    for model in models {
        let cases: Vec<CaseMatches> = (answers.iter())
            .filter(|answer| answer.model == model)
            .map(|answer| answer.case.clone())
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
