//! The first words of a kernel's session to its agent, and to the person who approves it.

use super::staging::{EXCHANGE, PROGRAM_EXCHANGE};
use crate::domain::digest::Digest;
use crate::effects::environment::ConfinementTerms;
use crate::effects::lasting::words;
use crate::effects::lasting::workspace::HOME;
use crate::engine::request::NotebookRequest;

/// The hosts that a session can reach.
pub fn hosts(terms: ConfinementTerms<'_>) -> &[String] {
    let can_open = terms.sandbox.is_some_and(|sandbox| sandbox.opens_hosts().is_ok());
    match &terms.request.notebook {
        Some(notebook) if can_open => &notebook.hosts,
        _ => &[],
    }
}

/// What an agent has to know of the session besides its task.
pub fn introduced(terms: ConfinementTerms<'_>) -> String {
    format!(
        "[The session: {}. Its files are below /workspace. pip writes to the folder `{HOME}` of the workspace; there is no \
         root.]",
        words::within(terms.request.limits, hosts(terms))
    )
}

/// What confines a session, in sentences.
pub fn confinement(terms: ConfinementTerms<'_>) -> String {
    let limits = terms.request.limits;
    let confined = words::confined_by(terms.sandbox.map(|sandbox| sandbox.tier()));
    let hosts = hosts(terms);
    let network = words::network(hosts) + &words::day(hosts, terms.request.as_of());
    let is_program = terms.request.agent.is_some();
    let exchange = if is_program { PROGRAM_EXCHANGE } else { EXCHANGE };
    format!(
        "{}, confined by {confined}: whatever the agent types is run without a further question{}. It reads \
         the workspace and writes its folders work/, {HOME}/ and {exchange}/. {network} It may take {} seconds, {} MiB of \
         memory and {} processes.{}",
        if is_program {
            "A shell"
        } else {
            "A kernel of Python"
        },
        match (&terms.request.notebook, is_program) {
            (Some(_), false) => ", and before it the cells that the task has executed beforehand",
            (Some(_), true) =>
                ", and before it, in a kernel of Python confined alike, the cells that the task has executed beforehand",
            (None, _) => "",
        },
        limits.seconds,
        limits.memory >> 20,
        limits.processes,
        terms
            .request
            .notebook
            .as_ref()
            .map_or_else(String::new, installed)
            + &terms.lock.map_or_else(String::new, |lock| format!(
                " Packages of Python are those of the lock {}, as of {}.",
                lock.digest().short(),
                lock.as_of.day
            ))
    )
}

/// What is installed beforehand, beside the kernel itself.
fn installed(notebook: &NotebookRequest) -> String {
    let names: Vec<&str> = (notebook.packages.iter().chain(&notebook.system))
        .map(String::as_str)
        .collect();
    match names.len() {
        0 => String::new(),
        1..=20 => format!(
            " Beforehand these are installed from their indexes: {}.",
            names.join(", ")
        ),
        count => format!(
            " Beforehand {count} packages are installed from their indexes (list {}).",
            Digest::compute_json(&names).short()
        ),
    }
}
