use std::io::Write as _;
use std::process::Stdio;

use super::support::{Place, called};
use crate::need;

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
fn a_row_that_cannot_be_read_and_an_unknown_column_are_named() {
    let place = Place::new();
    let table = "term,estimate,std.error,p.value,colour\na,0.5,0.1,<.001,red\nb,half,0.4,.03,red\n";
    std::fs::write(place.path().join("broom.csv"), table).unwrap();
    let called = place.call(&["check", "stats", "broom.csv"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    assert_eq!(
        called.stdout,
        "line 2    a  fits\nnot read: line 3: estimate is `half`: write a number such as 0.42, or leave it empty\n\
         columns that are not known: colour\n\
         1 rows: 1 fit, 0 do not fit, 0 fit only as one-sided, 0 with nothing to compare\n"
    );
}

#[test]
fn tables_of_public_reports_are_read_and_accused_rightly() {
    let place = Place::new();
    for (file, wrong) in [("r.csv", "age"), ("broom.csv", "x2")] {
        let Some(path) = need::shared(&format!("cases/19-stats-printed/{file}")) else {
            return;
        };
        let called = place.call(&["check", "stats", path.to_str().unwrap(), "--json"]);
        let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
        assert_eq!(
            (&value["unread"], &value["unknown_columns"]),
            (&serde_json::json!([]), &serde_json::json!([]))
        );
        for row in value["rows"].as_array().unwrap() {
            let right = if row["term"] == wrong {
                "does_not_fit"
            } else {
                "fits"
            };
            assert_eq!(row["fit"], right, "{row}");
        }
    }
    let Some(path) = need::shared("cases/19-stats-printed/esttab.txt") else {
        return;
    };
    let called = place.call(&["check", "stats", path.to_str().unwrap()]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    // The statistics of a paper's text, in a PDF.
    let Some(path) = need::shared("cases/12-pdf-line-numbers/numbered.pdf") else {
        return;
    };
    let called = place.call(&["check", "stats", path.to_str().unwrap()]);
    assert!(
        called
            .stdout
            .contains("passages with numbers to compare, 0 of them do not fit"),
        "{}{}",
        called.stdout,
        called.stderr
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Place::new();
    let mut told = String::new();
    for (name, text) in [
        ("p.csv", "term,p\nb,3\n"),
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
