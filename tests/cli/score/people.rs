//! A person's marks in a table, beside judges.

use serde_json::{Value, json};

use super::given::{finished, graded, json_of, judge, write};
use crate::support::Place;

const FIELDS: &str = "claim.hypotheses,claim.statement";

/// The fixture run in `out`, whose two open fields a judge of each name marks.
fn judged(judges: &[(&str, [u8; 2])]) -> Place {
    let place = finished();
    let names: Vec<String> = judges
        .iter()
        .map(|(name, marks)| {
            let answers = FIELDS.split(',').zip(marks);
            let marks: serde_json::Map<String, Value> = answers
                .map(|(field, mark)| (field.to_owned(), json!({"score": mark, "explanation": "e"})))
                .collect();
            judge(
                &place,
                name,
                json!({"extract": {"turns": [{"answer": {"json": marks}}]}}),
            );
            format!("scripted:./{name}")
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let called = graded(&place, &names, &[]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    place
}

fn agreement(place: &Place, arguments: &[&str]) -> Value {
    let common = ["score", "agreement", "--resamples", "10", "--json"];
    json_of(&place.call(&[&common, arguments].concat()))
}

#[test]
fn a_printed_table_comes_back_as_a_rater() {
    let place = judged(&[("a.json", [3, 1])]);
    let printed = place.call(&["score", "sheet", "out"]);
    assert_eq!(
        printed.stdout,
        "paper,field,score,stage,run\n\
         slope,claim.hypotheses,,extract,out\n\
         slope,claim.statement,,extract,out\n",
        "{}",
        printed.stderr
    );
    let marked = place.call(&["score", "sheet", "out", "--marks", "scripted:./a.json"]);
    assert!(
        marked.stdout.contains("slope,claim.hypotheses,3,extract,out"),
        "{}",
        marked.stdout
    );
    // A person who marks one field otherwise, in a spreadsheet that writes semicolons.
    let table = marked
        .stdout
        .replace("statement,1", "statement,0")
        .replace(',', ";");
    write(&place, "mine.csv", &table);
    for judge in ["scripted:./a.json", "scripted-.-a.json"] {
        let value = agreement(&place, &["out", "mine.csv", "--judges", judge]);
        let extract = &value["stages"][0]["agreement"];
        assert_eq!(extract["exact"], json!({"hits": 1, "of": 2}), "{value}");
        assert_eq!(extract["bias"], 0.5);
        assert_eq!(value["problems"], json!([]));
        assert!(value["by_code"]["extract"].as_u64().unwrap() > 10, "{value}");
    }
    // The person named first.
    let value = agreement(&place, &["mine.csv", "out", "--judges", "scripted:./a.json"]);
    assert_eq!(value["stages"][0]["agreement"]["bias"], -0.5);
}

#[test]
fn what_code_decided_is_no_agreement_of_judges() {
    let place = judged(&[("a.json", [3, 1]), ("b.json", [0, 3])]);
    let value = agreement(
        &place,
        &["out", "--judges", "scripted:./a.json,scripted:./b.json"],
    );
    let stages = value["stages"].as_array().unwrap();
    let extract = stages.iter().find(|one| one["stage"] == "extract").unwrap();
    assert_eq!(
        extract["agreement"]["exact"],
        json!({"hits": 0, "of": 2}),
        "{value}"
    );
    // One paper has no spread.
    assert_eq!(extract["intervals"]["papers"], 1);
    assert_eq!(extract["intervals"]["quadratic_kappa"], Value::Null);
    let execute = stages.iter().find(|one| one["stage"] == "execute");
    assert!(
        execute.is_none_or(|one| one["agreement"]["exact"]["of"] == 0),
        "{value}"
    );
}

#[test]
fn marks_without_a_grading_are_named_and_judges_that_are_not_there() {
    let place = judged(&[("a.json", [3, 1]), ("b.json", [0, 3])]);
    write(
        &place,
        "mine.csv",
        "paper,field,score,stage\nslope,claim.statement,1,extract\nother,claim.statement,1,extract\n",
    );
    let said = place.call(&["score", "agreement", "out", "mine.csv"]);
    assert_eq!(said.status, 2, "{}", said.stdout);
    assert!(
        said.stderr
            .contains("`scripted-.-a.json`, `scripted-.-b.json`: say which"),
        "{}",
        said.stderr
    );
    let value = agreement(&place, &["out", "mine.csv", "--judges", "scripted:./b.json"]);
    let problems = value["problems"].to_string();
    assert!(
        problems.contains("rows that belong to no grading: 1, the first in row 3 (paper `other`)"),
        "{problems}"
    );
    let said = place.call(&["score", "agreement", "out", "--judges", "gpt-4o,gpt-5"]);
    assert_eq!(said.status, 2);
    assert!(
        said.stderr.contains("out holds gradings of `scripted-"),
        "{}",
        said.stderr
    );
    let said = place.call(&["score", "sheet", "out", "--marks", "gpt-5"]);
    assert!(
        said.stderr.contains("out holds no grading of gpt-5"),
        "{}",
        said.stderr
    );
}

#[test]
fn two_tables_part_by_stage_where_both_say_it() {
    let place = Place::new();
    let rows = |mark: u8| format!("paper\tfield\tscore\tstage\np\ta\t{mark}\tdesign\np\ta\t1\texecute\n");
    write(&place, "one.tsv", &rows(3));
    write(&place, "two.tsv", &rows(0));
    let value = agreement(&place, &["one.tsv", "two.tsv"]);
    let exact = |at: usize| value["stages"][at]["agreement"]["exact"].clone();
    assert_eq!(
        (exact(0), exact(1)),
        (json!({"hits": 0, "of": 1}), json!({"hits": 1, "of": 1}))
    );
}
