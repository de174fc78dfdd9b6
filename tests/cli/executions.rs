//! Files that executed code leaves, and how they are taken in.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::support::{Place, RUN, called, tree};

/// A run of the fixture study with more lines at the end of its script.
fn ends_with(lines: &str) -> Place {
    let place = Place::new();
    let script = place.study().join("input/replication_data/slope.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, format!("{text}{lines}\n")).unwrap();
    place
}

fn events(place: &Place, kind: &str) -> Vec<Value> {
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    journal
        .lines()
        .filter(|line| line.contains(&format!(r#""kind":"{kind}""#)))
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone())
        .collect()
}

/// The end of the first execution that went well; the one before it fails for a wrong path.
fn succeeded(place: &Place) -> Value {
    let mut ends = events(place, "execution_finished").into_iter();
    ends.find(|end| end["ending"]["exited"] == 0).unwrap()
}

/// Whether any file of a run, of its journal and its store above all, holds a text.
fn holds(place: &Place, text: &str) -> bool {
    let wanted = text.as_bytes();
    tree(&place.path().join("out"))
        .iter()
        .any(|(_, bytes)| memchr::memmem::find(bytes, wanted).is_some())
}

#[test]
fn files_of_holes_are_taken_in_without_being_read() {
    // 600 GB in size, which no machine reads in the time of a test.
    let place = ends_with("i=0; while [ $i -lt 300 ]; do truncate -s 2147483647 big$i.bin; i=$((i+1)); done");
    let called = place.call(&[&RUN[..], &["--model", "scripted:native"]].concat());
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    let finished = succeeded(&place);
    let outputs = finished["outputs"].as_array().unwrap();
    let sparse = |file: &&Value| file["size"] == 2_147_483_647_u64;
    assert_eq!(outputs.iter().filter(sparse).count(), 300);
    assert!(finished.get("unread").is_none());
}

#[test]
fn many_files_are_counted_and_the_first_are_named() {
    let place = ends_with("i=0; while [ $i -lt 2500 ]; do : > f$i; i=$((i+1)); done");
    place.call(&[&RUN[..], &["--model", "scripted:native"]].concat());
    let finished = succeeded(&place);
    assert_eq!(finished["outputs"].as_array().unwrap().len(), 2000);
    let further = finished["further"]["count"].as_u64().unwrap();
    assert!((500..520).contains(&further), "{further}");
    assert!(
        holds(&place, "are not listed one by one"),
        "the agent is not told"
    );
    // What it made and nobody names stands in no other list of the event.
    assert!(finished["opened"]["files"].as_array().unwrap().len() <= 2100);
}

#[test]
fn a_script_that_renames_itself_hides_nothing_from_its_agent() {
    let place = ends_with("mv slope.sh other.sh");
    place.call(&[&RUN[..], &["--model", "scripted:native"]].concat());
    succeeded(&place);
    let told = tree(&place.path().join("out"));
    let told = told.iter().find(|(_, bytes)| {
        let text = String::from_utf8_lossy(bytes);
        text.contains("Then the plan could not be followed any more") && text.contains("dose N ")
    });
    assert!(told.is_some(), "the agent did not see what its script printed");
}

#[test]
fn a_question_tells_of_no_file_that_is_there_as_gone() {
    let place = Place::finished();
    assert!(events(&place, "asked").len() > 1);
    assert!(!holds(&place, "gone: replication_info.json"));
}

#[test]
fn a_file_that_becomes_a_program_is_asked_about_again() {
    let place = Place::new();
    place.study();
    let mut run = RUN;
    run[5] = "ask";
    let mut status = place.call(&run).status;
    let asked = |place: &Place| {
        let shown = place.call(&["show", "out", "--json"]).stdout;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        shown["waiting_for"][0].clone()
    };
    while status == 5 && asked(&place)["asking"] != "execute" {
        assert_eq!(place.call(&["approve", "out"]).status, 0);
        status = place.call(&["resume", "out"]).status;
    }
    let first = asked(&place);
    assert_eq!(place.call(&["approve", "out"]).status, 0);
    let script = place.path().join("out/workspace/work/helper.sh");
    let mode = std::fs::metadata(&script).unwrap().permissions().mode();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(mode ^ 0o100)).unwrap();
    assert_eq!(place.call(&["resume", "out"]).status, 5);
    let second = asked(&place);
    assert_eq!(second["asking"], "execute");
    assert_ne!(first["digest"], second["digest"]);
}

#[test]
fn a_bench_of_more_runs_than_files_can_be_opened_for_goes_on_with_fewer() {
    let place = Place::new();
    place.study();
    std::fs::write(
        place.path().join("bench.toml"),
        "name = 'two'\nsettings = { approve = 'auto', code-mode = 'native' }\n[[studies]]\npaths = ['slope', 'harvest']",
    )
    .unwrap();
    super::support::copy(
        &super::support::fixture_named("harvest"),
        &place.path().join("harvest"),
    );
    let program = place.command(&[]);
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", r#"ulimit -n 64 && exec "$0" "$@""#])
        .arg(program.get_program())
        .args(["bench", "bench.toml", "--parallel", "256"])
        .current_dir(place.path())
        .env_clear();
    for (name, value) in program.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let ended = called(command.output().unwrap());
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("RLIMIT_NOFILE"), "{}", ended.stderr);
}

#[test]
fn a_device_is_no_policy() {
    let place = Place::new();
    place.study();
    let mut run = RUN;
    run[5] = "policy:/dev/zero";
    let called = place.call(&run);
    assert_eq!(called.status, 2, "{}", called.stderr);
    assert!(called.stderr.contains("are no policy"), "{}", called.stderr);
}
