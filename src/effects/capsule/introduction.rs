//! The first words of a session to its agent.

use super::environment::is_published;
use crate::capsule::layout::level::Level;
use crate::domain::execution::Tier;
use crate::effects::environment::ConfinementTerms;
use crate::effects::lasting::words;
use crate::effects::lasting::workspace::HOME;
use crate::tools::cut::{self, Keep, TextCap};

/// What a model sees of the packages of its environment, at most.
const PACKAGES: TextCap = TextCap {
    lines: 20,
    characters: 4_000,
};

/// The hosts that a session can reach.
pub fn hosts(terms: ConfinementTerms<'_>) -> &[String] {
    let can_open = terms.sandbox.is_some_and(|sandbox| sandbox.opens_hosts().is_ok());
    match &terms.request.capsule {
        Some(capsule) if can_open => &capsule.hosts,
        _ => &[],
    }
}

/// What an agent has to know of the session besides its task.
pub fn introduced(terms: ConfinementTerms<'_>, tier: Tier, notes: &[String]) -> String {
    let where_to = match tier {
        Tier::Landlock => "",
        _ => " Its files are below /workspace.",
    };
    format!(
        "[The session: {}.{where_to} pip and install.packages write to the folder `{HOME}` of the workspace; there is no \
         root.{}]",
        words::within(terms.request.limits, hosts(terms)),
        packages(terms, tier, notes)
    )
}

/// What an agent has to know of the packages. What its level takes away is not told in words either.
fn packages(terms: ConfinementTerms<'_>, tier: Tier, notes: &[String]) -> String {
    let Some(capsule) = &terms.request.capsule else {
        return String::new();
    };
    if !is_published(capsule.level, tier) {
        return String::new();
    }
    let mut text =
        " The packages that the capsule was published with are installed, as far as they can be had."
            .to_owned();
    if capsule.level == Level::Medium && !notes.is_empty() {
        text.push(' ');
        text.push_str(&notes.join(" "));
    }
    cut::cut(
        &text,
        PACKAGES,
        Keep::Beginning,
        "the rest is in the report of the run",
    )
}
