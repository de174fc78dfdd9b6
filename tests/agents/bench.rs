//! Bench files whose agent is a program of others.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use crate::attempt::{Place, Where, commands, said};
use crate::provider::{Provider, Speaks};
use crate::study::{done, scripted};

/// Carries the study and the capsule, each by its words.
fn both() -> Provider {
    Provider::scripted(
        Speaks::Chat,
        Arc::new(
            |body, count| match body.to_string().contains("Report the mean number of sunspots") {
                true => done(&commands(), count),
                false => scripted(body, count),
            },
        ),
    )
}

#[test]
fn a_bench_runs_studies_and_capsules_by_a_program_and_passes_over_what_is_done() {
    let Some(place) = Place::with(Where::Local, Speaks::Chat, both) else {
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (model, _) = place.provider.model(Speaks::Chat);
    let clients = place.path().join("clients");
    fs::create_dir(&clients).unwrap();
    fs::copy(
        root.join("tests/agents/clients/agent.py"),
        clients.join("agent.py"),
    )
    .unwrap();
    let file = format!(
        "name = \"agents\"\n[settings]\napprove = \"auto\"\nsandbox = \"local\"\nallow-unpriced = true\n\
         [[agents]]\nname = \"fake\"\nsettings = {{ model = \"{model}\", agent = \"command\", agent-files = \"clients\", \
         agent-program = \"python3 /agent/agent.py chat\" }}\n\
         [[studies]]\npaths = [\"{0}/tests/fixtures/harvest\"]\nsettings.stages = \"design..execute\"\n\
         settings.no-probe = true\n\
         [[capsules]]\nfiles = [\"{0}/capsules/sunspots/task.json\"]\nsettings.network = \"none\"\n",
        root.display()
    );
    fs::write(place.path().join("bench.toml"), &file).unwrap();
    let run = || {
        place
            .command(&["bench", "bench.toml", "--quiet"])
            .output()
            .unwrap()
    };
    let output = run();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", said(&output));
    let lines = fs::read_to_string(place.path().join("bench/cells.jsonl")).unwrap();
    let cells: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(cells.len(), 2, "{lines}");
    for cell in &cells {
        assert_eq!(cell["agent"], "fake", "{cell}");
        let wanted = if cell["kind"] == "study" { "met" } else { "solved" };
        assert_eq!(cell["result"], wanted, "{cell}");
    }
    let calls = place.provider.arrived().len();
    assert_eq!(calls, 7 + 4);
    assert!(run().status.success());
    assert_eq!(
        place.provider.arrived().len(),
        calls,
        "what is done is passed over"
    );
    let planned = || {
        let planned = place
            .command(&["bench", "bench.toml", "--plan", "--json"])
            .output()
            .unwrap();
        let planned: Value = serde_json::from_slice(&planned.stdout).unwrap();
        planned.to_string()
    };
    assert!(planned().contains("\"finished\""), "{}", planned());
    // Another agent is another cell, whatever it is called.
    fs::write(clients.join("more.txt"), "more").unwrap();
    assert!(!planned().contains("\"finished\""), "{}", planned());
}
