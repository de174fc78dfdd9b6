//! Reviews of conversations: what code settles, what a judge says, and what is sent back.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::support::{Place, copy};

fn answer(source: &str, resolution: &str, cited: &str) -> Value {
    json!({
        "explanation": format!("The script was run and printed its results [{cited}]."),
        "label": "failure", "answer_source": source, "primary_obstacle": "code_bug_introduced",
        "obstacle_resolution": resolution, "answer_verification": "single_pass",
        "strategy_pattern": "mostly_linear_progress",
    })
}

/// Writes a judge that says this, whatever it is asked, and gives its name.
fn judge(place: &Place, name: &str, answers: &[Value]) -> String {
    let turns: Vec<Value> = answers
        .iter()
        .map(|answer| json!({ "answer": { "json": answer } }))
        .collect();
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand",
        "stages": { "review": { "turns": turns } },
    });
    let path = place.path().join(name);
    fs::write(&path, recording.to_string()).unwrap();
    format!("scripted:{}", path.display())
}

fn field<'a>(review: &'a Value, name: &str) -> &'a Value {
    let fields = review["fields"].as_array().unwrap();
    fields.iter().find(|field| field["field"] == name).unwrap()
}

fn reviewed(place: &Place, arguments: &[&str]) -> Value {
    let called = place.call(&[&["score", "review"], arguments, &["--json"]].concat());
    assert_eq!(called.status, 0, "{}", called.stderr);
    serde_json::from_str(&called.stdout).unwrap_or_else(|_| panic!("{}", called.stdout))
}

/// A place with the bundled capsule.
fn capsule() -> Place {
    let place = Place::new();
    let capsules = Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots");
    copy(&capsules, &place.path().join("sunspots"));
    place
}

#[test]
fn code_settles_what_it_knows_and_says_so() {
    let place = capsule();
    let attempt = [
        "capsule",
        "run",
        "sunspots/task.json",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--out",
        "out",
    ];
    let ran = place.call(&attempt);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let found = reviewed(&place, &["out"]);
    let review = &found["reviews"][0];
    assert_eq!(
        (&review["judge"], &review["success"]),
        (&json!("code"), &json!(true)),
        "{review}"
    );
    // Nothing failed in this attempt, and what follows from that is settled with it.
    let obstacle = field(review, "primary_obstacle");
    assert_eq!(
        (&obstacle["value"], &obstacle["by"]),
        (&json!("none"), &json!("code")),
        "{review}"
    );
    assert_eq!(field(review, "obstacle_resolution")["value"], "not_applicable");
    let source = field(review, "answer_source");
    assert_eq!(
        (&source["value"], &source["why"]),
        (&Value::Null, &json!("no judge was asked"))
    );
    let kept = fs::read_to_string(place.path().join("out/reviews/code/review.json")).unwrap();
    assert_eq!(&serde_json::from_str::<Value>(&kept).unwrap(), review);
}

#[test]
fn most_repeats_decide_and_a_false_citation_is_sent_back() {
    let place = Place::finished();
    let answers = [
        answer("original_pipeline", "direct_fix", "T9B9"),
        answer("original_pipeline", "direct_fix", "T0B0"),
        answer("modified_pipeline", "direct_fix", "T0B1"),
        answer("original_pipeline", "direct_fix", "T0B0"),
    ];
    let judge = judge(&place, "judge.json", &answers);
    let records = place.path().join("records.json");
    let arguments = ["out", "--judge", &judge, "--records", records.to_str().unwrap()];
    let found = reviewed(&place, &arguments);
    let review = &found["reviews"][0];
    assert_eq!(review["cost"]["calls"], 4, "{review}");
    let source = field(review, "answer_source");
    assert_eq!(
        (&source["value"], &source["by"]),
        (&json!("original_pipeline"), &json!("judge")),
        "{review}"
    );
    assert!(
        (source["agreement"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12,
        "{source}"
    );
    // One command of this run failed on its input data, so that the obstacle is one that this can be.
    assert_eq!(field(review, "primary_obstacle")["value"], "code_bug_introduced");
    // The guess stays a guess: the grade is what counts.
    assert_eq!(
        (&field(review, "label")["value"], &review["success"]),
        (&json!("failure"), &json!(true))
    );
    assert_eq!(found["figures"][0]["wrong_guesses"]["hits"], 1, "{found}");
    assert_eq!(review["citations"], json!(["T0B0"]));
    let records: Value = serde_json::from_str(&fs::read_to_string(records).unwrap()).unwrap();
    assert_eq!(
        (&records[0]["accuracy"], &records[0]["result_type"]),
        (&json!(1.0), &json!("DIRECT_RESULT"))
    );
    assert_eq!(records[0]["output"].as_object().unwrap().len(), 7, "{records}");

    // The same again is answered from what was kept, and asks for nothing.
    let kept = place.path().join("out/reviews");
    let calls = |folder: &Path| {
        let file = walkdir::WalkDir::new(folder)
            .into_iter()
            .flatten()
            .find(|entry| entry.file_name() == "calls.jsonl");
        fs::read_to_string(file.unwrap().path()).unwrap().lines().count()
    };
    let before = calls(&kept);
    let again = reviewed(&place, &["out", "--judge", &judge]);
    assert_eq!(
        (again["reviews"][0]["fields"].clone(), calls(&kept)),
        (review["fields"].clone(), before)
    );
}

#[test]
fn what_stays_wrong_has_no_value_and_a_silent_judge_is_told() {
    let place = Place::finished();
    let mut answer = answer("intuition", "direct_fix", "T0B0");
    // No command of this run met its time limit, and code knows that.
    answer["primary_obstacle"] = json!("compilation_timeout");
    let wrong = judge(&place, "wrong.json", &vec![answer; 3]);
    let found = reviewed(&place, &["out", "--judge", &wrong, "--repeats", "1"]);
    assert_eq!(
        field(&found["reviews"][0], "primary_obstacle")["value"],
        Value::Null,
        "{found}"
    );
    let source = field(&found["reviews"][0], "answer_source");
    assert_eq!(source["value"], Value::Null, "{source}");
    assert!(
        found["reviews"][0]["given"][0]["faults"][0]
            .as_str()
            .unwrap()
            .contains("`intuition`"),
        "{found}"
    );
    assert_eq!(
        field(&found["reviews"][0], "strategy_pattern")["value"],
        "mostly_linear_progress"
    );

    let silent = judge(&place, "silent.json", &[]);
    let called = place.call(&["score", "review", "out", "--judge", &silent]);
    assert_eq!(called.status, 7, "{}", called.stderr);
    assert!(
        called.stderr.contains("answered none of its calls"),
        "{}",
        called.stderr
    );
    let none = place.call(&["score", "review", "slope"]);
    assert_eq!(none.status, 2, "{}", none.stderr);
    let rubric = place.call(&["score", "review", "out", "--rubric", "slope"]);
    assert!(
        rubric
            .stderr
            .contains("is no rubric of reviews: it lacks rubric.toml"),
        "{}",
        rubric.stderr
    );
}

#[test]
fn reviews_of_cells_stand_on_the_page_of_their_bench() {
    let place = capsule();
    let file = "name = 'small'\nsettings = { approve = 'auto', sandbox = 'local' }\n\
                [[capsules]]\nfiles = ['sunspots/task.json']\nsettings.level = ['easy', 'hard']\n";
    fs::write(place.path().join("bench.toml"), file).unwrap();
    let ran = place.call(&["bench", "bench.toml", "--quiet"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let judge = judge(
        &place,
        "judge.json",
        &vec![answer("original_pipeline", "direct_fix", "T0B0"); 3],
    );
    let found = reviewed(&place, &["bench", "--judge", &judge, "--repeats", "1"]);
    assert_eq!(found["reviews"].as_array().unwrap().len(), 2, "{found}");
    let lines = fs::read_to_string(place.path().join("bench/reviews.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2);
    let page = || fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(
        page().contains("href=\"#reviews\"") && page().contains("resolutions.csv"),
        "{}",
        page()
    );
    assert!(page().contains("This judge was not audited"));
    // Both cells solve the capsule and met no obstacle, whatever the judge says of one; its guesses are wrong.
    let figures = &found["figures"][0];
    let resolved = &figures["by_resolution"][0];
    assert_eq!(
        (&resolved["value"], &resolved["success"]["hits"]),
        (&json!("not_applicable"), &json!(2)),
        "{found}"
    );
    assert_eq!(
        (&figures["wrong_guesses"]["hits"], &figures["wrong_guesses"]["of"]),
        (&json!(2), &json!(2))
    );
    // The page that results are written to anew keeps them.
    assert_eq!(place.call(&["bench", "collect", "bench.toml"]).status, 0);
    assert!(page().contains("href=\"#reviews\""));
    // Time and tokens by stage, and splits by what tasks are of.
    assert!(page().contains("stages.csv") && page().contains("splits.csv") && page().contains("tasks.csv"));
}
