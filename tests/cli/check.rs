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
