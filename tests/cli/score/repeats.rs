//! Counts of runs, and repeats of them.

use serde_json::{Value, json};

use super::given::{finished, json_of, write};
use crate::support::{Place, RUN, copy};

/// Two runs of one study, in `runs/a` and `runs/b`.
fn two_runs() -> Place {
    let place = Place::new();
    place.study();
    for out in ["runs/a", "runs/b"] {
        let called = place.call(&[&RUN[..7], &[out, "--sandbox", "local"]].concat());
        assert_eq!(called.status, 0, "{}", called.stderr);
    }
    place
}

fn accuracy(value: &Value) -> (u64, u64, u64) {
    let score = &value["score"];
    let number = |value: &Value| value.as_u64().unwrap();
    (
        number(&score["accuracy"]["hits"]),
        number(&score["accuracy"]["of"]),
        number(&score["studies"]),
    )
}

#[test]
fn a_run_counts_once_and_two_of_a_study_are_repeats() {
    let place = two_runs();
    let runs = place.path().join("runs");
    copy(&runs.join("a"), &runs.join("copy"));
    let called = place.call(&["score", "runs", "runs/a", "--json"]);
    let value = json_of(&called);
    assert_eq!(value["runs"].as_array().unwrap().len(), 2);
    for words in [
        "runs/a and runs/copy hold the same run",
        "runs/a was named more than once: it counts once.",
        "2 runs are scored, and evals/, scores.json and scores.html are written into each: runs/a, runs/b.",
    ] {
        assert_eq!(
            called.stderr.matches(words).count(),
            1,
            "{words}: {}",
            called.stderr
        );
    }
    assert!(!runs.join("copy/evals").exists(), "a copy was written into");
    let outcome = &value["together"]["outcomes"][0];
    assert_eq!(accuracy(outcome), (2, 2, 1));
    let one = json!({"lower": 0.206_549_314_377_237_45, "upper": 1.0, "level": 0.95});
    let lower = |value: &Value| value["lower"].as_f64().unwrap();
    let interval = &outcome["score"]["accuracy_interval"];
    assert!(
        (lower(interval) - lower(&one)).abs() < 1e-9,
        "the interval of one study: {interval}"
    );
    assert!(
        outcome["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("2 runs of 1 study:"),
        "{outcome}"
    );
    let average = &value["together"]["averages"][0];
    assert_eq!(
        (&average["scored"], &average["studies"], &average["interval"]),
        (&json!(2), &json!(1), &json!(null))
    );
    let called = place.call(&["score", "outcome", "runs", "runs/a", "--json"]);
    let value = json_of(&called);
    assert_eq!(accuracy(&value["models"][0]), (2, 2, 1));
    assert_eq!(
        value["problems"].as_array().unwrap().len(),
        2,
        "{}",
        value["problems"]
    );
    // Of copies the one that came furthest counts.
    let journal = runs.join("a/journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(
        &journal,
        text.lines()
            .take(5)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    )
    .unwrap();
    let value = json_of(&place.call(&["score", "outcome", "runs", "--json"]));
    assert_eq!(accuracy(&value["models"][0]), (2, 2, 1));
    assert!(
        value["problems"][0]
            .as_str()
            .unwrap()
            .ends_with("as it is in runs/copy."),
        "{value}"
    );
}

#[test]
fn settings_and_models_are_averaged_apart() {
    let place = two_runs();
    let called = place.call(&[
        "run",
        "slope",
        "--code-mode",
        "python",
        "--no-probe",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--model",
        "scripted:native",
        "--out",
        "runs/c",
    ]);
    assert!([0, 4].contains(&called.status), "{}", called.stderr);
    let value = json_of(&place.call(&["score", "runs", "--json"]));
    let outcomes = value["together"]["outcomes"].as_array().unwrap();
    let named: Vec<_> = outcomes
        .iter()
        .map(|one| (&one["model"], &one["setting"]))
        .collect();
    assert_eq!(
        named,
        [
            (&json!("recorded:native"), &json!("native")),
            (&json!("scripted:native"), &json!("python"))
        ]
    );
    let averages = value["together"]["averages"].as_array().unwrap();
    let of = |model: &str| {
        let runs = averages.iter().filter(|one| one["model"] == model);
        runs.map(|one| one["runs"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        (of("recorded:native"), of("scripted:native")),
        (vec![2; 3], vec![1; 3])
    );
    let page = std::fs::read_to_string(place.path().join("runs/scores.html")).unwrap();
    let (_, averages) = page.split_once("<section id=\"averages\">").unwrap();
    let (averages, _) = averages.split_once("</section>").unwrap();
    for group in ["recorded:native, native</span>", "scripted:native, python</span>"] {
        assert_eq!(averages.matches(group).count(), 3, "{group}: {averages}");
    }
    // The sandbox counts where it differs, and so does how a model draws.
    let request = place.path().join("runs/b/run.json");
    let mut other: Value = serde_json::from_slice(&std::fs::read(&request).unwrap()).unwrap();
    other["sandbox"] = json!("docker");
    other["sampling"] = json!({"effort": "high"});
    std::fs::write(&request, other.to_string()).unwrap();
    let value = json_of(&place.call(&["score", "runs", "--json"]));
    let outcomes = value["together"]["outcomes"].as_array().unwrap().iter();
    let settings: Vec<_> = outcomes.map(|one| one["setting"].as_str().unwrap()).collect();
    assert_eq!(
        settings,
        [
            "native, sandbox docker, effort high",
            "native, sandbox local",
            "python"
        ]
    );
}

#[test]
fn answers_that_come_again_and_answers_that_are_none() {
    let place = Place::new();
    write(&place, "labels.json", r#"{"1": "met", "2": "unmet"}"#);
    let answers = json!([
        {"study": "1", "model": "m", "answer": "Yes."},
        {"study": "1", "model": "m", "answer": "No."},
        {"study": "2", "model": "m", "answer": null},
    ]);
    write(&place, "answers.json", &answers.to_string());
    let called = place.call(&[
        "score",
        "outcome",
        "answers.json",
        "answers.json",
        "--labels",
        "labels.json",
    ]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called
            .stdout
            .contains("accuracy 25.00 as the mean over 2 studies of 3 runs"),
        "{}",
        called.stdout
    );
    for words in [
        "answers.json: study 1 is answered 2 times by m: the answers count as repeats of one study.",
        "answers.json: record 3 (study 2) has no answer, so it is undecided and counted as wrong.",
        "answers.json was named more than once: it counts once.",
    ] {
        assert_eq!(
            called.stderr.matches(words).count(),
            1,
            "{words}: {}",
            called.stderr
        );
    }
}

#[test]
fn a_study_whose_references_cannot_be_read_is_named() {
    let place = finished();
    let manifest = place.path().join("slope/study.toml");
    let good = std::fs::read_to_string(&manifest).unwrap();
    let score = |text: &str| {
        std::fs::write(&manifest, text).unwrap();
        (
            place.call(&["score", "out"]),
            place.call(&["score", "outcome", "out"]),
        )
    };
    let (run, outcome) = score(&good.replace("\"met\"", "\"perhaps\""));
    for told in [&run.stderr, &outcome.stderr] {
        for words in ["study.toml", "`perhaps`", "`met`, `unmet`", "`mixed`"] {
            assert!(told.contains(words), "{words}: {told}");
        }
    }
    assert!(
        run.stdout.contains("(the study's references could not be read)"),
        "{}",
        run.stdout
    );
    assert_eq!((run.status, outcome.status), (0, 2));
    let (run, outcome) = score(&good.replace("[outcome]", "[outcome"));
    assert!(
        run.stderr.contains("study.toml") && run.stderr.contains("line 5"),
        "{}",
        run.stderr
    );
    assert!(outcome.stderr.contains("study.toml"), "{}", outcome.stderr);
    // The words of a file of labels are those of a study.
    let (run, outcome) = score(&good.replace("\"met\"", "\"mixed\""));
    assert!(
        run.stdout
            .contains("labelled `mixed`, which no verdict can equal"),
        "{}",
        run.stdout
    );
    assert!(outcome.stderr.contains("labelled `mixed`"), "{}", outcome.stderr);
    // The figures of the original are those that the run was begun with.
    let (run, _) = score(&good.replace("estimate = 1.9", "estimate = -1.9"));
    assert!(!run.stderr.contains("[original]"), "{}", run.stderr);
    let place = Place::new();
    let manifest = place.study().join("study.toml");
    std::fs::write(&manifest, good.replace("estimate = 1.9", "estimate = -1.9")).unwrap();
    assert_eq!(place.call(&RUN).status, 0);
    let run = place.call(&["score", "out"]);
    assert_eq!(
        run.stderr
            .matches("`[original]` in study.toml (dose -1.9), and the run extracted 1.9")
            .count(),
        1,
        "{}",
        run.stderr
    );
}

#[test]
fn released_results_are_no_runs_and_lead_to_their_verbs() {
    let place = Place::new();
    write(&place, "results/python/1/m/interpret_results.json", "{}");
    let told = place.call(&["score", "results"]);
    assert_eq!(told.status, 2);
    for words in [
        "results holds no run of reprise, but released results (interpret_results.json)",
        "`reprise score outcome results --labels FILE`",
        "`reprise score summary results`",
        "`reprise score failures results`",
        "`reprise score search`",
    ] {
        assert!(told.stderr.contains(words), "{words}: {}", told.stderr);
    }
}

#[test]
fn runs_that_lie_deep_or_hidden_are_left_alone() {
    let place = finished();
    for far in ["a/b/c/d/e/run", ".hidden/run"] {
        let to = place.path().join("far").join(far);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        copy(&place.path().join("out"), &to);
    }
    copy(&place.path().join("out"), &place.path().join("far/a/b/run"));
    let called = place.call(&["score", "far", "--json"]);
    assert_eq!(json_of(&called)["runs"].as_array().unwrap().len(), 1);
    assert!(
        called
            .stderr
            .contains("far/a/b/c/d/e and what else lies deeper than 4 folders below far"),
        "{}",
        called.stderr
    );
    for far in ["a/b/c/d/e/run", ".hidden/run"] {
        assert!(
            !place.path().join("far").join(far).join("evals").exists(),
            "{far} was written into"
        );
    }
}
