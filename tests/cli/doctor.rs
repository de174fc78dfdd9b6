use super::support::Place;

#[test]
fn what_every_run_needs_is_here() {
    let place = Place::new();
    let called = place.call(&["doctor", "--json"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let findings: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    let sandbox = findings
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "sandbox")
        .unwrap();
    assert_eq!(sandbox["ok"], true);
}
