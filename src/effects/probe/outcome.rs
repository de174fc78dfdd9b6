//! The column that the plan names as its outcome, and what its words say of it.

use crate::catalog::artifacts::replication_info::PlannedMethod;
use crate::domain::condition::Test;
use crate::domain::criterion::Criterion;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::scale::Scale;
use crate::verdict::probe::case::FocalColumn;
use crate::verdict::probe::planned::{OutcomeColumn, PlannedReruns};

use super::column;
use super::table_file::TableFile;

/// Words of an outcome that is made of several columns or values.
const MADE_OF_SEVERAL: [&str; 16] = [
    "minus",
    "differen",
    "change",
    "divided",
    "ratio",
    "index",
    "composite",
    "sum of",
    "mean of",
    "average of",
    "total of",
    "residual",
    "gain",
    "growth",
    "combined",
    "censor",
];
/// Words of variables that run the other way, or whose models turn their sign.
const TURNED: [&str; 21] = [
    "revers",
    "recod",
    "inver",
    "flip",
    "turned",
    "minus",
    "negat",
    "reciprocal",
    "lack",
    "without",
    "absence",
    "not ",
    "fail",
    "rank",
    "squared",
    "quadratic",
    "hazard",
    "cox",
    "survival",
    "time to",
    "duration",
];
const PAIRED: [&str; 7] = [
    "paired",
    "one-sample",
    "one sample",
    "signed-rank",
    "signed rank",
    "within-",
    "repeated",
];

/// Words for errors that allow for rows that belong together.
const CLUSTERED: [&str; 3] = ["cluster", "newey", "driscoll"];

static TURNED_SIGNS: LazyRegex = LazyRegex::new(
    r"(?i)\b(?:1|one|where|if|whether)\b[^.;]*\b(?:below|under|less than|lower than|fewer)\b|\b(?:1|7|10|100)\s*[-−/]\s*\pL|(?:^|[=(~,])\s*[-−]\s*\pL|\^\s*2|²|\blag",
);

/// What the plan says of a result, as far as the opened tables tell it.
pub fn planned(
    criterion: &Criterion,
    method: &PlannedMethod,
    focal: &FocalColumn,
    tables: &[TableFile],
) -> PlannedReruns {
    let headers: Vec<String> = tables
        .iter()
        .flat_map(|table| table.columns.iter().cloned())
        .collect();
    let term = &criterion.focal_term;
    let scale = criterion.scale.unwrap_or_default();
    let tests = matches!(criterion.test, Test::Significance | Test::IntervalExcludes);
    let variables = [
        &method.outcome_variable,
        &method.independent_variables,
        &method.models,
    ];
    let estimation = &method.planned_estimation_and_test;
    let tested = [
        &method.models,
        &method.outcome_variable,
        &estimation.estimation,
        &estimation.test,
    ];
    let outcome = outcome(method, focal, &headers);
    let together = |outcome: &OutcomeColumn| {
        tables
            .iter()
            .any(|table| table.has(&outcome.name) && focal.name().is_some_and(|name| table.has(name)))
    };
    let signs = |text: &&String| TURNED_SIGNS.is_match(text);
    PlannedReruns {
        about_null: tests && criterion.null.is_none_or(|null| null == scale.null()),
        level: (criterion.test == Test::Significance)
            .then_some((criterion.alpha, if criterion.two_sided { 2 } else { 1 }))
            .filter(|(alpha, _)| *alpha > 0.0 && *alpha < 0.5),
        parts: column::parts(term, focal, &headers),
        alignable: scale != Scale::Unsigned
            && column::is_of_itself(term, focal)
            && outcome.as_ref().is_some_and(together),
        turns: says(&variables, &TURNED) || variables.iter().any(signs),
        paired: says(&tested, &PAIRED),
        clustered: says(&tested, &CLUSTERED),
        levels: Vec::new(),
        assigned: None,
        refit: None,
        outcome,
    }
}

fn says(texts: &[&String], words: &[&str]) -> bool {
    texts.iter().any(|text| {
        let text = text.to_lowercase();
        words.iter().any(|word| text.contains(word))
    })
}

/// The column of the outcome: the one header that stands in the first part of the
/// plan's words for it, else in all of them, else alone on the left of the model.
fn outcome(method: &PlannedMethod, focal: &FocalColumn, headers: &[String]) -> Option<OutcomeColumn> {
    let text = &method.outcome_variable;
    let first = text.split(['(', ',', ';', ':', '\n']).next().unwrap_or_default();
    let left = left_side(&method.models);
    let whole = [first, text, &left]
        .into_iter()
        .find_map(|text| is_whole(text, headers));
    let name = whole
        .clone()
        .or_else(|| only(first, headers))
        .or_else(|| only(text, headers))?;
    if focal.name() == Some(name.as_str()) {
        return None;
    }
    // `score_z` or `score2` beside `score` may be the one that is meant.
    let alone = !headers
        .iter()
        .any(|header| *header != name && header.to_lowercase().contains(&name.to_lowercase()));
    let several = says(&[text], &MADE_OF_SEVERAL) || left.contains(['+', '-', '/', '*']);
    Some(OutcomeColumn {
        sure: whole.is_some() && alone && !several,
        name,
    })
}

/// The header that a text is, but for what is put about it: `log(y)`, `y_i`.
fn is_whole(text: &str, headers: &[String]) -> Option<String> {
    let bare = text.trim().trim_matches(['`', '\'', '"']);
    let inner = bare
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'))
        .unwrap_or(bare)
        .trim();
    column::header_like(inner, headers).or_else(|| {
        let unmarked = inner.strip_suffix("_i").or_else(|| inner.strip_suffix("_it"))?;
        column::header_like(unmarked, headers)
    })
}

/// What stands left of the sign of a model.
fn left_side(models: &str) -> String {
    let left = models.split(['=', '~']).next().unwrap_or_default();
    if left.len() == models.len() {
        return String::new();
    }
    left.rsplit([':', ';', '\n'])
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// The only header that stands in a text as a word of its own.
fn only(text: &str, headers: &[String]) -> Option<String> {
    let mut found: Vec<&String> = headers.iter().filter(|header| has_word(text, header)).collect();
    found.sort();
    found.dedup();
    match found.as_slice() {
        [one] => Some((*one).clone()),
        _ => None,
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let text = text.to_lowercase();
    let word = word.to_lowercase();
    let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
    !word.is_empty()
        && text.match_indices(&word).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            !before.is_some_and(joins) && !after.is_some_and(joins)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(outcome_variable: &str, models: &str) -> Option<(String, bool)> {
        let headers = ["violent", "murder", "poverty", "score", "score_z", "white"].map(str::to_owned);
        let method = PlannedMethod {
            outcome_variable: outcome_variable.into(),
            models: models.into(),
            ..PlannedMethod::default()
        };
        let focal = FocalColumn::Named("poverty".into());
        outcome(&method, &focal, &headers).map(|outcome| (outcome.name, outcome.sure))
    }

    #[test]
    fn the_outcome_is_the_column_that_the_plan_names() {
        let sure = |name: &str| Some((name.to_owned(), true));
        let unsure = |name: &str| Some((name.to_owned(), false));
        assert_eq!(found("violent (violent crimes per 100,000)", ""), sure("violent"));
        assert_eq!(
            found("murder (per 100,000), the part of violent crime", ""),
            sure("murder")
        );
        assert_eq!(found("log(murder)", ""), sure("murder"));
        assert_eq!(
            found("violent crimes", "OLS: violent_i = b0 + b1 poverty_i"),
            sure("violent")
        );
        assert_eq!(found("crime", "murder ~ poverty"), sure("murder"));
        assert_eq!(found("share of white people", ""), unsure("white"));
        assert_eq!(found("change of murder", "murder ~ poverty"), unsure("murder"));
        assert_eq!(found("murder", "murder - violent ~ poverty"), unsure("murder"));
        assert_eq!(found("score", ""), unsure("score"));
        assert_eq!(found("violent and murder", ""), None);
        assert_eq!(found("poverty", ""), None);
    }

    #[test]
    fn plans_that_turn_a_variable_round_say_so() {
        let turns = |text: &str| {
            let method = PlannedMethod {
                independent_variables: text.into(),
                ..PlannedMethod::default()
            };
            let criterion =
                Criterion::significance("poverty", crate::domain::finding::Direction::Positive, 0.05, true);
            planned(&criterion, &method, &FocalColumn::Named("poverty".into()), &[]).turns
        };
        assert!(turns("women, reverse-coded") && turns("100 - women") && turns("1 where income is below 5"));
        assert!(turns("prestige = b0 + b1 x + b2 x^2") && turns("y ~ -x"));
        assert!(!turns("poverty (percentage below the poverty line)"));
        assert!(!turns("OLS: prestige = b0 + b1 women + b2 education + e"));
        assert!(!turns("income (average, dollars, 1971)"));
    }
}
