//! Rescoring every released grading, beside the same arithmetic in Python.
//!
//! `REPRISE_SHARED=... cargo bench --bench rescoring`

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement, run by hand"
)]

use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use reprise::scoring::aggregate::grading::{GradedStage, Gradings};
use reprise::scoring::aggregate::{compat, corrected};
use reprise::scoring::fields::document::Document;
use reprise::scoring::fields::score::compare;
use serde_json::Value;

const ROUNDS: usize = 50;
const PROCESSES: usize = 15;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn report(name: &str, mut milliseconds: Vec<f64>) {
    milliseconds.sort_by(f64::total_cmp);
    let (least, middle) = (milliseconds[0], milliseconds[milliseconds.len() / 2]);
    println!(
        "{name}: least {least:.2} ms, median {middle:.2} ms of {} rounds",
        milliseconds.len()
    );
}

fn rounds(name: &str, mut work: impl FnMut()) {
    let one = |()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    report(name, std::iter::repeat_n((), ROUNDS).map(one).collect());
}

fn main() {
    let root = std::env::var_os("REPRISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let root = root.join("data/replicatorbench");
    if !root.is_dir() {
        println!("skipped: no shared data at {}", root.display());
        return;
    }
    let mut all = Vec::new();
    files(&root.join("results"), &mut all);
    all.sort();
    let graded: Vec<(GradedStage, PathBuf)> = (all.iter())
        .filter_map(|path| {
            let stage = GradedStage::all().find(|stage| path.ends_with(stage.file_name()))?;
            Some((stage, path.clone()))
        })
        .collect();
    let bytes: Vec<(GradedStage, Vec<u8>)> = (graded.iter())
        .map(|(stage, path)| (*stage, std::fs::read(path).unwrap()))
        .collect();
    let gradings: Vec<Gradings<'_>> = (bytes.iter())
        .map(|(stage, bytes)| {
            let mut one = Gradings::default();
            match stage {
                GradedStage::Extract => one.extract = Some(bytes),
                GradedStage::Design => one.design = Some(bytes),
                GradedStage::Execute => one.execute = Some(bytes),
                GradedStage::Interpret => one.interpret = Some(bytes),
            }
            one
        })
        .collect();
    let total: usize = bytes.iter().map(|(_, bytes)| bytes.len()).sum();
    println!("{} gradings, {total} bytes", bytes.len());
    rounds("rust, as released", || {
        gradings
            .iter()
            .for_each(|one| drop(black_box(compat::summarise(one))));
    });
    rounds("rust, corrected", || {
        gradings
            .iter()
            .for_each(|one| drop(black_box(corrected::summarise(one))));
    });
    python(&graded);
    processes(&root.join("results"), &graded);
    fields(&root, &all);
}

/// Both as a person meets them: a process that starts, reads the files and
/// adds up; this program checks the stored summaries besides.
fn processes(results: &Path, graded: &[(GradedStage, PathBuf)]) {
    let list: Vec<_> = graded.iter().map(|(stage, path)| (stage.name(), path)).collect();
    let list = serde_json::to_vec(&list).unwrap();
    let started = |mut command: Command| {
        let start = Instant::now();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // The program does not read its input, and may be gone before it is written.
        let _ = child.stdin.take().unwrap().write_all(&list);
        child.wait().unwrap();
        start.elapsed().as_secs_f64() * 1e3
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..PROCESSES {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.args(["score", "summary"]).arg(results).arg("--json");
        ours.push(started(command));
        let mut command = Command::new("python3");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/rescoring.py"));
        command.arg("1");
        theirs.push(started(command));
    }
    report("rust, one process", ours);
    report("python, one process", theirs);
}

fn python(graded: &[(GradedStage, PathBuf)]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/rescoring.py");
    let list: Vec<_> = graded.iter().map(|(stage, path)| (stage.name(), path)).collect();
    let child = Command::new("python3")
        .arg(script)
        .arg(ROUNDS.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        println!("skipped: no python3");
        return;
    };
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&serde_json::to_vec(&list).unwrap()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let seconds: Vec<f64> = serde_json::from_slice(&output.stdout).unwrap();
    report(
        "python, as released",
        seconds.into_iter().map(|one| one * 1e3).collect(),
    );
}

fn fields(root: &Path, all: &[PathBuf]) {
    let read = |path: &Path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    let pairs: Vec<(Document, Document)> = (all.iter())
        .filter(|path| path.ends_with("post_registration.json"))
        .map(|path| {
            let study = path
                .strip_prefix(root.join("results/python"))
                .unwrap()
                .iter()
                .next()
                .unwrap();
            let gold = root
                .join("original")
                .join(study)
                .join("gt/expected_post_registration.json");
            (Document::read(&read(path)), Document::read(&read(&gold)))
        })
        .collect();
    println!("{} post-registrations", pairs.len());
    rounds("rust, fields by ROUGE-L", || {
        pairs
            .iter()
            .for_each(|(ours, theirs)| drop(black_box(compare(ours, theirs))));
    });
}
