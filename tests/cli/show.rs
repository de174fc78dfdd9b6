use super::support::Place;

#[test]
fn a_finished_run_is_shown() {
    let place = Place::finished();
    let called = place.call(&["show", "out"]);
    assert_eq!(called.status, 0);
    insta::assert_snapshot!("show_finished", place.plain(&called.stdout));
    let called = place.call(&["show", "slope"]);
    assert_eq!(called.status, 2);
    insta::assert_snapshot!("show_no_run", place.plain(&called.stderr));
}
