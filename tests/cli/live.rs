//! A run with a provider that is asked: killed, interrupted, refused.

use std::process::Stdio;

use super::provider::{Dialect, Fault, Provider};
use super::support::{Place, RUN, called};

fn answers(place: &Place) -> usize {
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap_or_default();
    journal.matches(r#""kind":"model_answered""#).count()
}

/// Starts a run and kills it amid the answer that the provider cuts in two;
/// returns what a resumption needs to reach the provider.
fn killed_halfway(place: &Place, provider: &Provider) -> Vec<(&'static str, String)> {
    let (model, variables) = provider.model();
    let mut child = place
        .command(&[&RUN[..], &["--model", &model]].concat())
        .envs(variables.clone())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    provider.halfway.recv_timeout(super::need::PATIENCE).unwrap();
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    variables
}

#[test]
fn killed_while_an_answer_streams_in_it_pays_that_call_again_and_no_other() {
    let mut faults = vec![Fault::None; 5];
    faults.push(Fault::HalfAnswer);
    for dialect in [Dialect::Anthropic, Dialect::OpenAi] {
        let place = Place::new();
        place.study();
        let provider = Provider::start(dialect, faults.clone());
        let variables = killed_halfway(&place, &provider);
        assert_eq!((provider.requests().len(), answers(&place)), (6, 5));
        let resumed = called(
            place
                .command(&["resume", "out"])
                .envs(variables)
                .output()
                .unwrap(),
        );
        assert_eq!(resumed.status, 0, "{}", resumed.stderr);
        let requests = provider.requests();
        assert_eq!(
            (requests.len(), answers(&place)),
            (20, 19),
            "one call more than answers"
        );
        assert_eq!(
            requests[5], requests[6],
            "the interrupted call is asked again as it was"
        );
    }
}

#[test]
fn ctrl_c_and_a_hangup_end_a_wait_for_the_provider_at_once() {
    for signal in [nix::sys::signal::Signal::SIGINT, nix::sys::signal::Signal::SIGHUP] {
        ends_a_wait_at_once(signal);
    }
}

fn ends_a_wait_at_once(signal: nix::sys::signal::Signal) {
    let place = Place::new();
    place.study();
    let busy = Fault::Status(503, vec![("retry-after", "250")], "{}".to_owned());
    let provider = Provider::start(Dialect::Anthropic, vec![Fault::None, busy]);
    let (model, variables) = provider.model();
    let log = place.path().join("stderr");
    let child = place
        .ended_by_a_hangup(&[&RUN[..], &["--model", &model]].concat())
        .envs(variables.clone())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    super::need::until("the wait was not shown", || {
        std::fs::read_to_string(&log).unwrap().contains(" s left")
    });
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), signal).unwrap();
    // Were the wait not cut short, the provider would be asked again in it.
    let stopped = called(child.wait_with_output().unwrap());
    assert_eq!(stopped.status, 130, "{}", stopped.stdout);
    assert_eq!((provider.requests().len(), answers(&place)), (2, 1));
    let resumed = called(
        place
            .command(&["resume", "out"])
            .envs(variables)
            .output()
            .unwrap(),
    );
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    assert_eq!(provider.requests().len(), 20);
}

#[test]
fn a_provider_that_refuses_stops_the_run_with_a_cause_and_resuming_goes_on() {
    let refused = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    let place = Place::new();
    place.study();
    let faults = vec![
        Fault::None,
        Fault::None,
        Fault::Status(401, Vec::new(), refused.to_owned()),
    ];
    let provider = Provider::start(Dialect::Anthropic, faults);
    let (model, variables) = provider.model();
    let run = [&RUN[..], &["--model", &model, "--json"]].concat();
    let stopped = called(place.command(&run).envs(variables.clone()).output().unwrap());
    assert_eq!(stopped.status, 7, "{}", stopped.stderr);
    let said: serde_json::Value = serde_json::from_str(&stopped.stdout).unwrap();
    assert_eq!(said["failed_stage"]["cause"], "infrastructure");
    assert!(said["failed_stage"]["detail"].as_str().unwrap().contains("401"));
    assert!(place.path().join("out/report.html").exists());
    let resumed = called(
        place
            .command(&["resume", "out"])
            .envs(variables)
            .output()
            .unwrap(),
    );
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    assert_eq!((provider.requests().len(), answers(&place)), (20, 19));
}

#[test]
fn an_effort_and_a_temperature_are_kept_for_resuming_and_refused_where_nobody_takes_them() {
    let place = Place::new();
    place.study();
    let refused = |arguments: &[&str], why: &str| {
        let called = place.call(&[&RUN[..], arguments].concat());
        assert_eq!(called.status, 2, "{}", called.stderr);
        assert!(called.stderr.contains(why), "{}", called.stderr);
        assert!(!place.path().join("out").exists(), "a refused run leaves nothing");
    };
    refused(&["--effort", "low"], "is a recording");
    refused(
        &["--model", "openai/gpt-5", "--temperature", "0"],
        "--temperature 0 cannot be kept",
    );
    refused(
        &["--model", "openai/gpt-4.1", "--effort", "low"],
        "--effort low cannot be kept",
    );
    refused(
        &["--model", "openai/gpt-5", "--effort", "max"],
        "takes the efforts minimal, low, medium, high",
    );
    refused(
        &["--model", "openai/gpt-4.1", "--temperature", "hot"],
        "give a number from 0 to 2",
    );

    let busy = || Fault::Status(401, Vec::new(), "{}".to_owned());
    let faults = vec![Fault::None, Fault::None, busy(), Fault::None, Fault::None, busy()];
    let provider = Provider::start(Dialect::OpenAi, faults);
    let (model, variables) = provider.model();
    let call =
        |arguments: &[&str]| called(place.command(arguments).envs(variables.clone()).output().unwrap());
    let drawn = ["--model", &model, "--effort", "low", "--temperature", "0.5"];
    assert_eq!(call(&[&RUN[..], &drawn].concat()).status, 7);
    assert_eq!(call(&["resume", "out"]).status, 7);
    let raised = call(&["resume", "out", "--effort", "high"]);
    assert_eq!(raised.status, 0, "{}", raised.stderr);
    assert!(
        raised.stderr.contains(
            "the model draws from here on with effort high, temperature 0.5, and before with effort low, temperature 0.5"
        ),
        "{}",
        raised.stderr
    );
    let requests = provider.requests();
    for (place, request) in requests.iter().enumerate() {
        let effort = if place < 6 { "low" } else { "high" };
        assert_eq!(request["reasoning_effort"], effort, "request {place}");
        assert_eq!(request["temperature"], 0.5, "request {place}");
    }
    let shown: serde_json::Value = serde_json::from_str(&call(&["show", "out", "--json"]).stdout).unwrap();
    assert_eq!(
        shown["sampling"],
        serde_json::json!({"temperature": 0.5, "effort": "high"})
    );
    let replayed = call(&["replay", "out", "--out", "again"]);
    assert_eq!(replayed.status, 0, "{}", replayed.stderr);
    let journal = std::fs::read_to_string(place.path().join("again/journal.jsonl")).unwrap();
    assert!(
        journal.contains(r#""sampling":{"temperature":0.5,"effort":"high"}"#),
        "the replay says what drew the answers"
    );
}

#[test]
fn what_a_provider_signed_goes_back_to_it_after_a_kill_as_well() {
    let place = Place::new();
    place.study();
    let mut faults = vec![Fault::None; 5];
    faults.push(Fault::HalfAnswer);
    let provider = Provider::thinking(faults);
    let variables = killed_halfway(&place, &provider);
    let resumed = called(
        place
            .command(&["resume", "out", "--record", "./session.json"])
            .envs(variables)
            .output()
            .unwrap(),
    );
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let requests = provider.requests();
    assert_eq!(requests[5], requests[6], "asked again as it was");
    let mut signed = Vec::new();
    for message in requests
        .iter()
        .flat_map(|request| request["messages"].as_array().unwrap())
    {
        if message["role"] == "assistant" {
            let thought = &message["content"][0];
            assert_eq!(thought["type"], "thinking", "{message}");
            let text = thought["thinking"].as_str().unwrap();
            let signature = format!("signed {text}");
            assert_eq!(thought["signature"], signature, "{message}");
            signed.push(signature);
        }
    }
    assert!(signed.len() > 10);
    let session = std::fs::read_to_string(place.path().join("session.json")).unwrap();
    let kept = signed.iter().find(|signature| session.contains(*signature));
    assert_eq!(kept, None, "a recording holds no thought");
}

/// What a provider was told in a run over a study with a survey, whose agent looks for a name in
/// the data and reads them by each tool.
fn told_of_a_survey(manifest: &str) -> String {
    let place = Place::new();
    let study = place.study();
    let survey = "RecipientLastName,dose\nDoe-Canary,1\nRoe-Canary,2\n";
    std::fs::write(study.join("input/replication_data/survey.csv"), survey).unwrap();
    let file = study.join("study.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}\n{manifest}")).unwrap();
    let provider = Provider::rewriting(|text| {
        text.replace(r#"\"slope\"}"#, r#"\"-canary,\"}"#)
            .replace(
                r#"\"initial_details.txt\"}"#,
                r#"\"replication_data/survey.csv\"}"#,
            )
            .replace(
                r#"\"replication_data/plots.csv\",\"operation\":\"summary\""#,
                r#"\"replication_data/survey.csv\",\"operation\":\"head\""#,
            )
    });
    let (model, variables) = provider.model();
    let arguments = ["--stages", "extract..design", "--model", &model];
    let mut command = place.command(&[&RUN[..], &arguments].concat());
    let ran = called(command.envs(variables).output().unwrap());
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let told: Vec<String> = provider.requests().iter().map(ToString::to_string).collect();
    told.join("\n")
}

#[test]
fn personal_values_are_told_to_providers_where_the_study_allows_their_column() {
    let found = "replication_data/survey.csv:2: Doe-Canary,1";
    let read = "RecipientLastName,dose\\nDoe-Canary,1";
    let inspected = "| 1 | Doe-Canary | 1 |";
    let hidden = told_of_a_survey("");
    assert!(!hidden.contains("Doe-Canary"), "{hidden}");
    for part in [
        "0 matching lines",
        "RecipientLastName,dose\\n(not shown),1",
        "| 1 | (not shown) | 1 |",
    ] {
        assert!(hidden.contains(part), "{part}: {hidden}");
    }
    let allowed = told_of_a_survey("[personal]\nshow = [\"RecipientLastName\"]\n");
    for part in [found, read, inspected] {
        assert!(allowed.contains(part), "{part}: {allowed}");
    }
    assert!(!allowed.contains("(not shown)"));
}

#[test]
fn a_server_that_is_not_there_ends_the_run_at_once() {
    let place = Place::new();
    place.study();
    let began = std::time::Instant::now();
    for (model, words) in [
        ("openai-api/127.0.0.1:9/v1/m", "nothing listens at 127.0.0.1:9"),
        (
            "openai-api/http://nowhere.invalid/v1/m",
            "the name nowhere.invalid does not resolve",
        ),
    ] {
        let out = words.replace(' ', "-");
        let arguments = [
            "run",
            "slope",
            "--approve",
            "auto",
            "--allow-unpriced",
            "--model",
            model,
            "--out",
            &out,
        ];
        let mut command = place.command(&arguments);
        let called = super::support::called(command.env("REPRISE_MODEL_KEY", "none").output().unwrap());
        assert_eq!(called.status, 7, "{}{}", called.stdout, called.stderr);
        assert!(called.stdout.contains(words), "{}", called.stdout);
    }
    assert!(
        began.elapsed() < super::need::PATIENCE,
        "it was asked again and again"
    );
}
