use super::support::Place;

#[test]
fn a_run_is_itself_replicable() {
    let place = Place::finished();
    let called = place.call(&["replay", "out"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("replay_same", place.plain(&called.stdout));
}

#[test]
fn other_data_show_as_differences() {
    let place = Place::finished();
    let data = place.path().join("slope/input/replication_data/plots.csv");
    let text = std::fs::read_to_string(&data).unwrap().replace("7.8", "7.9");
    std::fs::write(&data, text).unwrap();
    let called = place.call(&["replay", "out", "--json"]);
    assert_eq!(called.status, 1, "{}", called.stderr);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    let places: Vec<&str> = value["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["what"].as_str().unwrap())
        .collect();
    assert!(places.contains(&"standard output"), "{places:?}");
    // The recorded answer still reports the old estimate, which nothing prints any more.
    assert!(places.contains(&"the verdict"), "{places:?}");
    assert!(
        called.stdout.contains("+dose N 4 estimate 1.97"),
        "{}",
        called.stdout
    );
}

#[test]
fn a_refusal_is_replayed_as_one() {
    let place = Place::new();
    place.study();
    let run = [
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--model",
        "scripted:native",
    ];
    let called = place.call(&[&run[..], &["--approve", "deny", "--out", "out"]].concat());
    assert_eq!(called.status, 4);
    let called = place.call(&["replay", "out"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
}
