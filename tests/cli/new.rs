use super::support::Place;

fn material(place: &Place) {
    let fixture = super::support::fixture();
    std::fs::copy(
        fixture.join("input/original_paper.pdf"),
        place.path().join("paper.pdf"),
    )
    .unwrap();
    std::fs::create_dir(place.path().join("files")).unwrap();
    for name in ["plots.csv", "slope.sh", "helper.sh"] {
        std::fs::copy(
            fixture.join("input/replication_data").join(name),
            place.path().join("files").join(name),
        )
        .unwrap();
    }
    std::fs::write(place.path().join("files/.hidden"), "x").unwrap();
}

const NEW: [&str; 10] = [
    "new",
    "mine",
    "--paper",
    "paper.pdf",
    "--data",
    "files",
    "--claim",
    "Yield rises with rain (b = 2.0, SE = 0.1).",
    "--hypothesis",
    "Rain raises yield.",
];

#[test]
fn a_study_is_laid_out_and_checked() {
    let place = Place::new();
    material(&place);
    let called = place.call(&NEW);
    assert_eq!(called.status, 0, "{}", called.stderr);
    insta::assert_snapshot!("new", place.plain(&format!("{}{}", called.stderr, called.stdout)));
    // It opens again, and is not written over.
    assert_eq!(place.call(&["check", "mine"]).status, 0);
    let before = super::support::tree(&place.path().join("mine"));
    assert!(
        place
            .complaint(&NEW)
            .contains("[2] error: mine is there already and not empty")
    );
    assert_eq!(super::support::tree(&place.path().join("mine")), before);
}

#[test]
fn what_is_missing_is_named_and_nothing_is_written() {
    let place = Place::new();
    material(&place);
    let mut complaints = String::new();
    for (left_out, flag) in [(2, "--paper PDF"), (4, "--data FILE"), (6, "--claim TEXT")] {
        let mut arguments = NEW.to_vec();
        arguments.drain(left_out..left_out + 2);
        let complaint = place.complaint(&arguments);
        assert!(complaint.contains(flag), "{complaint}");
        complaints.push_str(&complaint);
    }
    let mut wrong = NEW.to_vec();
    wrong[3] = "files/plots.csv";
    complaints.push_str(&place.complaint(&wrong));
    wrong[3] = "nowhere.pdf";
    complaints.push_str(&place.complaint(&wrong));
    insta::assert_snapshot!("new_missing", place.plain(&complaints));
    assert!(!place.path().join("mine").exists());
}
