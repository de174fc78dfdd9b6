//! Words on what confines a session, for the person who approves it and for its agent.

use crate::domain::execution::{Limits, Tier};

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
