//! Attempts whose engine is killed: the program begins anew, and nothing that was answered is paid twice.

use serde_json::json;

use crate::attempt::{Place, Where, commands, said};
use crate::provider::Speaks;

/// Killed behind the second answer, then resumed.
fn goes_on(speaks: Speaks, sandbox: Where) {
    let Some(whole) = Place::new(speaks, sandbox, commands()) else {
        return;
    };
    let output = whole.begin(&[], &["streamed"]).output().unwrap();
    whole.assert_right(&output, 4);
    let second = whole.number("model_answered", 2);
    let place = Place::new(speaks, sandbox, commands()).unwrap();
    let killed = place
        .begin(&[], &["streamed"])
        .env("REPRISE_DIE_AFTER_EVENT", second.to_string())
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "{}", said(&killed));
    assert_eq!(place.provider.arrived().len(), 2);
    let output = place.resume(&[]);
    // The first two calls are answered out of the journal, and stand in it once.
    place.assert_right(&output, 4);
    let ended = place.events("program_ended");
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0]["calls"], json!({"served_again": 2}), "{}", ended[0]);
    assert_eq!(place.events("program_started").len(), 2);
}

#[test]
fn in_the_local_sandbox() {
    goes_on(Speaks::Chat, Where::Local);
}

#[test]
fn in_docker() {
    goes_on(Speaks::Messages, Where::Docker);
}

#[test]
fn an_attempt_is_closed_where_that_is_asked_for() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let killed = place
        .begin(&[], &[])
        .env("REPRISE_DIE_AFTER_EVENT", "7")
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "{}", said(&killed));
    let output = place.resume(&["--lost-session", "close"]);
    assert!(!output.status.success());
    let end = place.events("stage_ended").pop().unwrap();
    assert_eq!(end["cause"], "infrastructure", "{end}");
    assert_eq!(place.provider.arrived().len(), 1);
}
