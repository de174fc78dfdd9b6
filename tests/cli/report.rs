use super::support::{Place, RUN};

#[test]
fn a_report_comes_in_three_forms() {
    let place = Place::finished();
    let page = std::fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(
        page.contains("criterion is met") && !page.contains("src=\"http"),
        "no verdict on the page"
    );
    let called = place.call(&["report", "out", "--format", "json", "--out", "-"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["format"], "reprise-report/1");
    let called = place.call(&["report", "out", "--format", "md", "--out", "-"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("report_md", place.plain(&called.stdout));
    let called = place.call(&["report", "out", "--format", "md"]);
    assert_eq!(called.stdout.trim_end().rsplit('/').next(), Some("report.md"));
}

#[test]
fn a_run_under_way_can_be_reported() {
    let place = Place::new();
    place.study();
    place
        .command(&RUN)
        .env("REPRISE_DIE_AFTER_EVENT", "30")
        .output()
        .unwrap();
    let called = place.call(&["report", "out", "--format", "md", "--out", "-"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    assert!(called.stdout.contains("Yield and dose"), "{}", called.stdout);
}
