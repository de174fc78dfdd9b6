//! Calls of programs that got no answer: they stand in the journal, and a replay tells the program the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::attempt::{Place, Where, answers, commands, said};
use crate::provider::{Provider, Reply, Speaks};

/// What a provider says of a conversation that is too long for its model.
const TOO_LONG: &str = r#"{"error":{"message":"Too long by 17 tokens.","code":"context_length_exceeded"}}"#;

/// A place whose provider turns the third request down, and takes it where it is asked again.
fn place(speaks: Speaks, status: u16) -> Option<Place> {
    Place::with(Where::Local, speaks, || {
        let asked = AtomicUsize::new(0);
        Provider::scripted(
            speaks,
            Arc::new(
                move |_, done| match (asked.fetch_add(1, Ordering::SeqCst), commands().get(done)) {
                    (2, _) => Reply::Refuse(status, TOO_LONG.to_owned()),
                    (_, Some(command)) => Reply::Run(command.clone()),
                    (_, None) => Reply::Say("I am done.".to_owned()),
                },
            ),
        )
    })
}

/// Replays the run; returns what was printed.
fn replayed(place: &Place) -> String {
    let asked = place.provider.arrived().len();
    let replay = place.command(&["replay", "out"]).output().unwrap();
    let printed = String::from_utf8_lossy(&replay.stdout).into_owned() + &said(&replay);
    assert!(
        replay.status.success() && printed.contains("Nothing differs"),
        "{}: {printed}",
        replay.status
    );
    assert_eq!(place.provider.arrived().len(), asked, "a replay asks nobody");
    printed
}

#[test]
fn a_program_that_goes_on_behind_a_refusal_does_so_in_a_replay() {
    for (speaks, status) in [
        (Speaks::Chat, 400),
        (Speaks::Messages, 413),
        (Speaks::Responses, 403),
    ] {
        let Some(place) = place(speaks, status) else {
            return;
        };
        let output = place.begin(&[], &["ever"]).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let failed = place.events("call_failed");
        assert_eq!(failed.len(), 1, "{failed:?}");
        let told = place.events("program_ended").pop().unwrap()["output"]["text"].take();
        let told = told.as_str().unwrap();
        match status {
            // Whoever may not ask at all is told to stop, in words that its dialect knows.
            403 => assert!(
                told.contains("the model says 400") && failed[0]["status"] == 400,
                "{told}"
            ),
            _ => {
                assert!(
                    told.contains(&format!("the model says {status} {TOO_LONG}")),
                    "{told}"
                );
                assert_eq!(failed[0]["served"]["text"], TOO_LONG);
            }
        }
        assert_eq!(failed[0]["reached"], json!(null));
        replayed(&place);
    }
}

#[test]
fn a_program_that_a_cap_has_ended_ends_likewise_in_a_replay() {
    let write = format!("cat > report.json <<'END'\n{}\nEND", answers());
    for speaks in [Speaks::Responses, Speaks::Gemini] {
        let commands = vec![write.clone(), "echo more".to_owned()];
        let Some(place) = Place::new(speaks, Where::Local, commands) else {
            return;
        };
        let output = place.begin(&["--max-turns", "1"], &[]).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        let failed = place.events("call_failed");
        assert_eq!(
            (failed.len(), &failed[0]["reached"]["cap"]),
            (1, &json!(1)),
            "{failed:?}"
        );
        let ended = place.events("program_ended").pop().unwrap();
        assert!(ended["ending"]["spent"].is_string(), "{ended}");
        replayed(&place);
    }
}

#[test]
fn a_call_that_was_refused_is_asked_again_by_a_resumed_run() {
    let Some(place) = Place::new(Speaks::Messages, Where::Local, commands()) else {
        return;
    };
    let output = place.begin(&["--max-turns", "2"], &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(6), "{}", said(&output));
    assert_eq!(place.events("call_failed").len(), 1);
    let output = place.resume(&["--max-turns", "10"]);
    place.assert_right(&output, 4);
    // The start that was refused is behind it: the replay is of the one that came to an end.
    replayed(&place);
}

#[test]
fn a_program_that_asks_for_ever_fills_no_journal() {
    let Some(place) = Place::with(Where::Local, Speaks::Chat, || {
        Provider::scripted(
            Speaks::Chat,
            Arc::new(|_, _| Reply::Refuse(400, TOO_LONG.to_owned())),
        )
    }) else {
        return;
    };
    let output = place.begin(&[], &["hasty"]).output().unwrap();
    assert!(!output.status.success(), "{}", said(&output));
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["calls"]["failed"], 1100, "{ended}");
    assert_eq!(place.events("call_failed").len(), 1000);
}

/// A program of another dialect than its model's is refused at the start, or at its first call where nobody knew
/// before; either way the sentence names a gateway.
#[test]
fn a_program_of_another_dialect_is_refused_with_the_way_out() {
    let place = Place::with(Where::Local, Speaks::Messages, || {
        Provider::start(Speaks::Chat, commands())
    });
    let Some(mut place) = place else { return };
    place.model_speaks = Speaks::Chat;
    let way_out = "such as LiteLLM on loopback, before the model, and name the model at the gateway with --model \
                   anthropic/NAME and ANTHROPIC_BASE_URL=http://127.0.0.1:4000/v1.";
    let early = place.begin(&["--dialect", "messages"], &[]).output().unwrap();
    assert!(
        !early.status.success() && said(&early).contains(way_out),
        "{}",
        said(&early)
    );
    let asked = place.begin(&["--translate"], &[]).output().unwrap();
    assert_eq!(asked.status.code(), Some(2));
    assert!(
        said(&asked).contains("put a gateway that translates, such as LiteLLM on loopback"),
        "{}",
        said(&asked)
    );
    std::fs::remove_dir_all(place.run()).unwrap();
    let late = place.begin(&[], &[]).output().unwrap();
    assert!(!late.status.success(), "{}", said(&late));
    let ended = place.events("program_ended").pop().unwrap();
    assert_eq!(ended["calls"], json!({"turned_away": 1}), "{ended}");
    let why = ended["turned_away"][0].as_str().unwrap();
    assert!(why.contains(way_out), "{why}");
    assert_eq!(place.provider.arrived().len(), 0);
}
