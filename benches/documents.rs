//! PDF text beside `pdftotext` and PyMuPDF, and data beside pandas: seconds
//! over all files of the shared studies, and the highest memory of each.
//!
//! `cargo bench --bench documents`; every reader runs in a process of its own,
//! once for all files, so that start-up counts once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use reprise::documents::document::Limits;
use reprise::documents::read::read;

const PYMUPDF: &str =
    "import sys, pymupdf\nfor p in sys.argv[1:]:\n  d = pymupdf.open(p)\n  for g in d: g.get_text()\n";
const PANDAS: &str = "import sys, warnings, pandas as pd, pyreadstat, pyreadr\nwarnings.simplefilter('ignore')\n\
for p in sys.argv[1:]:\n  e = p.rsplit('.')[-1]\n  try:\n    {'dta': pd.read_stata, 'sav': pd.read_spss, 'rds': pyreadr.read_r, 'xlsx': pd.read_excel, 'csv': pd.read_csv}[e](p)\n  \
except Exception as x: print(p, x)\n";

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extensions.contains(&extension.to_str().unwrap()))
        })
        // Pointers and empty files are no data.
        .filter(|path| path.metadata().unwrap().len() > 1024)
        .collect()
}

/// Runs a command and prints its seconds and, from `/usr/bin/time`-like accounting, its peak memory.
fn measure(name: &str, mut command: Command) {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::inherit()).status();
    match status {
        Ok(status) if status.success() => println!("{name:<28} {:>8.2} s", start.elapsed().as_secs_f64()),
        other => println!("{name:<28} not measured: {other:?}"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if arguments.first().is_some_and(|first| first == "read") {
        for path in &arguments[1..] {
            let bytes = std::fs::read(path).unwrap();
            let _ = read(path, &bytes, &Limits::default());
        }
        let peak = getrusage(UsageWho::RUSAGE_SELF).unwrap().max_rss();
        eprintln!("  peak memory {} MB", peak / 1024);
        return;
    }
    let shared = std::env::var_os("REPRISE_SHARED").map_or_else(|| PathBuf::from("../shared"), PathBuf::from);
    let folder = shared.join("data/replicatorbench/original");
    let python =
        std::env::var("REPRISE_PYTHON").unwrap_or_else(|_| "target/oracle-venv/bin/python".to_owned());
    let papers = files(&folder, &["pdf"]);
    let data = files(&folder, &["dta", "sav", "rds", "xlsx", "csv"]);
    println!("{} PDF files, {} data files", papers.len(), data.len());
    let ours = |paths: &[PathBuf]| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("read").args(paths);
        command
    };
    let script = |code: &str, paths: &[PathBuf]| {
        let code = format!(
            "{code}\nimport resource\nprint('  peak memory', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, 'MB', file=sys.stderr)"
        );
        let mut command = Command::new(&python);
        command.arg("-c").arg(code).args(paths);
        command
    };
    measure("PDF: ours", ours(&papers));
    let start = Instant::now();
    for paper in &papers {
        Command::new("pdftotext")
            .arg(paper)
            .arg("-")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
    }
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss();
    println!(
        "{:<28} {:>8.2} s (highest of the children so far {} MB)",
        "PDF: pdftotext",
        start.elapsed().as_secs_f64(),
        peak / 1024
    );
    measure("PDF: PyMuPDF", script(PYMUPDF, &papers));
    measure("data: ours", ours(&data));
    measure("data: pandas and kin", script(PANDAS, &data));
}
