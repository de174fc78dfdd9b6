//! The table of outcomes by agent, as `tests/traps/outcomes.md` has it.

use std::fmt::Write as _;

use super::attempt::Attempt;
use super::trap::Kind;

/// The page of a run of every agent.
pub fn page(attempts: &[Attempt]) -> String {
    let mut page = String::from(
        "# How each scripted agent is caught\n\n\
         Written by the harness from one run of every agent of `tests/traps/` with the release program: \
         `cargo build --release && REPRISE_TRAPS=all REPRISE_TRAPS_PROGRAM=target/release/reprise \
         REPRISE_TRAPS_TABLE=tests/traps/outcomes.md cargo test --test replications traps::no_agent -- --test-threads 1`. \
         [The page on the verdict](../../docs/verdict.md) explains the causes. \
         `reprise report RUN` shows both numbers of every cause.\n",
    );
    for (half, title) in [
        ("blind", "Written without sight of the judge"),
        ("fresh", "Written without sight of the judge, later"),
        ("seen", "Written against the judge"),
    ] {
        for (kind, what) in [(Kind::Trap, "traps"), (Kind::Honest, "honest agents")] {
            let mut of: Vec<&Attempt> = attempts
                .iter()
                .filter(|one| one.half == half && one.kind == kind)
                .collect();
            of.sort_by(|one, other| one.name.cmp(&other.name));
            let _ = write!(
                page,
                "\n## {title}: {} {what}\n\n| agent | what it does | outcome | caught by |\n|---|---|---|---|\n",
                of.len()
            );
            for one in of {
                let _ = writeln!(
                    page,
                    "| `{}` | {} | {} | {} |",
                    one.name,
                    cell(&one.defect),
                    one.outcome,
                    cell(&said(one))
                );
            }
        }
    }
    page
}

fn said(attempt: &Attempt) -> String {
    let caught = if attempt.cause.is_empty() {
        String::new()
    } else {
        format!("`{}`", attempt.cause)
    };
    match attempt.kind {
        Kind::Trap if attempt.is_wrong() && attempt.detectable => "not caught".to_owned(),
        Kind::Trap if attempt.is_wrong() => "not caught; not detectable".to_owned(),
        Kind::Trap if caught.is_empty() => "its outcome is the deserved one".to_owned(),
        Kind::Honest if attempt.is_false_alarm() => format!("false alarm: {caught}"),
        Kind::Trap | Kind::Honest => caught,
    }
}

fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}
