//! Words on what confines a session, for the person who approves it and for its agent.

use crate::domain::execution::{Limits, Tier};
use crate::environment::date::AsOf;
use crate::sandbox::session::indexes::{PYTHON_INDEX, R_INDEXES};

/// The means of confinement, in words.
pub fn confined_by(tier: Option<Tier>) -> &'static str {
    match tier {
        Some(Tier::Docker) => "a container without privileges, with a root that nobody writes",
        Some(Tier::Namespaces) => "namespaces of this machine",
        Some(Tier::Landlock) => "Landlock on this machine",
        None => "nothing",
    }
}

/// The hosts that a session reaches, as a sentence for the person who approves it.
pub fn network(hosts: &[String]) -> String {
    if hosts.is_empty() {
        return "It has no network.".to_owned();
    }
    format!(
        "It reaches these hosts over http and https, and no other: {}.",
        hosts.join(", ")
    )
}

/// How far a run's day holds what is installed in a session, a sentence each with a space before it; nothing where
/// the run has no day, or the session reaches no index.
pub fn day(hosts: &[String], as_of: Option<&AsOf>) -> String {
    let Some(AsOf { day, .. }) = as_of else {
        return String::new();
    };
    let reaches = |names: &[&str]| hosts.iter().any(|host| names.contains(&host.as_str()));
    let mut sentences = String::new();
    if reaches(&[PYTHON_INDEX]) {
        sentences.push_str(&format!(
            " What is installed in it from Python's index is of what the index lists up to {day}; {PYTHON_INDEX} as it is \
             today is not reached."
        ));
    }
    if reaches(&R_INDEXES) {
        sentences.push_str(&format!(
            " What is installed in it from CRAN is CRAN's of today: {day} does not hold it."
        ));
    }
    sentences
}

/// What an agent may take and reach, as clauses.
pub fn within(limits: Limits, hosts: &[String]) -> String {
    let network = if hosts.is_empty() {
        "it has no network, so that nothing can be installed".to_owned()
    } else {
        format!("it reaches {} over http and https", hosts.join(", "))
    };
    format!(
        "it may take {} seconds and {} MiB of memory; {network}",
        limits.seconds,
        limits.memory >> 20
    )
}
