//! The search stage on the web.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::support::{Called, called};
use super::web::{MODEL_KEY, SEARCH_KEY, Server, World, hosted};

/// Every file below a folder, by its name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            (
                entry.path().display().to_string(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

fn assert_reviewed(world: &World, run: &str) {
    let answer = world.answer(run);
    let urls = answer["urls"].as_array().unwrap();
    assert_eq!(urls.len(), 1, "{answer:#}");
    assert_eq!(
        urls[0]["url"],
        format!("http://127.0.0.1:{}/data", world.site.port)
    );
    assert_eq!(urls[0]["extra"]["seen"], "fetched");
    assert_eq!(urls[0]["extra"]["status"], 200);
    let missing = answer["missing"].as_array().unwrap();
    assert_eq!(missing.len(), 2, "{answer:#}");
    assert_eq!(missing[1]["resource_name"], "Codebook");
    assert_eq!(missing[1]["search_query"], "harvest plots");
    assert!(missing[1]["why"].as_str().unwrap().contains("was seen nowhere"));
}

#[test]
fn a_search_is_checked_recorded_replayed_and_reported() {
    let world = World::new();
    let ran = world.run(&world.searxng(), &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert_reviewed(&world, "out");
    assert_eq!(
        world.model.lines().len(),
        6,
        "three calls, and three answers of which two are handed back"
    );
    assert!(
        world
            .site
            .lines()
            .iter()
            .any(|line| line == "HEAD /invented/codebook")
    );
    assert!(world.engine.lines()[0].starts_with("GET /search?q=harvest+plots&format=json"));

    let told = called(
        world
            .place
            .command(&["report", "out", "--format", "md"])
            .output()
            .unwrap(),
    );
    assert_eq!(told.status, 0, "{}", told.stderr);
    let report = fs::read_to_string(world.place.path().join("out/report.md"))
        .unwrap()
        .replace('\\', "");
    for sentence in [
        "1 result of blocked hosts withheld from the search.",
        "1 page withheld from the agent when it asked.",
        "1 address that the agent proposed and nothing confirmed was moved to `missing`",
        "Proposed addresses that do not answer:",
    ] {
        assert!(report.contains(sentence), "{sentence}\n{report}");
    }
    let html = fs::read_to_string(world.place.path().join("out/report.html")).unwrap();
    assert!(html.contains("The answer was handed back"));

    for (name, bytes) in files(world.place.path()) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("canary-"), "{name} holds a key");
        assert!(
            name.contains("/slope/") || !text.contains("How it came out"),
            "{name} holds a withheld result"
        );
    }

    let asked = (
        world.engine.lines().len(),
        world.model.lines().len(),
        world.site.lines().len(),
    );
    let replayed = called(
        world
            .command(&["replay", "out", "--out", "again"])
            .output()
            .unwrap(),
    );
    assert_eq!(replayed.status, 0, "{}{}", replayed.stdout, replayed.stderr);
    assert_eq!(world.answer("again"), world.answer("out"));
    let after = (
        world.engine.lines().len(),
        world.model.lines().len(),
        world.site.lines().len(),
    );
    assert_eq!(asked, after, "a replay asks nobody");
}

#[test]
fn a_run_that_dies_behind_any_review_goes_on_from_it() {
    for after in [12, 13, 14] {
        let world = World::new();
        let ran = world.run(
            &world.searxng(),
            &[("REPRISE_DIE_AFTER_EVENT", &after.to_string())],
        );
        assert_ne!(ran.status, 0);
        let asked = world.model.lines().len();
        let resumed = called(world.command(&["resume", "out"]).output().unwrap());
        assert_eq!(resumed.status, 0, "{after}: {}{}", resumed.stdout, resumed.stderr);
        assert_reviewed(&world, "out");
        assert!(asked <= 6 && world.model.lines().len() <= 7, "{after}");
    }
}

#[test]
fn without_an_engine_nothing_is_reached_and_nothing_is_believed() {
    let world = World::new();
    let ran = world.run("none", &[]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    let answer = world.answer("out");
    assert!(answer["urls"].as_array().unwrap().is_empty(), "{answer:#}");
    assert_eq!(answer["missing"].as_array().unwrap().len(), 3);
    assert!(world.site.lines().is_empty() && world.engine.lines().is_empty());
}

#[test]
fn what_the_operator_did_not_open_stays_closed() {
    let world = World::new();
    let ran = world.run(&world.searxng(), &[("REPRISE_PRIVATE_ADDRESSES", "")]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(world.engine.lines().len(), 1, "the engine is the operator's own");
    assert!(world.site.lines().is_empty(), "{:?}", world.site.lines());
}

#[test]
fn engines_are_named_or_the_way_out_is() {
    let world = World::new();
    for (search, variables, sentence) in [
        ("bing", &[][..], "is no search engine"),
        ("tavily", &[], "TAVILY_API_KEY: it is not set"),
        ("searxng:http://u:canary-p@h/", &[], "holds a user or a password"),
        (
            "brave",
            &[("REPRISE_PRIVATE_ADDRESSES", "all")],
            "`all` is no network",
        ),
    ] {
        let ran = world.run(search, variables);
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        assert!(
            ran.stderr.contains(sentence) && !ran.stderr.contains("canary-p"),
            "{}",
            ran.stderr
        );
    }
    let recorded = world
        .place
        .call(&["run", "slope", "--code-mode", "native", "--search", "brave"]);
    assert_eq!(recorded.status, 2);
    assert!(recorded.stderr.contains("is a recording"), "{}", recorded.stderr);
}

#[test]
fn what_a_hosted_search_takes_comes_out_of_the_runs_purse() {
    let world = World::new();
    let engine = hosted(world.site.port);
    let base = format!("http://127.0.0.1:{}/v1", engine.port);
    let call = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command
            .env("REPRISE_SEARCH_BASE", &base)
            .env("OPENAI_API_KEY", SEARCH_KEY);
        called(command.output().unwrap())
    };
    let search = world.arguments("openai/gpt-4.1");
    let mut search: Vec<&str> = search.iter().map(String::as_str).collect();
    search.extend(["--max-tokens", "8k"]);
    let stopped = call(&search);
    assert_eq!(stopped.status, 6, "{}{}", stopped.stdout, stopped.stderr);
    assert!(
        stopped.stdout.contains("tokens used of 8000 tokens"),
        "{}",
        stopped.stdout
    );
    assert_eq!(
        call(&["resume", "out"]).status,
        6,
        "it counts when the journal is read again"
    );
    assert_eq!((world.model.lines().len(), engine.lines().len()), (1, 1));
    let done = call(&["resume", "out", "--max-tokens", "1M"]);
    assert_eq!(done.status, 0, "{}{}", done.stdout, done.stderr);
    let cost: Value = serde_json::from_str(&call(&["show", "cost", "out", "--json"]).stdout).unwrap();
    let (turns, total) = (world.model.lines().len() as u64, &cost["total"]);
    assert_eq!(total["calls"], turns + 1);
    // The ten tokens that the server counts for a long prompt are not believed; those of the search are.
    let estimated = total["usage"]["estimated"].as_u64().unwrap();
    assert_eq!(total["usage"]["input"], 9_000 + estimated);
    assert!(estimated > 10 * turns, "{total}");
    assert_eq!(total["usage"]["output"], 5 * turns + 100);
    // No price is known of a search model: a cap in dollars could not be kept.
    let unpriced = world.arguments("openai/gpt-99");
    let mut unpriced: Vec<&str> = unpriced.iter().map(String::as_str).collect();
    unpriced.extend(["--max-cost", "1"]);
    assert_eq!(call(&unpriced).status, 2);
}

#[test]
fn what_a_hosted_search_costs_beside_its_tokens_is_counted_or_said_to_be_missing() {
    let world = World::new();
    let engine = hosted(world.site.port);
    let table = world.place.path().join("models.toml");
    fs::write(&table, "version = 1\n[models.\"openai/gpt-4.1\"]\nsearch = 50\n").unwrap();
    let call = |arguments: &[&str], knows: bool| {
        let mut command = world.command(arguments);
        command
            .env(
                "OPENAI_BASE_URL",
                format!("http://127.0.0.1:{}/v1", world.model.port),
            )
            .env(
                "REPRISE_SEARCH_BASE",
                format!("http://127.0.0.1:{}/v1", engine.port),
            )
            .env("OPENAI_API_KEY", SEARCH_KEY);
        if knows {
            command.env("REPRISE_MODELS", &table);
        }
        called(command.output().unwrap())
    };
    let name = "openai/gpt-4.1";
    let run = |out: &str, knows: bool, more: &[&str]| {
        let stages = ["run", "slope", "--stages", "search..search", "--approve", "auto"];
        let models = ["--model", name, "--search", name, "--out", out];
        call(&[&stages[..], &models, more].concat(), knows)
    };
    let money = |out: &str| -> u64 {
        let cost: Value =
            serde_json::from_str(&call(&["show", "cost", out, "--json"], false).stdout).unwrap();
        cost["total"]["money"].as_u64().unwrap()
    };
    let missing = "beside the tokens is not known";
    let unknown = run("unknown", false, &[]);
    assert_eq!(unknown.status, 0, "{}{}", unknown.stdout, unknown.stderr);
    assert!(
        unknown.stderr.contains("beside its tokens is not known"),
        "{}",
        unknown.stderr
    );
    assert!(call(&["show", "cost", "unknown"], false).stdout.contains(missing));
    let report = call(&["report", "unknown", "--format", "md", "--out", "-"], false);
    let in_report = "in addition to the tokens is not known";
    assert!(report.stdout.contains(in_report), "{}", report.stdout);

    let known = run("known", true, &[]);
    assert_eq!(known.status, 0, "{}{}", known.stdout, known.stderr);
    assert!(!known.stderr.contains("is not known"), "{}", known.stderr);
    assert!(!call(&["show", "cost", "known"], false).stdout.contains(missing));
    assert_eq!(money("known"), money("unknown") + 50_000_000);
    assert_eq!(engine.lines().len(), 2);

    let capped = run("capped", true, &["--max-cost", "20"]);
    assert_eq!(capped.status, 6, "{}{}", capped.stdout, capped.stderr);
    assert_eq!(engine.lines().len(), 2, "it was not searched for");
    // What a run paid counts when its journal is read again.
    let stopped = run("stopped", true, &["--max-cost", "60", "--max-turns", "2"]);
    assert_eq!(stopped.status, 6, "{}{}", stopped.stdout, stopped.stderr);
    let again = call(
        &["resume", "stopped", "--max-turns", "99", "--max-cost", "40"],
        true,
    );
    assert_eq!(again.status, 6, "{}{}", again.stdout, again.stderr);
    assert!(again.stdout.contains("$50."), "{}", again.stdout);
}

#[test]
fn the_key_of_a_search_engine_is_nowhere() {
    for (search, status) in [
        ("brave", 200),
        ("brave", 401),
        ("tavily", 403),
        ("openai/gpt-4.1", 500),
    ] {
        let world = World::new();
        // A provider that repeats the key, in its answer or its refusal.
        let engine = Server::start(move |_, _| {
            let page =
                json!({ "url": "https://example.org/x", "title": SEARCH_KEY, "description": SEARCH_KEY });
            let results = json!({ "results": [page] });
            (
                status,
                json!({ "web": results, "error": { "message": SEARCH_KEY }, "detail": SEARCH_KEY })
                    .to_string(),
            )
        });
        let base = format!("http://127.0.0.1:{}/v1", engine.port);
        let call = |arguments: &[&str]| {
            let mut command = world.command(arguments);
            command
                .env("REPRISE_SEARCH_BASE", &base)
                .env("TAVILY_API_KEY", SEARCH_KEY)
                .env("OPENAI_API_KEY", SEARCH_KEY)
                .env("REPRISE_LOG", "trace");
            called(command.output().unwrap())
        };
        let run = world.arguments(search);
        let run = call(&run.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!engine.lines().is_empty(), "{search}: {}", run.stderr);
        let verbs: [&[&str]; 4] = [
            &["show", "out"],
            &["show", "cost", "out"],
            &["report", "out", "--format", "md", "--out", "-"],
            &["replay", "record", "out", "./session.json"],
        ];
        let mut printed: Vec<Called> = verbs.iter().map(|arguments| call(arguments)).collect();
        printed.push(run);
        for key in [SEARCH_KEY, MODEL_KEY] {
            for one in &printed {
                assert!(!one.stdout.contains(key), "{search} {status}: {}", one.stdout);
                assert!(!one.stderr.contains(key), "{search} {status}: {}", one.stderr);
            }
            for (name, content) in files(world.place.path()) {
                let found = memchr::memmem::find(&content, key.as_bytes());
                assert!(found.is_none(), "{search} {status}: {name} holds the key");
            }
        }
    }
}
