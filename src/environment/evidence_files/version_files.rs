//! Files that name an interpreter alone: `runtime.txt` of Binder and Heroku, `.python-version`, `.tool-versions`.

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence};
use super::super::language::Language;
use super::super::release_span::release_numbers;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;

static PYTHON: LazyRegex = LazyRegex::new(r"^python-([23]\.[0-9]{1,2}(?:\.[0-9]{1,2})?)$");
static R: LazyRegex =
    LazyRegex::new(r"^r-(?:([3-9]\.[0-9]{1,2}(?:\.[0-9]{1,2})?)-?)?(20[0-9]{2}-[0-9]{2}-[0-9]{2})?$");
static VERSION: LazyRegex =
    LazyRegex::new(r"^(?:c?python[-@])?([23](?:\.[0-9]{1,2}){0,2})(?:-[a-z0-9_-]*)?$");
static R_VERSION: LazyRegex = LazyRegex::new(r"^([3-9]\.[0-9]{1,2}(?:\.[0-9]{1,2})?)$");

/// Whether a file's name is that of one that names an interpreter.
pub fn is_name(name: &str) -> bool {
    matches!(name, "runtime.txt" | ".python-version" | ".tool-versions")
}

/// Reads such a file.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    match file.rsplit('/').next().unwrap_or_default() {
        "runtime.txt" => runtime(file, text, found),
        ".python-version" => pyenv(file, text, found),
        _ => tools(file, text, found),
    }
}

struct NamedLine<'a> {
    number: usize,
    text: &'a str,
}

fn lines(text: &str) -> impl Iterator<Item = NamedLine<'_>> {
    let bare = |line: &'_ str| line.split('#').next().unwrap_or_default().trim().len();
    let all = text.lines().enumerate().map(move |(at, line)| NamedLine {
        number: at + 1,
        text: line.trim_start().get(..bare(line)).unwrap_or_default(),
    });
    all.filter(|line| !line.text.is_empty())
}

fn names(language: Language, file: &str, line: usize, version: &str) -> Evidence {
    let says = format!("It asks for {language} {version}.");
    let evidence = Evidence::new(EvidenceKind::LockFile, file, says).at(line);
    evidence.of_the_time_of(language, version)
}

/// A line of another form is none of Binder's, since data may have that name.
fn runtime(file: &str, text: &str, found: &mut FoundEvidence) {
    let Some(NamedLine { number, text }) = lines(text).next() else {
        return;
    };
    if let Some(python) = PYTHON.captures(text) {
        found
            .evidence
            .push(names(Language::Python, file, number, &python[1]));
    } else if let Some(r) = R.captures(text) {
        if let Some(version) = r.get(1) {
            found
                .evidence
                .push(names(Language::R, file, number, version.as_str()));
        }
        if let Some(day) = r.get(2).and_then(|day| day.as_str().parse().ok()) {
            let says = format!("It takes R's packages of {day}.");
            let evidence = Evidence::new(EvidenceKind::LockFile, file, says).at(number);
            found.evidence.push(evidence.dated(Some(day)));
        }
    }
}

/// Of several the first is what `python` starts; names of virtual environments and other Pythons tell no release.
fn pyenv(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut others = Vec::new();
    for NamedLine { number, text } in lines(text).flat_map(words) {
        let version = VERSION.captures(text).map(|read| read[1].to_owned());
        match version.filter(|version| release_numbers(version).is_some()) {
            Some(version) => {
                return found
                    .evidence
                    .push(names(Language::Python, file, number, &version));
            }
            None => others.push(excerpt::shortened(text, 40)),
        }
    }
    if let Some(first) = others.first() {
        found.fault(file, format!("`{first}` tells no release of Python"));
    }
}

fn words(line: NamedLine<'_>) -> impl Iterator<Item = NamedLine<'_>> {
    let number = line.number;
    let words = line.text.split([' ', '\t', ':']).filter(|word| !word.is_empty());
    words.map(move |text| NamedLine { number, text })
}

fn tools(file: &str, text: &str, found: &mut FoundEvidence) {
    for NamedLine { number, text } in lines(text) {
        let mut words = text.split_whitespace();
        let (language, expression) = match words.next() {
            Some("python") => (Language::Python, &VERSION),
            Some("R" | "r") => (Language::R, &R_VERSION),
            _ => continue,
        };
        let mut versions = words.filter_map(|word| Some(expression.captures(word)?[1].to_owned()));
        if let Some(version) = versions.find(|version| release_numbers(version).is_some()) {
            found.evidence.push(names(language, file, number, &version));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &str, text: &str) -> Vec<String> {
        let mut found = FoundEvidence::default();
        read(file, text, &mut found);
        let one = |one: Evidence| match one.interpreter {
            Some(named) => format!("{} {}", named.language, named.version),
            None => one.date.map_or_else(String::new, |day| day.to_string()),
        };
        let faults = found.faults.into_iter().map(|_| "fault".to_owned());
        found.evidence.into_iter().map(one).chain(faults).collect()
    }

    #[test]
    fn runtimes_of_binder() {
        for (text, all) in [
            ("python-3.7.5\n", vec!["Python 3.7.5"]),
            ("\n# why\npython-3.7 # this\n", vec!["Python 3.7"]),
            ("r-3.6-2019-04-12\n", vec!["R 3.6", "2019-04-12"]),
            ("r-2019-04-12", vec!["2019-04-12"]),
            ("r-4.1.2-2022-01-30", vec!["R 4.1.2", "2022-01-30"]),
            ("r-3.6-2019-02-31", vec!["R 3.6"]),
            ("12.5 seconds\npython-3.7\n", vec![]),
            ("python-latest", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(told("binder/runtime.txt", text), all, "{text}");
        }
    }

    #[test]
    fn versions_of_pyenv_and_asdf() {
        for (text, all) in [
            ("3.7.5\n", vec!["Python 3.7.5"]),
            ("# pinned\n3.7.5\n2.7.18\n", vec!["Python 3.7.5"]),
            ("system\n3.8\n", vec!["Python 3.8"]),
            ("pypy3.6-7.3.1\n", vec!["fault"]),
            ("my-venv-3.8\n", vec!["fault"]),
            ("system\n", vec!["fault"]),
            ("3\n", vec!["fault"]),
            ("3.9-dev\n", vec!["Python 3.9"]),
            ("cpython-3.11.4-linux-x86_64-gnu\n", vec!["Python 3.11.4"]),
            ("3.7.5:3.6.1", vec!["Python 3.7.5"]),
            ("", vec![]),
        ] {
            assert_eq!(told(".python-version", text), all, "{text}");
        }
        let tools = "nodejs 12.1\npython system 3.7.5 2.7.18 # old\nR 4.0.2\nruby 3.1.0\npython ref:master\n";
        assert_eq!(told(".tool-versions", tools), ["Python 3.7.5", "R 4.0.2"]);
    }
}
