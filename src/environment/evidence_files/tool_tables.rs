//! Tables of tools that ask for packages: Hatch and Flit in `pyproject.toml`, Pixi there or in `pixi.toml`.

use toml::{Table, Value};

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence, Pin, PinSource};
use super::super::language::Language;
use super::project_groups::{extra_words, texts};
use super::{conda, python_span, requirements};

/// Pixi's own file.
pub const PIXI: &str = "pixi.toml";

/// Reads the tables of tools; text that is no TOML is the fault of whoever reads the project.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let Ok(all) = toml::from_str::<Table>(text) else {
        return;
    };
    let tables = ToolTables { file, text };
    let tool = |name: &str| all.get("tool")?.get(name)?.as_table();
    if file.rsplit('/').next() == Some(PIXI) {
        tables.pixi(&all, found);
    }
    if let Some(pixi) = tool("pixi") {
        tables.pixi(pixi, found);
    }
    if let Some(environments) = tool("hatch").and_then(|hatch| hatch.get("envs")?.as_table()) {
        tables.hatch(environments, found);
    }
    if let Some(metadata) = tool("flit").and_then(|flit| flit.get("metadata")?.as_table()) {
        tables.flit(metadata, found);
    }
}

struct ToolTables<'a> {
    file: &'a str,
    text: &'a str,
}

impl ToolTables<'_> {
    fn line_of(&self, part: &str) -> usize {
        let at = self.text.lines().position(|line| line.contains(part));
        at.map_or(1, |at| at + 1)
    }

    fn requirements(&self, list: Option<&Value>, group: Option<String>, found: &mut FoundEvidence) {
        let first = found.pins.len();
        for text in list.into_iter().flat_map(texts) {
            requirements::line(self.file, self.line_of(text), text, found);
        }
        for pin in &mut found.pins[first..] {
            pin.group.clone_from(&group);
        }
    }

    fn hatch(&self, environments: &Table, found: &mut FoundEvidence) {
        for (name, environment) in environments {
            // Only the environment of that name is made by itself.
            let group = (name != "default").then(|| format!("the environment `{name}`"));
            for key in ["dependencies", "extra-dependencies"] {
                self.requirements(environment.get(key), group.clone(), found);
            }
            if let Some(python) = environment.get("python").and_then(Value::as_str)
                && group.is_none()
            {
                self.python(python, found);
            }
        }
    }

    fn flit(&self, metadata: &Table, found: &mut FoundEvidence) {
        self.requirements(metadata.get("requires"), None, found);
        if let Some(python) = metadata.get("requires-python").and_then(Value::as_str) {
            self.python(python, found);
        }
        for (name, list) in metadata
            .get("requires-extra")
            .and_then(Value::as_table)
            .into_iter()
            .flatten()
        {
            self.requirements(Some(list), Some(extra_words(name)), found);
        }
    }

    fn python(&self, written: &str, found: &mut FoundEvidence) {
        let says = format!("The project is for Python {written}.");
        let evidence = Evidence::new(EvidenceKind::LockFile, self.file, says).at(self.line_of(written));
        python_span::read(evidence, written, found);
    }

    fn pixi(&self, pixi: &Table, found: &mut FoundEvidence) {
        self.pixi_packages(pixi, None, found);
        for (name, feature) in pixi
            .get("feature")
            .and_then(Value::as_table)
            .into_iter()
            .flatten()
        {
            if let Some(feature) = feature.as_table() {
                self.pixi_packages(feature, Some(format!("the feature `{name}`")), found);
            }
        }
    }

    fn pixi_packages(&self, table: &Table, group: Option<String>, found: &mut FoundEvidence) {
        let (first, first_evidence) = (found.pins.len(), found.evidence.len());
        let of = |key: &str| table.get(key).and_then(Value::as_table).into_iter().flatten();
        for (name, value) in of("dependencies") {
            let version = version(value);
            let item = match version.as_str() {
                "" | "*" => name.clone(),
                version => format!("{name} {version}"),
            };
            conda::package(self.file, self.line_of(name), &item, found);
        }
        for (name, value) in of("pypi-dependencies") {
            let line = self.line_of(name);
            let address = ["git", "path", "url"]
                .into_iter()
                .find_map(|key| value.get(key)?.as_str());
            match (address, version(value).as_str()) {
                (Some(address), _) => {
                    let pin = Pin::new(Language::Python, name, EvidenceKind::LockFile, self.file, line);
                    found
                        .pins
                        .push(pin.with_source(PinSource::Elsewhere(address.to_owned())));
                }
                (None, "" | "*") => requirements::line(self.file, line, name, found),
                (None, version) if version.starts_with(|first: char| first.is_ascii_digit()) => {
                    requirements::line(self.file, line, &format!("{name}=={version}"), found);
                }
                (None, version) => requirements::line(self.file, line, &format!("{name}{version}"), found),
            }
        }
        // The Python of another feature is none of the project's.
        if let Some(group) = group {
            found.evidence.truncate(first_evidence);
            for pin in &mut found.pins[first..] {
                pin.group = Some(group.clone());
            }
        }
    }
}

fn version(value: &Value) -> String {
    let text = value.as_str().or_else(|| value.get("version")?.as_str());
    text.unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn found(file: &str, text: &str) -> FoundEvidence {
        let mut found = FoundEvidence::default();
        read(file, text, &mut found);
        found
    }

    #[test]
    fn hatch_and_flit() {
        let read = found(
            "pyproject.toml",
            "[tool.hatch.envs.default]\ndependencies = [\"pandas==1.0.3\"]\nextra-dependencies = [\"six\"]\n[tool.hatch.envs.test]\ndependencies = [\"pytest\"]\npython = \"3.8\"\n\
             [tool.flit.metadata]\nrequires = [\"numpy >=1.18\"]\nrequires-python = \">=3.6\"\n[tool.flit.metadata.requires-extra]\nplots = [\"seaborn\"]\n",
        );
        assert_eq!(
            shown_pins(&read),
            ["pandas|1.0.3|", "six||", "pytest||", "numpy||>=1.18", "seaborn||"]
        );
        let groups: Vec<bool> = read.pins.iter().map(|pin| pin.group.is_some()).collect();
        assert_eq!(groups, [false, false, true, false, true]);
        assert_eq!((read.evidence.len(), read.pins[0].line), (1, 2));
    }

    #[test]
    fn pixi_in_its_file_or_a_table() {
        let tables = |prefix: &str| {
            format!(
                "[{prefix}dependencies]\npython = \"3.7.*\"\nnumpy = \"1.18.1\"\npandas = {{version = \">=1.0,<2\", channel = \"x\"}}\nscipy = \"*\"\nr-dplyr = \"1.0.*\"\n\
                 [{prefix}pypi-dependencies]\nlxml = \"==4.5\"\nown = {{git = \"https://x.org/own.git\"}}\nsix = \"*\"\n[{prefix}feature.test.dependencies]\npytest = \"*\"\npython = \"3.12.*\"\n"
            )
        };
        for (file, text) in [
            ("sub/pixi.toml", tables("")),
            ("pyproject.toml", tables("tool.pixi.")),
        ] {
            let read = found(file, &text);
            let mut pins = shown_pins(&read);
            pins.sort();
            assert_eq!(
                pins,
                [
                    "dplyr||==1.0.*",
                    "lxml|4.5|",
                    "numpy|1.18.1|",
                    "own||",
                    "pandas||>=1.0,<2",
                    "pytest||",
                    "scipy||",
                    "six||"
                ],
                "{file}"
            );
            assert_eq!(read.evidence.len(), 1);
            assert_eq!(read.evidence[0].interpreter.as_ref().unwrap().version, "3.7");
            assert!(read.faults.is_empty(), "{:?}", read.faults);
        }
        assert!(found("pyproject.toml", &tables("")).pins.is_empty());
        assert!(found("pixi.toml", "[dependencies\n").pins.is_empty());
    }
}
