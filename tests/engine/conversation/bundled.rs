//! The requests of the bundled recordings, as they were sent.

use std::sync::Arc;

use reprise::domain::conversation::Position;
use reprise::model::chat::{ChatRequest, Message};
use reprise::model::recording::canonical::Canonical;
use reprise::model::recording::format::Recording;

use super::wire::{extends, marks_hit};

/// The requests of each recorded stage, rebuilt from the file.
fn recorded(recording: &Recording) -> Vec<Vec<ChatRequest>> {
    let stages = recording.stages.iter().map(|(stage, recorded)| {
        let mut messages: Vec<Message> = Vec::new();
        let mut requests = Vec::new();
        for (turn, entry) in (0..).zip(&recorded.turns) {
            let position = Position { stage: *stage, turn };
            let request = entry.request.as_ref().unwrap();
            messages.truncate(request.kept.unwrap_or(usize::MAX));
            for added in &request.added {
                messages.push(match added {
                    Canonical::System { text } => Message::System {
                        text: text.0.as_str().into(),
                    },
                    Canonical::User { text } => Message::User {
                        text: text.0.as_str().into(),
                    },
                    Canonical::Pictured { text, picture } => Message::Pictured {
                        text: text.0.as_str().into(),
                        picture: picture.clone(),
                    },
                    Canonical::Assistant { text, calls } => Message::Assistant {
                        text: text.0.as_str().into(),
                        calls: calls.clone(),
                        thoughts: None,
                    },
                    Canonical::Tool { call, name, text } => Message::Tool {
                        call: call.clone(),
                        name: name.clone(),
                        text: text.0.as_str().into(),
                        stable: None,
                    },
                    Canonical::Answer {} => {
                        let before = Position {
                            stage: *stage,
                            turn: turn - 1,
                        };
                        let answer = recorded.turns[turn as usize - 1].answer.response(before);
                        Message::Assistant {
                            text: answer.text.into(),
                            calls: answer.calls,
                            thoughts: None,
                        }
                    }
                });
            }
            requests.push(ChatRequest {
                position,
                messages: messages.clone(),
                tools: Arc::new([]),
                max_output_tokens: None,
                form: None,
            });
        }
        requests
    });
    stages.collect()
}

#[test]
fn in_the_bundled_runs_every_request_extends_the_one_before_it() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut followed, mut papers) = (0, 0);
    for folder in [
        "studies/duncan-1961",
        "studies/crime-1993",
        "tests/fixtures/slope",
        "tests/fixtures/harvest",
    ] {
        for entry in std::fs::read_dir(root.join(folder).join("recordings")).unwrap() {
            let recording = Recording::open(&entry.unwrap().path()).unwrap();
            for requests in recorded(&recording) {
                for pair in requests.windows(2) {
                    extends(&pair[0], &pair[1]).unwrap();
                    marks_hit(&pair[0], &pair[1]).unwrap();
                    followed += 1;
                }
            }
            // The paper is sent once, with the task of one stage; who guesses from a claim alone never sees it.
            let quoting = recorded(&recording).into_iter().filter(|requests| {
                let opening = &requests[0].messages[1];
                matches!(opening, Message::User { text } if text.contains("The paper, with page marks"))
            });
            let papers_sent = usize::from(recording.setting != "claim-only");
            assert_eq!(quoting.count(), papers_sent);
            papers += papers_sent;
        }
    }
    assert!(
        followed > 50 && papers >= 8,
        "{followed} requests in {papers} recordings"
    );
}
