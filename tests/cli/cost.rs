use super::provider::{Dialect, Fault, Provider};
use super::support::{Place, RUN, called};

#[test]
fn where_tokens_money_and_time_went() {
    let place = Place::new();
    place.study();
    let busy = Fault::Status(429, vec![("retry-after", "1")], "{}".to_owned());
    let provider = Provider::start(Dialect::Anthropic, vec![busy]);
    let (model, variables) = provider.model();
    let run = called(
        place
            .command(&RUN)
            .args(["--model", &model])
            .envs(variables)
            .output()
            .unwrap(),
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("waiting for the provider, 1 s left ("),
        "{}",
        run.stderr
    );
    let cost = place.call(&["cost", "out", "--json"]);
    assert_eq!(cost.status, 0, "{}", cost.stderr);
    let cost: serde_json::Value = serde_json::from_str(&cost.stdout).unwrap();
    let total = &cost["runs"][0]["total"];
    // 19 answers; 1000 prompt tokens and 100 more a turn, 900 of them cached.
    let turns: [u64; 5] = [3, 2, 4, 8, 2];
    let input: u64 = turns
        .iter()
        .map(|turns| turns * 1000 + 100 * (turns * (turns - 1) / 2))
        .sum();
    assert_eq!(total["calls"], 19);
    assert_eq!(total["usage"]["input"], input);
    assert_eq!(total["usage"]["cached"], 19 * 900);
    assert_eq!(total["usage"]["output"], 19 * 50);
    // Dollars for a million tokens: 3 for input, 0.3 for cached input, 15 for output.
    let money = (input - 17_100) * 3 + 17_100 * 3 / 10 + 950 * 15;
    assert_eq!(total["money"], money);
    assert_eq!(
        (total["retries"].clone(), total["waiting_ms"].clone()),
        (1.into(), 1000.into())
    );
    assert_eq!(cost["runs"][0]["stages"].as_array().unwrap().len(), 5);
    let share = total["cached_share"].as_f64().unwrap();
    assert!((share - 17_100.0 / input as f64).abs() < 1e-12);
    let report = place.call(&["report", "out", "--format", "json", "--out", "-"]);
    let report: serde_json::Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!(report["costs"]["money"], money);
    assert_eq!(report["costs"]["waiting_ms"], 1000);
    let twice = place.call(&["cost", "out", "out"]);
    assert!(twice.stdout.contains("2 runs"), "{}", twice.stdout);
    assert!(twice.stdout.contains("execute"), "{}", twice.stdout);
}

#[test]
fn an_unknown_price_is_said_to_be_unknown() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::OpenAi, Vec::new());
    let (model, variables) = provider.model();
    let run = called(
        place
            .command(&[
                "run",
                "slope",
                "--stages",
                "extract",
                "--approve",
                "auto",
                "--out",
                "out",
                "--quiet",
            ])
            .args(["--model", &model])
            .envs(variables)
            .output()
            .unwrap(),
    );
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let cost = place.call(&["cost", "out"]);
    assert!(cost.stdout.contains("unknown"), "{}", cost.stdout);
}
