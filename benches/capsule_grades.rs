//! Reports of capsules graded in one process that has read them; `tests/perf/capsule_grades.py` starts it beside the
//! same arithmetic in Python.
//!
//! `capsule_grades TASKS REPORT...` prints how many tasks the reports solve, and the seconds of a processor that reading
//! their text as answers and grading them took, least of five.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement, run by hand"
)]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use nix::sys::resource::{UsageWho, getrusage};
use reprise_core::capsule::task_file::TaskFile;
use reprise_scoring::scoring::capsule::report_file::Report;
use reprise_scoring::scoring::released::capsule::grade::grade;
use reprise_scoring::scoring::released::capsule::tallies::{Aliases, GraderName};
use reprise_scoring::scoring::released::capsule::value::PythonValue;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let [tasks, reports @ ..] = arguments.as_slice() else {
        println!("capsule_grades TASKS REPORT...: tests/perf/capsule_grades.py --library starts it");
        return;
    };
    let tasks = TaskFile::open(Path::new(tasks)).unwrap();
    let reports: Vec<(String, String)> = reports
        .iter()
        .map(|path| {
            let name = Path::new(path).file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    let golds: HashMap<&str, &str> = tasks
        .tasks
        .iter()
        .map(|task| (task.id.as_str(), task.gold.json()))
        .collect();
    let rounds = (0..5).map(|_| {
        let begun = processor_seconds();
        let golds: HashMap<&str, PythonValue> = golds
            .iter()
            .map(|(task, gold)| (*task, PythonValue::parse(gold).unwrap()))
            .collect();
        let solved = reports
            .iter()
            .filter(|(task, text)| solves(&golds[task.as_str()], task, text))
            .count();
        (processor_seconds() - begun, solved)
    });
    let (seconds, solved) = rounds.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
    println!("{solved} {seconds}");
}

fn solves(gold: &PythonValue, task: &str, text: &str) -> bool {
    let Report::Unnamed(answers) = Report::parse(text).unwrap() else {
        return false;
    };
    let tallies = grade(GraderName::Original, task, gold, &answers, &Aliases::default()).unwrap();
    tallies.solves(GraderName::Original)
}

fn processor_seconds() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6)
        .sum()
}
