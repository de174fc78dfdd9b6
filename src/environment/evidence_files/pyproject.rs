//! `pyproject.toml`: what a project asks for, in its standard table or in Poetry's.

use jiff::Timestamp;
use toml::{Table, Value};

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::lock_markers::{all_of, of_bounds};
use super::poetry_bounds::{PoetryBounds, least};
use super::requirements;

/// A package that the project asks for, in any of its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedName {
    pub name: String,
    pub marker: Option<String>,
}

/// The wishes of a `pyproject.toml`.
#[derive(Debug, Default)]
pub struct ProjectFile {
    /// Bounds on Python.
    python: Option<String>,
    /// What the analysis itself needs, as the standard writes it, and as Poetry does.
    requirements: Vec<String>,
    poetry: Vec<PoetryDependency>,
    /// The same with every group and extra, for a lock beside it.
    pub wanted: Vec<WantedName>,
    exclude_newer: Option<String>,
    /// Whether something else sets the dependencies.
    is_dynamic: bool,
}

#[derive(Debug, Clone)]
struct PoetryDependency {
    name: String,
    version: String,
    marker: Option<String>,
    /// The address, where it is had from no index.
    address: Option<String>,
    is_optional: bool,
}

impl ProjectFile {
    /// Reads the tables of a project; one that holds settings of tools alone asks for nothing.
    ///
    /// # Errors
    /// A text that is no TOML.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let all: Table = toml::from_str(text)?;
        let mut file = Self::default();
        let tool = |name: &str| {
            all.get("tool")
                .and_then(|tool| tool.get(name))
                .and_then(Value::as_table)
        };
        if let Some(project) = all.get("project").and_then(Value::as_table) {
            file.standard(project);
        }
        let groups = all.get("dependency-groups").and_then(Value::as_table);
        for group in groups.into_iter().flat_map(Table::values) {
            file.want_all(texts(group));
        }
        if let Some(poetry) = tool("poetry") {
            file.poetry(poetry);
        }
        if let Some(uv) = tool("uv") {
            file.want_all(uv.get("dev-dependencies").into_iter().flat_map(texts));
            file.exclude_newer = uv.get("exclude-newer").and_then(Value::as_str).map(str::to_owned);
        }
        Ok(file)
    }

    fn standard(&mut self, project: &Table) {
        let python = project.get("requires-python").and_then(Value::as_str);
        self.python = python.map(str::to_owned);
        let dependencies = project.get("dependencies").into_iter().flat_map(texts);
        self.requirements = dependencies.map(str::to_owned).collect();
        self.want_all(project.get("dependencies").into_iter().flat_map(texts));
        let extras = project.get("optional-dependencies").and_then(Value::as_table);
        for extra in extras.into_iter().flat_map(Table::values) {
            self.want_all(texts(extra));
        }
        let mut dynamic = project.get("dynamic").into_iter().flat_map(texts);
        self.is_dynamic = dynamic.any(|field| field == "dependencies");
    }

    fn want_all<'a>(&mut self, requirements: impl Iterator<Item = &'a str>) {
        for text in requirements {
            let mut read = FoundEvidence::default();
            requirements::line("", 1, text, &mut read);
            let wanted = |pin: Pin| WantedName {
                name: pin.name,
                marker: pin.marker,
            };
            self.wanted.extend(read.pins.into_iter().map(wanted));
        }
    }

    fn poetry(&mut self, poetry: &Table) {
        let table = |key: &str| poetry.get(key).and_then(Value::as_table);
        let main = table("dependencies").map_or_else(Vec::new, dependencies);
        let (python, main): (Vec<_>, Vec<_>) = main.into_iter().partition(|one| one.name == "python");
        self.python = self
            .python
            .take()
            .or(python.into_iter().next().map(|one| one.version));
        let mut all = main.clone();
        all.extend(table("dev-dependencies").map_or_else(Vec::new, dependencies));
        for group in table("group").into_iter().flat_map(Table::values) {
            let group = group.get("dependencies").and_then(Value::as_table);
            all.extend(group.map_or_else(Vec::new, dependencies));
        }
        let wanted = all.into_iter().map(|one| WantedName {
            name: one.name,
            marker: one.marker,
        });
        self.wanted.extend(wanted);
        self.poetry = main.into_iter().filter(|one| !one.is_optional).collect();
    }
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn dependencies(table: &Table) -> Vec<PoetryDependency> {
    let one = |name: &str, value: &Value| {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let version = value.as_str().map(str::to_owned).or_else(|| text("version"));
        let python = text("python").and_then(|bounds| of_bounds(&PoetryBounds::parse(&bounds).text()));
        let markers: Vec<String> = text("markers").into_iter().chain(python).collect();
        PoetryDependency {
            name: name.to_owned(),
            version: version.unwrap_or_else(|| "*".to_owned()),
            marker: all_of(markers.iter().map(String::as_str)),
            address: ["git", "path", "url"].into_iter().find_map(text),
            is_optional: value.get("optional").and_then(Value::as_bool) == Some(true),
        }
    };
    let each = table.iter().flat_map(|(name, value)| match value {
        Value::Array(several) => several.iter().map(|value| one(name, value)).collect(),
        value => vec![one(name, value)],
    });
    each.collect()
}

/// Takes what a project asks for as evidence.
///
/// # Errors
/// A text that is no TOML.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) -> Result<(), toml::de::Error> {
    let project = ProjectFile::parse(text)?;
    let kind = EvidenceKind::LockFile;
    let line_of = |part: &str| {
        text.lines()
            .position(|line| line.contains(part))
            .map_or(1, |at| at + 1)
    };
    if let Some(written) = project.python.filter(|bounds| bounds != "*") {
        let bounds = PoetryBounds::parse(&written);
        let says = format!("The project is for Python {written}.");
        let evidence = Evidence::new(kind, file, says).at(line_of(&written));
        found
            .evidence
            .push(match (bounds.series(), least(&bounds.text())) {
                (Some(release), _) => evidence.of_the_time_of(Language::Python, &release),
                (None, Some(least)) => evidence.naming(Language::Python, &format!(">={least}")),
                (None, None) => evidence,
            });
    }
    if let Some(until) = project.exclude_newer {
        let instant = until.parse::<Timestamp>().ok();
        let day = instant.map(|instant| instant.to_zoned(jiff::tz::TimeZone::UTC).date());
        let day = day.or_else(|| until.parse().ok());
        let says = format!("The project takes nothing newer than {until}.");
        found
            .evidence
            .push(Evidence::new(kind, file, says).at(line_of(&until)).dated(day));
    }
    for requirement in &project.requirements {
        requirements::line(file, line_of(requirement), requirement, found);
    }
    for dependency in project.poetry {
        let pin = Pin::new(
            Language::Python,
            &dependency.name,
            kind,
            file,
            line_of(&dependency.name),
        );
        let pin = match dependency.address {
            Some(address) => pin.with_source(PinSource::Elsewhere(address)),
            None => PoetryBounds::parse(&dependency.version).of(pin),
        };
        found.pins.push(Pin {
            marker: dependency.marker,
            ..pin
        });
    }
    if project.is_dynamic {
        found.fault(
            file,
            "its dependencies are `dynamic`: what sets them is not run, and they are not read",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn found(text: &str) -> FoundEvidence {
        let mut found = FoundEvidence::default();
        read("pyproject.toml", text, &mut found).unwrap();
        found
    }

    #[test]
    fn the_standard_table_is_read_without_extras_and_tools() {
        let read = found(
            "[build-system]\nrequires = [\"hatchling==1.0\"]\n[project]\nname = \"x\"\nrequires-python = \">=3.8,<3.11\"\n\
             dependencies = [\n  \"pandas==1.3.5\",\n  \"numpy>=1.20; python_version < '3.9'\",\n]\ndynamic = [\"version\"]\n\
             [project.optional-dependencies]\nplots = [\"seaborn\"]\n[dependency-groups]\ndev = [\"pytest\", {include-group = \"x\"}]\n\
             [tool.uv]\nexclude-newer = \"2022-03-04T00:00:00Z\"\n",
        );
        assert_eq!(shown_pins(&read), ["pandas|1.3.5|", "numpy||>=1.20"]);
        assert_eq!((read.pins[0].line, read.pins[1].line), (7, 8));
        assert_eq!(read.pins[1].marker.as_deref(), Some("python_version < '3.9'"));
        assert_eq!(read.evidence[0].interpreter.as_ref().unwrap().version, ">=3.8");
        assert_eq!(read.evidence[1].date.unwrap().to_string(), "2022-03-04");
        assert!(read.faults.is_empty());
    }

    #[test]
    fn the_table_of_poetry_is_read_with_its_bounds() {
        let read = found(
            "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\npython = \"~3.8\"\nnumpy = \"^1.20.3\"\npandas = \"1.3.5\"\n\
             six = \"*\"\nscipy = { version = \"^0.2\", python = \"<3.9\" }\nown = { git = \"https://example.org/own.git\" }\n\
             plots = { version = \"1\", optional = true }\nodd = \">=1 || <0.5\"\nforked = [{ version = \"1.0\", markers = \
             \"os_name == 'nt'\" }, { version = \"2.0\" }]\n[tool.poetry.group.dev.dependencies]\nblack = \"*\"\n",
        );
        let mut pins = shown_pins(&read);
        pins.sort();
        assert_eq!(
            pins,
            [
                "forked|1.0|",
                "forked|2.0|",
                "numpy||>=1.20.3,<2",
                "odd||>=1 || <0.5",
                "own||",
                "pandas|1.3.5|",
                "scipy||>=0.2,<0.3",
                "six||"
            ]
        );
        let marker = |name: &str| {
            read.pins
                .iter()
                .find(|pin| pin.name == name)
                .unwrap()
                .marker
                .clone()
        };
        assert_eq!(marker("scipy").as_deref(), Some("python_full_version < '3.9'"));
        assert_eq!(read.evidence[0].interpreter.as_ref().unwrap().version, "3.8");
    }

    #[test]
    fn settings_of_tools_ask_for_nothing_and_what_is_dynamic_is_said() {
        let read = found("[tool.black]\nline-length = 90\n[build-system]\nrequires = [\"setuptools\"]\n");
        assert!(read.pins.is_empty() && read.evidence.is_empty() && read.faults.is_empty());
        let read = found("[project]\nname = \"x\"\ndynamic = [\"dependencies\"]\ndependencies = 3\n");
        assert!(read.pins.is_empty() && read.faults[0].problem.contains("`dynamic`"));
        assert!(ProjectFile::parse("a = ").is_err());
        assert!(ProjectFile::parse("project = 1\ntool = \"x\"\n[dependency-groups]\na = 1\n").is_ok());
    }
}
