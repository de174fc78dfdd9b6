//! Programs of others that carry the stages design and execute of a study.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::attempt::{Place, Where, said};
use crate::provider::{Provider, Reply, Speaks};

/// The session of the fixture that is written by hand: the program is told to do the same.
fn recording() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/harvest/recordings/python.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The last answer of a stage in the recording.
pub fn answer(stage: &str) -> Value {
    let turns = recording()["stages"][stage]["turns"].take();
    turns.as_array().unwrap().last().unwrap()["answer"]["json"].clone()
}

/// The script that the design stage of the recording writes.
fn script() -> String {
    let recording = recording();
    let call = &recording["stages"]["design"]["turns"][0]["answer"]["calls"][0];
    let lines = call["arguments"]["content"]["$lines"].as_array().unwrap();
    let lines: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap()).collect();
    lines.join("\n")
}

pub fn write(file: &str, text: &str) -> String {
    format!("cat > {file} <<'THE_END'\n{text}\nTHE_END")
}

/// Everything that the program can read of its copy of the workspace.
const LOOK: &str = "cd .. && find . -type f -not -path './logs/*' -not -path './home/*' -not -path './helpers/*' \
                    | LC_ALL=C sort | xargs grep -Is '' | head -c 60000";

/// What is asked for, by the words of its prompt.
pub fn is_in(body: &Value, words: &str) -> bool {
    body.to_string().contains(words)
}

pub const DESIGN: &str = "Plan the replication of this claim";
const AGAIN: &str = "You have been here before";

/// The design as it is in the recording.
pub fn design() -> Vec<String> {
    vec![
        LOOK.to_owned(),
        write("harvest.py", &script()),
        write("\"$REPRISE_ANSWER_FILE\"", &answer("design").to_string()),
    ]
}

/// The execution as it is in the recording, tried out beforehand.
pub fn execution() -> Vec<String> {
    vec![
        "python3 harvest.py".to_owned(),
        write("\"$REPRISE_ANSWER_FILE\"", &answer("execute").to_string()),
    ]
}

pub fn done(commands: &[String], done: usize) -> Reply {
    match commands.get(done) {
        Some(command) => Reply::Run(command.clone()),
        None => Reply::Say("I am done.".to_owned()),
    }
}

/// What the recording does, in both stages.
pub fn scripted(body: &Value, count: usize) -> Reply {
    match is_in(body, DESIGN) {
        true => done(&design(), count),
        false => done(&execution(), count),
    }
}

fn careful() -> Provider {
    Provider::scripted(Speaks::Chat, Arc::new(scripted))
}

pub const STAGES: [&str; 5] = ["--stages", "design..execute", "--approve", "auto", "--no-probe"];

/// Holds a run to a good end.
pub fn assert_met(place: &Place, output: &std::process::Output) {
    let verdict = place.events("run_finished").pop();
    let verdict = verdict.unwrap_or_else(|| panic!("{}: {}", output.status, said(output)));
    assert_eq!(
        verdict["verdict"]["outcome"],
        "met",
        "{verdict}\n{}",
        said(output)
    );
    assert!(output.status.success(), "{}", said(output));
}

/// The texts of the requests of a stage.
fn asked(place: &Place, is_design: bool) -> String {
    let arrived = place.provider.arrived();
    let of_stage = arrived.iter().filter(|one| is_in(&one.body, DESIGN) == is_design);
    of_stage.map(|one| one.body.to_string()).collect()
}

fn carried(sandbox: Where) {
    let Some(place) = Place::with(sandbox, Speaks::Chat, careful) else {
        return;
    };
    let output = place.study(&STAGES, &[]).output().unwrap();
    assert_met(&place, &output);
    // The plan is made without a row of the data, and of what its columns are.
    let design = asked(&place, true);
    assert!(
        design.contains("COLUMNS.md") && design.contains("`yield` (number"),
        "{design}"
    );
    for row in ["647,3.2", "745,3.86", "841,4.2"] {
        assert!(!design.contains(row), "{row}: {design}");
    }
    assert!(
        asked(&place, false).contains("standard error"),
        "the code runs on the data"
    );
    let started = place.events("program_started");
    let reach: Vec<&Value> = started.iter().map(|one| &one["data"]).collect();
    assert_eq!(reach, [&json!("withheld"), &Value::Null]);
    // Each session is approved for what it is, and the execution for itself.
    let questions = place.events("asked");
    let subjects: Vec<String> = questions.iter().map(|one| one["asking"].to_string()).collect();
    assert_eq!(subjects, ["\"session\"", "\"session\"", "\"execute\""]);
    assert!(
        questions[0]["details"].to_string().contains("no row"),
        "{}",
        questions[0]
    );
    // What counts is the engine's own run of the plan.
    assert_eq!(place.events("execution_finished").len(), 1);
    let left = place.events("program_left");
    assert!(
        left[0]["changes"].to_string().contains("work/harvest.py"),
        "{}",
        left[0]
    );
    assert!(
        !left[0]["changes"].to_string().contains("replication_info.json"),
        "{}",
        left[0]
    );
    // It tried its script out before it left it; what else it tried, nobody could tell.
    let runs: Vec<Value> = place
        .events("program_ended")
        .into_iter()
        .map(|mut ended| ended["ran"]["code_runs"].take())
        .collect();
    assert_eq!(runs, [Value::Null, json!(1)]);
    let report = std::fs::read_to_string(place.run().join("report.html")).unwrap();
    assert!(report.contains("Analyses were tried in the agent"));
    assert!(!report.contains("The criterion that was fixed before"));
    let replay = place.command(&["replay", "out", "--quiet"]).output().unwrap();
    let told = String::from_utf8_lossy(&replay.stdout).into_owned();
    assert!(replay.status.success(), "{told}{}", said(&replay));
    assert_eq!(place.provider.arrived().len(), 7, "a replay asks nobody");
}

#[test]
fn a_program_plans_without_the_data_and_carries_the_plan_out() {
    carried(Where::Local);
}

#[test]
fn a_program_carries_a_study_in_docker() {
    carried(Where::Docker);
}

#[test]
fn a_plan_that_fails_and_an_answer_that_does_not_fit_are_told_to_another_start() {
    let careless = || {
        Provider::scripted(
            Speaks::Chat,
            Arc::new(|body, count| {
                let (is_design, is_again) = (is_in(body, DESIGN), is_in(body, AGAIN));
                let mut commands = match is_design {
                    true => design(),
                    false => execution(),
                };
                match (is_design, is_again) {
                    (true, false) => {
                        commands[2] = write("\"$REPRISE_ANSWER_FILE\"", "{\"replication_study\": {}}")
                    }
                    (false, false) => commands[0] = write("harvest.py", "raise SystemExit('no rain')"),
                    (false, true) => commands[0] = write("harvest.py", &script()),
                    (true, true) => {}
                }
                done(&commands, count)
            }),
        )
    };
    let Some(place) = Place::with(Where::Local, Speaks::Chat, careless) else {
        return;
    };
    let output = place.study(&STAGES, &[]).output().unwrap();
    assert_met(&place, &output);
    let objections = place.events("program_objected");
    assert_eq!(objections.len(), 2, "{objections:?}");
    assert!(
        objections[0]["remark"]
            .to_string()
            .contains("does not fit its shape"),
        "{}",
        objections[0]
    );
    assert!(
        objections[1]["remark"].to_string().contains("no rain"),
        "{}",
        objections[1]
    );
    assert_eq!(place.events("execution_finished").len(), 2);
    let replay = place.command(&["replay", "out", "--quiet"]).output().unwrap();
    assert!(
        replay.status.success(),
        "{}{}",
        String::from_utf8_lossy(&replay.stdout),
        said(&replay)
    );
}

#[test]
fn a_killed_engine_begins_the_program_anew_and_pays_nothing_twice() {
    let Some(whole) = Place::with(Where::Local, Speaks::Chat, careful) else {
        return;
    };
    assert_met(&whole, &whole.study(&STAGES, &[]).output().unwrap());
    let points = [
        ("model_answered", 2),
        ("program_left", 1),
        ("program_ended", 1),
        ("model_answered", 6),
        ("program_ended", 2),
        ("execution_started", 1),
        ("execution_finished", 1),
    ];
    for (kind, nth) in points {
        let event = whole.number(kind, nth);
        let place = Place::with(Where::Local, Speaks::Chat, careful).unwrap();
        let killed = place
            .study(&STAGES, &[])
            .env("REPRISE_DIE_AFTER_EVENT", event.to_string())
            .output()
            .unwrap();
        assert_eq!(killed.status.code(), None, "{kind} {nth}: {}", said(&killed));
        let output = place.resume(&["--quiet"]);
        assert_met(&place, &output);
        assert_eq!(place.provider.arrived().len(), 7, "{kind} {nth}");
        assert_eq!(place.events("execution_finished").len(), 1, "{kind} {nth}");
        let artifact = |place: &Place, name: &str| {
            std::fs::read_to_string(place.run().join("artifacts").join(name)).unwrap()
        };
        for name in ["replication_info.json", "execution_results.json"] {
            assert_eq!(
                artifact(&place, name),
                artifact(&whole, name),
                "{kind} {nth}: {name}"
            );
        }
    }
}

#[test]
fn a_plan_that_was_made_with_the_data_in_reach_is_no_preregistration() {
    let Some(place) = Place::with(Where::Local, Speaks::Chat, careful) else {
        return;
    };
    let options = [
        "--stages",
        "design",
        "--approve",
        "auto",
        "--agent-data",
        "--no-probe",
    ];
    let output = place.study(&options, &[]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(asked(&place, true).contains("647,3.2"));
    let refused = place.command(&["preregister", "out"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("data in reach"), "{}", said(&refused));
    let registered = place.resume(&["--stages", "..execute", "--registration", "https://osf.io/abcde"]);
    assert_eq!(registered.status.code(), Some(2), "{}", said(&registered));
    let output = place.resume(&["--stages", "..execute", "--quiet"]);
    assert_met(&place, &output);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("planned with the data in reach"), "{printed}");
    let report = std::fs::read_to_string(place.run().join("report.html")).unwrap();
    assert!(report.contains("Planned with the data in reach"));
    assert!(!report.contains("The criterion that was fixed before"));
}

#[test]
fn our_own_loop_carries_the_other_stages() {
    let mixed = || {
        Provider::scripted(
            Speaks::Chat,
            Arc::new(|body, count| {
                let own = ["extract", "search", "interpret"];
                let own = own
                    .iter()
                    .find(|stage| is_in(body, &format!("replication of a published claim: **{stage}**")));
                match own {
                    Some(stage) => Reply::Say(answer(stage).to_string()),
                    None if is_in(body, DESIGN) => done(&design(), count),
                    None => done(&execution(), count),
                }
            }),
        )
    };
    let Some(place) = Place::with(Where::Local, Speaks::Chat, mixed) else {
        return;
    };
    let output = place.study(&["--approve", "auto"], &[]).output().unwrap();
    assert_met(&place, &output);
    let by: Vec<bool> = place
        .events("stage_started")
        .iter()
        .map(|stage| stage["by_program"] == true)
        .collect();
    assert_eq!(by, [false, false, true, true, false]);
    let replay = place.command(&["replay", "out", "--quiet"]).output().unwrap();
    assert!(
        replay.status.success(),
        "{}{}",
        String::from_utf8_lossy(&replay.stdout),
        said(&replay)
    );
}

#[test]
fn sessions_and_executions_wait_for_their_approvals() {
    let Some(place) = Place::with(Where::Local, Speaks::Chat, careful) else {
        return;
    };
    let output = place
        .study(&["--stages", "design..execute", "--no-probe"], &[])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    assert_eq!(place.provider.arrived().len(), 0);
    for (waiting, calls) in [("session", 4), ("session", 7), ("execute", 7)] {
        let asked = place.events("asked").pop().unwrap();
        assert_eq!(asked["asking"], waiting);
        let approved = place.command(&["approve", "out"]).output().unwrap();
        assert!(approved.status.success(), "{}", said(&approved));
        let _ = place.resume(&["--quiet"]);
        assert_eq!(place.provider.arrived().len(), calls, "{waiting}");
    }
    assert_eq!(place.events("run_finished").len(), 1);
}
