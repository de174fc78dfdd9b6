//! Repeats of a bench that are seeds: what the model is told, and what makes a cell another one.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use super::bench::{parsed, place};
use super::provider::{Dialect, Provider};
use super::support::{Called, Place, called};

fn bench(seeds: &str, settings: &str) -> String {
    format!(
        "name = 'seeded'\n{seeds}\nsettings = {{ approve = 'auto', sandbox = 'local', code-mode = 'native', no-probe = true, {settings} }}\n\
         [[studies]]\npaths = ['slope']\n"
    )
}

fn call(place: &Place, arguments: &[&str], variables: &BTreeMap<String, String>) -> Called {
    called(place.command(arguments).envs(variables).output().unwrap())
}

/// The ids of planned cells by their names.
fn ids(plan: &Value) -> BTreeMap<String, String> {
    let cells = plan["cells"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    cells
        .map(|cell| (cell["plan"]["options"].to_string(), text(&cell["plan"]["cell"])))
        .collect()
}

#[test]
fn each_seed_is_a_repeat_that_its_provider_and_its_journal_are_told() {
    let provider = Provider::for_many(Dialect::OpenAi, 0);
    let (model, variables) = provider.model();
    let variables: BTreeMap<String, String> = variables
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let settings = format!("model = '{model}'");
    let place = place(&bench("seeds = [11, 7]", &settings));
    let plan = parsed(&call(
        &place,
        &["bench", "plan", "bench.toml", "--json"],
        &variables,
    ));
    let before = ids(&plan);
    assert_eq!(before.len(), 2, "{plan}");
    let ran = call(
        &place,
        &["bench", "bench.toml", "--parallel", "1", "--json"],
        &variables,
    );
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let requests = provider.requests();
    for seed in [11, 7] {
        let told = requests.iter().filter(|request| request["seed"] == seed);
        assert_eq!(told.count(), 19, "{seed}");
    }
    let figures = &parsed(&ran)["agents"][0];
    assert_eq!(
        (&figures["cells"], &figures["tasks"]),
        (&json!(2), &json!(1)),
        "{figures}"
    );
    let cells = fs::read_dir(place.path().join("bench/cells")).unwrap();
    let journals: Vec<String> = cells
        .map(|cell| fs::read_to_string(cell.unwrap().path().join("journal.jsonl")).unwrap())
        .collect();
    assert!(
        journals
            .iter()
            .any(|journal| journal.contains(r#""sampling":{"seed":7}"#)),
        "{}",
        journals[0].lines().next().unwrap_or_default()
    );
    // A further seed leaves the others where they are, whatever its place.
    fs::write(
        place.path().join("bench.toml"),
        bench("seeds = [3, 7, 11]", &settings),
    )
    .unwrap();
    let plan = parsed(&call(
        &place,
        &["bench", "plan", "bench.toml", "--json"],
        &variables,
    ));
    let after = ids(&plan);
    assert_eq!(after.len(), 3);
    assert!(
        before.iter().all(|(options, id)| after[options] == *id),
        "{before:?} {after:?}"
    );
    let standings = plan["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["standing"].as_str().unwrap());
    assert_eq!(
        standings.collect::<Vec<_>>(),
        ["to begin", "finished", "finished"],
        "{plan}"
    );
}

#[test]
fn seeds_that_say_nothing_are_refused_at_once() {
    let place = place("");
    for (seeds, settings, named) in [
        (
            "seeds = [1, 2]",
            "mend = 'propose'",
            "recorded:native is a recording",
        ),
        (
            "seeds = [1]",
            "model = 'anthropic/claude-haiku-4-5'",
            "anthropic/claude-haiku-4-5 is asked through the Messages interface, which has no place for a seed",
        ),
        ("seeds = [1, 1]", "model = 'openai/gpt-4o'", "`seeds` has 1 twice"),
        (
            "seeds = [1, 2]\nrepeats = 3",
            "model = 'openai/gpt-4o'",
            "`repeats = 3` beside 2 `seeds`",
        ),
        (
            "seeds = [1, 2]",
            "seed = 4",
            "both `seeds` and the setting `seed`",
        ),
        ("seeds = [-1]", "mend = 'propose'", "-1"),
        ("repeats = 1", "seed = -4", "seed"),
    ] {
        fs::write(place.path().join("bench.toml"), bench(seeds, settings)).unwrap();
        let refused = place.call(&["bench", "bench.toml", "--plan"]);
        assert_eq!(refused.status, 2, "{seeds}: {}{}", refused.stdout, refused.stderr);
        assert!(refused.stderr.contains(named), "{seeds}: {}", refused.stderr);
    }
    let run = place.call(&[
        "run",
        "slope",
        "--code-mode=native",
        "--no-probe",
        "--seed",
        "4",
        "--out",
        "out",
    ]);
    assert!(
        run.status == 2
            && run
                .stderr
                .contains("--temperature, --top-p and --seed choose nothing in it"),
        "{}",
        run.stderr
    );
    let large = place.call(&["run", "slope", "--seed", "9223372036854775808", "--out", "out"]);
    assert!(
        large.status == 2 && large.stderr.contains("9223372036854775807"),
        "{}",
        large.stderr
    );
    assert!(!place.path().join("out").exists());
}
