//! `Pipfile`: what a project of Pipenv asks for.

use toml::{Table, Value};

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::lock_markers::all_of;
use super::poetry_bounds::PoetryBounds;
use super::project_groups::group_words;

/// Keys that are markers by themselves.
const MARKERS: [&str; 6] = [
    "sys_platform",
    "platform_system",
    "platform_machine",
    "os_name",
    "python_version",
    "implementation_name",
];

/// Reads a `Pipfile`.
///
/// # Errors
/// A text that is no TOML.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) -> Result<(), toml::de::Error> {
    let all: Table = toml::from_str(text)?;
    let table = |key: &str| all.get(key).and_then(Value::as_table);
    let line_of = |start: &str| {
        let is_it = |line: &str| {
            line.trim_start()
                .trim_start_matches(['"', '\''])
                .starts_with(start)
        };
        text.lines().position(is_it).map_or(1, |at| at + 1)
    };
    let requires = table("requires");
    let version = requires.and_then(|requires| {
        let full = requires.get("python_full_version");
        full.or_else(|| requires.get("python_version"))?.as_str()
    });
    if let Some(version) = version.filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    {
        let says = format!("The project is for Python {version}.");
        let evidence = Evidence::new(EvidenceKind::LockFile, file, says).at(line_of("python_"));
        found
            .evidence
            .push(evidence.of_the_time_of(Language::Python, version));
    }
    for (section, group) in [("packages", None), ("dev-packages", Some(group_words("dev")))] {
        for (name, value) in table(section).into_iter().flatten() {
            let pin = Pin::new(
                Language::Python,
                name,
                EvidenceKind::LockFile,
                file,
                line_of(name),
            );
            found.pins.push(Pin {
                group: group.clone(),
                ..package(pin, value)
            });
        }
    }
    Ok(())
}

fn package(pin: Pin, value: &Value) -> Pin {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let keyed = MARKERS
        .iter()
        .filter_map(|key| Some(format!("{key} {}", text(key)?)));
    let markers: Vec<String> = text("markers")
        .map(str::to_owned)
        .into_iter()
        .chain(keyed)
        .collect();
    let marker = all_of(markers.iter().map(String::as_str));
    let address = ["git", "hg", "svn", "bzr", "path", "file", "url"]
        .into_iter()
        .find_map(text);
    let pin = match address {
        Some(address) => pin.with_source(PinSource::Elsewhere(address.to_owned())),
        None => PoetryBounds::parse(value.as_str().or_else(|| text("version")).unwrap_or("*")).of(pin),
    };
    Pin { marker, ..pin }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    #[test]
    fn versions_markers_addresses_and_the_interpreter() {
        let text = "[[source]]\nurl = \"https://pypi.org/simple\"\n[packages]\npandas = \"==1.0.3\"\nnumpy = \"*\"\n\
                    lxml = {version=\">=4\", markers=\"sys_platform == 'win32'\"}\nown = {git=\"https://x.org/own.git\", ref=\"v1\"}\n\
                    \"here\" = {path = \".\", editable = true}\nscipy = {version = \"~=1.4\", extras = [\"x\"], sys_platform = \"== 'linux'\"}\n\
                    odd = \"latest\"\n[dev-packages]\npytest = \"*\"\n[requires]\npython_version = \"3.7\"\n";
        let mut found = FoundEvidence::default();
        read("Pipfile", text, &mut found).unwrap();
        let mut pins = shown_pins(&found);
        pins.sort();
        assert_eq!(
            pins,
            [
                "here||",
                "lxml||>=4",
                "numpy||",
                "odd||latest",
                "own||",
                "pandas|1.0.3|",
                "pytest||",
                "scipy||~=1.4"
            ]
        );
        let pin = |name: &str| found.pins.iter().find(|pin| pin.name == name).unwrap();
        assert_eq!(pin("lxml").marker.as_deref(), Some("sys_platform == 'win32'"));
        assert_eq!(pin("scipy").marker.as_deref(), Some("sys_platform == 'linux'"));
        assert_eq!(
            pin("own").source,
            PinSource::Elsewhere("https://x.org/own.git".to_owned())
        );
        assert_eq!(
            (
                pin("pytest").group.is_some(),
                pin("pandas").group.is_some(),
                pin("pandas").line
            ),
            (true, false, 4)
        );
        assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, "3.7");
        let mut other = FoundEvidence::default();
        read(
            "Pipfile",
            "[packages]\n[requires]\npython_version = \"*\"\n",
            &mut other,
        )
        .unwrap();
        assert!(other.evidence.is_empty() && other.pins.is_empty());
        assert!(read("Pipfile", "<<<<<<< HEAD\n", &mut other).is_err());
    }
}
