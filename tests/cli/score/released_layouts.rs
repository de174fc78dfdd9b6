//! Layouts of the released results, and what stands in them.

use serde_json::{Value, json};

use super::given::{extraction, json_of, write};
use crate::support::Place;

const YES: &str = r#"{"interpretation_summary": "s", "results_comparison": {"overall_answer": "Yes."}}"#;

fn extraction_of(statement: &str) -> String {
    json!({"original_study": {"claim": {"statement": statement}}}).to_string()
}

#[test]
fn data_only_runs_have_a_study_and_no_folder_of_a_model() {
    let place = Place::new();
    write(&place, "results/data-only/3/interpret_results.json", YES);
    write(&place, "results/data-only/5/input/interpret_results.json", YES);
    write(&place, "results/python/3/m/interpret_results.json", YES);
    write(&place, "labels.json", r#"{"3": "met", "5": "unmet"}"#);
    let value = json_of(&place.call(&["score", "outcome", "results", "--labels", "labels.json", "--json"]));
    let found: Vec<(&str, &str, &str)> = value["models"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|model| {
            let name = |key: &str| model[key].as_str().unwrap();
            let verdicts = model["verdicts"].as_array().unwrap().iter();
            verdicts.map(move |one| (name("model"), name("setting"), one["study"].as_str().unwrap()))
        })
        .collect();
    assert_eq!(
        found,
        [
            ("m", "python", "3"),
            ("unnamed model", "data-only", "3"),
            ("unnamed model", "data-only", "5")
        ]
    );
    assert_eq!(value["problems"], json!([]));
}

#[test]
fn benchmark_studies_need_no_typed_labels() {
    let place = Place::new();
    let partial = YES.replace("Yes.", "Partial.");
    write(&place, "results/python/2/gpt-5/interpret_results.json", YES);
    write(&place, "results/python/4/gpt-5/interpret_results.json", &partial);
    write(&place, "results/python/99/gpt-5/interpret_results.json", YES);
    let called = place.call(&["score", "outcome", "results"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    for words in [
        "labelled met: 0 met, 0 unmet, 1 mixed, 0 undecided",
        "labelled unmet: 1 met, 0 unmet, 0 mixed",
        "that were read by hand as they were read: accuracy 50.00 (1/2",
    ] {
        assert!(called.stdout.contains(words), "{words}: {}", called.stdout);
    }
    for words in [
        "its studies 2, 4 are the ones that are shipped",
        "Study 2 is labelled `unmet` and could be `met`",
        "1 verdict is left out (study 99)",
    ] {
        assert!(called.stderr.contains(words), "{words}: {}", called.stderr);
    }
    // A file of labels takes the place of all of them.
    write(&place, "labels.json", r#"{"2": "met"}"#);
    let value = json_of(&place.call(&["score", "outcome", "results", "--labels", "labels.json", "--json"]));
    assert_eq!(
        value["models"][0]["score"]["accuracy"],
        json!({"hits": 1, "of": 1})
    );
}

#[test]
fn references_are_mended_for_the_lexical_judge_as_check_mends_them() {
    let place = Place::new();
    for folder in ["python/1/m", "data-only/1"] {
        write(
            &place,
            &format!("results/{folder}/post_registration.json"),
            &extraction_of("Trust falls."),
        );
        for judge in ["a", "b"] {
            let path = format!("results/{folder}/evals/{judge}/extract_llm_eval.json");
            write(&place, &path, &extraction("2"));
        }
    }
    let faulty = r#"{"original_study": {"claim": {"statement": "Trust falls.",},},}"#;
    write(&place, "studies/1/gt/expected_post_registration.json", faulty);
    let arguments = [
        "score",
        "agreement",
        "results",
        "--judges",
        "a,b",
        "--studies",
        "studies",
    ];
    let value = json_of(&place.call(&[&arguments[..], &["--resamples", "20", "--json"]].concat()));
    assert_eq!(value["problems"], json!([]));
    let items: Vec<u64> = value["lexical"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["items"].as_u64().unwrap())
        .collect();
    assert!(items.iter().all(|items| *items > 0), "{value}");
    // Both runs are of one paper.
    assert_eq!(
        value["stages"][0]["intervals"]["papers"], 1,
        "{}",
        value["stages"][0]
    );
}

/// The score of the extraction and the problems of one grading.
fn summed(place: &Place, mode: &str) -> (Value, String) {
    let value = json_of(&place.call(&["score", "summary", "results", "--mode", mode, "--json"]));
    let one = &value["gradings"][0]["summary"];
    (one["stages"].clone(), one["problems"].to_string())
}

#[test]
fn a_grading_against_an_error_text_is_refused() {
    let place = Place::new();
    let folder = "results/python/16/m/evals/j";
    write(
        &place,
        &format!("{folder}/extract_llm_eval.json"),
        &extraction("3"),
    );
    let prompt = |reference: &str| {
        format!(
            "=== GENERATED PROMPT ===\n=== EXTRACTED JSON TO BE EVALUATED START ===\n    {}\n\
             === EXTRACTED JSON TO BE EVALUATED END ===\n    \n=== REFERENCE JSON WITH THE CORRECT INFO ===\n    \
             {reference}\n=== REFERENCE JSON WITH THE CORRECT INFO ===\n",
            extraction_of("s")
        )
    };
    let log = format!("{folder}/extract_llm_eval.log");
    write(&place, &log, &prompt(&extraction_of("s")));
    let (sound, problems) = summed(&place, "corrected");
    assert!(
        !sound.as_array().unwrap().is_empty() && !problems.contains("error message"),
        "{sound} {problems}"
    );
    write(
        &place,
        &log,
        &prompt("Error reading JSON file: Expecting ',' delimiter: line 19 column 60"),
    );
    let (refused, problems) = summed(&place, "corrected");
    assert!(refused.as_array().unwrap().is_empty(), "{refused}");
    assert!(
        problems.contains("holds an error message instead of a document")
            && problems.contains("extract is not scored"),
        "{problems}"
    );
    let (compat, _) = summed(&place, "compat");
    assert_eq!(compat, summed(&place, "compat").0);
    assert!(!compat.as_array().unwrap().is_empty());
}

#[test]
fn a_stored_summary_that_differs_has_its_exit_code() {
    let place = Place::new();
    write(
        &place,
        "results/python/1/m/evals/j/extract_llm_eval.json",
        &extraction("3"),
    );
    write(&place, "results/python/1/m/evals/j/eval_summary.json", "{}");
    assert_eq!(place.call(&["score", "summary", "results"]).status, 1);
    let help = place.call(&["score", "summary", "--help"]);
    assert!(
        help.stdout.contains("1 a summary that is stored"),
        "{}",
        help.stdout
    );
}

#[test]
fn failures_are_a_table_by_model_whatever_is_selected() {
    let place = Place::new();
    let log = "--- Turn 1 ---\nError: timeout\nEntry not found: main.py\n";
    for run in [
        "python/1/gpt-4o",
        "python/2/gpt-4o",
        "native/1/gpt-4o",
        "python/1/o3",
    ] {
        write(&place, &format!("results/{run}/input/_log/execute_easy.log"), log);
    }
    write(&place, "results/data-only/1/_log/execute_easy.log", log);
    let called = place.call(&["score", "failures", "results"]);
    insta::assert_snapshot!("score_failures_by_model", place.plain(&called.stdout));
    let lines = place
        .call(&["score", "failures", "results/python", "--by", "source"])
        .stdout;
    assert!(lines.contains("1/gpt-4o/input/_log/execute_easy.log"), "{lines}");
    let value = json_of(&place.call(&["score", "failures", "results", "--json"]));
    assert_eq!(
        (
            value["models"].as_array().unwrap().len(),
            value["sources"].as_array().unwrap().len()
        ),
        (3, 5)
    );
    assert_eq!(
        value["models"][0]["all"]["by_cause"],
        json!({"setup": 3, "timeout": 3})
    );
    assert_eq!(value["models"][0]["settings"]["native"]["sources"], 1);
}
