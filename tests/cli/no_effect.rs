//! A claim of no effect, replicated from its study to its report.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::support::{Called, Place};

/// The finding of a replication of four plots, and its agent's answer.
struct Found {
    data: &'static str,
    estimate: &'static str,
    error: &'static str,
    p: &'static str,
    answer: &'static str,
}

const LEVEL: Found = Found {
    data: "dose,yield\n1,4.05\n2,3.98\n3,4.02\n4,4.01\n",
    estimate: "-0.008",
    error: "0.0147648",
    p: "0.642229",
    answer: "Yes. The slope lies within the bounds.",
};
const FALLING: Found = Found {
    data: "dose,yield\n1,7.8\n2,6.2\n3,3.9\n4,2.1\n",
    estimate: "-1.94",
    error: "0.0905539",
    p: "0.00217167",
    answer: "No. The slope lies far below the bounds.",
};
const NOISY: Found = Found {
    data: "dose,yield\n1,2\n2,6\n3,1\n4,5\n",
    estimate: "0.4",
    error: "1.27279",
    p: "0.78307",
    answer: "Inconclusive. The slope is not known to any precision.",
};

/// A criterion of no effect by a rule that needs nothing of the original.
fn equivalence() -> Value {
    json!({
        "focal_term": "dose", "direction": "none", "alpha": 0.05, "two_sided": true,
        "rule": "equivalence", "parameters": {"unit": "yield per dose", "sesoi": 0.5},
        "reason": "Invented for a test: half a unit of yield is the least that a farmer would see."
    })
}

/// The fixture study with another claim and other data, whose recording
/// registers `criteria` one after the other, as far as they are sent back.
fn study(place: &Place, found: &Found, criteria: &[Value]) -> PathBuf {
    let study = place.study();
    let data = study.join("input/replication_data");
    fs::write(data.join("plots.csv"), found.data).unwrap();
    let script = fs::read_to_string(data.join("slope.sh")).unwrap();
    let printed = script
        .replace("t %.6g p %.6g", "t %.6g df %d p %.6g")
        .replace("t, 1 - t / sqrt", "t, n - 2, 1 - sqrt(t * t) / sqrt");
    assert_ne!(printed, script);
    fs::write(data.join("slope.sh"), printed).unwrap();
    let claim =
        "In four plots, yield does not depend on dose: the slope is 0.02 (SE = 0.05, p = .73, n = 4).";
    let details = format!("[CLAIM]\n{claim}\n\n[HYPOTHESES]\nYield does not depend on dose.\n");
    fs::write(study.join("input/initial_details.txt"), details).unwrap();
    let manifest = fs::read_to_string(study.join("study.toml")).unwrap();
    let published = manifest
        .replace("estimate = 1.9", "estimate = 0.02")
        .replace("standard_error = 0.2", "standard_error = 0.05\ndf = 2")
        .replace("p_value = 0.011", "p_value = 0.73");
    assert_ne!(published, manifest);
    fs::write(study.join("study.toml"), published).unwrap();

    let from = fs::read_to_string(study.join("recordings/ratio.json")).unwrap();
    let mut recording: Value = serde_json::from_str(&from).unwrap();
    let stages = &mut recording["stages"];
    let result = &mut stages["extract"]["turns"][0]["answer"]["json"]["original_study"]["results"];
    result["summary"] = "Yield does not depend on dose.".into();
    let number = &mut result["numerical_results"][0];
    number["value"] = "0.02".into();
    number["unit"] = "yield per dose".into();
    number["p_value"] = ".73".into();
    number["direction"] = "null".into();
    let plan = stages["design"]["turns"][1].clone();
    let plans = criteria.iter().map(|criterion| {
        let mut turn = plan.clone();
        turn["answer"]["json"]["replication_study"]["criterion"] = criterion.clone();
        turn
    });
    stages["design"]["turns"] = plans.collect();
    let execute = stages["execute"]["turns"].as_array_mut().unwrap();
    execute.remove(0);
    let reported = &mut execute[1]["answer"]["json"]["results"]["findings_summary"][0];
    reported["value"] = found.estimate.into();
    reported["standard_error"] = found.error.into();
    reported["p_value"] = found.p.into();
    reported["df"] = 2.into();
    reported["direction"] = "null".into();
    let interpreted = &mut stages["interpret"]["turns"][0]["answer"]["json"];
    interpreted["results_comparison"]["overall_answer"] = found.answer.into();
    fs::write(recorded(&study), recording.to_string()).unwrap();
    study
}

fn recorded(study: &std::path::Path) -> PathBuf {
    study.join("recordings/none.json")
}

fn refreshed(place: &Place) -> String {
    let called = place.call(&["replay", "refresh", "slope", "none"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    fs::read_to_string(recorded(&place.path().join("slope"))).unwrap()
}

fn run(place: &Place) -> Called {
    let arguments =
        "run slope --code-mode native --approve auto --sandbox local --model scripted:none --out out";
    place.call(&arguments.split(' ').collect::<Vec<_>>())
}

fn report(place: &Place, format: &str) -> String {
    let called = place.call(&["report", "out", "--format", format, "--out", "-"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    called.stdout
}

#[test]
fn it_is_met_not_met_and_left_open_by_equivalence() {
    for (found, outcome, words) in [
        (&LEVEL, "criterion met", "is significantly within ±0.5"),
        (&FALLING, "criterion not met", "is significantly outside ±0.5"),
        (
            &NOISY,
            "inconclusive",
            "is neither significantly within nor significantly outside",
        ),
    ] {
        let place = Place::new();
        study(&place, found, &[equivalence()]);
        refreshed(&place);
        let called = run(&place);
        assert_eq!(called.status, 0, "{}", called.stderr);
        assert!(called.stdout.starts_with(outcome), "{}", called.stdout);
        assert!(called.stdout.contains(words), "{}", called.stdout);
        assert!(called.stdout.contains("df = 2"), "{}", called.stdout);
        let shown: Value = serde_json::from_str(&report(&place, "json")).unwrap();
        assert_eq!(shown["verdict"]["disputed"], false, "{}", shown["verdict"]);
        assert_eq!(shown["verdict"]["criterion"]["direction"], "none");
        assert_eq!(shown["findings"]["replication"]["df"], 2.0);
        assert_eq!(shown["findings"]["original"]["df"], 2.0);
        let significance = shown["criteria"]["lines"].as_array().unwrap();
        let significance = significance
            .iter()
            .find(|line| line["rule"] == "significance_and_direction")
            .unwrap();
        assert_eq!(significance["met"], Value::Null, "{significance}");
    }
}

#[test]
fn the_report_says_what_was_asked_and_draws_it() {
    let place = Place::new();
    study(&place, &LEVEL, &[equivalence()]);
    refreshed(&place);
    assert_eq!(run(&place).status, 0);
    let page = report(&place, "html");
    for words in [
        "lies significantly within ± the smallest effect of interest, 0.5 yield per dose",
        "smallest effect of interest</text>",
        "±0.5 yield per dose. The criterion is met where the replication's 90% interval lies within it",
        "df = 2",
        "p = 4.5 × 10⁻⁴ for an effect within",
        "on 2 degrees of freedom",
        "It has no sign, so this criterion does not apply",
    ] {
        assert!(
            page.contains(words) || page.contains(&words.replace('\'', "&#39;")),
            "{words}"
        );
    }
    let markdown = report(&place, "md");
    assert!(markdown.contains("p = .642 (df 2)"), "{markdown}");
    let replayed = place.call(&["replay", "out"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

/// Significance cannot be registered for such a claim; the way out is.
#[test]
fn a_rule_that_asks_for_a_sign_is_sent_back() {
    let place = Place::new();
    let mut significance = equivalence();
    significance["rule"] = "significance_and_direction".into();
    significance["parameters"] = json!({});
    study(&place, &LEVEL, &[significance, equivalence()]);
    let recording = refreshed(&place);
    for words in [
        "a claim of no effect cannot be decided by significance and direction, since a result that is not \
         significant is no evidence of no effect",
        "equivalence with a `sesoi` in its `unit`",
    ] {
        assert!(recording.contains(words), "{words}");
    }
    let called = run(&place);
    assert!(called.stdout.starts_with("criterion met"), "{}", called.stdout);
}

#[test]
fn a_study_that_fixes_the_claim_binds_the_plan() {
    let place = Place::new();
    let study = study(&place, &LEVEL, &[equivalence()]);
    let manifest = study.join("study.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let fix = |criterion: &str| fs::write(&manifest, format!("{text}\n[criterion]\n{criterion}\n")).unwrap();
    fix("direction = \"none\"");
    let checked = place.call(&["check", "slope"]);
    assert_ne!(checked.status, 0);
    assert!(
        checked
            .stderr
            .contains("a claim of no effect cannot be decided by significance and direction")
            && checked.stderr.contains("take equivalence with a `sesoi`"),
        "{}",
        checked.stderr
    );
    fix("direction = \"none\"\nrule = \"equivalence\"\nsesoi = 0.5\nunit = \"yield per dose\"");
    let checked = place.call(&["check", "slope"]);
    assert!(
        checked
            .stdout
            .contains("The study fixes the criterion equivalence for a claim of no effect"),
        "{}{}",
        checked.stdout,
        checked.stderr
    );
    let recording = refreshed(&place);
    assert!(recording.contains(r#"{\"rule\":\"equivalence\",\"direction\":\"none\""#));
    assert!(run(&place).stdout.starts_with("criterion met"));
}

/// Degrees of freedom decide with the standard error, so that they have to be
/// printed as it has, and to be some.
#[test]
fn degrees_of_freedom_that_no_run_printed_decide_nothing() {
    let place = Place::new();
    let study = study(&place, &LEVEL, &[equivalence()]);
    let text = fs::read_to_string(recorded(&study)).unwrap();
    let mut recording: Value = serde_json::from_str(&text).unwrap();
    let df = "/stages/execute/turns/1/answer/json/results/findings_summary/0/df";
    *recording.pointer_mut(df).unwrap() = 2000.into();
    fs::write(recorded(&study), recording.to_string()).unwrap();
    refreshed(&place);
    let called = run(&place);
    assert!(
        called.stdout.starts_with("criterion met") && called.stdout.contains("on 2 degrees of freedom"),
        "{}",
        called.stdout
    );
    let shown = place.call(&["show", "out"]).stdout;
    assert!(
        shown.contains("The report gives the number of degrees of freedom 2000, not 2"),
        "{shown}"
    );

    let turns = recording["stages"]["execute"]["turns"].as_array_mut().unwrap();
    turns.insert(1, turns[1].clone());
    *recording.pointer_mut(df).unwrap() = (-2).into();
    fs::write(recorded(&study), recording.to_string()).unwrap();
    let refreshed = refreshed(&place);
    assert!(refreshed.contains("/results/findings_summary/0/df: -2 is no number of degrees of freedom"));
}
