//! Ends of programs that are no good ends: at a cap, at a limit, without an answer.

use std::fs;

use serde_json::json;

use crate::attempt::{Place, Where, answers, commands, said};
use crate::provider::Speaks;

#[test]
fn at_a_cap_the_client_is_told_to_stop_and_a_larger_one_lets_it_go_on() {
    let Some(place) = Place::new(Speaks::Messages, Where::Local, commands()) else {
        return;
    };
    let output = place.begin(&["--max-turns", "2"], &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(6), "{}", said(&output));
    assert_eq!(place.provider.arrived().len(), 2);
    let ended = place.events("program_ended").pop().unwrap();
    assert!(ended["ending"]["spent"].is_string(), "{ended}");
    assert_eq!(ended["calls"]["refused"], 1, "{ended}");
    assert!(
        ended["output"]["text"].as_str().unwrap().contains("402"),
        "{ended}"
    );
    let output = place.resume(&["--max-turns", "10"]);
    place.assert_right(&output, 4);
    assert_eq!(
        place.events("program_ended").pop().unwrap()["calls"]["served_again"],
        2
    );
}

#[test]
fn a_program_that_does_not_stop_at_a_cap_is_ended_and_its_answer_counts() {
    let write = format!("cat > report.json <<'END'\n{}\nEND", answers());
    let Some(place) = Place::new(Speaks::Chat, Where::Local, vec![write, "echo more".to_owned()]) else {
        return;
    };
    let agents = place.path().join("agents/command");
    fs::create_dir_all(&agents).unwrap();
    let own =
        include_str!("../../agents/command/agent.toml").replace("grace_seconds = 15", "grace_seconds = 1");
    fs::write(agents.join("agent.toml"), own).unwrap();
    let output = place
        .begin(&["--max-turns", "1", "--agents-dir", "agents"], &["ever"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let end = place.events("stage_ended").pop().unwrap();
    assert_eq!(end["result"], "finished", "{end}");
    assert!(
        end["deviations"]
            .to_string()
            .contains("The answer that it had left by then counts"),
        "{end}"
    );
    let grade = place.events("run_graded").pop().unwrap()["grade"].take();
    assert!(
        grade["parts"]
            .as_array()
            .unwrap()
            .iter()
            .all(|part| part["score"] == 1.0),
        "{grade}"
    );
}

#[test]
fn a_program_that_is_idle_is_ended() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let agents = place.path().join("agents/command");
    fs::create_dir_all(&agents).unwrap();
    let own =
        include_str!("../../agents/command/agent.toml").replace("idle_seconds = 1800", "idle_seconds = 1");
    fs::write(agents.join("agent.toml"), own).unwrap();
    let output = place
        .begin(&["--agents-dir", "agents"], &["quiet", "600"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let end = place.events("stage_ended").pop().unwrap();
    assert_eq!(end["cause"], "timeout", "{end}");
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["ending"], json!({"idle": 1}), "{ended}");
    assert_eq!(place.provider.arrived().len(), 0);
}

#[test]
fn a_program_without_an_answer_has_failed_and_one_that_is_none_is_named() {
    for (command, cause) in [
        ("true", "It left no answer (report.json, environment/report.json)"),
        ("echo '[1]' > report.json", "it is no JSON object"),
        ("ln -s /etc/passwd report.json", "It left no answer"),
    ] {
        let Some(place) = Place::new(Speaks::Chat, Where::Local, vec![command.to_owned()]) else {
            return;
        };
        let output = place.begin(&[], &[]).output().unwrap();
        assert_eq!(output.status.code(), Some(4), "{}", said(&output));
        let end = place.events("stage_ended").pop().unwrap();
        assert_eq!(end["cause"], "invalid_answer", "{end}");
        assert!(end["detail"].as_str().unwrap().contains(cause), "{end}");
    }
}

#[test]
fn a_program_fills_no_disk_with_its_calls() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let agents = place.path().join("agents/command");
    fs::create_dir_all(&agents).unwrap();
    let own = include_str!("../../agents/command/agent.toml")
        .replace("refused_calls = 20", "refused_calls = 20\nrecorded_megabytes = 1");
    fs::write(agents.join("agent.toml"), own).unwrap();
    let output = place
        .begin(&["--agents-dir", "agents"], &["large"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(6), "{}", said(&output));
    assert_eq!(place.provider.arrived().len(), 2, "each call asks 400 kB");
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["ending"]["full"], 1_000_000, "{ended}");
    let end = place.events("stage_ended").pop().unwrap();
    assert_eq!(end["cause"], "limit", "{end}");
    let blobs = walkdir::WalkDir::new(place.run().join("blobs"));
    let bytes: u64 = blobs
        .into_iter()
        .map(|entry| entry.unwrap().metadata().unwrap())
        .filter(|found| found.is_file())
        .map(|found| found.len())
        .sum();
    assert!((800_000..1_200_000).contains(&bytes), "{bytes}");
}

#[test]
fn a_program_is_approved_before_it_starts() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let mut asking = place.asked("ask", "local", &[]);
    let output = asking
        .args(["--", "python3", "/agent/agent.py", "chat"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert!(place.events("program_started").is_empty());
    let shown = place.command(&["show", "out"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.contains("python3 /agent/agent.py chat") && shown.contains("/agent, and does not write it"),
        "{shown}"
    );
    let output = place.resume(&["--approve", "auto"]);
    place.assert_right(&output, 4);
}

#[test]
fn what_a_program_runs_is_seen_from_outside_and_held_against_what_it_was_told() {
    // The model tells it two commands; it runs a third of its own accord.
    let Some(place) = Place::new(
        Speaks::Chat,
        Where::Local,
        vec!["sleep 0.3".to_owned(), commands().remove(2)],
    ) else {
        return;
    };
    let output = place.begin(&[], &["secretly"]).output().unwrap();
    place.assert_right(&output, 3);
    let ran = place.events("program_ended").pop().unwrap()["ran"].take();
    assert_eq!(
        (&ran["source"], &ran["reported_count"]),
        (&json!("model_calls"), &json!(2)),
        "{ran}"
    );
    assert!(
        ran.get("not_observed").is_none() && ran["seen_count"].as_u64().unwrap() >= 3,
        "{ran}"
    );
    let unreported = ran["unreported"].to_string();
    assert!(
        unreported.contains("sleep 0.4") && !unreported.contains("sleep 0.3"),
        "{ran}"
    );
    let report = fs::read_to_string(place.run().join("report.html")).unwrap();
    assert!(report.contains("nothing which was reported accounts for"));
}
