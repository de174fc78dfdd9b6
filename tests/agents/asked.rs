//! Programs that ask before each command: the decision is on its content, stands in the journal, and is not asked
//! for again.

use std::process::Output;

use serde_json::Value;

use crate::attempt::{Place, Where, commands, said};
use crate::provider::Speaks;

/// An attempt by the fake agent, which asks before each command.
fn begin(place: &Place, approve: &str) -> Output {
    let mut command = place.asked(approve, "local", &[]);
    command.args(["--", "python3", "/agent/agent.py", "chat", "asking"]);
    command.output().unwrap()
}

fn place() -> Option<Place> {
    Place::new(Speaks::Chat, Where::Local, commands())
}

/// Answers what the run waits for, and goes on with it.
fn answered(place: &Place, options: &[&str]) -> Output {
    let words = [&["approve", "out"], options].concat();
    let approved = place.command(&words).output().unwrap();
    assert!(approved.status.success(), "{}", said(&approved));
    place.resume(&[])
}

fn assert_waits(output: &Output) {
    assert_eq!(output.status.code(), Some(5), "{}", said(output));
}

/// What the questions of a run are about.
fn asked(place: &Place) -> Vec<Value> {
    let asked = place.events("asked");
    asked
        .into_iter()
        .map(|mut event| event["asking"].take())
        .collect()
}

#[test]
fn each_command_is_asked_about_once_and_a_refused_one_is_told() {
    let Some(place) = place() else { return };
    assert_waits(&begin(&place, "ask"));
    assert_eq!(asked(&place), ["session"]);
    assert_waits(&answered(&place, &[]));
    assert_eq!(asked(&place), ["session", "command"]);
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["ending"], "undecided", "{ended}");
    // It is not told anything before somebody decides.
    assert_eq!(place.provider.arrived().len(), 1);
    assert_waits(&answered(
        &place,
        &["--deny", "--reason", "look at the paper first"],
    ));
    let told = place.provider.arrived().pop().unwrap().body.to_string();
    let words = "The command was refused: look at the paper first. Nothing was run.";
    assert!(told.contains(words), "{told}");
    assert_waits(&answered(&place, &[]));
    let output = answered(&place, &[]);
    // Each call was paid once, and each command asked about once, over five processes.
    place.assert_right(&output, 4);
    assert_eq!(asked(&place), ["session", "command", "command", "command"]);
    let decided = place.events("decided");
    let allowed: Vec<&Value> = decided.iter().map(|event| &event["allowed"]).collect();
    assert_eq!(allowed, [true, false, true, true]);
    let questions = place.events("asked");
    for (asked, decided) in questions.iter().zip(&decided) {
        assert_eq!(asked["digest"], decided["digest"]);
    }
    let mut digests: Vec<&str> = decided
        .iter()
        .filter_map(|event| event["digest"].as_str())
        .collect();
    digests.dedup();
    assert_eq!(digests.len(), 4, "each is of a content of its own");
    // What was refused was not run.
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(
        ended["ran"]["seen_count"].as_u64().map(|count| count > 0),
        Some(true)
    );
    let replay = place.command(&["replay", "out"]).output().unwrap();
    assert!(replay.status.success(), "{}", said(&replay));
}

#[test]
fn nobody_is_asked_where_all_is_allowed_and_a_rule_refuses_by_itself() {
    let Some(whole) = place() else { return };
    whole.assert_right(&begin(&whole, "auto"), 4);
    assert_eq!(asked(&whole), ["session"]);
    let place = place().unwrap();
    let rules = "[[rule]]\naction = \"session\"\ndecision = \"allow\"\n[[rule]]\naction = \"command\"\n\
                 path = \"ls **\"\ndecision = \"deny\"\n[[rule]]\naction = \"command\"\ndecision = \"allow\"\n";
    let file = place.path().join("policy.toml");
    std::fs::write(&file, rules).unwrap();
    let output = begin(&place, &format!("policy:{}", file.display()));
    place.assert_right(&output, 4);
    let decided = place.events("decided");
    let refused: Vec<&Value> = decided.iter().filter(|event| event["allowed"] == false).collect();
    assert_eq!(refused.len(), 1, "{decided:?}");
    assert_eq!(refused[0]["by"], "policy", "{refused:?}");
}

#[test]
fn rules_about_commands_are_refused_beside_an_agent_that_asks_about_none() {
    let Some(place) = place() else { return };
    let agents = place.path().join("agents/command");
    std::fs::create_dir_all(&agents).unwrap();
    // The command stands in the definition, which knows whether it asks.
    let own = include_str!("../../agents/command/agent.toml").replace(
        "command = [\"{program}\"]",
        "command = [\"python3\", \"/agent/agent.py\", \"chat\", \"asking\"]",
    );
    let begin = |approve: &str, definition: String| {
        std::fs::write(agents.join("agent.toml"), definition).unwrap();
        let mut command = place.asked(approve, "local", &["--agents-dir", "agents"]);
        command.output().unwrap()
    };
    let refused = begin("ask:commands", own.clone());
    let words = said(&refused);
    assert!(words.contains("asks before none of its commands"), "{words}");
    assert!(!place.run().exists() && place.provider.arrived().is_empty());
    // The same definition with the key: the session is asked about, as any other.
    assert_waits(&begin("ask:commands", format!("asks_for_commands = true\n{own}")));
    assert_eq!(asked(&place), ["session"]);
    // A later decision to ask is no way round.
    let mute = Place::new(Speaks::Chat, Where::Local, commands()).unwrap();
    let agents = mute.path().join("agents/command");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("agent.toml"), own).unwrap();
    let mut begun = mute.asked("ask", "local", &["--agents-dir", "agents"]);
    assert_waits(&begun.output().unwrap());
    let resumed = mute.resume(&["--approve", "ask:commands"]);
    assert!(
        said(&resumed).contains("asks before none of its commands"),
        "{}",
        said(&resumed)
    );
}

#[test]
fn files_that_were_changed_after_the_question_are_not_run() {
    let Some(mut place) = place() else { return };
    let mine = place.path().join("mine");
    let given = std::mem::replace(&mut place.files, mine);
    std::fs::create_dir(&place.files).unwrap();
    for entry in std::fs::read_dir(given).unwrap().flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), place.files.join(entry.file_name())).unwrap();
        }
    }
    let mut begun = place.asked("ask", "local", &[]);
    assert_waits(
        &begun
            .args(["--", "python3", "/agent/agent.py", "chat"])
            .output()
            .unwrap(),
    );
    let request: Value =
        serde_json::from_slice(&std::fs::read(place.run().join("run.json")).unwrap()).unwrap();
    let digest = request["agent"]["files_digest"].as_str().unwrap().to_owned();
    let shown = place.command(&["show", "out"]).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("The digest of its files is"), "{shown}");
    let file = place.files.join("agent.py");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}\n")).unwrap();
    let changed = answered(&place, &[]);
    let words = said(&changed);
    assert!(
        !changed.status.success() && words.contains("put the approved files back"),
        "{words}"
    );
    assert!(place.provider.arrived().is_empty() && place.events("program_started").is_empty());
    std::fs::write(&file, text).unwrap();
    place.assert_right(&place.resume(&[]), 4);
    assert_eq!(place.events("program_started")[0]["files"], digest.as_str());
}
