//! The keys of a bench file, so that all unknown ones are told at once.

use toml::{Table, Value};

const OF_ALL: [&str; 13] = [
    "name",
    "repeats",
    "seeds",
    "order",
    "order-seed",
    "engine",
    "settings",
    "studies",
    "capsules",
    "notebooks",
    "agents",
    "limits",
    "slurm",
];
const OF_STUDIES: [&str; 5] = ["paths", "data-origin", "code-origin", "settings", "slurm"];
const OF_CAPSULES: [&str; 8] = [
    "files", "tasks", "field", "language", "modality", "gpu", "settings", "slurm",
];
const OF_NOTEBOOKS: [&str; 4] = ["files", "tasks", "settings", "slurm"];
const OF_AGENTS: [&str; 4] = ["name", "settings", "limits", "slurm"];
/// The caps on all cells together.
pub const OF_LIMITS: [&str; 3] = ["max-cost", "max-tokens", "max-turns"];
/// The longest value that is quoted, in characters.
const LONGEST: usize = 60;

/// Takes the unknown keys out of a bench file, and says each in a line with its way out.
pub fn take_unknown(file: &mut Table) -> Vec<String> {
    let mut faults = taken(file, "a bench file", &OF_ALL);
    let entries: [(&str, &[&str]); 4] = [
        ("studies", &OF_STUDIES),
        ("capsules", &OF_CAPSULES),
        ("notebooks", &OF_NOTEBOOKS),
        ("agents", &OF_AGENTS),
    ];
    for (name, known) in entries {
        let Some(Value::Array(all)) = file.get_mut(name) else {
            continue;
        };
        for (position, entry) in all.iter_mut().enumerate() {
            if let Value::Table(entry) = entry {
                faults.extend(taken(
                    entry,
                    &format!("[[{name}]] number {}", position + 1),
                    known,
                ));
            }
        }
    }
    if let Some(Value::Table(limits)) = file.get_mut("limits") {
        faults.extend(unknown_limits(
            limits,
            "[limits]",
            "all cells together, and [settings] for each",
        ));
    }
    let agents = file.get_mut("agents").and_then(Value::as_array_mut);
    for (position, agent) in agents.into_iter().flatten().enumerate() {
        if let Some(Value::Table(limits)) = agent.get_mut("limits") {
            let of = format!("`limits` of [[agents]] number {}", position + 1);
            faults.extend(unknown_limits(
                limits,
                &of,
                "all its cells together, and `settings` for each",
            ));
        }
    }
    faults
}

/// Takes the unknown caps out of a table of limits.
fn unknown_limits(limits: &mut Table, of: &str, hold: &str) -> Vec<String> {
    let unknown = take(limits, &OF_LIMITS).into_iter();
    let line = |(key, value): (String, String)| {
        format!(
            "{of} has no `{key}` (= {value}): {} hold for {hold}",
            OF_LIMITS.join(", ")
        )
    };
    unknown.map(line).collect()
}

fn taken(table: &mut Table, of: &str, known: &[&str]) -> Vec<String> {
    let unknown = take(table, known).into_iter();
    let line = |(key, value): (String, String)| {
        format!(
            "`{key} = {value}` is no key of {of}: it takes {}",
            known.join(", ")
        )
    };
    unknown.map(line).collect()
}

/// The unknown keys with their values, as far as these can be quoted in a line.
fn take(table: &mut Table, known: &[&str]) -> Vec<(String, String)> {
    let is_unknown = |key: &&String| !known.contains(&key.as_str());
    let unknown: Vec<String> = table.keys().filter(is_unknown).cloned().collect();
    let taken = unknown.into_iter().filter_map(|key| {
        let value = table.remove(&key)?.to_string().replace(['\n', '\r'], " ");
        let cut = match value.chars().count() > LONGEST {
            true => value.chars().take(LONGEST).chain(" ...".chars()).collect(),
            false => value,
        };
        Some((key, cut))
    });
    taken.collect()
}
