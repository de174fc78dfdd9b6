//! Capsules made of anybody's code, and attempted.

use std::fs;

use serde_json::{Value, json};

use super::support::Place;

const CODE: &str = r#"
import os, random
print("mean of draws: %.4f over n = %d" % (sum(random.random() for _ in range(1000)) / 1000, 1000))
print("at", os.getpid() * 7 + random.randrange(10**6), "o'clock" if random.random() < 2 else "")
os.makedirs("../results", exist_ok=True)
with open("../results/estimates.txt", "w") as file:
    file.write("b = 2.50\n")
with open("../results/figure_1.svg", "w") as file:
    file.write("<svg/>")
"#;

fn analysis(place: &Place, code: &str) {
    let folder = place.path().join("mine");
    fs::create_dir_all(folder.join("results")).unwrap();
    fs::write(folder.join("main.py"), code).unwrap();
    fs::write(folder.join("results/old.txt"), "b = 9.99\n").unwrap();
}

const MAKE: [&str; 9] = [
    "capsule",
    "make",
    "mine",
    "--run",
    "python3 main.py",
    "--out",
    "made",
    "--sandbox",
    "local",
];

#[test]
fn code_is_executed_several_times_and_its_answers_are_asked_for() {
    let place = Place::new();
    analysis(&place, CODE);
    let made = place.call(&MAKE);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let path = place.path().join("made/candidates.json");
    let mut file: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let candidates = file["candidates"].as_array_mut().unwrap();
    let mut mean = None;
    for one in candidates.iter_mut() {
        let text = one["text"].as_str().unwrap_or_default().to_owned();
        if text.starts_with("mean") && one["varies"] == true {
            one["question"] = json!("Report the mean.");
            mean = one["values"][0].as_str().map(str::to_owned);
        } else if one["file"] == "estimates.txt" {
            assert_eq!(
                (&one["varies"], &one["values"]),
                (&json!(false), &json!(["2.50", "2.50", "2.50"]))
            );
            one["question"] = json!("Report b.");
        } else if one["file"] == "figure_1.svg" {
            one["question"] = json!("Report the colour of figure 1.");
            one["values"] = json!(["none"]);
        }
    }
    // What the folder held of earlier results is no part of the capsule.
    assert!(!place.path().join("made/capsule-0000001/code/results").exists());
    let ask = [
        "capsule",
        "make",
        "mine",
        "--out",
        "made",
        "--questions",
        "made/candidates.json",
    ];
    let nothing = place.call(&ask);
    assert_eq!(
        nothing.status, 2,
        "no candidate has a question yet: {}",
        nothing.stdout
    );
    fs::write(&path, file.to_string()).unwrap();
    let asked = place.call(&ask);
    assert_eq!(asked.status, 0, "{}", asked.stderr);
    let read = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(place.path().join("made").join(name)).unwrap()).unwrap()
    };
    let intervals = read("intervals.json");
    assert_eq!(
        intervals[0],
        json!({ "question": "Report b.", "lower": 2.5, "upper": 2.5, "exact": true })
    );
    assert_eq!(intervals[1]["exact"], false);
    let checked = place.call(&["capsule", "check", "made/task.json", "--capsules", "made"]);
    assert_eq!(checked.status, 0, "{}", checked.stdout);
    // The capsule is attempted as any other.
    let answers = json!({
        "Report the mean.": mean.unwrap().parse::<f64>().unwrap(), "Report b.": 2.5,
        "Report the colour of figure 1.": "none",
    });
    let recording = json!({
        "format": "reprise-recording/1", "origin": "written by hand", "note": "", "study": "capsule-0000001",
        "setting": "capsule", "stages": { "reproduce": { "turns": [
            { "answer": { "calls": [{ "name": "bash", "arguments": { "command": "cat environment/*/results/estimates.txt" } }] } },
            { "answer": { "calls": [{ "name": "submit", "arguments": { "answers": answers } }] } },
        ] } },
    });
    fs::write(place.path().join("session.json"), recording.to_string()).unwrap();
    let attempted = place.call(&[
        "capsule",
        "run",
        "made/task.json",
        "--level",
        "easy",
        "--model",
        "scripted:./session.json",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--out",
        "out",
    ]);
    assert!(
        attempted.stdout.contains("score 1.000 (3 of 3 parts scored"),
        "{}{}",
        attempted.stdout,
        attempted.stderr
    );
}

#[test]
fn code_that_fails_is_told_with_what_it_printed() {
    let place = Place::new();
    analysis(&place, "print('begun')\nraise SystemExit('no data here')\n");
    let failed = place.call(&MAKE);
    assert_eq!(failed.status, 4, "{}", failed.stderr);
    for told in ["execution 1 ended with exit status 1", "begun", "no data here"] {
        assert!(failed.stderr.contains(told), "{}", failed.stderr);
    }
    let again = place.call(&MAKE);
    assert!(again.stderr.contains("is there already"), "{}", again.stderr);
}

/// What confined code leaves in the place of its results leads nowhere on this machine.
#[test]
fn links_in_the_place_of_results_are_followed_nowhere() {
    let place = Place::new();
    let outside = place.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.txt"), "secret = 4711\n").unwrap();
    for code in [
        // The folder itself, and what the engine is known to write into it.
        "import os, shutil\nshutil.rmtree('../results')\nos.symlink('OUTSIDE', '../results')\nprint('a = 1.25')\n",
        "import os\nos.symlink('OUTSIDE/made', '../results/output')\nos.symlink('OUTSIDE/secret.txt', '../results/copy.txt')\nprint('a = 1.25')\n",
    ] {
        let code = code.replace("OUTSIDE", outside.to_str().unwrap());
        analysis(&place, &code);
        let made = place.call(&MAKE);
        assert_eq!(made.status, 0, "{}", made.stderr);
        let names: Vec<_> = fs::read_dir(&outside)
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(names, ["secret.txt"]);
        assert!(
            made.stdout.contains("a = 1.25") && !made.stdout.contains("4711"),
            "{}",
            made.stdout
        );
        let results = place.path().join("made/capsule-0000001/results");
        assert_eq!(fs::read_to_string(results.join("output")).unwrap(), "a = 1.25\n");
        assert!(!results.join("copy.txt").exists() && !results.join("secret.txt").exists());
        fs::remove_dir_all(place.path().join("made")).unwrap();
    }
}

#[test]
fn each_execution_has_a_seed_of_its_own_where_the_command_takes_one() {
    let place = Place::new();
    let code = "import random, sys\nrandom.seed(int(sys.argv[1]))\nprint('draw: %.6f' % random.random())\n";
    analysis(&place, code);
    let run = [
        "capsule",
        "make",
        "mine",
        "--out",
        "made",
        "--sandbox",
        "local",
        "--json",
        "--run",
    ];
    let made = place.call(&[&run[..], &["python3 main.py {seed}"]].concat());
    assert_eq!(made.status, 0, "{}", made.stderr);
    let file: Value = serde_json::from_str(&made.stdout).unwrap();
    // Python's own generator, for the seeds 1, 2 and 3.
    let draw = &file["candidates"][0];
    assert_eq!(
        (&draw["varies"], &draw["values"]),
        (&json!(true), &json!(["0.134364", "0.956034", "0.237965"])),
        "{file}"
    );
    let prompt = file["prompt"].as_str().unwrap();
    assert!(prompt.contains("main.py NUMBER`"), "{prompt}");
    let capsule = place.path().join("made/capsule-0000001");
    let run = fs::read_to_string(capsule.join("code/run")).unwrap();
    assert!(
        run.contains("python3 main.py 1") && !run.contains("{seed}"),
        "{run}"
    );
}
