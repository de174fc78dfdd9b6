//! `reprise score search`.

use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::grading::comparison::search_answers::{
    AddressMatches, COMPAT, SearchAnswer, SearchRule, answers, missing, scores,
};
use crate::grading::discovery::search_files::{self, SearchAnswerFiles, SearchPaths};
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::level::Level;
use crate::scoring::url_match::levels;
use crate::scoring::url_match::levels::CaseMatches;
use crate::scoring::url_match::metrics::{ModelScore, RunScore, Spread};

use super::args::{SearchArgs, SearchMode};
use crate::cli::text_table::{TextTable, percent};

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
///
/// # Errors
/// A gold set or aliases that cannot be used, or no prediction of any case.
pub fn search(printer: Printer, args: &SearchArgs) -> Result<Status, Failure> {
    let files = search_files::read(SearchPaths {
        gold: &args.gold,
        predictions: &args.predictions,
        aliases: args.aliases.as_deref(),
    })?;
    let scores = scores(&files, rule(args.mode));
    show(printer, args, &files, &scores)
}

fn rule(mode: SearchMode) -> SearchRule {
    match mode {
        SearchMode::Compat => SearchRule::Compat,
        SearchMode::Strict => SearchRule::Strict,
        SearchMode::Levels => SearchRule::Levels,
    }
}

fn show(
    printer: Printer,
    args: &SearchArgs,
    files: &SearchAnswerFiles,
    scores: &[(&'static str, Vec<ModelScore>)],
) -> Result<Status, Failure> {
    for problem in &files.problems {
        printer.note(problem);
    }
    let missing = missing(files);
    if args.json {
        let scored: Vec<Value> = (scores.iter())
            .flat_map(|(rule, models)| models.iter().map(|model| model_json(rule, model, &missing)))
            .collect();
        printer.json(&json!({
            "format": "reprise-search-scores/1",
            "gold_cases": files.gold.len(),
            "models": scored,
            "answers": answers(files, rule(args.mode)).iter().map(answer_json).collect::<Vec<_>>(),
            "problems": files.problems,
        }))?;
        return Ok(Status::Done);
    }
    let shown = match args.mode {
        SearchMode::Levels => answers(files, rule(args.mode)),
        SearchMode::Compat | SearchMode::Strict => Vec::new(),
    };
    for line in shown.iter().flat_map(answer_lines) {
        printer.line(line);
    }
    for line in table(scores, files.gold.len()) {
        printer.line(line);
    }
    printer.line(missing_line(args.mode, &missing, files.gold.len()));
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

fn answer_json(answer: &SearchAnswer<'_>) -> Value {
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
        AddressMatches::Credited(credits) => {
            let credits = credits.iter();
            let credits = credits.map(|one| json!({"url": url(one.position), "resource": one.resource}));
            told["predictions"] = credits.collect();
        }
        AddressMatches::Leveled(case, predictions) => {
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

fn url<'a>(answer: &'a SearchAnswer<'_>, position: usize) -> &'a str {
    let found = answer.prediction.urls.get(position);
    found.map_or("", |one| one.url.as_str())
}

fn answer_lines(answer: &SearchAnswer<'_>) -> Vec<String> {
    let AddressMatches::Leveled(case, predictions) = &answer.found else {
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
    let mut table = TextTable::new([
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
fn level_table(answers: &[SearchAnswer<'_>]) -> Vec<String> {
    let levels = [
        Level::Curated,
        Level::CanonicalUrl,
        Level::Doi,
        Level::SameRecord,
        Level::OtherCase,
        Level::OtherVersion,
        Level::Path,
        Level::FrontPage,
        Level::SameRepository,
        Level::Domain,
    ];
    let mut table = TextTable::new([
        "required resources",
        "recorded",
        "address",
        "DOI",
        "record",
        "case",
        "version",
        "path",
        "front",
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
                AddressMatches::Leveled(case, _) => Some(case.clone()),
                AddressMatches::Credited(_) => None,
            })
            .collect();
        let met = levels::by_level(&cases);
        let counts = levels.map(|level| met.by_level.get(&level).copied().unwrap_or(0).to_string());
        table.row(
            [model.to_owned()]
                .into_iter()
                .chain(counts)
                .chain([met.unmet.to_string()]),
        );
    }
    table.lines()
}
