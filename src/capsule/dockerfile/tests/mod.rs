//! Dockerfiles as they are written, and as nobody should write them.

mod hostile;
mod table;

use super::published::PublishedEnvironment;
use super::read::read;

/// Reads a text beside files of a capsule.
fn beside(text: &str, files: &[(&str, &str)]) -> PublishedEnvironment {
    let file = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, content)| content.as_bytes().to_vec())
    };
    read(text.as_bytes(), &file).unwrap()
}

fn alone(text: &str) -> PublishedEnvironment {
    beside(text, &[])
}

/// The packages in words: those of Python, of R and of Debian.
fn packages(environment: &PublishedEnvironment) -> String {
    let python = environment
        .python
        .iter()
        .map(|requirement| requirement.text.clone());
    let r = environment.r.iter().map(|(name, version)| match version {
        Some(version) => format!("R:{name}@{version}"),
        None => format!("R:{name}"),
    });
    let system = environment.system.iter().map(|name| format!("deb:{name}"));
    python.chain(r).chain(system).collect::<Vec<_>>().join(" ")
}

/// The parts that are not followed, with their lines.
fn not_followed(environment: &PublishedEnvironment) -> Vec<String> {
    environment
        .not_followed
        .iter()
        .map(|part| format!("{} {}", part.line, part.text))
        .collect()
}
