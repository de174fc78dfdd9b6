use std::io::Write as _;
use std::process::Stdio;

use super::support::{Place, called};

/// Figures of scipy.stats, with two rows spoilt.
const TABLE: &str = "\
term,estimate,se,statistic,kind,df,p,sides,lower,upper,level,n,scale
income,0.00136,0.000224,6.07,t,99,2.4e-8,2,0.000916,0.00181,95,102,
one-sided,0.42,0.20,2.10,t,34,.022,,,,,36,
said so,0.42,0.20,2.10,t,34,.022,1,,,,36,
anova,,,7.70,F,1;204,.006,,,,,206,unsigned
wrong p,0.40,0.38,,,,.00002,,,,,750,
outside,0.40,,,,,,,0.5,0.9,,,
odds,0.47,0.131,,,,8e-9,2,0.364,0.608,,,ratio
only p,,,,,,<.001,,,,,,
";

#[test]
fn each_row_is_told() {
    let place = Place::new();
    std::fs::write(place.path().join("table.csv"), TABLE).unwrap();
    let called = place.call(&["check", "stats", "table.csv"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    insta::assert_snapshot!("check_stats", called.stdout);
    let called = place.call(&["check", "stats", "table.csv", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["format"], "reprise-check-stats/1");
    assert_eq!(
        value["summary"],
        serde_json::json!({"rows": 8, "fit": 4, "do_not_fit": 2, "only_one_sided": 1, "nothing_to_compare": 1})
    );
    assert_eq!(value["rows"][4]["misfits"][0]["cause"], "p_value");
    assert_eq!(value["rows"][4]["misfits"][0]["decides"], true);
}

#[test]
fn a_table_that_fits_ends_with_zero() {
    let place = Place::new();
    let rows: Vec<&str> = TABLE.lines().take(2).collect();
    let mut child = place
        .command(&["check", "stats", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(rows.join("\n").as_bytes())
        .unwrap();
    let ended = called(child.wait_with_output().unwrap());
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    let recorded = r#"{"term": "dose", "estimate": 1.94, "se": 0.0905539, "statistic": {"kind": "t", "value": 21.4237, "df": 2}, "p": {"value": 0.00217167, "sides": 2}, "n": 4}"#;
    std::fs::write(place.path().join("results.jsonl"), recorded).unwrap();
    let ended = place.call(&["check", "stats", "results.jsonl"]);
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("dose  fits"), "{}", ended.stdout);
    std::fs::write(
        place.path().join("r.csv"),
        "term,statistic,kind,df\na,1.31,r,50\nb,-1.2,r,\nc,.31,r,50\n",
    )
    .unwrap();
    let ended = place.call(&["check", "stats", "r.csv"]);
    assert_eq!(
        ended.stdout.matches("between -1 and 1").count(),
        2,
        "{}",
        ended.stdout
    );
    assert_eq!(ended.status, 1, "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Place::new();
    let mut told = String::new();
    for (name, text) in [
        ("p.csv", "term,p\na,.03\nb,3\n"),
        ("kind.csv", "term,statistic\na,2.1\n"),
        ("header.csv", "name,value\na,1\n"),
        ("bad.jsonl", "{\"term\": \"a\"}\n{\"term\"}\n"),
        ("empty.csv", ""),
    ] {
        std::fs::write(place.path().join(name), text).unwrap();
        told.push_str(&place.complaint(&["check", "stats", name]));
    }
    told.push_str(&place.complaint(&["check", "stats", "nowhere.csv"]));
    told.push_str(&place.complaint(&["check", "stats", "p.csv", "--level", "5"]));
    insta::assert_snapshot!("check_stats_mistakes", place.plain(&told));
}
