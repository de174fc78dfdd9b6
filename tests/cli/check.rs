use super::support::Place;

#[test]
fn problems_are_named_with_the_way_out() {
    let place = Place::new();
    let study = place.study();
    let called = place.call(&["check", "slope"]);
    assert_eq!(called.status, 0);
    insta::assert_snapshot!("check_good", place.plain(&called.stdout));
    std::fs::write(study.join("input/replication_data/plots.csv"), "").unwrap();
    std::fs::write(
        study.join("gt/expected_post_registration.json"),
        "{\"original_study\": {\"claim\": {},},}",
    )
    .unwrap();
    let called = place.call(&["check", "slope"]);
    assert_eq!(called.status, 3);
    insta::assert_snapshot!("check_bad", place.plain(&called.stdout));
}

#[test]
fn artifacts_are_checked_against_their_schemas() {
    let place = Place::new();
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    write(
        "plan.json",
        r#"{"replication_study": {"hypothesis": "h", "study_type": "Observational"}}"#,
    );
    write(
        "search_results.json",
        r#"{"urls": [{"url": "https://a.org", "name": "panel"},], "missing": []}"#,
    );
    write(
        "post_registration.json",
        r#"{"original_study": {"results": {"numerical_results": [3]}}}"#,
    );
    let called = place.call(&[
        "check",
        "plan.json",
        "search_results.json",
        "post_registration.json",
    ]);
    assert_eq!((called.status, called.stderr.as_str()), (1, ""));
    insta::assert_snapshot!("check_artifacts", place.plain(&called.stdout));
    let called = place.call(&["check", "search_results.json", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(called.status, 0, "{}", called.stdout);
    assert_eq!(value["format"], "reprise-check-artifacts/1");
    let one = &value["artifacts"][0];
    assert_eq!(
        (&one["artifact"], &one["known_by"]),
        (&"search_results.json".into(), &"content".into())
    );
    let called = place.call(&["check", "absent.json"]);
    assert_eq!(called.status, 2);
    assert!(
        called.stderr.contains("absent.json cannot be read"),
        "{}",
        called.stderr
    );
    place.study();
    let called = place.call(&["check", "slope", "plan.json"]);
    assert_eq!(called.status, 2);
    assert!(called.stderr.contains("not both at once"), "{}", called.stderr);
}
