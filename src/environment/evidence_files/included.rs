//! Files that requirements take in: `-r more.txt`, `-c constraints.txt`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::super::evidence::{FoundEvidence, IncludedFile, Pin};
use super::super::source_tree::SourceTree;
use super::{requirements, shown_line};
use crate::domain::lazy_regex::LazyRegex;

static IN_FOLDER: LazyRegex = LazyRegex::new(r"(?i)(?:^|/)(?:requirements?|reqs)/[^/]+\.(?:txt|in)$");
static DEVELOPING: LazyRegex = LazyRegex::new(
    r"(?i)(?:^|[-_./])(?:dev|devel|develop|development|tests?|testing|docs?|documentation|lint|linting|ci|build|style|typing|release)(?:[-_./]|$)",
);
static CONSTRAINING: LazyRegex = LazyRegex::new(r"(?i)(?:^|[-_./])constraints?(?:[-_./]|$)");

/// Files that are followed from one folder.
const MOST_FOLLOWED: usize = 200;
/// The group of what serves development alone.
pub const DEVELOPMENT: &str = "what is for development";

/// Whether a file is one of requirements by its path below the folder.
pub fn is_requirements(path: &str) -> bool {
    requirements::is_name(path.rsplit('/').next().unwrap_or_default()) || IN_FOLDER.is_match(path)
}

/// The group of a file's packages by its path: `None` where they are wanted in any case.
fn group_of(path: &str) -> Option<&'static str> {
    if CONSTRAINING.is_match(path) {
        return Some(Pin::CONSTRAINTS);
    }
    DEVELOPING.is_match(path).then_some(DEVELOPMENT)
}

/// Reads a file of requirements with the group that its path tells.
pub fn read(path: &str, text: &str, found: &mut FoundEvidence) {
    let first = found.pins.len();
    requirements::read(path, text, found);
    for pin in &mut found.pins[first..] {
        pin.group = group_of(path).map(str::to_owned);
    }
}

/// Follows what files of requirements take in, within the folder.
pub fn follow(tree: &SourceTree, found: &mut FoundEvidence) {
    let by_itself = tree.files.iter().map(|file| file.path.clone());
    let mut read: BTreeSet<String> = by_itself.filter(|path| is_requirements(path)).collect();
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut queue: VecDeque<IncludedFile> = std::mem::take(&mut found.includes).into();
    let mut followed = 0;
    while let Some(include) = queue.pop_front() {
        let shown = shown(&include);
        followed += 1;
        if followed > MOST_FOLLOWED {
            found.fault(
                &include.file,
                format!("{shown} is not followed: more than {MOST_FOLLOWED} are"),
            );
            break;
        }
        let Some(path) = resolved(&include) else {
            found.fault(
                &include.file,
                format!("{shown} leads out of the folder, and is not followed"),
            );
            continue;
        };
        let Some(file) = tree.files.iter().find(|file| file.path == path) else {
            found.fault(&include.file, format!("{shown} is not in the folder"));
            continue;
        };
        if leads_to(&edges, &path, &include.file) {
            found.fault(
                &include.file,
                format!("{shown} leads back to this file, which is read once"),
            );
            continue;
        }
        edges
            .entry(include.file.clone())
            .or_default()
            .insert(path.clone());
        let role = match include.is_constraint {
            true => Some(Pin::CONSTRAINTS),
            false => group_of(&include.file),
        };
        let first = match read.insert(path.clone()) {
            // What one file wants is wanted, whatever another one says of it.
            false if role.is_none() => {
                let of_file = found.pins.iter_mut().filter(|pin| pin.file == path);
                of_file.for_each(|pin| pin.group = None);
                continue;
            }
            false => continue,
            true => {
                // As a note it would make its packages needed.
                found.pins.retain(|pin| pin.file != path);
                found.pins.len()
            }
        };
        match file.text() {
            Err(error) => found.fault(&path, error),
            Ok(text) => requirements::read(&path, &text, found),
        }
        for pin in &mut found.pins[first..] {
            pin.group = role.map(str::to_owned);
        }
        queue.extend(std::mem::take(&mut found.includes));
    }
    found.includes.clear();
}

fn leads_to(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut left = vec![from];
    while let Some(file) = left.pop() {
        if file == to {
            return true;
        }
        if seen.insert(file) {
            left.extend(edges.get(file).into_iter().flatten().map(String::as_str));
        }
    }
    false
}

fn shown(include: &IncludedFile) -> String {
    let flag = if include.is_constraint { "-c" } else { "-r" };
    format!(
        "line {}, `{flag} {}`,",
        include.line,
        shown_line::shown(&include.path)
    )
}

/// The path below the folder; `None` of one outside of it, and of an address.
fn resolved(include: &IncludedFile) -> Option<String> {
    let written = include.path.replace('\\', "/");
    if written.starts_with(['/', '~', '$']) || written.contains("://") || written.get(1..2) == Some(":") {
        return None;
    }
    let folder = include.file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn found(files: &[[&str; 2]]) -> FoundEvidence {
        let folder = tempfile::tempdir().unwrap();
        for [path, text] in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = SourceTree::open(folder.path()).unwrap();
        let mut found = FoundEvidence::default();
        for file in tree.files.iter().filter(|file| is_requirements(&file.path)) {
            read(&file.path, &file.text().unwrap(), &mut found);
        }
        follow(&tree, &mut found);
        found
    }

    fn grouped(found: &FoundEvidence) -> Vec<String> {
        let one = |pin: &Pin| format!("{}: {}", pin.name, pin.group.as_deref().unwrap_or("wanted"));
        let mut all: Vec<String> = found.pins.iter().map(one).collect();
        all.sort();
        all
    }

    #[test]
    fn circles_missing_files_and_those_outside_are_a_sentence_each() {
        let found = found(&[
            [
                "requirements.txt",
                "pandas==1.0.3\n-r more.txt\n-r gone.txt\n-r https://x.example/r.txt\n",
            ],
            [
                "more.txt",
                "numpy==1.18.1\n-r requirements.txt\n-r ../../etc/passwd\n-r sub/x.txt\n-r /etc/passwd\n",
            ],
            ["sub/x.txt", "scipy==1.4.1\n-r x.txt\n-r ../more.txt\n"],
        ]);
        assert_eq!(
            shown_pins(&found),
            ["pandas|1.0.3|", "numpy|1.18.1|", "scipy|1.4.1|"]
        );
        let problems: Vec<&str> = found.faults.iter().map(|fault| fault.problem.as_str()).collect();
        let count = |text: &str| problems.iter().filter(|problem| problem.contains(text)).count();
        assert_eq!(
            (
                count("leads out"),
                count("not in the folder"),
                count("leads back")
            ),
            (3, 1, 3),
            "{problems:?}"
        );
        assert_eq!(problems.len(), 7);
    }

    #[test]
    fn what_is_for_development_is_grouped_unless_a_wanted_file_takes_it_in() {
        let files = [
            ["requirements.txt", "pandas\n-c constraints.txt\n"],
            ["constraints.txt", "numpy==1.18.1\n"],
            ["requirements-dev.txt", "black\n-r shared.txt\n"],
            ["shared.txt", "isort\n"],
            ["docs/requirements.txt", "sphinx\n"],
            ["requirements/base.txt", "scipy\n"],
            ["requirements/dev.txt", "-r base.txt\npytest\n"],
            ["test-requirements.txt", "tox\n"],
            ["requirements_contest.txt", "lxml\n"],
        ];
        let read = found(&files);
        let developing = |name: &str| format!("{name}: {DEVELOPMENT}");
        let constraint = format!("numpy: {}", Pin::CONSTRAINTS);
        let expected = [
            developing("black"),
            developing("isort"),
            "lxml: wanted".to_owned(),
            constraint,
            "pandas: wanted".to_owned(),
            developing("pytest"),
            "scipy: wanted".to_owned(),
            developing("sphinx"),
            developing("tox"),
        ];
        assert_eq!(grouped(&read), expected);
        assert!(read.faults.is_empty(), "{:?}", read.faults);
        let read = found(&[
            ["requirements.txt", "-r requirements-dev.txt\n"],
            ["requirements-dev.txt", "black\n"],
        ]);
        assert_eq!(grouped(&read), ["black: wanted"]);
    }
}
