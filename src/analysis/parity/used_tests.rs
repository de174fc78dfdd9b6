//! Tests of what stands behind a run's numbers.

use super::*;
use crate::domain::content::Content;
use crate::domain::execution::{Ending, Opened};
use crate::domain::stage::Stage;
use crate::run::event::{CallRef, ExecutionStarted, FileRecord};

const DATA: &str = "replication_data/a.csv";

fn path(text: &str) -> WorkspacePath {
    text.parse().unwrap()
}

fn content(text: &str) -> Content {
    Content::Inline {
        text: text.to_owned(),
    }
}

/// An execution, in few words.
struct Ran<'a> {
    turn: u32,
    script: &'a str,
    ok: bool,
    opened: &'a [&'a str],
    wrote: &'a [&'a str],
    complete: bool,
}

const RAN: Ran<'static> = Ran {
    turn: 0,
    script: "work/a.py",
    ok: true,
    opened: &[],
    wrote: &[],
    complete: true,
};

fn state(executions: &[Ran<'_>]) -> State {
    let mut state = State::default();
    for (id, ran) in (1..).map(ExecutionId).zip(executions) {
        state.executions.start(ExecutionStarted {
            id,
            at: CallRef {
                stage: Stage::EXECUTE,
                turn: ran.turn,
                call: 0,
            },
            entry: 0,
            variant: None,
            path: path(ran.script),
            command: vec!["python".to_owned(), ran.script.to_owned()],
            digest: Digest::compute("approved"),
            before: content(""),
        });
        state.executions.finish(ExecutionFinished {
            id,
            ending: Ending::Exited(i32::from(!ran.ok)),
            stdout: content(""),
            stderr: content(""),
            stdout_bytes: 0,
            stderr_bytes: 0,
            opened: Opened {
                files: ran.opened.iter().map(|one| path(one)).collect(),
                complete: ran.complete,
            },
            outputs: ran
                .wrote
                .iter()
                .map(|one| FileRecord {
                    path: path(one),
                    digest: Digest::compute(one),
                    size: 1,
                })
                .collect(),
            further: None,
            unread: None,
            wall_ms: 1,
            peak_memory: None,
            notes: Vec::new(),
            rescue: None,
        });
    }
    state
}

fn used(executions: &[Ran<'_>], printed: &[u32]) -> (Vec<u32>, Vec<String>, bool) {
    let printed = printed.iter().map(|id| ExecutionId(*id)).collect();
    let used = Used::trace(&state(executions), &printed);
    (
        used.scripts.iter().map(|script| script.execution.0).collect(),
        used.data.iter().map(|file| file.path.to_string()).collect(),
        used.complete,
    )
}

#[test]
fn the_execution_that_printed_the_numbers_counts_and_not_the_last() {
    let executions = [
        Ran {
            opened: &[DATA, "work/a.py"],
            ..RAN
        },
        Ran {
            turn: 1,
            opened: &["replication_data/b.csv"],
            ..RAN
        },
    ];
    assert_eq!(used(&executions, &[1]), (vec![1], vec![DATA.to_owned()], true));
    assert_eq!(used(&executions, &[]).0, [2]);
}

#[test]
fn an_intermediate_file_leads_back_to_the_data() {
    let executions = [
        Ran {
            opened: &["replication_data/other.csv"],
            wrote: &["work/clean.csv"],
            ..RAN
        },
        Ran {
            turn: 1,
            opened: &[DATA],
            wrote: &["work/clean.csv"],
            complete: false,
            ..RAN
        },
        Ran {
            turn: 2,
            opened: &["work/clean.csv"],
            ..RAN
        },
        Ran {
            turn: 2,
            ok: false,
            opened: &["replication_data/failed.csv"],
            ..RAN
        },
    ];
    assert_eq!(
        used(&executions, &[3]),
        (vec![2, 3], vec![DATA.to_owned()], false)
    );
}

#[test]
fn all_scripts_of_a_call_belong_together() {
    let executions = [
        Ran {
            opened: &[DATA],
            ..RAN
        },
        Ran {
            opened: &["replication_data/b.csv"],
            script: "work/b.py",
            ..RAN
        },
    ];
    assert_eq!(used(&executions, &[2]).0, [1, 2]);
}

#[test]
fn without_a_success_nothing_is_complete() {
    assert_eq!(used(&[], &[]), (vec![], vec![], false));
    assert_eq!(used(&[Ran { ok: false, ..RAN }], &[1]), (vec![], vec![], false));
}

#[test]
fn the_interpreter_is_what_ran() {
    let found = Used::trace(
        &state(&[
            RAN,
            Ran {
                script: "work/a.R",
                ..RAN
            },
        ]),
        &BTreeSet::new(),
    );
    let names: Vec<&str> = found
        .scripts
        .iter()
        .map(|script| script.interpreter.as_str())
        .collect();
    // A script of R's that `python` was started with is no run of R.
    assert_eq!(names, ["Python", "python"]);
}
