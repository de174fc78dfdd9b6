//! `pyproject.toml`: what a project asks for, in its standard table or in Poetry's.

use jiff::Timestamp;
use toml::{Table, Value};

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::lock_markers::{all_of, of_bounds};
use super::project_groups::{
    GroupedRequirement, ProjectGroups, extra_words, group_words, is_of_development, texts,
};
use super::shown_line::shown;
use super::unread::about;
use super::{python_span, requirements};
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::names::normalized;

/// A version, or bounds as the standard writes them.
static STANDARD: LazyRegex = LazyRegex::new(
    r"^(?:[0-9][0-9A-Za-z.+!]*(?:\.\*)?|(?:~=|[<>=!]=|[<>])\s*[0-9][^\s,|]*(?:\s*,\s*(?:~=|[<>=!]=|[<>])\s*[0-9][^\s,|]*)*)$",
);
/// Tables of tools that ask for packages and are not read.
const TOOLS: [&str; 3] = ["hatch.envs", "flit.metadata", "pixi"];

/// A package that the project asks for, in any of its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedName {
    pub name: String,
    pub marker: Option<String>,
}

/// The wishes of a `pyproject.toml`.
#[derive(Debug, Default)]
pub struct ProjectFile {
    /// The project's own name.
    pub name: Option<String>,
    /// Bounds on Python.
    python: Option<String>,
    /// What it needs, as the standard writes it, and as Poetry does.
    requirements: Vec<GroupedRequirement>,
    poetry: Vec<PoetryDependency>,
    /// The same with every group and extra, for a lock beside it.
    pub wanted: Vec<WantedName>,
    exclude_newer: Option<String>,
    /// Tables of `tool` that are not read, by name.
    unread: Vec<&'static str>,
    /// A clause each.
    faults: Vec<String>,
}

#[derive(Debug, Clone)]
struct PoetryDependency {
    name: String,
    version: String,
    marker: Option<String>,
    /// The address, where it is had from no index.
    address: Option<String>,
    is_optional: bool,
    /// The extra or group that it stands in; `None` of what is installed in any case.
    group: Option<String>,
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
        let no_project = Table::new();
        let project = all
            .get("project")
            .and_then(Value::as_table)
            .unwrap_or(&no_project);
        let text_of = |key: &str| project.get(key).and_then(Value::as_str).map(str::to_owned);
        file.name = text_of("name");
        file.python = text_of("requires-python");
        let extras = project.get("optional-dependencies").and_then(Value::as_table);
        let groups = all.get("dependency-groups").and_then(Value::as_table);
        let groups = ProjectGroups::of(extras, groups);
        let main = project.get("dependencies").into_iter().flat_map(texts);
        let main: Vec<String> = main.map(str::to_owned).collect();
        let by_itself = tool("uv").and_then(|uv| uv.get("default-groups"));
        let by_itself: Vec<String> = by_itself.into_iter().flat_map(texts).map(str::to_owned).collect();
        file.requirements = groups.requirements(file.name.as_deref(), &main, &by_itself);
        file.faults = groups.faults();
        let of_uv = tool("uv").and_then(|uv| uv.get("dev-dependencies")).into_iter();
        let of_pdm = tool("pdm")
            .and_then(|pdm| pdm.get("dev-dependencies"))
            .and_then(Value::as_table);
        let of_tools = of_uv
            .chain(of_pdm.into_iter().flat_map(Table::values))
            .flat_map(texts);
        file.requirements.extend(of_tools.map(|text| GroupedRequirement {
            text: text.to_owned(),
            group: Some(group_words("dev")),
        }));
        file.want_all();
        if let Some(poetry) = tool("poetry") {
            file.poetry(poetry);
        }
        let is_there = |path: &&'static str| {
            let mut table = all.get("tool");
            path.split('.').all(|key| {
                table = table.and_then(|table| table.get(key));
                table.is_some()
            })
        };
        file.unread.extend(TOOLS.into_iter().filter(is_there));
        let newest = tool("uv").and_then(|uv| uv.get("exclude-newer"));
        file.exclude_newer = newest.and_then(Value::as_str).map(str::to_owned);
        let mut dynamic = project.get("dynamic").into_iter().flat_map(texts);
        if dynamic.any(|field| field == "dependencies") {
            file.dynamic(tool("setuptools"));
        }
        Ok(file)
    }

    /// What sets the dependencies is told, unless it is a file that is read by itself.
    fn dynamic(&mut self, setuptools: Option<&Table>) {
        let set = setuptools.and_then(|table| table.get("dynamic")?.get("dependencies")?.get("file"));
        let files: Vec<&str> = set
            .into_iter()
            .flat_map(|set| set.as_str().into_iter().chain(texts(set)))
            .collect();
        let name = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
        let unread: Vec<&str> = files
            .iter()
            .copied()
            .filter(|file| !requirements::is_name(&name(file)))
            .collect();
        if files.is_empty() {
            let fault = "its dependencies are `dynamic`: what sets them is not run, and they are not read";
            self.faults.push(fault.to_owned());
        }
        for file in unread {
            self.faults.push(format!(
                "its dependencies are `dynamic` and stand in `{}`, which is not read by that name: name it requirements.txt",
                excerpt::shortened(file, 80)
            ));
        }
    }

    fn want_all(&mut self) {
        for requirement in &self.requirements {
            let mut read = FoundEvidence::default();
            requirements::line("", 1, &requirement.text, &mut read);
            let wanted = |pin: Pin| WantedName {
                name: pin.name,
                marker: pin.marker,
            };
            self.wanted.extend(read.pins.into_iter().map(wanted));
        }
    }

    fn poetry(&mut self, poetry: &Table) {
        let table = |key: &str| poetry.get(key).and_then(Value::as_table);
        let name = poetry.get("name").and_then(Value::as_str).map(str::to_owned);
        self.name = self.name.take().or(name);
        let main = table("dependencies").map_or_else(Vec::new, dependencies);
        let (python, mut all): (Vec<_>, Vec<_>) = main.into_iter().partition(|one| one.name == "python");
        self.python = self
            .python
            .take()
            .or(python.into_iter().next().map(|one| one.version));
        for one in all.iter_mut().filter(|one| one.is_optional) {
            let holds = |list: &Value| texts(list).any(|name| normalized(name) == normalized(&one.name));
            let extra = table("extras")
                .into_iter()
                .flatten()
                .find(|(_, list)| holds(list));
            one.group = Some(extra.map_or("what is optional".to_owned(), |(name, _)| extra_words(name)));
        }
        let mut add = |list: Vec<PoetryDependency>, group: Option<String>| {
            all.extend(list.into_iter().map(|one| PoetryDependency {
                group: group.clone(),
                ..one
            }));
        };
        let developing = table("dev-dependencies").map_or_else(Vec::new, dependencies);
        add(developing, Some(group_words("dev")));
        for (name, group) in table("group").into_iter().flatten() {
            let is_optional = group.get("optional").and_then(Value::as_bool) == Some(true);
            let is_left = is_optional || is_of_development(name);
            let list = group.get("dependencies").and_then(Value::as_table);
            add(
                list.map_or_else(Vec::new, dependencies),
                is_left.then(|| group_words(name)),
            );
        }
        self.wanted.extend(all.iter().map(|one| WantedName {
            name: one.name.clone(),
            marker: one.marker.clone(),
        }));
        self.poetry = all;
    }
}

fn dependencies(table: &Table) -> Vec<PoetryDependency> {
    let one = |name: &str, value: &Value| {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let version = value.as_str().map(str::to_owned).or_else(|| text("version"));
        let python = text("python").and_then(|bounds| of_bounds(&bounds));
        let markers: Vec<String> = text("markers").into_iter().chain(python).collect();
        PoetryDependency {
            name: name.to_owned(),
            version: version.unwrap_or_else(|| "*".to_owned()),
            marker: all_of(markers.iter().map(String::as_str)),
            address: ["git", "path", "url"].into_iter().find_map(text),
            is_optional: value.get("optional").and_then(Value::as_bool) == Some(true),
            group: None,
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
    if let Some(written) = &project.python {
        let says = format!("The project is for Python {written}.");
        python_span::read(
            Evidence::new(kind, file, says).at(line_of(written)),
            written,
            found,
        );
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
    for GroupedRequirement { text, group } in &project.requirements {
        let first = found.pins.len();
        requirements::line(file, line_of(text), text, found);
        for pin in &mut found.pins[first..] {
            pin.group.clone_from(group);
        }
    }
    let mut own_forms = Vec::new();
    for dependency in project.poetry {
        let line = line_of(&dependency.name);
        let pin = Pin::new(Language::Python, &dependency.name, kind, file, line);
        let written = dependency.version.trim();
        let pin = match dependency.address {
            Some(address) => pin.with_source(PinSource::Elsewhere(address)),
            None if matches!(written, "" | "*") => pin,
            None if !STANDARD.is_match(written) => {
                own_forms.push(format!("`{} {}`", pin.name, shown(written)));
                pin
            }
            None => versioned(pin, written),
        };
        found.pins.push(Pin {
            marker: dependency.marker,
            group: dependency.group,
            ..pin
        });
    }
    for fault in project.faults {
        found.fault(file, fault);
    }
    let mut ask = |line, question| {
        found
            .questions
            .push(about(Language::Python, file, line, question));
    };
    if !own_forms.is_empty() {
        ask(
            line_of("[tool.poetry"),
            format!(
                "{file} has bounds in Poetry's own form ({}), which are not read, so that the versions of the day are \
                 taken: write them as the standard does, such as `>=1.2,<2`.",
                shown(&own_forms.join(", "))
            ),
        );
    }
    for table in project.unread {
        ask(
            line_of(table),
            format!(
                "{file} asks for packages in `[tool.{table}]`, which is not read: list those of the analysis in a \
                 requirements.txt."
            ),
        );
    }
    Ok(())
}

/// A pin at a version or within bounds of the standard's.
fn versioned(pin: Pin, written: &str) -> Pin {
    let bare = written.trim_start_matches("==").trim_start();
    if !bare.starts_with(|first: char| first.is_ascii_digit()) {
        let bounds = Some(written.replace(' ', ""));
        return Pin { bounds, ..pin };
    }
    match bare.contains(['*', ',']) {
        true => Pin {
            bounds: Some(format!("=={}", bare.replace(' ', ""))),
            ..pin
        },
        false => pin.with_version(Some(bare.to_owned())),
    }
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
    fn the_standard_table_is_read_with_its_groups_and_without_tools() {
        let read = found(
            "[build-system]\nrequires = [\"hatchling==1.0\"]\n[project]\nname = \"x\"\nrequires-python = \">=3.8,<3.11\"\n\
             dependencies = [\n  \"pandas==1.3.5\",\n  \"numpy>=1.20; python_version < '3.9'\",\n]\ndynamic = [\"version\"]\n\
             [project.optional-dependencies]\nplots = [\"seaborn\"]\n[dependency-groups]\ndev = [\"pytest\", {include-group = \"x\"}]\n\
             [tool.uv]\nexclude-newer = \"2022-03-04T00:00:00Z\"\n",
        );
        assert_eq!(
            shown_pins(&read),
            ["pandas|1.3.5|", "numpy||>=1.20", "seaborn||", "pytest||"]
        );
        let groups: Vec<&str> = read.pins.iter().filter_map(|pin| pin.group.as_deref()).collect();
        assert_eq!(groups, ["the extra `plots`", "the group `dev`"]);
        assert_eq!((read.pins[0].line, read.pins[1].line), (7, 8));
        assert_eq!(read.pins[1].marker.as_deref(), Some("python_version < '3.9'"));
        assert_eq!(
            read.evidence[0].interpreter.as_ref().unwrap().version,
            ">=3.8,<3.11"
        );
        assert_eq!(read.evidence[1].date.unwrap().to_string(), "2022-03-04");
        assert_eq!(read.faults.len(), 1, "{:?}", read.faults);
    }

    #[test]
    fn the_table_of_poetry_is_read_with_its_bounds() {
        let read = found(
            "[tool.poetry]\nname = \"x\"\n[tool.poetry.dependencies]\npython = \">=3.8,<3.9\"\nnumpy = \"^1.20.3\"\npandas = \"1.3.5\"\n\
             six = \"*\"\nscipy = { version = \"0.2.*\", python = \"<3.9\" }\nown = { git = \"https://example.org/own.git\" }\n\
             plots = { version = \"1\", optional = true }\nodd = \">=1 || <0.5\"\nforked = [{ version = \"1.0\", markers = \
             \"os_name == 'nt'\" }, { version = \"2.0\" }]\n[tool.poetry.extras]\ndrawn = [\"Plots\"]\n\
             [tool.poetry.group.dev.dependencies]\nblack = \"*\"\n[tool.poetry.group.analysis.dependencies]\nlxml = \">=4, <5\"\n\
             [tool.poetry.group.site]\noptional = true\n[tool.poetry.group.site.dependencies]\nflask = \"*\"\n",
        );
        let mut pins = shown_pins(&read);
        pins.sort();
        assert_eq!(
            pins,
            [
                "black||",
                "flask||",
                "forked|1.0|",
                "forked|2.0|",
                "lxml||>=4,<5",
                "numpy||",
                "odd||",
                "own||",
                "pandas|1.3.5|",
                "plots|1|",
                "scipy||==0.2.*",
                "six||"
            ]
        );
        let grouped = read
            .pins
            .iter()
            .filter_map(|pin| Some(format!("{}: {}", pin.name, pin.group.as_ref()?)));
        let mut grouped: Vec<String> = grouped.collect();
        grouped.sort();
        assert_eq!(
            grouped,
            [
                "black: the group `dev`",
                "flask: the group `site`",
                "plots: the extra `drawn`"
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
        assert_eq!(read.questions.len(), 1);
        let asked = &read.questions[0].question;
        assert!(asked.contains("(`numpy ^1.20.3`, `odd >=1 || <0.5`)"), "{asked}");
        assert_eq!(read.evidence[0].interpreter.as_ref().unwrap().version, "3.8");
    }

    #[test]
    fn tables_of_other_tools_are_asked_about() {
        let read =
            found("[tool.hatch.envs.default]\ndependencies = [\"six\"]\n[tool.pixi]\n[tool.hatch.build]\n");
        let asked: Vec<&str> = read.questions.iter().map(|one| one.question.as_str()).collect();
        assert!(
            asked[0].contains("`[tool.hatch.envs]`, which is not read"),
            "{asked:?}"
        );
        assert_eq!((asked.len(), read.pins.len()), (2, 0));
    }

    #[test]
    fn settings_of_tools_ask_for_nothing_and_what_is_dynamic_is_said() {
        let read = found("[tool.black]\nline-length = 90\n[build-system]\nrequires = [\"setuptools\"]\n");
        assert!(read.pins.is_empty() && read.evidence.is_empty() && read.faults.is_empty());
        assert_eq!(read.questions, []);
        let read = found("[project]\nname = \"x\"\ndynamic = [\"dependencies\"]\ndependencies = 3\n");
        assert!(read.pins.is_empty() && read.faults[0].problem.contains("`dynamic`"));
        let in_files = |set: &str| {
            let text = "[project]\nname = \"x\"\ndynamic = [\"dependencies\"]\n[tool.setuptools.dynamic]\n";
            found(&format!("{text}dependencies = {set}\n")).faults
        };
        assert_eq!(in_files("{ file = [\"requirements.txt\"] }"), []);
        assert_eq!(in_files("{ file = \"reqs/requirements-base.in\" }"), []);
        assert!(
            in_files("{ file = [\"requirements.txt\", \"needs.lst\"] }")[0]
                .problem
                .contains("`needs.lst`")
        );
        assert!(ProjectFile::parse("a = ").is_err());
        assert!(ProjectFile::parse("project = 1\ntool = \"x\"\n[dependency-groups]\na = 1\n").is_ok());
    }
}
