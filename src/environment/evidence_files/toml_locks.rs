//! `poetry.lock`, `uv.lock` and the standard's `pylock.toml` (PEP 751).

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, NeedingPackage, Pin, PinSource};
use super::super::language::Language;
use super::lock_markers::{PoetryMarkers, all_of, any_of, of_bounds};
use super::lock_ways::{Dependencies, LockedWays};
use super::pyproject::ProjectFile;
use super::python_span;

#[derive(Deserialize)]
struct TomlLock {
    #[serde(default, alias = "packages")]
    package: Vec<LockedPackage>,
    #[serde(rename = "requires-python")]
    requires_python: Option<String>,
    metadata: Option<PoetryMetadata>,
    options: Option<UvOptions>,
    #[serde(default)]
    manifest: UvManifest,
}

/// The wishes of a project of uv that is no package itself.
#[derive(Default, Deserialize)]
struct UvManifest {
    #[serde(default)]
    requirements: Dependencies,
    #[serde(rename = "dependency-groups", default)]
    groups: BTreeMap<String, Dependencies>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: Option<String>,
    source: Option<LockedSource>,
    /// The standard's own places of what is of no index.
    #[serde(alias = "archive", alias = "directory")]
    vcs: Option<LockedPlace>,
    #[serde(default)]
    wheels: Vec<LockedFile>,
    sdist: Option<LockedFile>,
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
    fn marker(&self, is_forked: bool) -> Option<String> {
        let own = self.markers.as_ref().and_then(PoetryMarkers::text);
        let forks = any_of(self.resolution_markers.iter().map(String::as_str));
        let mut all: Vec<String> = [own, forks].into_iter().flatten().collect();
        if all.is_empty() && is_forked {
            all.extend(self.python_versions.as_deref().and_then(of_bounds));
        }
        all_of(all.iter().map(String::as_str))
    }

    /// Whether it is the project itself.
    fn is_own(&self) -> bool {
        let is_folder = |source: &LockedSource| source.editable.is_some() || source.r#virtual.is_some();
        self.source.as_ref().is_some_and(is_folder)
    }

    fn needs(&self) -> impl Iterator<Item = &Dependencies> {
        let more = self.optional_dependencies.values();
        let more = more.chain(self.dev_dependencies.values());
        std::iter::once(&self.dependencies).chain(more)
    }
}

impl TomlLock {
    /// The ways from the project to its packages. Without the project, whatever needs a package counts as wanted.
    fn ways(&self, project: Option<&ProjectFile>) -> LockedWays {
        let mut ways = LockedWays::default();
        // Poetry says in its later locks by each package itself for what it counts.
        let is_told = self.package.iter().any(|package| package.markers.is_some());
        let project = project.filter(|_| !is_told);
        let is_of_uv = self.package.iter().any(LockedPackage::is_own);
        for dependency in project.iter().flat_map(|project| &project.wanted) {
            ways.push(None, &dependency.name, None, dependency.marker.clone());
        }
        for dependencies in std::iter::once(&self.manifest.requirements).chain(self.manifest.groups.values())
        {
            ways.add(None, dependencies);
        }
        for package in &self.package {
            let by = NeedingPackage {
                name: package.name.clone(),
                version: package.version.clone(),
            };
            let is_known = !package.is_own() && (is_of_uv || project.is_some());
            for dependencies in package.needs() {
                // Poetry's tables are followed where it is known what the project itself asks for.
                if project.is_none() && matches!(dependencies, Dependencies::Table(_)) {
                    continue;
                }
                ways.add(Some(&by).filter(|_| is_known), dependencies);
            }
        }
        ways
    }
}

/// A file of a package, with the time at which the index had it.
#[derive(Deserialize)]
struct LockedFile {
    #[serde(rename = "upload-time", alias = "upload_time")]
    upload_time: Option<toml::Value>,
}

impl LockedFile {
    fn day(&self) -> Option<Date> {
        let text = match self.upload_time.as_ref()? {
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let instant: Timestamp = text.parse().ok()?;
        Some(instant.to_zoned(jiff::tz::TimeZone::UTC).date())
    }
}

#[derive(Deserialize)]
struct LockedPlace {
    url: Option<String>,
    path: Option<String>,
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

/// Reads a `poetry.lock`, a `uv.lock` or a `pylock.toml`; `project` is what the `pyproject.toml` next to it asks for.
///
/// # Errors
/// A text that is no such lock.
pub fn read(
    file: &str,
    text: &str,
    project: Option<&ProjectFile>,
    found: &mut FoundEvidence,
) -> Result<(), toml::de::Error> {
    let lock: TomlLock = toml::from_str(text)?;
    let ways = lock.ways(project);
    let kind = EvidenceKind::LockFile;
    let python = lock.requires_python.as_deref().or(lock
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.python_versions.as_deref()));
    if let Some(bounds) = python.filter(|bounds| *bounds != "*") {
        let says = format!("The lock is for Python {bounds}.");
        python_span::read(Evidence::new(kind, file, says), bounds, found);
    }
    if let Some(until) = lock
        .options
        .as_ref()
        .and_then(|options| options.exclude_newer.as_deref())
    {
        let day = until.parse::<Timestamp>().ok();
        let day = day.map(|instant| instant.to_zoned(jiff::tz::TimeZone::UTC).date());
        let says = format!("The lock takes nothing newer than {until}.");
        found.evidence.push(Evidence::new(kind, file, says).dated(day));
    }
    let files = |package: &LockedPackage| {
        package
            .wheels
            .iter()
            .chain(&package.sdist)
            .filter_map(LockedFile::day)
            .min()
    };
    let newest = lock
        .package
        .iter()
        .filter_map(|package| Some((files(package)?, package.name.as_str())))
        .max();
    if let Some((day, name)) = newest {
        let says = format!("The newest package of the lock, {name}, is of {day}.");
        found
            .evidence
            .push(Evidence::new(kind, file, says).dated(Some(day)));
    }
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for package in &lock.package {
        *times.entry(&package.name).or_default() += 1;
    }
    for package in lock.package.iter().filter(|package| !package.is_own()) {
        let source = package.source.as_ref();
        let elsewhere = source.and_then(|source| match (&source.git, &source.kind) {
            (Some(git), _) => Some(git.clone()),
            (None, Some(kind)) if kind == "git" || kind == "directory" || kind == "url" => source.url.clone(),
            _ => None,
        });
        let placed = package
            .vcs
            .as_ref()
            .and_then(|place| place.url.clone().or(place.path.clone()));
        let elsewhere = elsewhere.or(placed);
        let is_forked = times.get(package.name.as_str()).is_some_and(|times| *times > 1);
        let pin = Pin::new(Language::Python, &package.name, kind, file, 1);
        let pin = pin.with_version(package.version.clone());
        found.pins.push(Pin {
            marker: package.marker(is_forked),
            ways: ways.of(&package.name, package.version.as_deref()),
            ..pin.with_source(elsewhere.map_or(PinSource::Index, PinSource::Elsewhere))
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_of_the_standard_is_read() {
        let text = "lock-version = \"1.0\"\nenvironments = [\"sys_platform == 'linux'\"]\nrequires-python = \"==3.11.*\"\n\
                    created-by = \"uv\"\ndependency-groups = []\n\
                    [[packages]]\nname = \"six\"\nversion = \"1.16.0\"\nindex = \"https://pypi.org/simple\"\n\
                    dependencies = [{name = \"attrs\"}]\n\
                    sdist = {name = \"six.tar.gz\", upload-time = 2021-05-05T14:18:18Z, hashes = {}}\n\
                    wheels = [{name = \"six.whl\", upload-time = 2021-05-06T14:18:18Z, hashes = {}}]\n\
                    [[packages]]\nname = \"attrs\"\nversion = \"20.3.0\"\n\
                    [[packages.wheels]]\nname = \"attrs.whl\"\nupload-time = 2020-11-05T01:00:00Z\n\
                    [[packages]]\nname = \"pywin32\"\nversion = \"300\"\nmarker = \"sys_platform == 'win32'\"\n\
                    [[packages]]\nname = \"own\"\nvcs = {type = \"git\", url = \"https://example.org/own.git\", commit-id = \"a\"}\n\
                    [[packages]]\nname = \"local\"\ndirectory = {path = \"./local\"}\n";
        let mut found = FoundEvidence::default();
        read("pylock.toml", text, None, &mut found).unwrap();
        let pins: Vec<String> = found
            .pins
            .iter()
            .map(|pin| {
                format!(
                    "{} {} {}",
                    pin.name,
                    pin.version.as_deref().unwrap_or("?"),
                    pin.marker.as_deref().unwrap_or("")
                )
            })
            .collect();
        assert_eq!(
            pins,
            [
                "six 1.16.0 ",
                "attrs 20.3.0 ",
                "pywin32 300 sys_platform == 'win32'",
                "own ? ",
                "local ? "
            ]
        );
        assert!(matches!(&found.pins[3].source, PinSource::Elsewhere(place) if place.ends_with("own.git")));
        assert!(matches!(&found.pins[4].source, PinSource::Elsewhere(place) if place == "./local"));
        let days: Vec<String> = found
            .evidence
            .iter()
            .filter_map(|one| one.date)
            .map(|day| day.to_string())
            .collect();
        assert!(days.contains(&"2021-05-05".to_owned()), "{days:?}");
        let named = found.evidence.iter().find_map(|one| one.interpreter.as_ref());
        assert_eq!(named.map(|named| named.version.as_str()), Some("3.11"));
        // uv writes its times as text.
        let uv = "version = 1\nrevision = 2\n[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n\
                  sdist = { url = \"u\", hash = \"h\", size = 1, upload-time = \"2021-05-05T14:18:18.114Z\" }\n";
        let mut found = FoundEvidence::default();
        read("uv.lock", uv, None, &mut found).unwrap();
        assert_eq!(
            found.evidence[0].date.map(|day| day.to_string()).as_deref(),
            Some("2021-05-05")
        );
    }

    fn markers(name: &str, text: &str) -> Vec<String> {
        let mut found = FoundEvidence::default();
        read(name, text, None, &mut found).unwrap();
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
                "n (python_full_version < '3.8') or (python_full_version == '3.8.*')",
                "n ",
                "w ",
                "k "
            ]
        );
    }

    #[test]
    fn ways_lead_from_the_project_to_its_packages() {
        let ways = |name: &str, text: &str, project: Option<&str>| {
            let project = project.map(|text| ProjectFile::parse(text).unwrap());
            let mut found = FoundEvidence::default();
            read(name, text, project.as_ref(), &mut found).unwrap();
            let shown = |pin: &Pin| {
                let ways = pin.ways.iter().flatten();
                let each = ways.map(|way| {
                    let by = way.by.as_ref().map_or("-", |by| by.name.as_str());
                    format!(
                        " {by}{}",
                        way.marker
                            .as_deref()
                            .map_or(String::new(), |marker| format!("[{marker}]"))
                    )
                });
                format!("{}{}", pin.name, each.collect::<String>())
            };
            found.pins.iter().map(shown).collect::<Vec<_>>()
        };
        let uv = "[manifest.dependency-groups]\ng = [{ name = \"c\" }]\n[[package]]\nname = \"me\"\nversion = \"0\"\n\
                  source = { virtual = \".\" }\ndependencies = [{ name = \"a\", marker = \"os_name == 'nt'\" }]\n\
                  [[package]]\nname = \"a\"\nversion = \"1\"\ndependencies = [{ name = \"b\", version = \"2\" }]\n\
                  [[package]]\nname = \"b\"\nversion = \"1\"\n[[package]]\nname = \"b\"\nversion = \"2\"\n\
                  [[package]]\nname = \"c\"\nversion = \"1\"\n";
        assert_eq!(
            ways("uv.lock", uv, None),
            ["a -[os_name == 'nt']", "b", "b a", "c -"]
        );
        let poetry = "[[package]]\nname = \"a\"\nversion = \"1\"\n[package.dependencies]\nB_B = { version = \"*\", markers = \
                      \"os_name == 'nt'\" }\nc = \">=1\"\nd = [{ version = \"1\", markers = \"os_name == 'x'\" }, { version = \"2\" }]\n\
                      [[package]]\nname = \"b-b\"\nversion = \"1\"\n[[package]]\nname = \"c\"\nversion = \"1\"\n\
                      [[package]]\nname = \"d\"\nversion = \"1\"\n";
        let project = "[tool.poetry.dependencies]\npython = \"^3.8\"\na = \"*\"\n[tool.poetry.group.dev.dependencies]\nc = \"^1\"\n";
        assert_eq!(
            ways("poetry.lock", poetry, Some(project)),
            ["a -", "b-b a[os_name == 'nt']", "c - a", "d a[os_name == 'x'] a"]
        );
        // What the project asks for is not known: a package may be wanted by itself.
        assert_eq!(ways("poetry.lock", poetry, None), ["a", "b-b", "c", "d"]);
    }

    #[test]
    fn both_forms_are_read() {
        let poetry = "[[package]]\nname = \"pandas\"\nversion = \"1.1.5\"\ncategory = \"main\"\n\n[[package]]\nname = \"own\"\nversion = \"0.1\"\n\
                      [package.source]\ntype = \"git\"\nurl = \"https://example.org/own.git\"\n\n[metadata]\npython-versions = \">=3.6,<4\"\n";
        let mut found = FoundEvidence::default();
        read("poetry.lock", poetry, None, &mut found).unwrap();
        assert_eq!(
            found.evidence[0].interpreter.as_ref().unwrap().version,
            ">=3.6,<4"
        );
        assert_eq!(found.pins[0].version.as_deref(), Some("1.1.5"));
        assert!(matches!(found.pins[1].source, PinSource::Elsewhere(_)));
        let uv = "version = 1\nrequires-python = \">=3.9, <3.12\"\n[options]\nexclude-newer = \"2022-03-04T00:00:00Z\"\n\
                  [[package]]\nname = \"me\"\nversion = \"0\"\nsource = { editable = \".\" }\n[[package]]\nname = \"numpy\"\nversion = \"1.22.2\"\nsource = { registry = \"https://pypi.org/simple\" }\n";
        let mut found = FoundEvidence::default();
        read("uv.lock", uv, None, &mut found).unwrap();
        assert_eq!(found.evidence[1].date.unwrap().to_string(), "2022-03-04");
        assert_eq!(found.pins.len(), 1);
        assert!(read("uv.lock", "a = ", None, &mut found).is_err());
        assert!(
            read(
                "uv.lock",
                &format!("a = {}", "[".repeat(100_000)),
                None,
                &mut found
            )
            .is_err()
        );
    }
}
