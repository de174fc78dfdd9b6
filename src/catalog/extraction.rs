//! The extraction's answer, completed by the claim and held against it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::catalog::artifacts::post_registration::{NumericalResult, PostRegistration};
use crate::catalog::claim_figures::{self, ClaimFigure, telling, values};
use crate::domain::claim::Claim;
use crate::domain::excerpt;
use crate::domain::finding::Finding;
use crate::domain::number_text::is_absent;

/// The outcome of a review of an extraction.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractionReview {
    /// What the model has to mend.
    pub objection: Option<String>,
    /// The answer with the claim and its hypotheses.
    pub answer: Value,
    /// What a reader of the answer should know, a sentence each.
    pub notes: Vec<String>,
}

/// Reviews a canonical answer: puts the claim in where the model left it out, and
/// asks whether the first result is the claim's.
pub fn review(claim: &Claim, answer: &Value) -> ExtractionReview {
    let mut answer = answer.clone();
    let figures = claim_figures::figures(&claim.statement);
    let mut notes: Vec<String> = complete(claim, &figures, &mut answer).into_iter().collect();
    let read: Option<PostRegistration> = serde_json::from_value(answer.clone()).ok();
    let results = read.map_or_else(Vec::new, |read| read.original_study.results.numerical_results);
    let objection = if figures.is_empty() {
        notes.push("The claim states no figure, so the first result was not held against it.".to_owned());
        None
    } else {
        objection(claim, &figures, &results)
    };
    ExtractionReview {
        objection,
        answer,
        notes,
    }
}

/// Whether a result holds a telling figure of the claim; true of a claim without figures.
pub fn holds_claim(claim: &str, result: &NumericalResult) -> bool {
    let figures = claim_figures::figures(claim);
    let telling = telling(&figures);
    telling.is_empty() || telling.iter().any(|figure| figure.is_of(result))
}

/// The first result that holds a figure of the claim, else the first.
pub fn claimed_result(claim: &str, registered: &PostRegistration) -> Option<Finding> {
    let results = &registered.original_study.results.numerical_results;
    let of_claim = results.iter().position(|result| holds_claim(claim, result));
    registered
        .original_findings()
        .into_iter()
        .nth(of_claim.unwrap_or_default())
}

/// Puts in what the engine knows; a note where the model's own words lack a
/// figure of the claim.
fn complete(claim: &Claim, figures: &[ClaimFigure], answer: &mut Value) -> Option<String> {
    let part = answer.pointer_mut("/original_study/claim")?;
    let has_hypotheses = part["hypotheses"].as_array().is_some_and(|all| {
        all.iter()
            .any(|one| one.as_str().is_some_and(|text| !is_absent(text)))
    });
    if !has_hypotheses {
        let lines = claim.hypotheses.lines().map(str::trim);
        part["hypotheses"] = lines.filter(|line| !line.is_empty()).collect();
    }
    let own = part["statement"].as_str().unwrap_or_default().to_owned();
    if is_absent(&own) {
        part["statement"] = json!(claim.statement);
        return None;
    }
    let numbers = values(&own);
    let lacking = figures.iter().filter(|figure| !figure.is_among(&numbers));
    let lacking: Vec<&str> = lacking.map(|figure| figure.text.as_str()).collect();
    (!lacking.is_empty()).then(|| {
        format!(
            "The claim in the model's words (`claim.statement`) lacks figures of the claim under test: {}.",
            lacking.join(", ")
        )
    })
}

/// Why the first result is not the claim's.
fn objection(claim: &Claim, figures: &[ClaimFigure], results: &[NumericalResult]) -> Option<String> {
    let telling = telling(figures);
    let held = |result: &NumericalResult| telling.iter().filter(|figure| figure.is_of(result)).count();
    let words = stems(&format!("{} {}", claim.statement, claim.hypotheses));
    let of_the_claim = |result: &NumericalResult| !stems(&result.outcome_name).is_disjoint(&words);
    let list: Vec<&str> = telling.iter().map(|figure| figure.text.as_str()).collect();
    let list = list.join(", ");
    let Some((first, others)) = results.split_first() else {
        return Some(format!(
            "`numerical_results` is empty, and the claim states {list}: give the result that these figures come from."
        ));
    };
    let (count, named) = (held(first), of_the_claim(first));
    let leads = telling.first().is_some_and(|figure| figure.is_of(first));
    let better = others.iter().zip(2..).find(|(other, _)| {
        let more = held(other) > count && !leads;
        let by_name = !named && of_the_claim(other) && held(other) >= count;
        more || (count > 0 && by_name)
    });
    match better {
        Some((other, place)) => Some(format!(
            "The first of `numerical_results`, \"{}\", is not the claim's: number {place}, \"{}\", fits its figures \
             ({list}) better. Put the result that the claim's figures come from first.",
            shortened(&first.outcome_name),
            shortened(&other.outcome_name)
        )),
        None if count == 0 => Some(format!(
            "The first of `numerical_results`, \"{}\", holds none of the claim's figures ({list}). Find the analysis \
             that they come from, and put it first, with estimate, standard error and statistic as printed. If the \
             paper prints other figures for that very term, keep the paper's, and give both in `claim.statement`.",
            shortened(&first.outcome_name)
        )),
        None => None,
    }
}

fn shortened(name: &str) -> String {
    excerpt::start(&excerpt::one_line(name), 120).to_owned()
}

/// The beginnings of a text's longer words.
fn stems(text: &str) -> BTreeSet<String> {
    const STEM: usize = 5;
    const COMMON: [&str; 12] = [
        "the",
        "and",
        "for",
        "with",
        "outcome",
        "effect",
        "model",
        "coefficient",
        "regression",
        "result",
        "from",
        "held",
    ];
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= 3 && !COMMON.contains(word) && word.parse::<f64>().is_err())
        .map(|word| excerpt::start(word, STEM).to_owned())
        .collect()
}

/// What the model is told.
pub fn words(objection: &str) -> String {
    format!(
        "The answer was held against the claim under test:\n- {objection}\nThen give the whole answer again."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim {
            statement:
                "Across 45 occupations income goes with prestige: prestige = −6.065 + 0.599 income + 0.546 \
                        education, b = 0.599 (SE = 0.120, t(42) = 5.00, p < .001)."
                    .to_owned(),
            hypotheses: "Income goes with prestige.\n\nSo does education.".to_owned(),
            criterion: None,
            variants: Vec::new(),
        }
    }

    fn answer(results: Value) -> Value {
        json!({"original_study": {
            "claim": {"hypotheses": [], "statement": ""},
            "data": {}, "method": {}, "results": {"summary": "", "numerical_results": results}}})
    }

    fn objects(claim: &Claim, results: Value) -> Option<String> {
        review(claim, &answer(results)).objection
    }

    #[test]
    fn the_engine_puts_the_claim_in() {
        let found = review(
            &claim(),
            &answer(json!([{"outcome_name": "income", "value": "0.599"}])),
        );
        let part = &found.answer["original_study"]["claim"];
        assert_eq!(part["statement"], claim().statement);
        assert_eq!(
            part["hypotheses"],
            json!(["Income goes with prestige.", "So does education."])
        );
        assert_eq!((found.objection, found.notes), (None, vec![]));
    }

    #[test]
    fn the_models_own_statement_stays_and_a_contradiction_is_said() {
        let mut own = answer(json!([{"outcome_name": "income", "value": "0.599"}]));
        own["original_study"]["claim"]["statement"] =
            json!("b = 0.6, SE 0.120, t 5.00, p .001, 0.546, 6.065");
        let found = review(&claim(), &own);
        assert_eq!(
            found.answer["original_study"]["claim"]["statement"],
            own["original_study"]["claim"]["statement"]
        );
        assert!(found.notes[0].contains("b = 0.599"), "{:?}", found.notes);
        assert!(!found.notes[0].contains("SE"), "{:?}", found.notes);
    }

    #[test]
    fn the_first_result_has_to_be_the_claims() {
        let income =
            json!({"outcome_name": "income (prestige)", "value": 0.599, "statistic": "t(42) = 5.003"});
        let education = json!({"outcome_name": "education", "value": "0.546", "p_value": "< .001"});
        assert_eq!(objects(&claim(), json!([income, education])), None);
        let swapped = objects(&claim(), json!([education, income])).unwrap();
        assert!(swapped.contains("number 2, \"income (prestige)\""), "{swapped}");
        let alone = objects(&claim(), json!([education])).unwrap();
        assert!(
            alone.contains("holds none of the claim's figures (−6.065, b = 0.599"),
            "{alone}"
        );
        assert!(objects(&claim(), json!([])).unwrap().contains("is empty"));
        // More digits than the claim's are the same figure, and fewer are not.
        assert_eq!(
            objects(&claim(), json!([{"outcome_name": "income", "value": "0.5988"}])),
            None
        );
        assert!(objects(&claim(), json!([{"outcome_name": "income", "value": "0.61"}])).is_some());
        assert!(objects(&claim(), json!([{"outcome_name": "income", "value": "-0.599"}])).is_none());
    }

    #[test]
    fn the_same_figure_of_another_term_is_not_enough() {
        let claim = Claim {
            statement: "Poverty goes with crime, t = 2.55.".to_owned(),
            ..claim()
        };
        let other = json!({"outcome_name": "zinc", "statistic": "t(47) = 2.55"});
        let poverty = json!({"outcome_name": "poverty", "statistic": "t(47) = 2.55"});
        assert!(objects(&claim, json!([other, poverty])).is_some());
        assert_eq!(objects(&claim, json!([poverty, other])), None);
    }

    #[test]
    fn a_claim_without_figures_is_exempt_and_says_so() {
        let claim = Claim {
            statement: "Income goes with prestige in 1950 (N = 45).".to_owned(),
            ..claim()
        };
        let found = review(&claim, &answer(json!([{"outcome_name": "age", "value": "9.1"}])));
        assert_eq!(found.objection, None);
        assert!(found.notes[0].contains("states no figure"), "{:?}", found.notes);
    }

    #[test]
    fn a_claim_with_a_bound_alone_is_met_by_a_smaller_p() {
        let claim = Claim {
            statement: "Income goes with prestige (p < .01).".to_owned(),
            ..claim()
        };
        assert_eq!(
            objects(&claim, json!([{"outcome_name": "income", "p_value": "0.004"}])),
            None
        );
        assert!(objects(&claim, json!([{"outcome_name": "income", "p_value": "0.04"}])).is_some());
    }
}
