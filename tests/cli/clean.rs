use super::support::Place;

#[test]
fn only_what_reprise_made_is_removed() {
    let place = Place::new();
    let cache = place.path().join("cache");
    std::fs::create_dir_all(cache.join("environments/abc")).unwrap();
    std::fs::write(cache.join("environments/abc/file"), "12345").unwrap();
    std::fs::write(cache.join("mine.txt"), "kept").unwrap();
    let clean = |arguments: &[&str]| {
        place
            .command(arguments)
            .env("REPRISE_CACHE", &cache)
            .output()
            .unwrap()
    };
    assert!(clean(&["clean", "--dry-run"]).status.success());
    assert!(cache.join("environments/abc/file").exists());
    let output = clean(&["clean", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        value["removed"][0]["bytes"].as_u64().map(|bytes| bytes >= 5),
        Some(true)
    );
    assert!(!cache.join("environments/abc").exists() && cache.join("mine.txt").exists());
}
