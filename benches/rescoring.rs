//! Every released grading rescored, beside the same arithmetic in Python.
//!
//! `REPRISE_SHARED=... cargo bench --bench rescoring`
//!
//! Each part is one process of ours, as a person starts it (`score summary`,
//! `score agreement`, `score search`), beside one of Python that does that
//! part; all of it is three of ours beside one of Python. Python is started
//! without its packages' start-up (`-I -S`). Both read the same files, and
//! their figures are compared before any clock is read: counts exactly, other
//! numbers to 1e-12.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a measurement, run by hand"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;

const ROUNDS: usize = 20;
const RESAMPLES: [usize; 2] = [0, 2000];
const PARTS: [&str; 3] = ["summary", "agreement", "search"];
const MEASURES: [&str; 5] = ["bias", "quadratic_kappa", "ordinal_alpha", "spearman", "kendall"];
const AVERAGES: [&str; 3] = ["precision", "recall", "f1"];

/// Figures by name, so that one missing on either side is seen.
type Figures = BTreeMap<String, Option<f64>>;

fn main() {
    let root = std::env::var_os("REPRISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let root = root.join("data/replicatorbench");
    if !root.is_dir() {
        println!("skipped: no shared data at {}", root.display());
        return;
    }
    let python = interpreter();
    for resamples in RESAMPLES {
        let compared = compare(&root, &python, resamples);
        println!("{compared} figures are equal; intervals from {resamples} resamples");
        let mut ours = commands(&root, resamples);
        for (part, own) in PARTS.into_iter().zip(&mut ours) {
            let other = theirs(&root, &python, resamples, &[part]);
            race(part, std::slice::from_mut(own), other);
        }
        race("all three", &mut ours, theirs(&root, &python, resamples, &PARTS));
    }
}

/// Ours and Python in turns; prints what each took.
fn race(what: &str, ours: &mut [Command], theirs: Command) {
    let mut theirs = [theirs];
    let rounds: Vec<_> = (0..ROUNDS).map(|_| [timed(ours), timed(&mut theirs)]).collect();
    for (at, clock) in ["wall", "CPU"].into_iter().enumerate() {
        let [(one, half), (other, middle)] =
            [0, 1].map(|side| spread(rounds.iter().map(|round| round[side][at])));
        println!(
            "  {what}, {clock}: rust least {one:.1} ms, median {half:.1} ms; python least {other:.1} ms, median \
             {middle:.1} ms; ratio of least {:.1}, of medians {:.1}",
            other / one,
            middle / half
        );
    }
}

/// The interpreter itself: what is called `python3` may be a script that looks for it.
fn interpreter() -> PathBuf {
    let output = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().into()
}

fn commands(root: &Path, resamples: usize) -> [Command; 3] {
    let program = || Command::new(env!("CARGO_BIN_EXE_reprise"));
    let results = root.join("results");
    let mut summary = program();
    summary
        .args(["score", "summary", "--mode", "compat", "--json"])
        .arg(&results);
    let mut agreement = program();
    agreement.args([
        "score",
        "agreement",
        "--json",
        "--judges",
        "gpt-4o,gpt-5",
        "--resamples",
    ]);
    agreement.arg(resamples.to_string()).arg(&results);
    let mut search = program();
    search.args(["score", "search", "--mode", "compat", "--json", "--gold"]);
    search
        .arg(root.join("web-search/gold_set.json"))
        .arg("--predictions")
        .args(predictions(root));
    [summary, agreement, search]
}

fn predictions(root: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(root.join("web-search"))
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    files.sort();
    files
}

fn theirs(root: &Path, python: &Path, resamples: usize, parts: &[&str]) -> Command {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(python);
    command
        .args(["-I", "-S"])
        .arg(here.join("benches/rescoring.py"))
        .arg(root)
        .arg(resamples.to_string())
        .args(parts);
    command
}

/// Milliseconds of wall and of processors, of all commands in a row.
fn timed(commands: &mut [Command]) -> [f64; 2] {
    let spent = || {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
        let times = [usage.user_time(), usage.system_time()];
        times
            .map(|time| time.tv_sec() as f64 * 1e3 + time.tv_usec() as f64 / 1e3)
            .iter()
            .sum::<f64>()
    };
    let (start, before) = (Instant::now(), spent());
    for command in commands {
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
    }
    [start.elapsed().as_secs_f64() * 1e3, spent() - before]
}

/// The least and the middle of some times.
fn spread(times: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

fn answer(mut command: Command) -> Value {
    let output = command.output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{command:?}: {error}: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

/// How many figures both sides have; panics at the first that differs.
fn compare(root: &Path, python: &Path, resamples: usize) -> usize {
    let [summary, agreement, search] = commands(root, resamples).map(answer);
    let mut ours = Figures::new();
    for grading in list(&summary["gradings"]) {
        for stage in list(&grading["summary"]["stages"]) {
            let name = format!("{} {}", text(&grading["folder"]), text(&stage["stage"]));
            ours.insert(name.clone(), stage["average"].as_f64());
            for aspect in list(&stage["aspects"]) {
                ours.insert(
                    format!("{name} {}", text(&aspect["name"])),
                    aspect["score"].as_f64(),
                );
            }
        }
    }
    for stage in list(&agreement["stages"]) {
        let (name, measured) = (text(&stage["stage"]), &stage["agreement"]);
        for measure in MEASURES {
            ours.insert(format!("{name} {measure}"), measured[measure].as_f64());
        }
        for share in ["exact", "within_one"] {
            ours.insert(format!("{name} {share}"), measured[share]["hits"].as_f64());
        }
        ours.insert(format!("{name} n"), measured["exact"]["of"].as_f64());
    }
    for model in list(&search["models"]) {
        for (position, run) in list(&model["runs"]).iter().enumerate() {
            let averages = ["macro_average", "micro_average"].into_iter();
            let averages = averages.flat_map(|kind| AVERAGES.map(|figure| &run[kind][figure]));
            let figures = averages.chain(["hit_any", "hit_all", "cases"].map(|figure| &run[figure]));
            for (figure, value) in figures.enumerate() {
                ours.insert(
                    format!("{} {position} {figure}", text(&model["model"])),
                    value.as_f64(),
                );
            }
        }
    }
    let others = python_figures(&answer(theirs(root, python, resamples, &PARTS)));
    let only = |one: &Figures, other: &Figures| -> Vec<String> {
        one.keys()
            .filter(|key| !other.contains_key(*key))
            .cloned()
            .collect()
    };
    assert_eq!((only(&ours, &others), only(&others, &ours)), (vec![], vec![]));
    for (name, value) in &ours {
        let other = others[name];
        let same = match (value, other) {
            (Some(one), Some(other)) => (one - other).abs() <= 1e-12 * one.abs().max(1.0),
            (one, other) => *one == other,
        };
        assert!(same, "{name}: rust {value:?}, python {other:?}");
    }
    ours.len()
}

fn python_figures(answer: &Value) -> Figures {
    let mut figures = Figures::new();
    for (folder, stages) in members(&answer["summary"]) {
        for (stage, summed) in members(stages) {
            figures.insert(format!("{folder} {stage}"), summed["average"].as_f64());
            for (aspect, score) in members(&summed["aspects"]) {
                figures.insert(format!("{folder} {stage} {aspect}"), score.as_f64());
            }
        }
    }
    for (stage, measured) in members(&answer["agreement"]) {
        for (name, value) in members(measured).filter(|(name, _)| *name != "intervals") {
            figures.insert(format!("{stage} {name}"), value.as_f64());
        }
    }
    for (path, runs) in members(&answer["search"]) {
        let file = Path::new(path).file_stem().unwrap().to_string_lossy();
        let model = file.strip_prefix("merged_").unwrap();
        for (position, run) in list(runs).iter().enumerate() {
            for (figure, value) in list(run).iter().enumerate() {
                figures.insert(format!("{model} {position} {figure}"), value.as_f64());
            }
        }
    }
    figures
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().unwrap().iter()
}
