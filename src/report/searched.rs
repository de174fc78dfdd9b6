//! The gaps of the search stage: pages not seen, and addresses proposed unseen.

use serde_json::Value;

use crate::domain::format;
use crate::domain::stage::Stage;
use crate::network::check;
use crate::network::fetch::WITHHELD;
use crate::network::one_line::one_line;
use crate::run::state::State;

use super::text::{ITEM, Loader};

/// Addresses that are named one by one.
const NAMED: usize = 10;

/// Notes on what was withheld, what is dead and what nobody saw.
pub fn notes(state: &State, loader: &Loader<'_>) -> Vec<String> {
    let Some(stage) = state.stages.get(&Stage::SEARCH) else {
        return Vec::new();
    };
    let (mut results, mut pages) = (0, 0);
    let mut last_checks = Vec::new();
    for turn in &stage.turns {
        for result in turn.results.values() {
            let text = || {
                loader
                    .text(&result.observation, ITEM, "An answer of the web")
                    .text
            };
            match result.tool.as_str() {
                "web_search" => {
                    let answer: Option<Value> = serde_json::from_str(&text()).ok();
                    results += answer.and_then(|answer| answer["withheld"].as_u64()).unwrap_or(0);
                }
                "fetch_page" => {
                    let text = text();
                    let head = text.split("\n\n").next().unwrap_or_default();
                    pages += u64::from(head.lines().any(|line| line == WITHHELD));
                }
                _ => {}
            }
        }
        if let Some(review) = &turn.review {
            last_checks = check::read(&loader.text(&review.checks, ITEM, "A check of addresses").text);
        }
    }
    let mut notes = Vec::new();
    if results > 0 {
        notes.push(format!(
            "{} of blocked hosts withheld from the search.",
            format::counted(results, "result", "results")
        ));
    }
    if pages > 0 {
        notes.push(format!(
            "{} withheld from the agent when it asked.",
            format::counted(pages, "page", "pages")
        ));
    }
    let uncharged = stage.searches_without_fee();
    if uncharged > 0 {
        notes.push(format!(
            "The provider's charge for {} in addition to the tokens is not known and not included in the costs.",
            format::counted(uncharged, "hosted search", "hosted searches")
        ));
    }
    let dead: Vec<&str> = last_checks
        .iter()
        .filter(|check| check.is_dead())
        .map(|check| check.url.as_str())
        .collect();
    named(&mut notes, "Proposed addresses that do not answer", &dead);
    let answer = stage
        .artifact()
        .map(|artifact| loader.text(artifact, ITEM, "The answer of search").text);
    let answer: Value = answer
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let unseen: Vec<&str> = answer["urls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|one| one["extra"]["seen"] == "unseen")
        .filter_map(|one| one["url"].as_str())
        .collect();
    named(
        &mut notes,
        "Proposed addresses that answer, but are in no search result, on no opened page and not in the paper (invented)",
        &unseen,
    );
    let moved = answer["missing"].as_array().into_iter().flatten();
    let moved = moved.filter(|one| one["extra"]["moved_by"] == "reprise").count() as u64;
    if moved > 0 {
        notes.push(format!(
            "{} that the agent proposed and nothing confirmed {} moved to `missing`, with the queries that were tried.",
            format::counted(moved, "address", "addresses"),
            format::plural(moved, "was", "were")
        ));
    }
    notes
}

fn named(notes: &mut Vec<String>, what: &str, addresses: &[&str]) {
    if addresses.is_empty() {
        return;
    }
    let list: Vec<String> = addresses
        .iter()
        .take(NAMED)
        .map(|one| one_line(one, 200))
        .collect();
    let more = addresses.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(", and {more} more")
    } else {
        String::new()
    };
    notes.push(format!("{what}: {}{more}.", list.join(", ")));
}
