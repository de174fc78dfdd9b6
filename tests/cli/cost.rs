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
    let cost = place.call(&["show", "cost", "out", "--json"]);
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
    let twice = place.call(&["show", "cost", "out", "out", "--stages"]);
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
    let cost = place.call(&["show", "cost", "out"]);
    assert!(cost.stdout.contains("unknown"), "{}", cost.stdout);
}

#[test]
fn a_run_costs_what_it_was_made_with_whatever_tables_say_since() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::OpenAi, Vec::new());
    let (model, variables) = provider.model();
    let table = |input: f64| {
        let text = format!(
            "version = 1\n[models.\"{model}\"]\nprice = {{ input = {input:?}, cached = {input:?}, output = 10.0 }}\n"
        );
        std::fs::write(place.path().join("models.toml"), text).unwrap();
    };
    let call = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command
            .envs(variables.clone())
            .env("REPRISE_MODELS", "models.toml");
        called(command.output().unwrap())
    };
    table(2.0);
    let stopped = call(&[&RUN[..], &["--model", &model, "--max-turns", "4"]].concat());
    assert_eq!(stopped.status, 6, "{}", stopped.stderr);
    // From here on it is dearer, and what was paid stays paid.
    table(100.0);
    let resumed = call(&["resume", "out", "--max-turns", "100", "--max-cost", "8"]);
    assert_eq!(resumed.status, 0, "{}", resumed.stderr);
    std::fs::remove_file(place.path().join("models.toml")).unwrap();
    let turns: [u64; 5] = [3, 2, 4, 8, 2];
    let prompts: Vec<u64> = turns
        .iter()
        .flat_map(|turns| (0..*turns).map(|turn| 1000 + 100 * turn))
        .collect();
    let (before, after) = prompts.split_at(4);
    let sum = |all: &[u64]| all.iter().sum::<u64>();
    let money = sum(before) * 2 + sum(after) * 100 + 19 * 50 * 10;
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&place.call(arguments).stdout).unwrap()
    };
    let cost = json(&["show", "cost", "out", "--json"]);
    assert_eq!(cost["total"]["money"], money);
    assert_eq!(cost["runs"][0]["table_prices"], false);
    let report = json(&["report", "out", "--format", "json", "--out", "-"]);
    assert_eq!(report["costs"]["money"], money);
}

#[test]
fn a_run_without_prices_is_counted_by_the_table_and_says_so() {
    let place = Place::new();
    place.study();
    let provider = Provider::start(Dialect::Anthropic, Vec::new());
    let (model, variables) = provider.model();
    let run = called(
        place
            .command(&[&RUN[..], &["--model", &model]].concat())
            .envs(variables)
            .output()
            .unwrap(),
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    let said = "does not hold the prices that it was made with";
    let cost = place.call(&["show", "cost", "out"]).stdout;
    assert!(!cost.contains(said) && !cost.contains("unknown"), "{cost}");
    without_prices(&place.path().join("out/journal.jsonl"));
    let old = place.call(&["show", "cost", "out"]).stdout;
    assert!(old.contains(said), "{old}");
    let report = place
        .call(&["report", "out", "--format", "md", "--out", "-"])
        .stdout;
    assert!(report.contains("did not record its prices"), "{report}");
    // The table is that of the run, so that the money is the same.
    let shown: Vec<&str> = cost.lines().filter(|line| !line.contains(said)).collect();
    let old: Vec<&str> = old.lines().filter(|line| !line.contains(said)).collect();
    assert_eq!(shown, old);
}

/// The journal as versions wrote it that kept no price.
fn without_prices(path: &std::path::Path) {
    let found = reprise::journal::read::read(path).unwrap();
    let mut text = Vec::new();
    let mut last = reprise::journal::line::CheckSum::first();
    for mut record in found.records {
        if let reprise::run::event::Event::RunStarted(started) = &mut record.event {
            started.settings.prices = Default::default();
        }
        let (line, sum) = reprise::journal::line::write(&record, &last).unwrap();
        text.extend(line);
        last = sum;
    }
    std::fs::write(path, text).unwrap();
}
