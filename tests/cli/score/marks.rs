//! Marks by several gradings, references and scales.

use reprise::grading::scorecard::card::Scorecard;
use reprise::grading::scorecard::together::Together;
use serde_json::{Value, json};

use super::given::{finished, graded, json_of, judge, write};

fn turn(hypotheses: u8, statement: u8) -> Value {
    let mark = |score: u8| json!({"score": score, "explanation": format!("for {score}")});
    json!({"answer": {"json": {"claim.hypotheses": mark(hypotheses), "claim.statement": mark(statement)}}})
}

#[test]
fn an_even_number_of_gradings_has_the_mean_of_its_middle_two() {
    let place = finished();
    judge(
        &place,
        "two.json",
        json!({"extract": {"turns": [turn(0, 1), turn(3, 2)]}}),
    );
    let called = place.call(&[
        "score",
        "out",
        "--repeats",
        "2",
        "--json",
        "--judge",
        "scripted:./two.json",
    ]);
    let value = json_of(&called);
    let stage = &value["runs"][0]["judges"][0]["stages"][0];
    let one = &stage["against"][0];
    let fields = one["grading"]["fields"].as_array().unwrap();
    let of = |path: &str| fields.iter().find(|field| field["path"] == path).unwrap();
    for (path, spread) in [("claim.hypotheses", 3), ("claim.statement", 1)] {
        let field = of(path);
        assert_eq!(
            (&field["mark"], &field["spread"], &field["flipped"]),
            (&json!(1.5), &json!(spread), &json!(true)),
            "{path}"
        );
    }
    // The run states three more, of which the reference says nothing.
    let claim = &one["figures"]["aspects"][0];
    assert_eq!(
        (&claim["score"], &claim["scored"]),
        (&json!(0.5), &json!(2)),
        "{claim}"
    );
    assert!(
        stage["notes"][0]
            .as_str()
            .unwrap()
            .starts_with("2 fields lie half-way between two marks"),
        "{}",
        stage["notes"]
    );
    let folder = value["runs"][0]["judges"][0]["folder"].as_str().unwrap();
    let file = place
        .path()
        .join("out")
        .join(folder)
        .join("extract_llm_eval.json");
    let released: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(
        released["claim.hypotheses"],
        json!({"score": 1.5, "explanation": "for 0"})
    );
    // Both arithmetics read the half as it stands.
    let averages = |mode: &str| {
        let stages = &value["runs"][0]["judges"][0][mode];
        assert!(stages.to_string().contains("0.5"), "{mode}: {stages}");
    };
    averages("compat");
    averages("corrected");
    let page = std::fs::read_to_string(place.path().join("out/scores.html")).unwrap();
    assert!(page.contains(">1.5<"), "the page rounds the mark");
    // Three gradings of which one failed are two.
    judge(
        &place,
        "three.json",
        json!({"extract": {"turns": [turn(1, 0), turn(3, 3)]}}),
    );
    let called = place.call(&[
        "score",
        "out",
        "--repeats",
        "3",
        "--json",
        "--judge",
        "scripted:./three.json",
    ]);
    let value = json_of(&called);
    let judges = value["runs"][0]["judges"].as_array().unwrap();
    let fields = judges[1]["stages"][0]["against"][0]["grading"]["fields"]
        .as_array()
        .unwrap();
    let statement = fields
        .iter()
        .find(|field| field["path"] == "claim.statement")
        .unwrap();
    assert_eq!(statement["mark"], 1.5, "{statement}");
}

#[test]
fn each_reference_has_its_own_floor_and_ceiling() {
    let place = finished();
    write(
        &place,
        "slope/gt/expected_post_registration_2.json",
        r#"{"original_study": {"claim": {"hypothesis": "More dose, more yield.", "statement": "b = 1.9",
            "study_type": "Experimental"}, "data": {"source": "a field trial"}}}"#,
    );
    let type_and_source = json!({"score": 3, "explanation": "e"});
    let turn = |mark: u8| {
        let mut one = turn(mark, mark);
        one["answer"]["json"]["claim.study_type"] = type_and_source.clone();
        one["answer"]["json"]["data.source"] = type_and_source.clone();
        one
    };
    // The run against either reference, then the first against the second, and back.
    judge(
        &place,
        "a.json",
        json!({"extract": {"turns": [turn(3), turn(1), turn(3), turn(0)]}}),
    );
    let called = graded(&place, &["scripted:./a.json"], &["--json"]);
    let value = json_of(&called);
    let stage = &value["runs"][0]["judges"][0]["stages"][0];
    let of = |at: usize, what: &str| stage["against"][at][what].as_f64().unwrap();
    // Of the claim's five fields the first states two and the second three; of the data's six none and one.
    let floor = |claim: f64, data: f64| ((5.0 - claim) / 5.0 + (6.0 - data) / 6.0 + 3.0) / 5.0;
    assert!(
        (of(0, "floor") - floor(2.0, 0.0)).abs() < 1e-12,
        "{}",
        of(0, "floor")
    );
    assert!(
        (of(1, "floor") - floor(3.0, 1.0)).abs() < 1e-12,
        "{}",
        of(1, "floor")
    );
    let mean = f64::midpoint(of(0, "floor"), of(1, "floor"));
    assert!((stage["floor"].as_f64().unwrap() - mean).abs() < 1e-12);
    // Against the first stands what the second reached, which was asked for last.
    assert!(
        of(0, "ceiling") < of(1, "ceiling"),
        "{} {}",
        of(0, "ceiling"),
        of(1, "ceiling")
    );
    let mean = f64::midpoint(of(0, "ceiling"), of(1, "ceiling"));
    assert!((stage["ceiling"].as_f64().unwrap() - mean).abs() < 1e-12);
    let told = place.call(&["score", "out"]).stdout;
    let line = |start: &str| {
        let found = told.lines().find(|line| line.trim_start().starts_with(start));
        found
            .unwrap_or_else(|| panic!("no line `{start}` in {told}"))
            .to_owned()
    };
    let percent = |share: &Value| format!("{:.2}", 100.0 * share.as_f64().unwrap());
    let second = line("extract (expected_post_registration_2.json)");
    for what in ["floor", "ceiling"] {
        assert!(second.contains(&percent(&stage["against"][1][what])), "{second}");
    }
    assert!(line("extract, best (expected_post_registration.json)").contains(&percent(&stage["best"][1])));
    let mean = line("extract, mean of 2");
    assert!(
        mean.contains(&percent(&stage["mean"])) && mean.contains(&percent(&stage["floor"])),
        "{mean}"
    );
    let page = std::fs::read_to_string(place.path().join("out/scores.html")).unwrap();
    for at in [0, 1] {
        let shown = format!("floor {:.1}", 100.0 * of(at, "floor"));
        assert!(page.contains(&shown), "{shown}");
    }
}

#[test]
fn a_repeat_is_asked_otherwise_and_replays_as_it_was() {
    let place = finished();
    let turns = [turn(3, 1), turn(2, 1), turn(2, 0)];
    judge(&place, "a.json", json!({"extract": {"turns": turns}}));
    let with = |model: &str, more: &[&str]| {
        let all = [
            &["score", "out", "--json", "--no-baselines", "--judge", model],
            more,
        ]
        .concat();
        let value = json_of(&place.call(&all));
        let judges = value["runs"][0]["judges"].as_array().unwrap();
        let own = judges.iter().find(|one| one["judge"] == model);
        own.unwrap().clone()
    };
    let first = with("scripted:./a.json", &[]);
    let grading = &first["stages"][0]["against"][0]["grading"];
    let orders = grading["orders"].as_array().unwrap();
    assert_eq!(orders.len(), 3);
    assert_eq!(orders[0], json!({"seed": null, "swapped": false}));
    assert!(
        orders[1]["swapped"] == true && orders[1]["seed"].is_u64() && orders[1]["seed"] != orders[2]["seed"]
    );
    let folder = place.path().join("out").join(first["folder"].as_str().unwrap());
    let calls = std::fs::read_to_string(folder.join("calls.jsonl")).unwrap();
    let requests: std::collections::BTreeSet<String> = (calls.lines())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["request"].to_string())
        .collect();
    assert_eq!(
        requests.len(),
        calls.lines().count(),
        "two repeats asked the same"
    );
    std::fs::copy(folder.join("recording.json"), place.path().join("kept.json")).unwrap();
    let replayed = with("recorded:./kept.json", &[]);
    assert_eq!(replayed["stages"][0], first["stages"][0]);
    // Another seed draws other orders.
    let other = with("scripted:./a.json", &["--judge-seed", "7"]);
    assert_ne!(
        other["stages"][0]["against"][0]["grading"]["orders"],
        grading["orders"]
    );
}

#[test]
fn a_design_says_on_which_scale_it_was_marked() {
    let place = finished();
    let plan = "The analysis regresses yield on dose by ordinary least squares. ".repeat(20);
    write(&place, "slope/gt/human_preregistration.md", &plan);
    // Which fields there are, from a judge that says nothing of them.
    judge(&place, "a.json", json!({}));
    let silent = graded(&place, &["scripted:./a.json"], &["--json", "--no-baselines"]);
    let value: Value = serde_json::from_str(&silent.stdout).unwrap();
    let fields = &value["runs"][0]["judges"][0]["stages"][1]["against"][0]["grading"]["fields"];
    let marks = (fields.as_array().unwrap().iter()).map(|field| {
        (
            field["path"].as_str().unwrap().to_owned(),
            json!({"score": 3, "explanation": "e"}),
        )
    });
    let answer = json!({"answer": {"json": serde_json::Map::from_iter(marks)}});
    for name in ["binary.json", "graded.json"] {
        judge(&place, name, json!({"design": {"turns": [answer]}}));
    }
    let score = |name: &str, scale: &str| {
        let model = format!("scripted:./{name}");
        let called = graded(&place, &[&model], &["--no-baselines", "--design-scale", scale]);
        assert_eq!(called.status, 0, "{}", called.stderr);
        let kept = std::fs::read(place.path().join("out/scores.json")).unwrap();
        (called, serde_json::from_slice::<Scorecard>(&kept).unwrap())
    };
    std::fs::remove_file(place.path().join("out/scores.json")).unwrap();
    let (told, binary) = score("binary.json", "binary");
    assert!(
        told.stdout.contains("design, marks 0 or 3 (human_prereg"),
        "{}",
        told.stdout
    );
    let (told, both) = score("graded.json", "graded");
    assert!(
        told.stdout.contains("design, marks 0 to 3 (human_prereg"),
        "{}",
        told.stdout
    );
    assert!(
        told.stderr.contains("Designs were graded on different scales"),
        "{}",
        told.stderr
    );
    let scale = |card: &Scorecard, at: usize| card.judges[at].stages[1].scale.clone();
    assert_eq!(
        (scale(&both, 0), scale(&both, 1)),
        ("0 or 3".to_owned(), "0 to 3".to_owned())
    );
    assert!(!both.between.iter().any(|one| one.stage.name() == "design"));
    let page = std::fs::read_to_string(place.path().join("out/scores.html")).unwrap();
    assert!(page.contains("design, marks 0 or 3") && page.contains("design, marks 0 to 3"));
    // One judge whose plans stand on either scale in two runs has two rows.
    let mut other = binary.clone();
    other.run = "another".to_owned();
    other.judges[0].stages[1] = both.judges[1].stages[1].clone();
    let rows: Vec<(String, u64)> = (Together::from_cards(&[binary, other]).averages.iter())
        .filter(|row| row.label.starts_with("design"))
        .map(|row| (row.label.clone(), row.scored))
        .collect();
    assert_eq!(
        rows,
        [
            ("design, marks 0 or 3".to_owned(), 1),
            ("design, marks 0 to 3".to_owned(), 1)
        ]
    );
}
