//! `poetry.lock` and `uv.lock`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::lock_markers::{Dependencies, LockedEdges, PoetryMarkers, all_of, any_of, of_bounds};

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
    /// Poetry's, of one text; since its second version one for each group.
    #[serde(alias = "marker")]
    markers: Option<PoetryMarkers>,
    #[serde(rename = "python-versions")]
    python_versions: Option<String>,
    /// Uv's: the forks that it is for.
    #[serde(rename = "resolution-markers", default)]
    resolution_markers: Vec<String>,
    #[serde(default)]
    dependencies: Dependencies,
    #[serde(rename = "optional-dependencies", default)]
    optional_dependencies: BTreeMap<String, Dependencies>,
    #[serde(rename = "dev-dependencies", default)]
    dev_dependencies: BTreeMap<String, Dependencies>,
}

impl LockedPackage {
    /// The marker under which it counts. Of several versions that bear none, each is for the Pythons that it names.
    fn marker(&self, edges: &LockedEdges<'_>, is_forked: bool) -> Option<String> {
        let own = self.markers.as_ref().and_then(PoetryMarkers::text);
        let forks = any_of(self.resolution_markers.iter().map(String::as_str));
        let needed = edges.marker(&self.name, self.version.as_deref());
        let mut all: Vec<String> = [own, forks, needed].into_iter().flatten().collect();
        if all.is_empty() && is_forked {
            all.extend(self.python_versions.as_deref().and_then(of_bounds));
        }
        all_of(all.iter().map(String::as_str))
    }
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
    let mut edges = LockedEdges::default();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for package in &lock.package {
        let more = package.optional_dependencies.values();
        let more = more.chain(package.dev_dependencies.values());
        for dependencies in std::iter::once(&package.dependencies).chain(more) {
            edges.add(dependencies);
        }
        *times.entry(&package.name).or_default() += 1;
    }
    for package in &lock.package {
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
        let is_forked = times.get(package.name.as_str()).is_some_and(|times| *times > 1);
        let pin = Pin::new(Language::Python, &package.name, kind, file, 1);
        let pin = pin.with_version(package.version.clone());
        found.pins.push(Pin {
            marker: package.marker(&edges, is_forked),
            ..pin.with_source(elsewhere.map_or(PinSource::Index, PinSource::Elsewhere))
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

    fn markers(name: &str, text: &str) -> Vec<String> {
        let mut found = FoundEvidence::default();
        read(name, text, &mut found).unwrap();
        let pins = found.pins.iter();
        pins.map(|pin| format!("{} {}", pin.name, pin.marker.as_deref().unwrap_or("")))
            .collect()
    }

    #[test]
    fn packages_of_locks_have_markers() {
        let poetry = "[[package]]\nname = \"a\"\nversion = \"1\"\nmarker = \"python_version < '3.7'\"\n\
                      [[package]]\nname = \"a\"\nversion = \"2\"\nmarkers = \"python_version >= '3.7'\"\n\
                      [[package]]\nname = \"b\"\nversion = \"1\"\nmarkers = {main = \"os_name == 'nt'\", dev = \"os_name == 'x'\"}\n\
                      [[package]]\nname = \"c\"\nversion = \"1\"\npython-versions = \">=3.7\"\n[package.dependencies]\na = \"*\"\n\
                      [[package]]\nname = \"d\"\nversion = \"1\"\npython-versions = \"<3.8\"\n[[package]]\nname = \"d\"\nversion = \"2\"\npython-versions = \">=3.8\"\n";
        assert_eq!(
            markers("poetry.lock", poetry),
            [
                "a python_version < '3.7'",
                "a python_version >= '3.7'",
                "b os_name == 'nt'",
                "c ",
                "d python_full_version < '3.8'",
                "d python_full_version >= '3.8'"
            ]
        );
        let uv = "version = 1\n[[package]]\nname = \"me\"\nversion = \"0\"\nsource = { virtual = \".\" }\n\
                  dependencies = [{ name = \"n\", version = \"1\", marker = \"python_full_version < '3.9'\" }, { name = \"n\", version = \"2\", marker = \"python_full_version >= '3.9'\" }, { name = \"w\", marker = \"sys_platform == 'win32'\" }, { name = \"k\", marker = \"sys_platform == 'win32'\" }]\n\
                  [package.dev-dependencies]\ndev = [{ name = \"k\" }]\n\
                  [[package]]\nname = \"n\"\nversion = \"1\"\nresolution-markers = [\"python_full_version < '3.8'\", \"python_full_version == '3.8.*'\"]\n\
                  [[package]]\nname = \"n\"\nversion = \"2\"\n[[package]]\nname = \"w\"\nversion = \"1\"\n[[package]]\nname = \"k\"\nversion = \"1\"\n";
        assert_eq!(
            markers("uv.lock", uv),
            [
                "n ((python_full_version < '3.8') or (python_full_version == '3.8.*')) and (python_full_version < '3.9')",
                "n python_full_version >= '3.9'",
                "w sys_platform == 'win32'",
                "k "
            ]
        );
    }

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
