//! `poetry.lock` and `uv.lock`.

use jiff::Timestamp;
use serde::Deserialize;

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;

#[derive(Deserialize)]
struct TomlLock {
    #[serde(default)]
    package: Vec<LockedPackage>,
    #[serde(rename = "requires-python")]
    requires_python: Option<String>,
    metadata: Option<PoetryMetadata>,
    options: Option<UvOptions>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: Option<String>,
    source: Option<LockedSource>,
}

#[derive(Deserialize)]
struct LockedSource {
    git: Option<String>,
    url: Option<String>,
    editable: Option<String>,
    r#virtual: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
struct PoetryMetadata {
    #[serde(rename = "python-versions")]
    python_versions: Option<String>,
}

#[derive(Deserialize)]
struct UvOptions {
    #[serde(rename = "exclude-newer")]
    exclude_newer: Option<String>,
}

/// Reads a `poetry.lock` or a `uv.lock`.
///
/// # Errors
/// A text that is no such lock.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) -> Result<(), toml::de::Error> {
    let lock: TomlLock = toml::from_str(text)?;
    let kind = EvidenceKind::LockFile;
    let python = lock
        .requires_python
        .or(lock.metadata.and_then(|metadata| metadata.python_versions));
    if let Some(bounds) = python.filter(|bounds| bounds != "*") {
        let says = format!("The lock is for Python {bounds}.");
        let evidence = Evidence::new(kind, file, says);
        found.evidence.push(match least(&bounds) {
            Some(least) => evidence.naming(Language::Python, &format!(">={least}")),
            None => evidence,
        });
    }
    if let Some(until) = lock.options.and_then(|options| options.exclude_newer) {
        let day = until.parse::<Timestamp>().ok();
        let day = day.map(|instant| instant.to_zoned(jiff::tz::TimeZone::UTC).date());
        let says = format!("The lock takes nothing newer than {until}.");
        found.evidence.push(Evidence::new(kind, file, says).dated(day));
    }
    for package in lock.package {
        let source = package.source.as_ref();
        let is_own = source.is_some_and(|source| source.editable.is_some() || source.r#virtual.is_some());
        if is_own {
            continue;
        }
        let elsewhere = source.and_then(|source| match (&source.git, &source.kind) {
            (Some(git), _) => Some(git.clone()),
            (None, Some(kind)) if kind == "git" || kind == "directory" || kind == "url" => source.url.clone(),
            _ => None,
        });
        found.pins.push(Pin {
            language: Language::Python,
            name: package.name,
            version: package.version,
            bounds: None,
            source: elsewhere.map_or(PinSource::Index, PinSource::Elsewhere),
            kind,
            file: file.to_owned(),
            line: 1,
        });
    }
    Ok(())
}

/// The least version of bounds such as `>=3.7,<4` or `^3.8`.
fn least(bounds: &str) -> Option<&str> {
    let first = bounds.split(',').next()?.trim();
    let version = first.trim_start_matches(['>', '=', '^', '~', ' ']);
    version
        .starts_with(|letter: char| letter.is_ascii_digit())
        .then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let poetry = "[[package]]\nname = \"pandas\"\nversion = \"1.1.5\"\ncategory = \"main\"\n\n[[package]]\nname = \"own\"\nversion = \"0.1\"\n\
                      [package.source]\ntype = \"git\"\nurl = \"https://example.org/own.git\"\n\n[metadata]\npython-versions = \"^3.6\"\n";
        let mut found = FoundEvidence::default();
        read("poetry.lock", poetry, &mut found).unwrap();
        assert_eq!(found.evidence[0].interpreter.as_ref().unwrap().version, ">=3.6");
        assert_eq!(found.pins[0].version.as_deref(), Some("1.1.5"));
        assert!(matches!(found.pins[1].source, PinSource::Elsewhere(_)));
        let uv = "version = 1\nrequires-python = \">=3.9, <3.12\"\n[options]\nexclude-newer = \"2022-03-04T00:00:00Z\"\n\
                  [[package]]\nname = \"me\"\nversion = \"0\"\nsource = { editable = \".\" }\n[[package]]\nname = \"numpy\"\nversion = \"1.22.2\"\nsource = { registry = \"https://pypi.org/simple\" }\n";
        let mut found = FoundEvidence::default();
        read("uv.lock", uv, &mut found).unwrap();
        assert_eq!(found.evidence[1].date.unwrap().to_string(), "2022-03-04");
        assert_eq!(found.pins.len(), 1);
        assert!(read("uv.lock", "a = ", &mut found).is_err());
        assert!(read("uv.lock", &format!("a = {}", "[".repeat(100_000)), &mut found).is_err());
    }
}
