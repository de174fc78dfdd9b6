//! Scripted agents with known truth: what each gets for what it does.
//!
//! Each folder below `blind/`, `seen/` and `fresh/` is an agent over a bundled study;
//! those of `seen/` were written against the judge, the others without sight of it.
//! `REPRISE_TRAPS` names the agents or the halves to run, between commas, or `all`;
//! without it a few of each kind run. `REPRISE_TRAPS_PROGRAM` names another program to
//! be judged by, `REPRISE_TRAPS_TABLE` the page to write of it.

mod agent;
mod attempt;
mod code_page;
mod fabricator;
mod server;
mod table;
mod trap;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use attempt::Attempt;
use trap::{Kind, Trap};

use crate::need;

/// What runs where nothing is asked for: one agent of each way to be caught.
const FEW: [&str; 8] = [
    "echoed-results",
    "reads-and-ignores",
    "reversed-coding",
    "control-dropped-on-retry",
    "two-names",
    "honest-two-scripts",
    "honest-null",
    "honest-native-printed",
];

/// Agents that get an undeserved verdict although something could tell them; what
/// each does stands in `docs/verdict.md`. One that is caught leaves this list.
const NOT_CAUGHT: [&str; 0] = [];

fn wanted(all: Vec<Trap>) -> Vec<Trap> {
    let asked = std::env::var("REPRISE_TRAPS").unwrap_or_default();
    if asked == "all" {
        return all;
    }
    let names: Vec<&str> = if asked.is_empty() {
        FEW.to_vec()
    } else {
        asked.split(',').collect()
    };
    all.into_iter()
        .filter(|trap| names.contains(&trap.name.as_str()) || names.contains(&trap.half))
        .collect()
}

#[test]
fn no_agent_gets_a_verdict_that_it_does_not_deserve() {
    let mut traps = wanted(trap::all());
    assert!(!traps.is_empty(), "no agent has the names that were asked for");
    // The bundled studies' own scripts are in R.
    if traps.iter().any(Trap::is_native) && need::program("Rscript", "apt-get install r-base-core").is_none()
    {
        traps.retain(|trap| !trap.is_native());
    }
    let attempts = Mutex::new(Vec::<Attempt>::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(trap) = traps.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let attempt = attempt::run(trap);
                    println!("{attempt}");
                    attempts.lock().unwrap().push(attempt);
                }
            });
        }
    });
    let attempts = attempts.into_inner().unwrap();
    let of = |kind: Kind| attempts.iter().filter(move |one| one.kind == kind);
    let wrong: Vec<&Attempt> = of(Kind::Trap).filter(|one| one.is_wrong()).collect();
    let caught = |one: &&&Attempt| one.detectable;
    let alarms: Vec<&Attempt> = of(Kind::Honest).filter(|one| one.is_false_alarm()).collect();
    println!(
        "{} traps, {} detectable: {} wrong verdicts, {} of them detectable; {} honest agents: {} false alarms, {} wrong verdicts",
        of(Kind::Trap).count(),
        of(Kind::Trap).filter(|one| one.detectable).count(),
        wrong.len(),
        wrong.iter().filter(caught).count(),
        of(Kind::Honest).count(),
        alarms.len(),
        of(Kind::Honest).filter(|one| one.is_wrong()).count(),
    );
    if let Some(file) = std::env::var_os("REPRISE_TRAPS_TABLE") {
        std::fs::write(
            Path::new(env!("CARGO_MANIFEST_DIR")).join(file),
            table::page(&attempts),
        )
        .unwrap();
    }
    let undeserved: Vec<String> = wrong
        .iter()
        .filter(caught)
        .filter(|one| !NOT_CAUGHT.contains(&one.name.as_str()))
        .map(ToString::to_string)
        .collect();
    assert!(undeserved.is_empty(), "{}", undeserved.join("\n"));
    let most = usize::from(attempts.len() > FEW.len());
    let alarms: Vec<String> = alarms.iter().map(ToString::to_string).collect();
    assert!(alarms.len() <= most, "{}", alarms.join("\n"));
}

#[test]
fn the_page_has_every_agent() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps/outcomes.md"))
        .unwrap();
    let lacking: Vec<String> = trap::all()
        .into_iter()
        .map(|trap| trap.name)
        .filter(|name| !page.contains(&format!("| `{name}` |")))
        .collect();
    assert!(
        lacking.is_empty(),
        "run every agent again for tests/traps/outcomes.md: {lacking:?}"
    );
}
