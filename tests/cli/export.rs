//! Runs in the forms of other programs: what each has to hold, and what none may.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read as _};
use std::path::Path;
use std::process::Command;

use reprise::domain::digest::Digest;
use serde_json::Value;

use super::support::{ASKING, Called, Place, called, copy, tree};

/// A reference that nothing but scores may come near.
const CANARY: &str = "canary-9d41";

fn export(place: &Place, run: &str, format: &str, out: &str) -> Called {
    let called = place.call(&["export", run, "--format", format, "--out", out]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    called
}

/// A finished run of the fixture study, whose references hold the canary.
fn finished() -> Place {
    let place = Place::new();
    let study = place.study();
    let reference = study.join("gt/expected_post_registration.json");
    let text = fs::read_to_string(&reference).unwrap();
    fs::write(
        &reference,
        text.replacen('{', &format!("{{\"note\": \"{CANARY}\","), 1),
    )
    .unwrap();
    let called = place.call(&super::support::RUN);
    assert_eq!(called.status, 0, "{}", called.stderr);
    place
}

/// A bench of the bundled capsule at two levels, twice each, in `bench`.
fn capsules() -> Place {
    let place = Place::new();
    let capsules = Path::new(env!("CARGO_MANIFEST_DIR")).join("capsules/sunspots");
    copy(&capsules, &place.path().join("sunspots"));
    let file = "name = 'spots'\nrepeats = 2\nsettings = { approve = 'auto', sandbox = 'local', level = ['easy', 'hard'] }\n\
                [[capsules]]\nfiles = ['sunspots/task.json']\n[[agents]]\nname = 'by hand'\n";
    fs::write(place.path().join("bench.toml"), file).unwrap();
    let called = place.call(&["bench", "bench.toml"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    place
}

/// An attempt of a published agent at a bundled notebook task, in `out`.
fn notebook() -> Place {
    let place = Place::new();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("notebooks"),
        &place.path().join("notebooks"),
    );
    let attempt = [
        "notebook",
        "run",
        "notebooks/tasks.jsonl",
        "--task",
        "degree-days",
        "--agent",
        "react-super",
        "--approve",
        "auto",
        "--sandbox",
        "local",
        "--network",
        "none",
        "--out",
        "out",
    ];
    // The environment of kernels, as the tests of notebook tasks make it.
    let cache = format!("sandbox-cache-{}", nix::unistd::geteuid());
    let mut command = place.command(&attempt);
    command.env(
        "REPRISE_CACHE",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache),
    );
    if let Some(value) = std::env::var_os("PIP_INDEX_URL") {
        command.env("PIP_INDEX_URL", value);
    }
    let called = called(command.output().unwrap());
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    place
}

fn unpacked(path: &Path) -> BTreeMap<String, Value> {
    let mut archive = zip::ZipArchive::new(Cursor::new(fs::read(path).unwrap())).unwrap();
    let mut members = BTreeMap::new();
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).unwrap().unwrap().into_owned();
        let mut member = archive.by_index(index).unwrap();
        assert_eq!(member.compression(), zip::CompressionMethod::Deflated);
        let mut text = String::new();
        member.read_to_string(&mut text).unwrap();
        members.insert(name, serde_json::from_str(&text).unwrap());
    }
    members
}

fn only_file(folder: &Path) -> std::path::PathBuf {
    let files: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].path()
}

fn has(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "no `{key}` in {value:#}");
    }
}

/// The fields that the reader of inspect-ai 0.3.285 cannot do without.
#[test]
fn a_log_has_what_inspect_reads() {
    let place = finished();
    export(&place, "out", "inspect", "logs");
    let path = only_file(&place.path().join("logs"));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert!(
        name.starts_with("2026-01-02T03-04-05+00-00_replication_"),
        "{name}"
    );
    let members = unpacked(&path);
    let header = &members["header.json"];
    assert_eq!(
        (&header["version"], &header["status"]),
        (&Value::from(2), &Value::from("success"))
    );
    has(
        &header["eval"],
        &["created", "task", "dataset", "model", "config", "task_id"],
    );
    assert_eq!(
        header["eval"]["dataset"]["sample_ids"],
        serde_json::json!(["slope (native)"])
    );
    assert!(header["plan"]["steps"][0]["solver"].is_string());
    for score in header["results"]["scores"].as_array().unwrap() {
        has(score, &["name", "scorer"]);
        for metric in score["metrics"].as_object().unwrap().values() {
            has(metric, &["name", "value"]);
        }
    }
    let sample = &members["samples/slope (native)_epoch_1.json"];
    has(sample, &["id", "epoch", "input", "target", "scores"]);
    assert_eq!(sample["target"], "");
    assert_eq!(sample["scores"]["verdict"]["value"], "criterion met");
    let pool = sample["events_data"]["messages"].as_array().unwrap();
    assert!(sample["events_data"]["calls"].is_array());
    for message in pool {
        has(message, &["role", "content", "id"]);
        for call in message
            .get("tool_calls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            has(call, &["id", "function", "arguments"]);
            assert!(call["arguments"].is_object());
        }
    }
    let events = sample["events"].as_array().unwrap();
    let known = [
        "span_begin",
        "span_end",
        "model",
        "tool",
        "approval",
        "info",
        "score",
    ];
    let mut kinds = BTreeMap::<&str, usize>::new();
    for event in events {
        let kind = event["event"].as_str().unwrap();
        assert!(known.contains(&kind), "inspect knows no event `{kind}`");
        has(event, &["timestamp", "working_start"]);
        *kinds.entry(kind).or_default() += 1;
        if kind == "model" {
            let [from, to] = [0, 1].map(|end| event["input_refs"][0][end].as_u64().unwrap() as usize);
            assert!(from < to && to < pool.len(), "{from} to {to} of {}", pool.len());
            assert_eq!(event["output"]["choices"][0]["message"], pool[to]);
        }
    }
    assert!(known.iter().all(|kind| kinds.contains_key(kind)), "{kinds:?}");
    assert_eq!(kinds["span_begin"], kinds["span_end"]);
    let summaries = members["summaries.json"].as_array().unwrap();
    has(
        &summaries[0],
        &["id", "epoch", "input", "target", "completed", "model_usage"],
    );
    assert_eq!(members["_journal/summaries/1.json"], members["summaries.json"]);
    has(&members["_journal/start.json"], &["version", "eval", "plan"]);
    // The same log again, byte for byte.
    export(&place, "out", "inspect", "again");
    assert_eq!(
        tree(&place.path().join("logs")),
        tree(&place.path().join("again"))
    );
}

#[test]
fn a_run_that_waits_is_shown_as_running() {
    let place = Place::new();
    place.study();
    let called = place.call(&ASKING);
    assert_eq!(called.status, 5, "{}", called.stderr);
    export(&place, "out", "inspect", "logs");
    let members = unpacked(&only_file(&place.path().join("logs")));
    assert!(!members.contains_key("header.json") && !members.contains_key("summaries.json"));
    assert_eq!(members["_journal/summaries/1.json"][0]["completed"], false);
}

#[test]
fn tables_are_what_their_package_says() {
    let place = capsules();
    export(&place, "bench", "tables", "tables");
    let tables = place.path().join("tables");
    let read = |name: &str| fs::read(tables.join(name)).unwrap();
    let package: Value = serde_json::from_slice(&read("datapackage.json")).unwrap();
    assert_eq!(package["name"], "bench");
    for resource in package["resources"].as_array().unwrap() {
        let bytes = read(resource["path"].as_str().unwrap());
        let digest = Digest::compute(&bytes).to_string();
        assert_eq!(resource["hash"], digest);
        assert_eq!(resource["bytes"], bytes.len());
        let text = String::from_utf8(bytes).unwrap();
        let fields = resource["schema"]["fields"].as_array().unwrap();
        let names: Vec<&str> = fields
            .iter()
            .map(|field| field["name"].as_str().unwrap())
            .collect();
        assert_eq!(text.lines().next().unwrap(), names.join(","));
        let lines =
            String::from_utf8(read(&format!("{}.jsonl", resource["name"].as_str().unwrap()))).unwrap();
        for line in lines.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let keys: Vec<&String> = record.as_object().unwrap().keys().collect();
            assert_eq!(keys, names);
        }
    }
    let runs = String::from_utf8(read("runs.jsonl")).unwrap();
    let runs: Vec<Value> = runs
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(runs.len(), 4);
    for run in &runs {
        assert_eq!(
            (&run["result"], &run["score"]),
            (&Value::from("solved"), &Value::from(1.0)),
            "{run}"
        );
        assert_eq!(
            (&run["agent"], &run["standing"]),
            (&Value::from("by hand"), &Value::from("finished"))
        );
    }
    let mut told: Vec<String> = runs
        .iter()
        .map(|run| format!("{} {}", run["variant"], run["repeat"]))
        .collect();
    told.sort();
    assert_eq!(told, ["\"easy\" 1", "\"easy\" 2", "\"hard\" 1", "\"hard\" 2"]);
}

#[test]
fn attempts_are_what_hal_keeps() {
    let place = capsules();
    let called = export(&place, "bench", "hal", "hal");
    assert_eq!(called.stdout.lines().count(), 8, "{}", called.stdout);
    let files = tree(&place.path().join("hal"));
    let uploads: Vec<Value> = files
        .iter()
        .filter(|(name, _)| name.ends_with("_UPLOAD.json"))
        .map(|(_, bytes)| serde_json::from_slice(bytes).unwrap())
        .collect();
    assert_eq!(uploads.len(), 4);
    for upload in &uploads {
        has(
            upload,
            &[
                "config",
                "results",
                "raw_eval_results",
                "raw_logging_results",
                "total_usage",
                "total_cost",
                "git_info",
                "agent_hash",
                "wall_clock_times",
                "task_step_counts",
                "task_prompts",
            ],
        );
        has(
            &upload["config"],
            &[
                "agent_name",
                "benchmark_name",
                "date",
                "run_id",
                "agent_args",
                "run_command",
                "prompt_sensitivity",
            ],
        );
        has(
            &upload["results"],
            &[
                "accuracy",
                "written_accuracy",
                "vision_accuracy",
                "successful_tasks",
                "failed_tasks",
                "total_cost",
                "latencies",
            ],
        );
        assert_eq!(upload["results"]["accuracy"], 1.0);
        assert_eq!(
            upload["results"]["successful_tasks"],
            serde_json::json!(["capsule-9000001"])
        );
        let tallies = &upload["raw_eval_results"]["capsule-9000001"];
        assert_eq!(
            tallies["correct_written_answers"],
            tallies["total_written_questions"]
        );
        assert_eq!(tallies["total_vision_questions"], 1);
    }
    let submissions = files
        .iter()
        .find(|(name, _)| name.ends_with("hard_by-hand_1767323045_k0_RAW_SUBMISSIONS.jsonl"));
    let (_, submissions) =
        submissions.unwrap_or_else(|| panic!("{:?}", files.iter().map(|(name, _)| name).collect::<Vec<_>>()));
    let line: Value = serde_json::from_slice(submissions).unwrap();
    assert!(
        line["capsule-9000001"]["Report the mean number of sunspots."].is_number(),
        "{line}"
    );
    // The gold holds three runs, of which an answer has one.
    let whole = fs::read_to_string(place.path().join("sunspots/task.json")).unwrap();
    let tasks: Value = serde_json::from_str(&whole).unwrap();
    let gold = tasks[0]["results"].as_array().unwrap();
    let answered = &line["capsule-9000001"];
    for run in gold.iter().skip(1) {
        for value in run.as_object().unwrap().values().filter(|value| value.is_f64()) {
            let is_own = answered.as_object().unwrap().values().any(|own| own == value);
            let everywhere = files
                .iter()
                .any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&value.to_string()));
            assert!(is_own || !everywhere, "{value} of the gold is in an export");
        }
    }
}

#[test]
fn a_crate_describes_every_file_in_it() {
    let place = finished();
    export(&place, "out", "ro-crate", "crate");
    let root = place.path().join("crate");
    let metadata: Value =
        serde_json::from_slice(&fs::read(root.join("ro-crate-metadata.json")).unwrap()).unwrap();
    let graph = metadata["@graph"].as_array().unwrap();
    let entity = |id: &str| {
        graph
            .iter()
            .find(|one| one["@id"] == id)
            .unwrap_or_else(|| panic!("no {id}"))
    };
    let dataset = entity("./");
    let parts = dataset["hasPart"].as_array().unwrap();
    assert_eq!(
        parts.len() + 1,
        tree(&root).len(),
        "every file but the description is a part"
    );
    for part in parts {
        let part = entity(part["@id"].as_str().unwrap());
        let path = root.join(part["@id"].as_str().unwrap());
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if let Some(digest) = part["sha256"].as_str() {
            assert_eq!(digest, Digest::compute(&bytes).hex());
        }
    }
    for mention in dataset["mentions"].as_array().unwrap() {
        entity(mention["@id"].as_str().unwrap());
    }
    let run = entity("#run");
    assert_eq!(run["instrument"]["@id"], dataset["mainEntity"]["@id"]);
    assert_eq!(run["actionStatus"], "http://schema.org/CompletedActionStatus");
    for (list, path) in [
        ("object", "workspace/replication_data/plots.csv"),
        ("result", "journal.jsonl"),
    ] {
        let named = run[list].as_array().unwrap().iter().any(|one| one["@id"] == path);
        assert!(named, "{list} names no {path}: {run:#}");
    }
    assert!(graph.iter().any(|one| one["@type"] == "AuthorizeAction"));
    let execution = entity("#execution-x1");
    assert!(
        execution["instrument"]["@id"].as_str().unwrap().ends_with(".sh"),
        "{execution:#}"
    );
    assert!(!root.join("workspace/original_paper.pdf").exists());
    entity("#paper");
    let with = place.call(&[
        "export",
        "out",
        "--format",
        "ro-crate",
        "--out",
        "with",
        "--with-paper",
    ]);
    assert_eq!(with.status, 0, "{}", with.stderr);
    assert!(place.path().join("with/workspace/original_paper.pdf").exists());
}

#[test]
fn no_export_holds_a_reference() {
    let place = finished();
    for format in ["inspect", "tables", "ro-crate"] {
        export(&place, "out", format, format);
        let folder = place.path().join(format);
        for (name, bytes) in tree(&folder) {
            let mut texts = vec![String::from_utf8_lossy(&bytes).into_owned()];
            if name.ends_with(".eval") {
                texts = unpacked(&folder.join(&name))
                    .values()
                    .map(ToString::to_string)
                    .collect();
            }
            for text in texts {
                assert!(!text.contains(CANARY), "{format}: {name}");
            }
        }
    }
}

#[test]
fn what_cannot_be_exported_is_said() {
    let place = finished();
    fs::create_dir(place.path().join("empty")).unwrap();
    let mut said = String::new();
    for arguments in [
        &["export", "out", "--format", "hal", "--out", "hal"][..],
        &["export", "out", "out", "--format", "ro-crate", "--out", "crate"],
        &["export", "out", "--format", "ro-crate", "--out", "slope"],
        &["export", "empty", "--format", "tables", "--out", "tables"],
    ] {
        said += &place.complaint(arguments);
    }
    for (sentence, count) in [
        ("none of these runs is an attempt at a capsule", 1),
        ("a crate is of one run, and these are 2: name one", 1),
        ("slope exists and is not empty: choose another --out", 1),
        ("empty is not a run", 1),
    ] {
        assert_eq!(said.matches(sentence).count(), count, "{said}");
    }
    assert_eq!(
        said.matches("[2]").count() + said.matches("[7]").count(),
        4,
        "{said}"
    );
}

/// The readers themselves, as packages of Python: fetched, so that this is a part of
/// `.ci/run long`.
#[test]
#[ignore = "fetches packages from PyPI: .ci/run long"]
fn every_export_is_opened_by_its_reader() {
    let place = finished();
    let bench = capsules();
    export(&place, "out", "inspect", "logs");
    export(&place, "out", "ro-crate", "crate");
    export(&bench, "bench", "inspect", "logs");
    export(&bench, "bench", "tables", "tables");
    let notebook = notebook();
    export(&notebook, "out", "inspect", "logs");
    let called = notebook.call(&["notebook", "export", "out", "--out", "out.ipynb"]);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/export_readers.sh");
    let readers = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-readers");
    let mut command = Command::new("bash");
    command.arg(script).arg(&readers);
    for (place, name) in [
        (&place, "logs"),
        (&bench, "logs"),
        (&bench, "tables"),
        (&place, "crate"),
        (&notebook, "logs"),
        (&notebook, "out.ipynb"),
    ] {
        command.arg(place.path().join(name));
    }
    let output = command.output().unwrap();
    let told = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{told}");
    println!("{told}");
}
