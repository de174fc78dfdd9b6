//! The law that a kill behind any event loses nothing: what was answered is not asked again, what was run is
//! not run again, and the run comes to the same end.

use std::fs;

use serde_json::{Value, json};

use crate::world::World;

/// Kills a run behind each of some events in turn and goes on with it; `chosen` picks the events, counted from 1,
/// by their kinds, which are returned.
fn is_lost_nowhere(world: &World, chosen: impl Fn(&[String]) -> Vec<usize>) -> Vec<String> {
    let (whole, kinds) = world.whole();
    for after in chosen(&kinds) {
        let run = world.run(&format!("killed-{after}"));
        assert_eq!(
            run.carry(Some(after as u64)),
            None,
            "event {after} did not kill it"
        );
        assert!(run.carry(None).is_some());
        assert_eq!(
            run.left(),
            whole,
            "killed behind event {after}, {}",
            kinds[after - 1]
        );
    }
    kinds
}

/// Every event but the last, behind which nothing is left to do.
fn every(kinds: &[String]) -> Vec<usize> {
    (1..kinds.len()).collect()
}

/// The number of the last event of a kind, counted from 1.
fn last(kinds: &[String], kind: &str) -> usize {
    kinds.iter().rposition(|one| one == kind).unwrap() + 1
}

/// Holds that a run has some kinds of event, so that it was killed behind each of them.
fn has(kinds: &[String], wanted: &[&str]) {
    for kind in wanted {
        assert!(kinds.iter().any(|one| one == kind), "no {kind} in {kinds:?}");
    }
}

#[test]
fn a_study_that_is_executed_twice() {
    let kinds = is_lost_nowhere(&World::slope("recorded:native"), every);
    let wanted = [
        "run_started",
        "stage_started",
        "model_answered",
        "tool_finished",
        "asked",
        "decided",
        "execution_started",
        "execution_finished",
        "stage_ended",
        "run_finished",
    ];
    has(&kinds, &wanted);
    let executions = kinds.iter().filter(|kind| *kind == "execution_finished");
    assert_eq!(executions.count(), 2);
}

#[test]
fn the_probes_of_a_study() {
    let world = World::slope("recorded:native").with("probe", json!({"seconds": 600}));
    // Before the first, after every third, and after the last ones.
    let kinds = is_lost_nowhere(&world, |kinds| {
        let first = kinds.iter().position(|kind| kind == "probe_finished").unwrap();
        let end = last(kinds, "probed");
        (first..=end)
            .filter(|event| (event - first) % 3 == 0 || event + 2 > end)
            .collect()
    });
    has(&kinds, &["probe_finished", "probed"]);
}

#[test]
fn a_plan_with_another_rule() {
    let behind_the_plan = |kinds: &[String]| {
        (last(kinds, "stage_started") / 2..kinds.len())
            .step_by(5)
            .collect()
    };
    is_lost_nowhere(&World::slope("scripted:ratio"), behind_the_plan);
}

/// Changes the recording of the study's own scripts.
fn change_recording(world: &World, change: impl FnOnce(&mut Value)) {
    let path = world.study().join("recordings/native.json");
    let mut recording = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut recording);
    fs::write(&path, recording.to_string()).unwrap();
}

#[test]
fn a_plan_with_variants() {
    let world = World::slope("scripted:native");
    change_recording(&world, |recording| {
        let turns = recording["stages"]["design"]["turns"].as_array_mut().unwrap();
        turns.last_mut().unwrap()["answer"]["json"]["replication_study"]["variants"] = json!([
            {"name": "doubled", "changes": "Yields are doubled.", "variables": {"FACTOR": "2"}},
            {"name": "absent", "changes": "Its script is missing.", "entry": ["work/absent.sh"]},
        ]);
    });
    // Before the execution that the variants follow, and after every event from there on.
    let kinds = is_lost_nowhere(&world, |kinds| {
        let finished = last(kinds, "execution_finished");
        (finished - 8..finished + 6).collect()
    });
    // The failed execution, the mended one and the variant.
    assert_eq!(
        kinds.iter().filter(|kind| *kind == "execution_finished").count(),
        3
    );
}

#[test]
fn a_stage_whose_old_results_shrink() {
    let range = json!({"from": "extract", "to": "extract"});
    let world = World::slope("scripted:native").with("stages", range);
    let mut turns = Vec::new();
    // More than the 240 kB below which nothing is shrunk.
    for turn in 0..7 {
        let calls = ["a", "b", "c", "d"].map(|part| {
            let text: String = (0..300)
                .map(|row| format!("row {row} of {part}{turn}\n"))
                .collect();
            let path = format!("replication_data/{part}{turn}.txt");
            fs::write(world.study().join("input").join(&path), text.repeat(3)).unwrap();
            json!({"name": "read_file", "arguments": {"path": path, "lines": 2000}})
        });
        turns.push(json!({"answer": {"calls": calls}}));
    }
    change_recording(&world, |recording| {
        let own = recording["stages"]["extract"]["turns"].as_array().unwrap();
        turns.push(json!({ "answer": own.last().unwrap()["answer"] }));
        *recording = json!({
            "format": "reprise-recording/1",
            "origin": "written by hand",
            "stages": {"extract": {"turns": turns}},
        });
    });
    is_lost_nowhere(&world, every);
    let results = world.place().join("whole/workspace/logs/results");
    assert!(results.join("extract-1-1.txt").exists(), "nothing was shrunk");
}
