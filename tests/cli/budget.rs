//! Caps: kept before a call is made, told to the model, raised by resuming.

use super::provider::{Dialect, Fault, Provider};
use super::support::{Called, Place, RUN, called};

fn run(place: &Place, more: &[&str]) -> Called {
    place.call(&[&RUN[..], more].concat())
}

#[test]
fn a_spent_budget_stops_the_run_and_a_larger_one_goes_on() {
    let place = Place::new();
    place.study();
    let whole = place.call(&[&RUN[..7], &["whole"]].concat());
    assert_eq!(whole.status, 0, "{}", whole.stderr);
    let stopped = run(&place, &["--max-turns", "9", "--json"]);
    assert_eq!(stopped.status, 6, "{}", stopped.stderr);
    let said: serde_json::Value = serde_json::from_str(&stopped.stdout).unwrap();
    assert_eq!(said["failed_stage"]["cause"], "limit");
    assert_eq!(
        said["failed_stage"]["detail"],
        "9 turns used of 9 turns allowed for the run: `reprise resume` with a larger --max-turns goes on"
    );
    assert!(
        place.path().join("out/report.html").exists(),
        "the best so far is reported"
    );
    let shown = place.call(&["show", "out"]);
    assert!(
        shown.stdout.contains("stopped; can be resumed"),
        "{}",
        shown.stdout
    );
    // With the same cap nothing is asked, and nothing is lost.
    assert_eq!(place.call(&["resume", "out"]).status, 6);
    let resumed = place.call(&["resume", "out", "--max-turns", "100"]);
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    let answer = |out: &str| {
        let path = place.path().join(out).join("artifacts/interpret_results.json");
        std::fs::read(path).unwrap()
    };
    assert_eq!(answer("out"), answer("whole"));
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert_eq!(journal.matches(r#""kind":"model_answered""#).count(), 19);
    assert_eq!(journal.matches(r#""kind":"halted""#).count(), 2);
}

#[test]
fn a_model_is_told_what_is_left_and_is_never_asked_beyond_it() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::OpenAi, Vec::new());
    let (model, variables) = provider.model();
    let arguments = [
        &RUN[..],
        &[
            "--model",
            &model,
            "--max-tokens",
            "execute=9k",
            "--max-turns",
            "40",
        ],
    ]
    .concat();
    let stopped = called(place.command(&arguments).envs(variables).output().unwrap());
    assert_eq!(stopped.status, 6, "{}", stopped.stderr);
    assert!(
        stopped.stdout.contains("allowed for the stage execute"),
        "{}",
        stopped.stdout
    );
    let requests = provider.requests();
    let first = requests[0]["messages"].to_string();
    assert!(first.contains("[Left of this run's budget: 40 turns]"), "{first}");
    let told = requests
        .iter()
        .any(|request| request.to_string().contains("39 turns]"));
    assert!(told, "no observation says what is left");
    // The cap is in tokens of the provider's own count, and no answer led beyond it.
    let cost = place.call(&["show", "cost", "out", "--json"]);
    let cost: serde_json::Value = serde_json::from_str(&cost.stdout).unwrap();
    let stages = cost["runs"][0]["stages"].as_array().unwrap();
    for stage in stages.iter().filter(|stage| stage["stage"] == "execute") {
        let used = stage["usage"]["input"].as_u64().unwrap() + stage["usage"]["output"].as_u64().unwrap();
        assert!(used <= 9_000, "{used}");
    }
}

#[test]
fn a_resumed_run_knows_what_the_provider_counted() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::OpenAi, Vec::new());
    let (model, variables) = provider.model();
    let arguments = [&RUN[..], &["--model", &model, "--max-turns", "17"]].concat();
    let stopped = called(
        place
            .command(&arguments)
            .envs(variables.clone())
            .output()
            .unwrap(),
    );
    assert_eq!(stopped.status, 6, "{}", stopped.stderr);
    // At two bytes a token the first prompt of the last stage would go beyond its cap.
    let arguments = [
        "resume",
        "out",
        "--max-turns",
        "100",
        "--max-tokens",
        "interpret=5k",
    ];
    let resumed = called(place.command(&arguments).envs(variables).output().unwrap());
    assert_eq!(resumed.status, 0, "{}{}", resumed.stdout, resumed.stderr);
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert_eq!(journal.matches(r#""kind":"model_answered""#).count(), 19);
}

#[test]
fn a_model_without_a_price_has_to_be_allowed() {
    let place = Place::new();
    place.study();
    let unpriced = ["--model", "openai/gpt-99"];
    let refused = run(&place, &unpriced);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("--allow-unpriced"), "{}", refused.stderr);
    let capped = run(
        &place,
        &[&unpriced[..], &["--allow-unpriced", "--max-cost", "3"]].concat(),
    );
    assert_eq!(capped.status, 2);
    assert!(
        capped.stderr.contains("--max-cost cannot be kept"),
        "{}",
        capped.stderr
    );
    assert!(!place.path().join("out").exists(), "a refused run leaves nothing");
}

#[test]
fn a_policy_file_may_hold_the_caps() {
    let place = Place::new();
    place.study();
    let policy =
        "[[rule]]\naction = \"execute\"\ndecision = \"allow\"\n[budget]\nmax-turns = [\"extract=1\"]\n";
    std::fs::write(place.path().join("policy.toml"), policy).unwrap();
    let arguments = [
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--approve",
        "policy:policy.toml",
        "--out",
        "out",
    ];
    let stopped = place.call(&arguments);
    assert_eq!(stopped.status, 6, "{}", stopped.stderr);
    assert!(stopped.stdout.contains("the stage extract"), "{}", stopped.stdout);
    std::fs::write(
        place.path().join("policy.toml"),
        policy.replace("extract=1", "extract=lots"),
    )
    .unwrap();
    let bad = place.call(&arguments);
    assert_eq!(bad.status, 2);
    assert!(bad.stderr.contains("policy.toml, line 5:"), "{}", bad.stderr);
}

#[test]
fn an_answer_that_takes_longer_than_there_is_time_is_not_waited_for() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::Anthropic, vec![Fault::HalfAnswer]);
    let (model, variables) = provider.model();
    // A busy machine may spend a short time before it asks anything.
    for seconds in [5, 20, 80, 320] {
        let (time, out) = (format!("{seconds}s"), format!("out-{seconds}"));
        let arguments = [&RUN[..7], &[&out, "--model", &model, "--max-time", &time]].concat();
        let stopped = called(
            place
                .command(&arguments)
                .envs(variables.clone())
                .output()
                .unwrap(),
        );
        assert_eq!(stopped.status, 6, "{}", stopped.stderr);
        assert!(
            stopped
                .stdout
                .contains(&format!("{seconds} seconds allowed for the run")),
            "{}",
            stopped.stdout
        );
        if !provider.requests().is_empty() {
            break;
        }
    }
    assert_eq!(provider.requests().len(), 1);
}

#[test]
fn an_execution_ends_with_the_runs_time_and_is_run_again_when_there_is_more() {
    let place = Place::new();
    let script = place.study().join("input/replication_data/slope.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    let waits = "[ -e go ] || sleep 3600\n";
    let (first, rest) = text.split_once('\n').unwrap();
    std::fs::write(&script, format!("{first}\n{waits}{rest}")).unwrap();
    let provider = Provider::start(Dialect::OpenAi, Vec::new());
    let (model, variables) = provider.model();
    let call =
        |arguments: &[&str]| called(place.command(arguments).envs(variables.clone()).output().unwrap());
    let journal = || std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    let capped = ["--max-time", "execute=5s"];
    let mut stopped = call(&[&RUN[..], &["--model", &model], &capped].concat());
    // A slow machine may spend the time elsewhere.
    while stopped.status == 6 && !journal().contains("execution_interrupted") {
        stopped = call(&[&["resume", "out"][..], &capped].concat());
    }
    assert_eq!(stopped.status, 6, "{}{}", stopped.stdout, stopped.stderr);
    assert!(
        stopped
            .stdout
            .contains("5 seconds used of 5 seconds allowed for the stage execute"),
        "{}",
        stopped.stdout
    );
    let shown = place.call(&["show", "out", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["halted"]["cause"], "limit");
    let executions = shown["executions"].as_array().unwrap();
    assert_eq!(executions.last().unwrap()["interrupted"], true, "{executions:?}");

    let answered = journal().matches(r#""kind":"model_answered""#).count();
    std::fs::write(place.path().join("out/workspace/work/go"), "").unwrap();
    let resumed = call(&["resume", "out", "--max-time", "execute=1h"]);
    assert!(
        matches!(resumed.status, 0 | 4),
        "{}{}",
        resumed.stdout,
        resumed.stderr
    );
    assert!(
        resumed
            .stderr
            .contains("it had stopped in execute (limit): 5 seconds used"),
        "{}",
        resumed.stderr
    );
    let all = journal();
    let finished = all.matches(r#""kind":"execution_finished""#).count();
    assert!(finished >= 1, "it was not run again: {}", resumed.stderr);
    assert!(all.matches(r#""kind":"model_answered""#).count() > answered);
}

#[test]
fn a_cap_on_a_stage_that_the_track_has_not_is_refused() {
    let place = Place::new();
    place.study();
    let refused = run(&place, &["--max-turns", "dawn=5"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .contains("`dawn` is not a stage: expected one of extract, search"),
        "{}",
        refused.stderr
    );
    assert!(!place.path().join("out").exists(), "nothing has begun");
    assert_eq!(place.call(&RUN).status, 0);
    assert_eq!(place.call(&["resume", "out", "--max-turns", "dawn=5"]).status, 2);
}

/// The counts of an answer, as a server that cannot count writes them.
fn uncounted(text: String, counts: &str) -> String {
    let usage = regex::Regex::new(r#""usage":\{([^{}]|\{[^{}]*\})*\}"#).unwrap();
    usage
        .replace_all(&text, format!("\"usage\":{counts}"))
        .into_owned()
}

#[test]
fn caps_hold_where_a_provider_counts_nothing_or_nonsense() {
    let rewrites: [fn(String) -> String; 5] = [
        |text| uncounted(text, "null"),
        |text| uncounted(text, r#"{"prompt_tokens":0,"completion_tokens":0}"#),
        |text| uncounted(text, r#"{"prompt_tokens":-5,"completion_tokens":-7}"#),
        |text| {
            uncounted(
                text,
                r#"{"prompt_tokens":1e30,"completion_tokens":18446744073709551615}"#,
            )
        },
        |text| uncounted(text, r#"{"prompt_tokens":0.5,"completion_tokens":"many"}"#),
    ];
    for rewrite in rewrites {
        let place = Place::new();
        place.study();
        let provider = Provider::rewriting(rewrite);
        let (model, variables) = provider.model();
        let call = |arguments: &[&str]| {
            let mut command = place.command(arguments);
            called(command.envs(variables.clone()).output().unwrap())
        };
        let stopped = call(&[&RUN[..], &["--model", &model, "--max-tokens", "30k"]].concat());
        assert_eq!(stopped.status, 6, "{}", stopped.stderr);
        let asked = provider.requests().len();
        assert!(asked > 1, "it was stopped before anything was estimated");
        // What was estimated is in the journal, and counts again.
        assert_eq!(call(&["resume", "out"]).status, 6);
        assert_eq!(provider.requests().len(), asked);
        let cost = place.call(&["show", "cost", "out", "--json"]);
        let cost: serde_json::Value = serde_json::from_str(&cost.stdout).unwrap();
        let usage = &cost["total"]["usage"];
        let count = |name: &str| usage[name].as_u64().unwrap();
        assert_eq!(count("estimated"), count("input") + count("output"), "{usage}");
        assert!((10_000..30_000).contains(&count("estimated")), "{usage}");
        let shown = place.call(&["show", "cost", "out"]).stdout;
        assert!(shown.contains("of these tokens are estimates"), "{shown}");
        let report = place
            .call(&["report", "out", "--format", "md", "--out", "-"])
            .stdout;
        assert!(
            report.contains("tokens are estimates, because the provider"),
            "{report}"
        );
    }
}
