use reprise::scoring::agreement::chance::ordinal_alpha;
use reprise::scoring::agreement::gradings::{Marks, pair};
use reprise::scoring::agreement::measures::Agreement;
use reprise::scoring::agreement::table::{AgreementTable, Rating};
use serde_json::{Value, json};

use crate::oracles;
use crate::shared::{files_named, released};

fn scores(path: &std::path::Path) -> Vec<(String, Option<u8>)> {
    let value: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let items = value.as_object().unwrap().iter();
    items
        .map(|(key, item)| {
            let score = item.get("score").and_then(Value::as_u64);
            (key.clone(), score.and_then(|score| u8::try_from(score).ok()))
        })
        .collect()
}

/// The marks that the two released judges gave to the same fields, by file name.
fn both_judges(name: &str) -> Vec<Rating> {
    let Some(root) = released() else {
        return Vec::new();
    };
    let mut ratings = Vec::new();
    for path in files_named(&root.join("results"), name) {
        let other = path.to_str().unwrap().replace("/evals/gpt-5/", "/evals/gpt-4o/");
        if path.to_str().unwrap() == other {
            continue;
        }
        let theirs: std::collections::HashMap<_, _> = scores(other.as_ref()).into_iter().collect();
        for (key, judge) in scores(&path) {
            ratings.push(Rating {
                paper: path.iter().rev().nth(4).unwrap().to_str().unwrap().to_owned(),
                judge,
                human: theirs.get(&key).copied().flatten(),
            });
        }
    }
    ratings
}

#[test]
fn measures_of_the_released_judges_equal_the_libraries() {
    let names = [
        "extract_llm_eval.json",
        "design_llm_eval.json",
        "interpret_llm_eval.json",
    ];
    let cases: Vec<_> = names.iter().map(|name| both_judges(name)).collect();
    if cases.iter().any(Vec::is_empty) {
        return;
    }
    let marks = |ratings: &[Rating]| {
        let judge: Vec<_> = ratings.iter().map(|rating| rating.judge).collect();
        let human: Vec<_> = ratings.iter().map(|rating| rating.human).collect();
        json!({"judge": judge, "human": human})
    };
    let request: Vec<_> = cases.iter().map(|ratings| marks(ratings)).collect();
    let Some(answer) = oracles::ask("agreement.py", &json!(request)) else {
        return;
    };
    for (ratings, expected) in cases.iter().zip(answer.as_array().unwrap()) {
        let found = Agreement::from_table(AgreementTable::from_ratings(ratings, 4).unwrap());
        for (name, value) in [
            ("quadratic_kappa", found.quadratic_kappa),
            ("ordinal_alpha", found.ordinal_alpha),
            ("spearman", found.spearman),
            ("kendall", found.kendall),
            ("bias", found.bias),
        ] {
            let expected = expected[name].as_f64().unwrap();
            assert!(
                (value.unwrap() - expected).abs() < 1e-9,
                "{name}: {value:?} {expected}"
            );
        }
        println!("{} of {}: {found:?}", found.exact, ratings.len());
        let units: Vec<_> = ratings
            .iter()
            .map(|rating| vec![rating.judge, rating.human])
            .collect();
        let general = ordinal_alpha(&units, 4).unwrap().unwrap();
        assert!((general - found.ordinal_alpha.unwrap()).abs() < 1e-12);
    }
}

/// The checkpoints that both released judges have decided, gpt-4o first.
fn checkpoints_of_both_judges() -> Vec<Rating> {
    let Some(root) = released() else {
        return Vec::new();
    };
    let mut ratings = Vec::new();
    for path in files_named(&root.join("results"), "execute_llm_eval.json") {
        let other = path.to_str().unwrap().replace("/evals/gpt-4o/", "/evals/gpt-5/");
        if path.to_str().unwrap() == other || !std::path::Path::new(&other).is_file() {
            continue;
        }
        let marks = |file: &std::path::Path| {
            let mut marks = Marks::default();
            marks.add_json("p", &std::fs::read(file).unwrap());
            assert_eq!(marks.problems, Vec::<String>::new(), "{}", file.display());
            marks
        };
        ratings.extend(pair(&marks(&path), &marks(other.as_ref())));
    }
    ratings
}

#[test]
fn rates_of_checkpoints_equal_scikit_learns() {
    // Marks of a judge and a person on forty checkpoints, with gaps, by a rule that mixes all four cells.
    let made_up: Vec<Rating> = (0_usize..40)
        .map(|at| Rating {
            paper: "p".to_owned(),
            judge: (at % 13 != 5).then_some(u8::from(at % 3 != 0 || at % 7 == 0)),
            human: (at % 11 != 4).then_some(u8::from(at % 5 != 1)),
        })
        .collect();
    let mut cases = vec![made_up];
    let found = checkpoints_of_both_judges();
    if !found.is_empty() {
        cases.push(found);
    }
    let marks =
        |of: fn(&Rating) -> Option<u8>, ratings: &[Rating]| ratings.iter().map(of).collect::<Vec<_>>();
    let request: Vec<_> = (cases.iter())
        .map(|ratings| json!({"judge": marks(|one| one.judge, ratings), "human": marks(|one| one.human, ratings)}))
        .collect();
    let Some(answer) = oracles::ask("agreement.py", &json!(request)) else {
        return;
    };
    for (ratings, expected) in cases.iter().zip(answer.as_array().unwrap()) {
        let found = Agreement::from_table(AgreementTable::from_ratings(ratings, 2).unwrap());
        let rates = found.rates.unwrap();
        for (name, share) in [
            ("sensitivity", rates.true_positive),
            ("specificity", rates.true_negative),
        ] {
            let expected = expected[name].as_f64().unwrap();
            let value = share.share().unwrap();
            assert!(
                0.0 < value && value < 1.0,
                "{name} {share} tells the two rates from nothing"
            );
            assert!((value - expected).abs() < 1e-12, "{name}: {share}, {expected}");
        }
        assert_ne!(rates.true_positive, rates.true_negative);
        println!("{rates:?} of {}", ratings.len());
        let kappa = expected["quadratic_kappa"].as_f64().unwrap();
        assert!((found.quadratic_kappa.unwrap() - kappa).abs() < 1e-9);
    }
}
