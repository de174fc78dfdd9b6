//! Pins that no index has: the version that is there is taken, and this is said.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::attempt::{Attempt, call};
use crate::capsule::{Capsule, Level, Question, Text};
use crate::levels::held;
use crate::place::{Place, Where};
use crate::served::{Served, wheel};

fn pins() -> Capsule {
    Capsule {
        id: "capsule-8100006",
        language: "Python",
        prompt: "Run `pins.py` on the data of this capsule.",
        files: vec![
            Text {
                name: "REPRODUCING.md",
                text: "    cd code && bash run\n",
            },
            Text {
                name: "code/run",
                text: "set -e\npython3 pins.py ../data ../results\n",
            },
            Text {
                name: "code/pins.py",
                text: include_str!("code/pins.py"),
            },
            Text {
                name: "environment/Dockerfile",
                text: "FROM python:3.6\nRUN pip install -U --no-cache-dir \\\n    repriseone==0.0.7 \\\n    reprisegone==3.1\n",
            },
            Text {
                name: "results/output.txt",
                text: "rows: 178\nphenols and flavanoids: 0.8645635\n",
            },
        ],
        material: &["wine.txt"],
        questions: vec![
            Question::same("Report the number of rows.", json!(178)),
            Question::same(
                "Report the correlation of phenols and flavanoids.",
                json!(0.8645635),
            ),
        ],
        acts: |level| match level {
            Level::Easy => &["cat results/output.txt"],
            Level::Medium => &["cd code && bash run; cat ../results/output.txt"],
            // The library is none that is to be had here: its one name is written anew.
            Level::Hard => &[
                "cd code; python3 pins.py ../data ../results 2>&1 | tail -n 1",
                "pip install --retries 0 --timeout 1 repriseone==0.0.7 >/dev/null 2>&1 || echo 'one = 1' > repriseone.py",
                "python3 pins.py ../data ../results; cat ../results/output.txt",
            ],
        },
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pins_that_nobody_has() {
    let capsule = pins();
    let Some(place) = Place::with(&capsule, Where::Docker) else {
        return;
    };
    let files = BTreeMap::from([
        (
            "/simple/repriseone/".to_owned(),
            b"<html><body><a href=\"/files/repriseone-1.0-py3-none-any.whl\">repriseone-1.0-py3-none-any.whl</a></body></html>"
                .to_vec(),
        ),
        ("/files/repriseone-1.0-py3-none-any.whl".to_owned(), wheel("repriseone", "1.0")),
    ]);
    let served = Served::start(files).await;
    for level in Level::ALL {
        let mut command = call(&place, level, Where::Docker, level.name(), level.name());
        command
            .env("PIP_INDEX_URL", format!("http://{}/simple/", served.address))
            .env("PIP_TRUSTED_HOST", &served.host);
        let attempt = Attempt::of(&place, level.name(), &command.output().unwrap());
        held(&capsule, level, &attempt);
        let notes = Value::from(attempt.events("session_ended")).to_string();
        for said in ["repriseone==0.0.7", "reprisegone", "python:3.6"] {
            assert_eq!(notes.contains(said), level == Level::Medium, "{said}: {notes}");
        }
    }
    let shown = place.command(&["show", "hard"]).output().unwrap();
    let hard = Attempt::of(&place, "hard", &shown);
    let said = &hard.observations()[1];
    assert!(said.contains("No module named 'repriseone'"), "{said}");
}
