use super::support::{Place, RUN};

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

#[test]
fn an_archive_that_holds_a_reference_is_named_and_nothing_runs() {
    let place = Place::new();
    let study = place.study();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for name in ["slope/data.csv", "slope/gt/expected_post_registration.json"] {
        archive.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut archive, b"{}").unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    std::fs::write(study.join("input/replication_data/all.zip"), bytes).unwrap();
    let words = "is an archive that holds `slope/gt/expected_post_registration.json`, which no agent may see: pack it \
                 again without that";
    let checked = place.call(&["check", "slope"]);
    assert_eq!(checked.status, 3, "{}", checked.stderr);
    assert!(
        checked
            .stdout
            .contains(&format!("error: replication_data/all.zip {words}"))
            && checked
                .stdout
                .contains("The study cannot be run: replication_data/all.zip"),
        "{}",
        checked.stdout
    );
    let json = place.call(&["check", "slope", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["runnable"], false);
    let bench =
        "name = 'one'\nsettings = { approve = 'auto', code-mode = 'native' }\n[[studies]]\npaths = ['slope']";
    std::fs::write(place.path().join("bench.toml"), bench).unwrap();
    // Whatever makes a workspace.
    for arguments in [
        &RUN[..],
        &[
            "run",
            "slope",
            "--code-mode",
            "native",
            "--stages",
            "extract",
            "--out",
            "extract",
        ],
        &["bench", "bench.toml"],
        &["replay", "refresh", "slope", "native"],
    ] {
        let refused = place.call(arguments);
        assert_ne!(refused.status, 0, "{arguments:?}");
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(
            said.contains("all.zip") && said.contains(words),
            "{arguments:?}: {said}"
        );
    }
    let copies = walkdir::WalkDir::new(place.path());
    let copies = copies
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_name() == "all.zip");
    assert_eq!(copies.count(), 1);
}

#[test]
fn a_paper_a_program_and_published_numbers_are_looked_at() {
    let place = Place::new();
    let study = place.study();
    std::fs::write(
        study.join("input/replication_data/model.do"),
        "regress yield dose\n",
    )
    .unwrap();
    let manifest = std::fs::read_to_string(study.join("study.toml")).unwrap();
    std::fs::write(
        study.join("study.toml"),
        manifest.replace("estimate = 1.9", "estimate = 0.1"),
    )
    .unwrap();
    let called = place.call(&["check", "slope", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(called.status, 0, "{}", called.stdout);
    assert_eq!(value["paper"]["pages"], 1);
    let told = |words: &str| {
        let problems = value["problems"].as_array().unwrap();
        let sentences = problems.iter().filter_map(|problem| problem["sentence"].as_str());
        sentences.filter(|sentence| sentence.contains(words)).count()
    };
    assert_eq!(told("REPRISE_STATA_IMAGE"), 1, "{}", called.stdout);
    assert_eq!(
        told("The numbers of `[original]` do not fit together"),
        1,
        "{}",
        called.stdout
    );
    // A file that is no paper.
    std::fs::write(study.join("input/original_paper.pdf"), "%PDF-1.4\nno more").unwrap();
    let called = place.call(&["check", "slope"]);
    assert!(
        called.stdout.contains("`original_paper.pdf` cannot be read"),
        "{}",
        called.stdout
    );
}

#[test]
fn several_studies_are_checked_at_once_and_one_that_cannot_be_opened_is_among_them() {
    let place = Place::new();
    place.study();
    std::fs::create_dir(place.path().join("nothing")).unwrap();
    let called = place.call(&["check", "slope", "nothing", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(called.status, 3, "{}", called.stdout);
    let studies = value["studies"].as_array().unwrap();
    assert_eq!(
        (&studies[0]["runnable"], &studies[1]["runnable"]),
        (&true.into(), &false.into())
    );
    assert!(
        studies[1]["hindrance"]
            .as_str()
            .is_some_and(|why| why.contains("nothing"))
    );
}
