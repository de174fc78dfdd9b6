//! Decisions on single commands of a session that is approved.

use serde_json::Value;

use super::capsule_agent::{attempt, blind, capsule, provider, with_provider};
use super::support::{Place, called};

/// The words that the model was told last.
fn told(body: &Value) -> String {
    let last = body["messages"].as_array().unwrap().last().unwrap();
    last["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_policy_refuses_single_commands_and_the_attempt_goes_on() {
    let (_runtime, address, log) = provider();
    let place = Place::new();
    capsule(&place);
    let policy = "[[rule]]\naction = \"session\"\ndecision = \"allow\"\n\n[[rule]]\naction = \"command\"\npath = \"cat **\"\n\
                  decision = \"deny\"\nreason = \"no reading.\"\n";
    std::fs::write(place.path().join("policy.toml"), policy).unwrap();
    let model = blind(address);
    let mut command = attempt(&place, address, "policy:policy.toml", &["--model", &model]);
    let called = called(command.output().unwrap());
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let bodies = log.lock().unwrap();
    assert_eq!(
        told(&bodies[1]),
        "The command was refused: The policy of this run forbids it: no reading. Nothing was run."
    );
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("p = 0.957"), "it was run");
}

#[test]
fn each_command_waits_for_a_person_where_that_is_asked_for() {
    let (_runtime, address, log) = provider();
    let place = Place::new();
    capsule(&place);
    let model = blind(address);
    let mut command = attempt(&place, address, "ask:commands", &["--model", &model]);
    let parked = called(command.output().unwrap());
    assert_eq!(parked.status, 5, "{}{}", parked.stdout, parked.stderr);
    let resumed = || {
        let mut resume = place.command(&["resume", "out"]);
        with_provider(&mut resume, address);
        called(resume.output().unwrap()).status
    };
    let waiting = || -> Value {
        let shown = place.call(&["show", "out", "--json"]).stdout;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        shown["waiting_for"][0]["asking"].clone()
    };
    assert_eq!(waiting(), "session");
    assert_eq!(place.call(&["approve", "out"]).status, 0);
    assert_eq!(resumed(), 5);
    assert_eq!(waiting(), "command");
    assert_eq!(log.lock().unwrap().len(), 1);
    assert_eq!(place.call(&["approve", "out"]).status, 0);
    assert_eq!(resumed(), 0);
    assert!(told(&log.lock().unwrap()[1]).contains("p = 0.957"));
}
