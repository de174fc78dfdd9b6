use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::given::{json_of, write};
use crate::support::Place;

/// The released benchmark's folder.
fn released() -> Option<PathBuf> {
    crate::need::shared("data/replicatorbench")
}

/// Table 3 in percent, as printed: macro precision, recall and F1, the same
/// over all resources, hit@any and hit@all, by prediction file.
const TABLE_3: [(&str, [&str; 8]); 4] = [
    (
        "gpt-4o",
        [
            "21.75", "22.53", "19.49", "21.54", "17.07", "19.05", "57.89", "10.53",
        ],
    ),
    (
        "gpt-5",
        [
            "7.41", "30.62", "10.95", "6.88", "23.17", "10.61", "63.16", "15.79",
        ],
    ),
    (
        "gpt-5-mini",
        [
            "7.09", "28.81", "10.56", "6.90", "17.07", "9.82", "57.89", "15.79",
        ],
    ),
    (
        "gpt-4o-search-preview",
        ["9.56", "11.21", "8.82", "9.21", "8.54", "8.86", "26.32", "5.26"],
    ),
];

#[test]
fn table_3_comes_out_of_every_released_file() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let gold = root.join("web-search/gold_set.json");
    for (model, figures) in TABLE_3 {
        let file = root.join(format!("web-search/merged_{model}.jsonl"));
        let arguments = [
            "score",
            "search",
            "--gold",
            gold.to_str().unwrap(),
            "--predictions",
            file.to_str().unwrap(),
        ];
        let called = place.call(&arguments);
        assert_eq!(called.status, 0, "{}", called.stderr);
        // The gold set is odd in three places; the predictions are not.
        assert_eq!(called.stderr.lines().count(), 3, "{}", called.stderr);
        assert!(!called.stderr.contains("merged_"), "{}", called.stderr);
        let row: Vec<&str> = called.stdout.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!((row[0], &row[2..10]), (model, &figures[..]));
    }
}

#[test]
fn released_summaries_are_what_their_gradings_give() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let results = root.join("results");
    let called = place.call(&["score", "summary", results.to_str().unwrap(), "--json"]);
    assert_eq!(called.status, 1, "two of them are stale");
    let value: Value = serde_json::from_str(&called.stdout).unwrap();
    let stale: Vec<&str> = value["gradings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| !one["stale"].as_array().unwrap().is_empty())
        .map(|one| one["folder"].as_str().unwrap())
        .collect();
    assert_eq!(
        stale,
        ["python/2/gpt-5/evals/gpt-4o", "python/5/gpt-5/evals/gpt-4o"]
    );
}

#[test]
fn the_released_judges_and_the_lexical_one_are_compared() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let (results, studies) = (root.join("results"), root.join("original"));
    let called = place.call(&[
        "score",
        "agreement",
        results.to_str().unwrap(),
        "--judges",
        "gpt-4o,gpt-5",
        "--studies",
        studies.to_str().unwrap(),
        "--resamples",
        "20",
        "--json",
    ]);
    let value = json_of(&called);
    let stage = |name: &str| {
        value["stages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["stage"] == name)
            .unwrap()
            .clone()
    };
    // Pairs of the two judges on the same fields; the exact share was counted apart from this program.
    let interpret = &stage("interpret")["agreement"];
    assert_eq!(
        (&interpret["exact"]["hits"], &interpret["exact"]["of"]),
        (&json!(233), &json!(482))
    );
    // Counted apart from this program, too: of gpt-5's 194 passes and 106 failures.
    let rates = &stage("execute")["agreement"]["rates"];
    assert_eq!(
        (&rates["true_positive"], &rates["true_negative"]),
        (&json!({"hits": 188, "of": 194}), &json!({"hits": 38, "of": 106}))
    );
    for column in value["lexical"].as_array().unwrap() {
        assert!(column["spearman"].as_f64().unwrap() > 0.5, "{column}");
    }
}

#[test]
fn table_5_comes_out_of_the_logs_at_hand() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let results = root.join("results");
    let by = |mode: &str| {
        let called = place.call(&[
            "score",
            "failures",
            results.to_str().unwrap(),
            "--mode",
            mode,
            "--json",
        ]);
        json_of(&called)
    };
    // Seven execution logs of two studies are at hand, of the table's nineteen.
    let compat = by("compat");
    assert_eq!(compat["sources"].as_array().unwrap().len(), 7);
    let counts = &compat["total"]["by_cause"];
    assert_eq!(
        counts,
        &json!({"setup": 1, "input_data": 1, "implementation": 30})
    );
    let corrected = by("corrected");
    assert_eq!(corrected["total"]["agents"]["of"], 45);
    // Every source is in a row of the table by model.
    for found in [&compat, &corrected] {
        let models = found["models"].as_array().unwrap().iter();
        let of: u64 = models
            .map(|one| one["all"]["agents"]["of"].as_u64().unwrap())
            .sum();
        assert_eq!(found["total"]["agents"]["of"], of);
    }
}

/// The verdicts below a folder against labels, or against those that are shipped.
fn verdicts(place: &Place, results: &Path, labels: Option<&Value>) -> Value {
    let mut arguments = vec!["score", "outcome", results.to_str().unwrap(), "--json"];
    if let Some(labels) = labels {
        write(place, "labels.json", &labels.to_string());
        arguments.extend(["--labels", "labels.json"]);
    }
    json_of(&place.call(&arguments))
}

/// The paper's rows for the studies at hand, with the labels and readings that are shipped.
#[test]
fn shipped_labels_and_readings_decide_the_released_answers() {
    let Some(root) = released() else { return };
    let value = verdicts(&Place::new(), &root.join("results/python"), None);
    let gpt_5 = value["models"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["model"] == "gpt-5")
        .unwrap();
    let hits = |score: &str| &gpt_5[score]["accuracy"]["hits"];
    // Studies 4 and 7 are read as met by hand.
    assert_eq!((hits("score"), hits("by_hand")), (&json!(5), &json!(7)));
    assert_eq!(gpt_5["score"]["accuracy"]["of"], 8);
}

#[test]
fn released_answers_are_taken_for_verdicts_and_partial_ones_for_neither() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let labels = json!({"1": "met", "2": "mixed", "3": "unmet", "4": "met", "5": "met", "6": "met", "7": "met", "8": "met"});
    let value = verdicts(&place, &root.join("results"), Some(&labels));
    let models = value["models"].as_array().unwrap();
    let gpt_5 = models.iter().find(|one| one["model"] == "gpt-5").unwrap();
    let score = &gpt_5["score"];
    // Studies 4 and 7 begin with "Partial": wrong as they stand, right if read so.
    assert_eq!(score["labelled_met"]["mixed"], 2);
    assert_eq!(
        (&score["accuracy"]["hits"], &score["most"]["hits"]),
        (&json!(4), &json!(6))
    );
    assert_eq!(score["baseline"]["accuracy"]["hits"], 6);
    let problems = value["problems"].to_string();
    assert!(problems.contains("study 2 is labelled `mixed`"), "{problems}");
}

#[test]
fn a_released_run_without_an_interpretation_is_no_smaller_n() {
    let Some(root) = released() else { return };
    let place = Place::new();
    let value = verdicts(&place, &root.join("results/python"), None);
    for model in value["models"].as_array().unwrap() {
        assert_eq!(model["score"]["accuracy"]["of"], 8, "{}", model["model"]);
    }
    // Study 2 was executed by gpt-4o and graded, and there is no interpretation of it.
    let problems = value["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap());
    let without: Vec<&str> = problems
        .filter(|one| one.contains("has no interpret_results.json"))
        .collect();
    assert!(
        matches!(without.as_slice(), [one] if one.contains("python/2/gpt-4o has no")),
        "{without:?}"
    );
}
