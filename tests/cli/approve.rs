use super::support::{ASKING, Place, tree};

/// A run that waits for its first execution to be approved.
fn parked() -> Place {
    let place = Place::new();
    place.study();
    let called = place.call(&ASKING);
    assert_eq!(called.status, 5, "{}", called.stderr);
    place
}

/// Approves until the run has nothing more to ask.
fn approve_all(place: &Place) -> i32 {
    for _ in 0..10 {
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        let status = place.call(&["resume", "out"]).status;
        if status != 5 {
            return status;
        }
    }
    panic!("the run asks for ever")
}

#[test]
fn a_run_without_a_terminal_parks_and_goes_on() {
    let place = parked();
    insta::assert_snapshot!("show_parked", place.plain(&place.call(&["show", "out"]).stdout));
    // Resuming without an answer parks again, and asks nothing twice.
    assert_eq!(place.call(&["resume", "out"]).status, 5);
    assert_eq!(approve_all(&place), 0);
    let mut unattended = ASKING;
    unattended[5] = "auto";
    unattended[7] = "auto";
    assert_eq!(place.call(&unattended).status, 0);
    assert_eq!(
        tree(&place.path().join("out/artifacts")),
        tree(&place.path().join("auto/artifacts"))
    );
}

#[test]
fn a_refusal_without_advice_ends_the_stage_and_nothing_ran() {
    let place = parked();
    until_execution(&place);
    assert_eq!(place.call(&["approve", "out", "--deny"]).status, 0);
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 4, "{}", called.stderr);
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("execution_started"));
}

/// Goes on until the run waits for an execution; returns the question.
fn until_execution(place: &Place) -> serde_json::Value {
    loop {
        let waiting = waiting(place);
        if waiting["asking"] == "execute" {
            return waiting;
        }
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        assert_eq!(place.call(&["resume", "out"]).status, 5);
    }
}

fn waiting(place: &Place) -> serde_json::Value {
    let shown = place.call(&["show", "out", "--json"]).stdout;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    shown["waiting_for"][0].clone()
}

/// Approves an execution, changes a file behind its back, and resumes.
fn asks_again_after(change: impl Fn(&std::path::Path)) {
    let place = parked();
    let approved = until_execution(&place);
    assert_eq!(place.call(&["approve", "out"]).status, 0);
    change(&place.path().join("out/workspace"));
    let called = place.call(&["resume", "out"]);
    assert_eq!(called.status, 5, "{}", called.stderr);
    let asked = waiting(&place);
    assert_eq!(asked["asking"], "execute");
    assert_ne!(asked["digest"], approved["digest"]);
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("execution_started"), "it ran");
}

#[test]
fn one_changed_byte_of_a_helper_script_asks_again() {
    asks_again_after(|workspace| {
        let helper = workspace.join("work/helper.sh");
        let text = std::fs::read_to_string(&helper).unwrap();
        std::fs::write(&helper, text + "\n").unwrap();
    });
}

#[test]
fn one_changed_byte_of_the_data_asks_again() {
    asks_again_after(|workspace| {
        let data = workspace.join("replication_data/plots.csv");
        let text = std::fs::read_to_string(&data).unwrap().replace("7.8", "7.9");
        std::fs::remove_file(&data).unwrap();
        std::fs::write(&data, text).unwrap();
    });
}

#[test]
fn a_file_of_any_kind_that_scripts_could_read_asks_again() {
    asks_again_after(|workspace| std::fs::write(workspace.join("work/mod.txt"), "rm -rf .").unwrap());
}

#[test]
fn one_changed_byte_of_the_plan_asks_again() {
    asks_again_after(|workspace| {
        let plan = workspace.join("replication_info.json");
        let text = std::fs::read_to_string(&plan).unwrap();
        std::fs::write(&plan, text + "\n").unwrap();
    });
}

#[test]
fn a_finished_run_takes_no_answer() {
    let place = parked();
    assert_eq!(approve_all(&place), 0);
    let called = place.call(&["approve", "out"]);
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert_eq!(place.call(&["show", "out"]).status, 0);
    assert_eq!(place.call(&["report", "out"]).status, 0);
}

#[test]
fn answers_that_fit_no_question_are_refused() {
    let place = parked();
    let mut told = String::new();
    for arguments in [
        &["approve", "out", "a9"][..],
        &["approve", "out", "one"],
        &["approve", "out", "--answer", "yes"],
        &["approve", "out", "--reason", "because"],
        &["approve", "nowhere"],
    ] {
        told.push_str(&place.complaint(arguments));
    }
    insta::assert_snapshot!("approve_mistakes", place.plain(&told));
}
