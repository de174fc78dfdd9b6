//! The released runs, turn by turn, through this program's conversations.
//!
//! `REPRISE_SHARED=/work/shared cargo test --test replications economy:: -- --nocapture` prints
//! prompt tokens by stage beside those that the runs reported, and what each
//! rule gives. Tokens are counted with `o200k_base`, the vocabulary of all four
//! models.

mod assembly;
mod logs;
mod table;
mod tokens;
mod trajectory;

use std::collections::BTreeSet;

use reprise::domain::stage::Stage;

use assembly::{Rules, assemble};
use table::Row;
use trajectory::Trajectory;

use crate::need;

#[test]
fn the_released_runs_cost_less_and_stay_cached() {
    let Some(root) = need::shared("data/replicatorbench") else {
        return;
    };
    let runs = trajectory::all(&root);
    assert_eq!(runs.len(), 65, "stages whose tokens are known by request");
    table::print_fit(&runs);

    let same = Rules::default();
    let pointing = Rules {
        pointers: true,
        ..same
    };
    let shrinking = Rules {
        shrink_at: Some(reprise::agent::shrinking::LEAST_SAVING),
        ..pointing
    };
    let ours = Rules {
        own_turns: true,
        ..shrinking
    };
    let whole = Rules {
        written: true,
        ..ours
    };
    let in_force = Rules {
        shrink_from: reprise::agent::shrinking::LEAST_CONVERSATION,
        ..whole
    };
    let from = |bytes| Rules {
        shrink_at: bytes,
        ..whole
    };
    let rows = [
        ("all turns, nothing left out", same),
        ("+ unchanged results pointed to", pointing),
        ("+ old results shrunk", shrinking),
        ("+ no turns for the engine's own work", ours),
        ("+ old texts that were written shrunk", whole),
        ("the last, from 60,000 tokens on (in force)", in_force),
        ("without shrinking", from(None)),
        ("the last, shrinking from 12 kB", from(Some(12_000))),
        ("the last, shrinking from 24 kB", from(Some(24_000))),
        ("the last, shrinking from 48 kB", from(Some(48_000))),
    ];
    let measured: Vec<(&str, Vec<Row>)> = rows
        .into_iter()
        .map(|(name, rules)| {
            let mut known = BTreeSet::new();
            let rows = runs.iter().map(|run| assemble(run, rules, &mut known));
            (name, rows.collect())
        })
        .collect();
    for stage in [
        Some(Stage::EXTRACT),
        Some(Stage::DESIGN),
        Some(Stage::EXECUTE),
        None,
    ] {
        let is_meant = |run: &Trajectory| stage.is_none_or(|stage| run.stage == stage);
        let theirs: Row = runs.iter().filter(|run| is_meant(run)).map(Row::theirs).sum();
        table::head(stage, &theirs);
        for (name, rows) in &measured {
            let row: Row = runs
                .iter()
                .zip(rows)
                .filter(|(run, _)| is_meant(run))
                .map(|(_, row)| *row)
                .sum();
            table::line(name, &row, &theirs);
        }
    }
    let theirs: Row = runs.iter().map(Row::theirs).sum();
    let [all, shrunk, turns, ours, in_force] =
        [0, 2, 3, 4, 5].map(|at| measured[at].1.iter().copied().sum::<Row>());
    assert!(shrunk.tokens < all.tokens, "shrinking saves nothing");
    assert!(
        ours.tokens < turns.tokens,
        "shrinking written texts saves nothing"
    );
    assert!(ours.ratio(&theirs) < RATIO, "{}", ours.ratio(&theirs));
    assert!(ours.prefix_share() > SHARE, "{}", ours.prefix_share());
    let ratio = in_force.ratio(&theirs);
    assert!(ratio < IN_FORCE, "{ratio}");
    assert!(in_force.prefix_share() > 0.9, "{}", in_force.prefix_share());
    assert!(all.prefix_share() > 0.9, "{}", all.prefix_share());
}

/// What the rules reach on these runs, with a margin for prompts that change.
const RATIO: f64 = 0.44;
const SHARE: f64 = 0.81;
/// The ratio of what is in force: a conversation below 60,000 tokens keeps everything.
const IN_FORCE: f64 = 0.72;
