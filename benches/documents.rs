//! PDF text beside `pdftotext` and PyMuPDF, and loading data beside pandas, pyreadstat and pyreadr.
//!
//! `cargo bench --bench documents [-- pdf|data|whole]`. Each reader runs in a
//! process of its own, [`TIMES`] times, of which the cheapest counts: on a
//! machine that others use, processor time tells more than the clock. The
//! files are those of the shared studies and a generated survey of
//! `REPRISE_BENCH_ROWS` rows. A Python with the other readers is made below
//! `target` on the first call; `REPRISE_PYTHON` names another one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use reprise_documents::documents::limits::Limits;
use reprise_documents::documents::read::read;
use serde_json::{Value, json};

const TIMES: usize = 3;
const ROWS: &str = "300000";
const SCRIPT: &str = "benches/documents.py";
/// Formats, and what reads them elsewhere.
const FORMATS: [(&str, &[&str]); 7] = [
    ("csv", &["pandas"]),
    ("dta", &["pandas", "pyreadstat"]),
    ("sav", &["pyreadstat"]),
    ("rds", &["pyreadr"]),
    ("xlsx", &["openpyxl"]),
    ("parquet", &["pyarrow"]),
    ("feather", &["pyarrow"]),
];

fn main() {
    let arguments: Vec<OsString> = std::env::args_os()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let first = arguments.first().and_then(|first| first.to_str());
    match first {
        Some("read") => read_all(&arguments[1..]),
        Some("pdftotext") => pdftotext(&arguments[1..]),
        Some("cost") => cost(&arguments[1..]),
        only => {
            let wanted = |part| only.is_none_or(|only| only == part);
            let shared = std::env::var_os("REPRISE_SHARED").unwrap_or_else(|| "../shared".into());
            let studies = Path::new(&shared).join("data/replicatorbench/original");
            if wanted("pdf") {
                papers(&studies);
            }
            if wanted("data") {
                data(&studies);
            }
            if wanted("whole") {
                whole();
            }
        }
    }
}

/// Seconds of processor time, in user code and in the kernel.
fn processor(who: UsageWho) -> f64 {
    let used = getrusage(who).unwrap();
    (used.user_time() + used.system_time()).num_microseconds() as f64 / 1e6
}

/// Reads each file once in this process and prints the cost.
fn read_all(paths: &[OsString]) {
    let (start, used) = (Instant::now(), processor(UsageWho::RUSAGE_SELF));
    let mut failed = Vec::new();
    for path in paths {
        let bytes = std::fs::read(path).unwrap();
        let name = Path::new(path).file_name().unwrap().to_string_lossy();
        if let Err(error) = read(&name, &bytes, &Limits::default()) {
            failed.push(format!("{name}: {error}"));
        }
    }
    print_cost(start, processor(UsageWho::RUSAGE_SELF) - used, &failed);
}

/// Starts `pdftotext` for each file, as it has no other way.
fn pdftotext(paths: &[OsString]) {
    let (start, used) = (Instant::now(), processor(UsageWho::RUSAGE_CHILDREN));
    let mut failed = Vec::new();
    for path in paths {
        let mut command = Command::new("pdftotext");
        let command = command
            .arg(path)
            .arg("-")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if !command.status().is_ok_and(|status| status.success()) {
            failed.push(path.to_string_lossy().into_owned());
        }
    }
    print_cost(start, processor(UsageWho::RUSAGE_CHILDREN) - used, &failed);
}

fn print_cost(start: Instant, processor: f64, failed: &[String]) {
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({ "seconds": seconds, "processor": processor, "failed": failed })
    );
}

/// Runs one command and prints what it and its children cost: of children
/// that are waited for, the system keeps the highest memory of any.
fn cost(command: &[OsString]) {
    let start = Instant::now();
    let output = Command::new(&command[0])
        .args(&command[1..])
        .stderr(Stdio::inherit())
        .output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", command[0].display()));
    assert!(output.status.success(), "{command:?}: {}", output.status);
    let seconds = start.elapsed().as_secs_f64();
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() / 1024;
    let inner: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    println!(
        "{}",
        json!({
            "seconds": seconds, "processor": processor(UsageWho::RUSAGE_CHILDREN),
            "peak": peak, "inner": inner,
        })
    );
}

/// The cost of one reader, at its cheapest.
struct Cost {
    reader: String,
    /// With the process around it.
    processor: f64,
    seconds: f64,
    /// Without the start of the process, where it can tell.
    inner: Option<f64>,
    /// Highest resident memory in MiB.
    peak: u64,
    failed: usize,
}

fn measure(reader: &str, command: &[OsString]) -> Cost {
    let runs = (0..TIMES).map(|_| {
        let output = Command::new(std::env::current_exe().unwrap())
            .arg("cost")
            .args(command)
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        serde_json::from_slice::<Value>(&output.stdout)
            .unwrap_or_else(|_| panic!("{reader} failed: {command:?}"))
    });
    let runs: Vec<Value> = runs.collect();
    let least = |pointer: &str| {
        let found = runs.iter().filter_map(|run| run.pointer(pointer)?.as_f64());
        found.min_by(f64::total_cmp)
    };
    let failed = runs[0].pointer("/inner/failed").and_then(Value::as_array);
    for failure in failed.into_iter().flatten() {
        eprintln!("{reader} did not read {failure}");
    }
    Cost {
        reader: reader.to_owned(),
        processor: least("/processor").unwrap(),
        seconds: least("/seconds").unwrap(),
        inner: least("/inner/processor"),
        peak: least("/peak").unwrap() as u64,
        failed: failed.map_or(0, Vec::len),
    }
}

fn ours(files: &[PathBuf]) -> Cost {
    let mut command = vec![std::env::current_exe().unwrap().into(), "read".into()];
    command.extend(files.iter().map(Into::into));
    measure("reprise", &command)
}

fn theirs(tool: &str, files: &[PathBuf]) -> Cost {
    let mut command = vec![python().into(), SCRIPT.into(), "read".into(), tool.into()];
    command.extend(files.iter().map(Into::into));
    measure(tool, &command)
}

/// A Python with the other readers, made once below `target`.
fn python() -> PathBuf {
    if let Some(python) = std::env::var_os("REPRISE_PYTHON") {
        return python.into();
    }
    let folder = Path::new("target/bench-venv");
    let python = folder.join("bin/python");
    let packages = [
        "pandas",
        "pyarrow",
        "pyreadstat",
        "pyreadr",
        "openpyxl",
        "pymupdf",
    ];
    if !folder.join("ready").exists() {
        let run = |program: &Path, arguments: &[&str]| {
            let status = Command::new(program).args(arguments).status();
            assert!(status.is_ok_and(|status| status.success()), "{arguments:?}");
        };
        run(Path::new("python3"), &["-m", "venv", "target/bench-venv"]);
        run(
            &python,
            &[&["-m", "pip", "install", "-q"][..], &packages].concat(),
        );
        std::fs::write(folder.join("ready"), "").unwrap();
    }
    python
}

fn heading() {
    println!(
        "\n| files | MB | reader | CPU, reading | ratio | CPU, whole process | ratio | clock | peak MiB |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
}

/// One line a reader; ratios are ours over the other's.
fn lines(files: &str, size: u64, costs: &[Cost]) {
    let own = &costs[0];
    for cost in costs {
        let ratio = |ours: Option<f64>, other: Option<f64>| match (ours, other) {
            (Some(ours), Some(other)) if !std::ptr::eq(cost, own) => format!("{:.2}", ours / other),
            _ => String::new(),
        };
        println!(
            "| {files} | {:.1} | {}{} | {} | {} | {:.3} s | {} | {:.3} s | {} |",
            size as f64 / 1e6,
            cost.reader,
            if cost.failed > 0 {
                format!(" ({} not read)", cost.failed)
            } else {
                String::new()
            },
            cost.inner
                .map_or_else(String::new, |inner| format!("{inner:.3} s")),
            ratio(own.inner, cost.inner),
            cost.processor,
            ratio(Some(own.processor), Some(cost.processor)),
            cost.seconds,
            cost.peak,
        );
    }
}

/// Files of an extension in their order; pointers and empty files are no data.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .filter(|path| path.metadata().unwrap().len() > 1024)
        .collect()
}

fn size(files: &[PathBuf]) -> u64 {
    files.iter().map(|file| file.metadata().unwrap().len()).sum()
}

fn papers(studies: &Path) {
    let papers = files(studies, "pdf");
    if papers.is_empty() {
        println!("skipped: no papers below {}", studies.display());
        return;
    }
    heading();
    let mut command = vec![std::env::current_exe().unwrap().into(), "pdftotext".into()];
    command.extend(papers.iter().map(Into::into));
    let costs = [
        ours(&papers),
        measure("pdftotext", &command),
        theirs("pymupdf", &papers),
    ];
    lines(&format!("{} PDF", papers.len()), size(&papers), &costs);
}

fn data(studies: &Path) {
    let folder = survey();
    heading();
    for (extension, tools) in FORMATS {
        for file in files(&folder, extension) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            compare(&name, &[file], tools);
        }
    }
    for (extension, tools) in FORMATS {
        let found = files(studies, extension);
        if !found.is_empty() {
            compare(&format!("{} {extension} of studies", found.len()), &found, tools);
        }
    }
}

fn compare(name: &str, files: &[PathBuf], tools: &[&str]) {
    let own = ours(files);
    if own.failed == files.len() {
        println!("| {name} | | not read by this build | | | | | | |");
        return;
    }
    let costs: Vec<Cost> = std::iter::once(own)
        .chain(tools.iter().map(|tool| theirs(tool, files)))
        .collect();
    lines(name, size(files), &costs);
}

/// The folder with the survey in every format.
fn survey() -> PathBuf {
    let rows = std::env::var("REPRISE_BENCH_ROWS").unwrap_or_else(|_| ROWS.to_owned());
    let folder = PathBuf::from(format!("target/bench-data/{rows}"));
    if !folder.join("survey.feather").exists() {
        let mut command = Command::new(python());
        let command = command.args([SCRIPT, "write"]).arg(&folder).arg(rows);
        assert!(
            command.status().is_ok_and(|status| status.success()),
            "{command:?}"
        );
    }
    folder
}

/// `reprise read` from its start to its answer, with the helper process in between.
fn whole() {
    let folder = survey();
    heading();
    for (extension, tools) in FORMATS {
        for file in files(&folder, extension) {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let program = env!("CARGO_BIN_EXE_reprise");
            let command = [program.into(), "read".into(), file.clone().into()];
            let mut costs = vec![measure("reprise read", &command)];
            let files = [file];
            costs.extend(tools.iter().map(|tool| theirs(tool, &files)));
            lines(&name, size(&files), &costs);
        }
    }
}
