//! Attempts and answers of other harnesses, summed up and laid beside published figures.

use std::fs;

use serde_json::{Value, json};

use super::bench::{FILE, parsed, place};
use super::support::Place;

#[test]
fn attempts_of_other_harnesses_are_summed_up() {
    let place = Place::new();
    let mut table = "agent_id,capsule_id,successful,total_tokens,confidence\n".to_owned();
    for (task, passes) in [("a", [1, 1, 1]), ("b", [1, 0, 1]), ("c", [0, 0, 0])] {
        for (repeat, pass) in passes.iter().enumerate() {
            table += &format!("one,{task},{pass},{},0.{}\n", 10 * (repeat + 1), repeat + 4);
        }
    }
    table += "two,a,True,,\n";
    fs::write(place.path().join("runs.csv"), &table).unwrap();
    let called = place.call(&["bench", "core", "runs.csv", "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let found = parsed(&called);
    let one = &found["agents"][0];
    assert_eq!(
        (&one["accuracy"]["hits"], &one["accuracy"]["of"]),
        (&Value::from(5), &Value::from(9))
    );
    let near = |value: &Value, expected: f64| {
        assert!(
            (value.as_f64().unwrap() - expected).abs() < 1e-12,
            "{value} for {expected}"
        );
    };
    // (1 + 1/9 + 1) / 3, and exp(-10/20) for each task.
    near(&one["reliability"]["outcome_consistency"]["mean"], 19.0 / 27.0);
    near(
        &one["reliability"]["resource_consistency"]["mean"],
        (-0.5_f64).exp(),
    );
    near(&one["calibration"]["mean_confidence"], 0.5);
    assert_eq!(found["agents"][1]["calibration"], Value::Null);
    assert_eq!(found["saturation"], Value::Null);
    let splits = "agent,metadata.capsule_id,success,split\nx,a,1,train\nx,b,0,train\nx,a,1,test\n";
    fs::write(place.path().join("splits.csv"), splits).unwrap();
    let asked = place.call(&["bench", "core", "splits.csv"]);
    assert_eq!(asked.status, 2);
    assert!(
        asked
            .stderr
            .contains("2 values in the column `split` (`test`, `train`)")
            && asked.stderr.contains("--where split=test"),
        "{}",
        asked.stderr
    );
    for (condition, of) in [("split=train", 2), ("split=test", 1), ("split=*", 3)] {
        let called = place.call(&["bench", "core", "splits.csv", "--json", "--where", condition]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        assert_eq!(parsed(&called)["agents"][0]["accuracy"]["of"], of, "{condition}");
    }
    let wrong = place.call(&["bench", "core", "splits.csv", "--where", "part=train"]);
    assert!(
        wrong
            .stderr
            .contains("it has no column `part`, which --where names"),
        "{}",
        wrong.stderr
    );
    for (table, said) in [
        (
            "agent,task\nx,y\n",
            "it has none of the columns success, successful",
        ),
        (
            "agent,task,success\nx,y,perhaps\n",
            "line 2: `perhaps` says neither success nor failure",
        ),
        (
            "agent,task,success,confidence\nx,y,1,32\n",
            "the confidence 32 is not between 0 and 1",
        ),
        ("agent,task,success\n", "it has no attempt"),
    ] {
        fs::write(place.path().join("runs.csv"), table).unwrap();
        let called = place.call(&["bench", "core", "runs.csv"]);
        assert_eq!(called.status, 2);
        assert!(called.stderr.contains(said), "{}", called.stderr);
    }
}

#[test]
fn costs_of_one_scaffold_are_corrected_from_its_tokens() {
    let place = Place::new();
    let table = "agent,task,success,cost,scaffold,model,input_tokens,cached_tokens,output_tokens\n\
                 x,a,1,9,core_agent,openai/gpt-5,1000000,0,100000\n\
                 x,b,1,9,core_agent,openai/gpt-5,,,\n\
                 y,a,1,3,codex,gpt-5,1000000,0,100000\n";
    fs::write(place.path().join("runs.csv"), table).unwrap();
    let costs = |more: &[&str]| {
        let called = place.call(&[&["bench", "core", "runs.csv", "--json"], more].concat());
        assert_eq!(called.status, 0, "{}", called.stderr);
        let found = parsed(&called);
        [0, 1].map(|at: usize| found["agents"][at]["cost"]["sum"].as_f64().unwrap())
    };
    assert_eq!(costs(&[]), [18.0, 3.0]);
    // 1.25 for input and 1 for output; what has no tokens keeps its cost.
    assert_eq!(costs(&["--correct-costs"]), [11.25, 3.0]);
    fs::write(place.path().join("runs.csv"), "agent,task,success\nx,a,1\n").unwrap();
    let called = place.call(&["bench", "core", "runs.csv", "--correct-costs"]);
    assert!(
        called.status == 2 && called.stderr.contains("it has no column scaffold"),
        "{}",
        called.stderr
    );
}

#[test]
fn released_files_are_laid_beside_the_paper() {
    let Some(root) = super::need::shared("data/replicatorbench") else {
        return;
    };
    let place = Place::new();
    let called = place.call(&["bench", "replicatorbench", root.to_str().unwrap(), "--json"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let found = parsed(&called);
    let cells = found["cells"].as_array().unwrap();
    let of = |table: u64| cells.iter().filter(move |cell| cell["table"] == table);
    assert_eq!((of(2).count(), of(3).count(), of(5).count()), (28, 32, 20));
    // Every file of Table 3 is at hand; of the other two, eight studies of nineteen and seven logs.
    assert!(
        of(3).all(|cell| cell["same"] == true && cell["n"] == 19),
        "{found}"
    );
    // Of four models, extract and interpret follow from no released file.
    let unreleased = cells.iter().filter(|cell| cell["unreleased"] == true);
    let unreleased: Vec<&Value> = unreleased.collect();
    assert_eq!(unreleased.len(), 8, "{found}");
    for cell in unreleased {
        assert!(
            cell["table"] == 2 && ["extract", "interpret"].contains(&cell["figure"].as_str().unwrap()),
            "{cell}"
        );
    }
    let told = place.call(&["bench", "replicatorbench", root.to_str().unwrap()]);
    assert_eq!(
        told.stdout
            .lines()
            .filter(|line| line.ends_with("  no file"))
            .count(),
        8,
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains("no file: 8 cells"), "{}", told.stdout);
    let lacks = found["lacks"].to_string();
    assert!(
        lacks.contains("Table 2, outcomes of gpt-5: 11 of 19 studies (9, 10, 11"),
        "{lacks}"
    );
    assert!(lacks.contains("7 execution logs are here"), "{lacks}");
    let called = place.call(&["bench", "replicatorbench", "."]);
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("yields no cell of the paper's tables"),
        "{}",
        called.stderr
    );
}

#[test]
fn answers_of_other_harnesses_are_graded_and_summed_up() {
    let place = place(FILE);
    let tasks = place.path().join("sunspots/task.json");
    let tasks: Value = serde_json::from_str(&fs::read_to_string(tasks).unwrap()).unwrap();
    let right = &tasks[0]["results"][0];
    let mut wrong = right.clone();
    for answer in wrong.as_object_mut().unwrap().values_mut() {
        *answer = json!("none of these");
    }
    for (file, answers) in [("a_k1", right), ("a_k2", &wrong), ("b_k1", right)] {
        let line = json!({ "capsule-9000001": answers, "capsule-0000000": {} });
        fs::write(
            place.path().join(format!("{file}_RAW_SUBMISSIONS.jsonl")),
            line.to_string(),
        )
        .unwrap();
    }
    let files = ["a_k1", "a_k2", "b_k1"].map(|file| format!("{file}_RAW_SUBMISSIONS.jsonl"));
    let mut arguments = vec!["bench", "core"];
    arguments.extend(files.iter().map(String::as_str));
    let bare = place.call(&arguments);
    assert!(
        bare.status == 2 && bare.stderr.contains("--answers TASKS"),
        "{}",
        bare.stderr
    );
    arguments.extend(["--answers", "sunspots/task.json", "--grader", "v1.1", "--json"]);
    let called = place.call(&arguments);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(
        called
            .stderr
            .contains("1 answers are to tasks that the task file does not have"),
        "{}",
        called.stderr
    );
    let found = parsed(&called);
    let agents: Vec<_> = (found["agents"].as_array().unwrap().iter())
        .map(|agent| {
            (
                agent["agent"].clone(),
                agent["accuracy"]["hits"].clone(),
                agent["accuracy"]["of"].clone(),
            )
        })
        .collect();
    assert_eq!(
        agents,
        [(json!("a"), json!(1), json!(2)), (json!("b"), json!(1), json!(1))],
        "{found}"
    );
}
