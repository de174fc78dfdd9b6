//! Nothing of the key is in reach of a program, and nobody else asks in its place.

use std::fs;

use crate::attempt::{Place, Where, commands, said};
use crate::provider::Speaks;
use crate::support::dialects::CANARY;

/// The files of a folder that hold the canary.
fn with_canary(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut read = 0;
    for entry in walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap) {
        if entry.file_type().is_file() {
            read += 1;
            let bytes = fs::read(entry.path()).unwrap();
            if memchr::memmem::find(&bytes, CANARY.as_bytes()).is_some() {
                found.push(entry.path().display().to_string());
            }
        }
    }
    assert!(read > 10, "only {read} files were looked at");
    found
}

/// A program that looks for the key everywhere, and one that forges.
fn sees_no_key(speaks: Speaks, sandbox: Where) {
    let mut looks = commands();
    looks.insert(
        0,
        "env > seen.txt; cat /proc/*/environ /proc/*/cmdline >> seen.txt 2>/dev/null; cat /proc/net/tcp >> seen.txt; \
         ls -R /agent /workspace >> seen.txt; true"
            .to_owned(),
    );
    let Some(place) = Place::new(speaks, sandbox, looks) else {
        return;
    };
    let output = place.begin(&[], &["forged"]).output().unwrap();
    place.assert_right(&output, 5);
    let seen = fs::read_to_string(place.run().join("workspace/work/seen.txt")).unwrap();
    assert!(
        seen.contains("REPRISE_PROMPT_FILE") && seen.contains("agent.py"),
        "{seen}"
    );
    assert_eq!(with_canary(place.path()), Vec::<String>::new());
    let arrived = place.provider.arrived();
    assert!(
        arrived.iter().all(|one| one.head.contains(CANARY)),
        "the provider is asked with the key"
    );
    // Neither of the forged requests reached anybody.
    let ended = place.events("program_ended").pop().unwrap();
    let printed = ended["output"]["text"].as_str().unwrap();
    assert_eq!(printed.matches("refused: 403").count(), 2, "{printed}");
    assert_eq!(ended["calls"]["turned_away"], 2, "{ended}");
    assert!(!said(&output).contains(CANARY));
}

#[test]
fn in_the_local_sandbox() {
    sees_no_key(Speaks::Chat, Where::Local);
}

#[test]
fn in_docker() {
    sees_no_key(Speaks::Responses, Where::Docker);
}

#[test]
fn landlock_alone_cannot_run_a_program_and_says_so() {
    let Some(place) = Place::new(Speaks::Chat, Where::Local, commands()) else {
        return;
    };
    let mut command = place.asked("auto", "landlock", &[]);
    let output = command
        .args(["--", "python3", "/agent/agent.py", "chat"])
        .output()
        .unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("no loopback of its own") && said.contains("--sandbox docker"),
        "{said}"
    );
}
