use super::provider::{Dialect, Fault, Provider};
use super::support::{Place, called};

#[test]
fn a_finished_run_is_shown() {
    let place = Place::finished();
    let called = place.call(&["show", "out"]);
    assert_eq!(called.status, 0);
    insta::assert_snapshot!("show_finished", place.plain(&called.stdout));
    let called = place.call(&["show", "slope"]);
    assert_eq!(called.status, 2);
    insta::assert_snapshot!("show_no_run", place.plain(&called.stderr));
}

#[test]
fn a_torn_tail_of_the_journal_is_told() {
    let place = Place::finished();
    let journal = place.path().join("out/journal.jsonl");
    let shown = |arguments: &[&str]| {
        let called = place.call(&[&["show", "out"], arguments].concat());
        assert_eq!(called.status, 0, "{}", called.stderr);
        called.stdout
    };
    assert!(!shown(&[]).contains("are no whole line"));
    let mut bytes = std::fs::read(&journal).unwrap();
    bytes.truncate(bytes.len() - 40);
    let torn = bytes.iter().rev().take_while(|byte| **byte != b'\n').count();
    std::fs::write(&journal, bytes).unwrap();
    let told = shown(&[]);
    assert!(
        told.contains(&format!("the last {torn} bytes are no whole line"))
            && told.contains("`reprise resume` drops them"),
        "{told}"
    );
    let value: serde_json::Value = serde_json::from_str(&shown(&["--json"])).unwrap();
    assert_eq!(value["torn_bytes"], torn);
}

#[test]
fn the_clocks_of_a_run_add_up_over_waits_questions_and_resumptions() {
    let place = Place::new();
    place.study();
    let busy = Fault::Status(429, vec![("retry-after", "1")], "{}".to_owned());
    let provider = Provider::start(Dialect::OpenAi, vec![busy]);
    let (model, variables) = provider.model();
    let call = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env_remove("REPRISE_FIXED_TIME").envs(variables.clone());
        called(command.output().unwrap())
    };
    let run = [
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--out",
        "out",
        "--model",
        &model,
    ];
    let mut ended = call(&run);
    let mut asked = 0;
    while ended.status == 5 {
        asked += 1;
        assert_eq!(call(&["approve", "out"]).status, 0);
        ended = call(&["resume", "out"]);
    }
    assert_eq!(ended.status, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(asked > 0);

    let shown: serde_json::Value = serde_json::from_str(&call(&["show", "out", "--json"]).stdout).unwrap();
    let clocks = &shown["clocks"];
    let of = |name: &str| clocks[name].as_u64().unwrap();
    let waits = of("provider_ms") + of("person_ms") + of("stopped_ms");
    assert_eq!(of("working_ms") + waits, of("wall_ms"), "{clocks}");
    assert!(of("provider_ms") >= 1000, "{clocks}");
    assert!(
        of("person_ms") > 0 && of("stopped_ms") > 0 && of("working_ms") > 0,
        "{clocks}"
    );
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    let at = |line: &str| {
        let start = line.find(r#""at":""#).unwrap() + 6;
        let end = start + line[start..].find('"').unwrap();
        line[start..end].parse::<jiff::Timestamp>().unwrap()
    };
    let (first, last) = (journal.lines().next().unwrap(), journal.lines().last().unwrap());
    let passed = at(last).duration_since(at(first)).as_millis();
    // Each event is told in whole milliseconds.
    let events = journal.lines().count() as i128;
    assert!(
        (passed - i128::from(of("wall_ms"))).abs() <= events,
        "{passed} ms, {clocks}"
    );

    let report = call(&["report", "out", "--format", "json", "--out", "-"]);
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(&report["clocks"], clocks);
    let told = call(&["show", "out"]).stdout;
    let line = told.lines().find(|line| line.starts_with("clocks")).unwrap();
    for part in [
        "in all",
        "at work",
        "waiting for the provider",
        "waiting for people",
        "stopped",
    ] {
        assert!(line.contains(part), "{line}");
    }
}
