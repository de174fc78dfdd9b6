//! A plan that registers another rule than significance and direction.

use serde_json::Value;

use super::support::Place;

fn run(out: &str) -> Vec<&str> {
    let mut arguments = vec![
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--approve",
        "auto",
    ];
    arguments.extend(["--sandbox", "local", "--model", "scripted:ratio", "--out", out]);
    arguments
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The replication is significant with the claim's sign, and its effect is far
/// from one and a half times the original's.
#[test]
fn the_registered_rule_decides_from_its_registration_on() {
    let place = Place::new();
    place.study();
    let called = place.call(&run("out"));
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called.stdout.starts_with(
            "criterion not met; the plan departs from the fixed rule: rule effect_ratio, not significance_and_direction"
        ),
        "{}",
        called.stdout
    );
    let reported = place.call(&["report", "out", "--format", "json", "--out", "-"]);
    let report = json(&reported.stdout);
    let lines = report["criteria"]["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 16);
    assert_eq!(
        (&lines[0]["rule"], &lines[0]["met"]),
        (&"effect_ratio".into(), &false.into())
    );
    let primary = lines.iter().filter(|line| line["primary"] == true);
    assert_eq!(primary.count(), 1);
    let significance = lines
        .iter()
        .find(|line| line["rule"] == "significance_and_direction");
    assert_eq!(significance.unwrap()["met"], true);
    let rule = report["verdict"]["rule"].as_str().unwrap();
    assert!(
        rule.contains("at least 1.5 times") && rule.contains("original: 1.9 yield per dose"),
        "{rule}"
    );
    // The agent wrote 0.5 into the plan afterwards: shown, and without effect.
    assert!(reported.stdout.contains(r#"+        \"least_ratio\": 0.5"#));
    assert_eq!(report["verdict"]["criterion"]["parameters"]["least_ratio"], 1.5);
    let markdown = place
        .call(&["report", "out", "--format", "md", "--out", "-"])
        .stdout;
    let first = markdown.find("| effect ratio").unwrap();
    assert!(
        first < markdown.find("| significance and direction").unwrap(),
        "{markdown}"
    );
    // What cannot be computed was refused in the design stage, in words to act on.
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert_eq!(
        journal
            .matches(r#""kind":"model_answered","stage":"design""#)
            .count(),
        2
    );
    let replayed = place.call(&["replay", "out"]);
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
}

/// The prompt says what the study fixes, and a plan that differs without a
/// reason is sent back.
#[test]
fn what_the_study_fixes_binds_the_plan() {
    let place = Place::new();
    let study = place.study();
    let manifest = study.join("study.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let fix = |rule: &str| std::fs::write(&manifest, format!("{text}\n[criterion]\n{rule}\n")).unwrap();
    fix("rule = \"effect_ratio\"\nleast_ratio = 1.5");
    let recording = study.join("recordings/ratio.json");
    let recorded = std::fs::read_to_string(&recording).unwrap();
    let without_reason = recorded.replace(
        "Invented for a test: an effect counts from one and a half times the original's on.",
        "",
    );
    assert_ne!(recorded, without_reason);
    std::fs::write(&recording, without_reason).unwrap();
    let called = place.call(&["replay", "refresh", "slope", "ratio"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let refreshed = std::fs::read_to_string(&recording).unwrap();
    assert!(refreshed.contains("The criterion that the study fixes for this claim"));
    assert!(refreshed.contains(r#"{\"rule\":\"effect_ratio\",\"least_ratio\":1.5}"#));
    let called = place.call(&run("agreed"));
    assert!(
        called.stdout.starts_with("criterion not met:"),
        "{}{}",
        called.stdout,
        called.stderr
    );
    fix("rule = \"effect_ratio\"\nleast_ratio = 2.0");
    let called = place.call(&run("departed"));
    assert_ne!(called.status, 0);
    let checked = place.call(&["check", "slope"]);
    assert_eq!(checked.status, 0, "{}", checked.stderr);
    fix("rule = \"effect_ratio\"");
    let checked = place.call(&["check", "slope"]);
    assert_ne!(checked.status, 0);
    assert!(
        checked.stderr.contains("`criterion.least_ratio`")
            && checked.stderr.contains("cannot be computed without"),
        "{}",
        checked.stderr
    );
    fix("rule = \"telepathy\"");
    let checked = place.call(&["check", "slope"]);
    assert!(checked.stderr.contains("telepathy"), "{}", checked.stderr);
}
