use super::support::Place;

#[test]
fn the_schemas_in_the_repository_are_the_ones_printed() {
    let place = Place::new();
    let called = place.call(&["doctor", "schema", "--out", "schemas"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    assert_eq!(
        super::support::tree(&place.path().join("schemas")),
        super::support::tree(&repository)
    );
    let called = place.call(&["doctor", "schema", "design"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert!(value["properties"]["replication_study"].is_object());
}
