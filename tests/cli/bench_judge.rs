//! Cells whose runs are marked by a judge: once, under the caps of the bench, and by one judge alone.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::bench::{parsed, place};
use super::score::given::judge;
use super::support::{Called, Place};

/// A bench of one study whose runs a judge marks, with more lines below its name.
fn bench(more: &str, of_judge: &str) -> String {
    format!(
        "name = 'judged'\n{more}\nsettings = {{ approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true, {of_judge} }}\n\
         [[studies]]\npaths = ['slope']\n"
    )
}

const BY_ONE: &str = "judge = 'scripted:judges/one.json', judge-repeats = 1";

/// A judge with these marks for the only two fields of the extraction that no code decides, and with marks for the two
/// checkpoints that are left to it.
fn marks(place: &Place, name: &str, hypotheses: u8, statement: u8) {
    let answer = json!({"answer": {"json": {
        "claim.hypotheses": {"score": hypotheses, "evidence": "q", "explanation": "close"},
        "claim.statement": {"score": statement, "evidence": "q", "explanation": "far"},
    }, "usage": {"input": 1000, "output": 50}}});
    let checkpoints = json!({"answer": {"json": {
        "1.2": {"score": 1, "evidence": "q", "explanation": "yes"},
        "1.3.1": {"score": 0, "evidence": "q", "explanation": "no"},
    }, "usage": {"input": 1000, "output": 50}}});
    let stages = json!({"extract": {"turns": [answer]}, "execute": {"turns": [checkpoints]}});
    judge(place, name, stages);
}

fn judged_place(file: &str) -> Place {
    let place = place(file);
    marks(&place, "judges/one.json", 2, 1);
    place
}

/// The folder of the only cell.
fn run(place: &Place) -> PathBuf {
    let cells = fs::read_dir(place.path().join("bench/cells")).unwrap();
    let folders: Vec<PathBuf> = cells.map(|cell| cell.unwrap().path()).collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders[0].clone()
}

/// The answers that its judge gave.
fn answers(place: &Place) -> usize {
    let evals = fs::read_dir(run(place).join("evals"));
    let folders = evals.into_iter().flatten().map(|folder| folder.unwrap().path());
    let calls = folders.map(|folder| fs::read_to_string(folder.join("calls.jsonl")).unwrap_or_default());
    calls.map(|calls| calls.lines().count()).sum()
}

fn called(place: &Place, verb: &[&str]) -> Called {
    place.call(&[&["bench"], verb].concat())
}

fn json_of(place: &Place, verb: &[&str]) -> Value {
    parsed(&called(place, &[verb, &["--json"]].concat()))
}

fn standing(place: &Place) -> Value {
    json_of(place, &["status", "bench.toml"])["cells"][0].clone()
}

/// What is left of the run without anything of the judge's.
fn unjudge(place: &Place, keeps_answers: bool) {
    let run = run(place);
    for name in ["scores.json", "scores.html"] {
        fs::remove_file(run.join(name)).unwrap();
    }
    if !keeps_answers {
        fs::remove_dir_all(run.join("evals")).unwrap();
    }
}

#[test]
fn a_cell_is_judged_once_its_run_is_over_and_no_answer_is_paid_twice() {
    let place = judged_place(&bench("", BY_ONE));
    let planned = called(&place, &["bench.toml", "--plan"]);
    assert!(
        planned.stdout.contains("scripted:one (")
            && planned
                .stdout
                .contains(") marks 1 cells once their runs are over"),
        "{}{}",
        planned.stdout,
        planned.stderr
    );
    let ran = called(&place, &["bench.toml"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("recorded, marked by scripted:one (") && ran.stdout.contains(": extract 0."),
        "{}",
        ran.stdout
    );
    let found = json_of(&place, &["report", "bench"]);
    let cell = &found["cells"][0];
    let judged = &cell["judged"];
    assert_eq!(
        (&cell["result"], &judged["stages"][0]["stage"], &judged["tokens"]),
        (&json!("met"), &json!("extract"), &json!(2100)),
        "{found}"
    );
    // What `score` says of the run is what stands there.
    let scores: Value = serde_json::from_slice(&fs::read(run(&place).join("scores.json")).unwrap()).unwrap();
    let card = &scores["judges"][0];
    assert_eq!(judged["stages"][0]["score"], card["stages"][0]["mean"]);
    assert_eq!(found["judged"][0]["mean"], card["stages"][0]["mean"]);
    let page = fs::read_to_string(place.path().join("bench/index.html")).unwrap();
    assert!(
        page.contains("judged.csv") && page.contains("scripted:one ("),
        "{page}"
    );
    let journal = fs::read(run(&place).join("journal.jsonl")).unwrap();
    let tokens = cell["tokens"].as_u64().unwrap();
    assert_eq!(answers(&place), 2);

    // Killed behind the run, before its judge was asked.
    unjudge(&place, false);
    assert_eq!(standing(&place)["standing"], "unjudged");
    assert_eq!(
        json_of(&place, &["plan", "bench.toml"])["cells"][0]["standing"],
        "to be judged"
    );
    let collected = json_of(&place, &["collect", "bench.toml"]);
    let lacks = collected["cells"][0]["judged"]["lacks"].as_str().unwrap();
    assert!(lacks.contains("has not marked it yet"), "{lacks}");
    let again = called(&place, &["bench.toml"]);
    assert_eq!((again.status, answers(&place)), (0, 2), "{}", again.stderr);
    assert_eq!(fs::read(run(&place).join("journal.jsonl")).unwrap(), journal);
    assert_eq!(standing(&place)["standing"], "finished");

    // Killed while its judge was asked: what it answered is kept.
    unjudge(&place, true);
    assert_eq!(standing(&place)["tokens"], tokens);
    let again = json_of(&place, &["bench.toml"]);
    assert_eq!(answers(&place), 2);
    assert_eq!(again["cells"][0]["judged"], *judged);
    assert_eq!(again["cells"][0]["tokens"], tokens);
    let nothing = called(&place, &["bench.toml"]);
    assert!(!nothing.stderr.contains("marks its run"), "{}", nothing.stderr);
}

/// A judge and how it is asked are part of a cell's id, and where its recording lies and what it may spend are not.
#[test]
fn a_cell_is_another_one_by_its_judge_and_by_nothing_that_changes_no_mark() {
    let place = judged_place(&bench("", BY_ONE));
    marks(&place, "judges/other.json", 3, 3);
    fs::create_dir(place.path().join("elsewhere")).unwrap();
    fs::copy(
        place.path().join("judges/one.json"),
        place.path().join("elsewhere/moved.json"),
    )
    .unwrap();
    let id = |of_judge: &str| {
        fs::write(place.path().join("bench.toml"), bench("", of_judge)).unwrap();
        let planned = json_of(&place, &["bench.toml", "--plan"]);
        planned["cells"][0]["plan"]["cell"].as_str().unwrap().to_owned()
    };
    let own = id(BY_ONE);
    for same in [
        "judge = 'scripted:elsewhere/moved.json', judge-repeats = 1",
        "judge = 'scripted:judges/one.json', judge-repeats = 1, judge-tokens = 5",
        "judge = 'scripted:judges/one.json', judge-repeats = 1, max-tokens = 900000",
    ] {
        assert_eq!(id(same), own, "{same}");
    }
    let without = id("mend = 'propose'");
    assert_eq!(id("judge = false, judge-repeats = 1"), without);
    let others = [
        without,
        id("judge = 'scripted:judges/other.json', judge-repeats = 1"),
        id("judge = 'scripted:judges/one.json'"),
        id("judge = 'scripted:judges/one.json', judge-repeats = 1, judge-seed = 4"),
    ];
    for other in others {
        assert_ne!(other, own);
    }
}

#[test]
fn judges_that_cannot_mark_or_would_be_pooled_are_refused_at_once() {
    let place = judged_place("");
    let refused = |file: &str| {
        fs::write(place.path().join("bench.toml"), file).unwrap();
        let called = called(&place, &["bench.toml", "--plan"]);
        assert_eq!(called.status, 2, "{file}: {}{}", called.stdout, called.stderr);
        called.stderr
    };
    let capsules = "[[capsules]]\nfiles = ['sunspots/task.json']\n";
    let everywhere =
        refused(&(bench("", BY_ONE).replace("code-mode = 'native', no-probe = true, ", "") + capsules));
    assert!(
        everywhere.contains("answers to capsules are graded by code") && everywhere.contains("judge = false"),
        "{everywhere}"
    );
    let turns = json!([{"answer": {"json": {"verdict": "met", "confidence": 0.7, "reasons": "A guess."}}}]);
    judge(
        &place,
        "slope/recordings/claim-only.json",
        json!({"predict": {"turns": turns}}),
    );
    let guesses =
        "[[agents]]\nname = 'guess'\nsettings = { agent = 'claim-only', model = 'scripted:claim-only' }\n";
    let claim_only = refused(&(bench("", BY_ONE) + guesses));
    assert!(
        claim_only.contains("of the track claim-only nothing is marked"),
        "{claim_only}"
    );
    let none = refused(&bench("", "judge = 'recorded:judges/none.json'"));
    assert!(none.contains("judges/none.json"), "{none}");
    let keyless = refused(&bench("", "judge = 'openai/gpt-5'"));
    assert!(keyless.contains("OPENAI_API_KEY"), "{keyless}");
    let unpriced = refused(&bench("limits.max-cost = 3", "judge = 'openai/no-such-model'"));
    assert!(
        unpriced.contains("no price is known for openai/no-such-model"),
        "{unpriced}"
    );
    let alone = refused(&bench("", "judge-repeats = 1"));
    assert!(
        alone.contains("judge-repeats=1 is of a judge, and none is named"),
        "{alone}"
    );
    // Two judges in one share: of two agents, and of an arm beside a cell without one.
    marks(&place, "judges/two.json", 3, 3);
    let agents = "[[agents]]\nname = 'a'\nsettings = { judge = 'scripted:judges/one.json' }\n\
                  [[agents]]\nname = 'b'\nsettings = { judge = 'scripted:judges/two.json' }\n";
    let two = refused(&(bench("", "mend = 'propose'") + agents));
    assert!(
        two.contains("the marks of two judges are never pooled, and studies have scripted:one (")
            && two.contains("and scripted:two ("),
        "{two}"
    );
}

#[test]
fn judges_that_are_arms_stand_apart_and_benches_of_two_judges_are_not_laid_together() {
    let arms = bench(
        "",
        "judge = ['scripted:judges/one.json', 'scripted:judges/two.json'], judge-repeats = 1",
    );
    let place = judged_place(&arms);
    marks(&place, "judges/two.json", 3, 3);
    let found = json_of(&place, &["bench.toml"]);
    let figures = found["judged"].as_array().unwrap();
    let told: Vec<(String, u64)> = figures
        .iter()
        .filter(|one| one["stage"] == "extract")
        .map(|one| {
            let judge = one["judge"].as_str().unwrap();
            (judge.chars().take(12).collect(), one["scored"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [("scripted:one".to_owned(), 1), ("scripted:two".to_owned(), 1)],
        "{found}"
    );
    assert!(
        figures[0]["mean"].as_f64() < figures[1]["mean"].as_f64(),
        "{found}"
    );

    for (name, judge) in [("first", "one"), ("second", "two")] {
        let file = bench(
            "",
            &format!("judge = 'scripted:judges/{judge}.json', judge-repeats = 1"),
        );
        fs::write(place.path().join(format!("{name}.toml")), file).unwrap();
        let ran = called(&place, &[&format!("{name}.toml")]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
    }
    for verb in [
        &["compare", "first", "second"][..],
        &["merge", "all", "first", "second"],
    ] {
        let refused = called(&place, verb);
        assert!(
            refused.status == 2
                && refused
                    .stderr
                    .contains("the marks of two judges are never laid together"),
            "{}{}",
            refused.stdout,
            refused.stderr
        );
    }
    assert!(!place.path().join("all").exists());
    let same = called(&place, &["compare", "first", "first"]);
    assert_eq!(same.status, 0, "{}", same.stderr);
}

/// The caps of all and of the cell hold for its judge too, and a larger one goes on.
#[test]
fn a_judge_is_not_asked_beyond_a_cap_of_its_cell_or_of_all() {
    for (of_all, of_cell) in [
        ("limits.max-tokens = TOKENS", ""),
        ("", "max-tokens = 'TOKENS', "),
    ] {
        let file = |tokens: u64| {
            let tokens = tokens.to_string();
            bench(
                &of_all.replace("TOKENS", &tokens),
                &(of_cell.replace("'TOKENS'", &tokens) + BY_ONE),
            )
        };
        let place = judged_place(&file(100_000_000));
        let whole = json_of(&place, &["bench.toml"]);
        let cell = &whole["cells"][0];
        let run_alone = cell["tokens"].as_u64().unwrap() - cell["judged"]["tokens"].as_u64().unwrap();
        unjudge(&place, false);

        fs::write(place.path().join("bench.toml"), file(run_alone + 100)).unwrap();
        let capped = called(&place, &["bench.toml", "--json"]);
        assert_eq!(
            (capped.status, answers(&place)),
            (6, 0),
            "{}{}",
            capped.stdout,
            capped.stderr
        );
        let cell = &parsed(&capped)["cells"][0];
        assert_eq!(
            (&cell["result"], &cell["tokens"]),
            (&json!("met"), &json!(run_alone)),
            "{cell}"
        );
        let lacks = cell["judged"]["lacks"].as_str().unwrap();
        assert!(lacks.contains("could have gone beyond a cap"), "{lacks}");
        assert_eq!(standing(&place)["standing"], "unjudged");
        assert_eq!(called(&place, &["plan", "bench.toml"]).status, 0);
        let worked = called(
            &place,
            &[
                "work",
                "bench.toml",
                "--cell",
                cell["cell"].as_str().unwrap(),
                "--quiet",
            ],
        );
        assert_eq!(worked.status, 6, "{}{}", worked.stdout, worked.stderr);
        assert_eq!(answers(&place), 0);

        fs::write(place.path().join("bench.toml"), file(run_alone + 1_000_000)).unwrap();
        assert_eq!(called(&place, &["plan", "bench.toml"]).status, 0);
        let worked = called(
            &place,
            &[
                "work",
                "bench.toml",
                "--cell",
                cell["cell"].as_str().unwrap(),
                "--quiet",
            ],
        );
        assert_eq!(
            (worked.status, answers(&place)),
            (0, 2),
            "{}{}",
            worked.stdout,
            worked.stderr
        );
        let status = standing(&place);
        assert_eq!(
            (&status["standing"], status["tokens"].as_u64().unwrap()),
            (&json!("finished"), run_alone + 2100),
            "{status}"
        );
        if !of_all.is_empty() {
            // What is over keeps what it spent, and no more.
            assert_eq!(called(&place, &["plan", "bench.toml"]).status, 0);
            let plan = fs::read(place.path().join("bench/bench.json")).unwrap();
            let plan: Value = serde_json::from_slice(&plan).unwrap();
            assert_eq!(plan["cells"][0]["allotted"]["tokens"], run_alone + 2100, "{plan}");
        }
    }
}

/// A judge that does not answer is no failure of the agent's, and is asked again.
#[test]
fn a_judge_that_fails_leaves_the_result_and_is_asked_again() {
    let place = judged_place(&bench("", BY_ONE));
    judge(&place, "judges/one.json", json!({"extract": {"turns": []}}));
    let failed = called(&place, &["bench.toml", "--infrastructure-repeats", "1", "--json"]);
    assert_eq!(failed.status, 7, "{}{}", failed.stdout, failed.stderr);
    assert!(
        failed.stderr.contains("1 of 1 cells fell to the provider"),
        "{}",
        failed.stderr
    );
    let cell = &parsed(&failed)["cells"][0];
    assert_eq!(
        (&cell["result"], &cell["attempt"]),
        (&json!("met"), &json!(1)),
        "{cell}"
    );
    assert!(
        cell["judged"]["lacks"]
            .as_str()
            .unwrap()
            .contains("of its judge failed"),
        "{cell}"
    );
    assert_eq!(cell["judged"]["stages"], json!([]));
}
