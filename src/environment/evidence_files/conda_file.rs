//! Conda's environment files, by whatever name, and the locks of `conda-lock`.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

use super::super::evidence::{EvidenceKind, FoundEvidence, Pin};
use super::super::language::Language;
use super::{conda, requirements};
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;

static NAME: LazyRegex =
    LazyRegex::new(r"(?i)^(?:.*[-_.])?(?:conda|(?:my)?env|environment)(?:[-_.].*)?\.ya?ml$");
static INTERPRETER: LazyRegex = LazyRegex::new(r"^(?:[\w-]+::)?(?:python|r-base|pip)\s*(?:[=<>!:].*)?$");

#[derive(Deserialize)]
struct CondaEnvironment {
    name: Option<IgnoredAny>,
    channels: Option<IgnoredAny>,
    dependencies: Vec<Spanned<Dependency>>,
}

/// An item of an environment's list.
enum Dependency {
    Package(String),
    /// Requirements of pip's.
    Pip(Vec<Spanned<String>>),
    /// A value of another form, as files of other tools have it.
    Other,
}

impl<'de> Deserialize<'de> for Dependency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DependencyVisitor)
    }
}

struct DependencyVisitor;

impl<'de> Visitor<'de> for DependencyVisitor {
    type Value = Dependency;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a package or the list of pip")
    }

    fn visit_str<E>(self, text: &str) -> Result<Dependency, E> {
        Ok(Dependency::Package(text.to_owned()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Dependency, E> {
        Ok(Dependency::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Dependency, E> {
        Ok(Dependency::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Dependency, E> {
        Ok(Dependency::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Dependency, E> {
        Ok(Dependency::Other)
    }

    fn visit_unit<E>(self) -> Result<Dependency, E> {
        Ok(Dependency::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Dependency, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Dependency::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut parts: A) -> Result<Dependency, A::Error> {
        let mut read = Dependency::Other;
        while let Some(key) = parts.next_key::<String>()? {
            if key == "pip" {
                read = Dependency::Pip(parts.next_value::<Option<_>>()?.unwrap_or_default());
            } else {
                parts.next_value::<IgnoredAny>()?;
            }
        }
        Ok(read)
    }
}

#[derive(Deserialize)]
struct CondaLock {
    package: Vec<Spanned<LockedEntry>>,
}

#[derive(Deserialize)]
struct LockedEntry {
    name: String,
    version: String,
    manager: Option<String>,
    platform: Option<String>,
    category: Option<String>,
}

/// Takes the packages of a YAML file in, if it is one of conda's.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let has = |key: &str| {
        let is_it = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        text.lines().any(is_it)
    };
    let is_named = NAME.is_match(file.rsplit('/').next().unwrap_or_default());
    let read = match has("package") && text.contains("manager:") {
        true => lock(file, text, found),
        false if has("dependencies") => environment(file, is_named, text, found),
        false => Ok(()),
    };
    if let Err(error) = read
        && (is_named || has("channels"))
    {
        let line = error.location().map_or(1, |place| place.line());
        let problem = error.without_snippet().to_string();
        let problem = excerpt::first_line(&problem);
        found.fault(file, format!("line {line}: it cannot be read as YAML: {problem}"));
    }
}

fn line(place: Location) -> usize {
    usize::try_from(place.line()).unwrap_or(1).max(1)
}

fn environment(
    file: &str,
    is_named: bool,
    text: &str,
    found: &mut FoundEvidence,
) -> Result<(), serde_saphyr::Error> {
    let read: CondaEnvironment = serde_saphyr::from_str(text)?;
    let is_interpreter = |item: &Spanned<Dependency>| matches!(&item.value, Dependency::Package(text) if INTERPRETER.is_match(text));
    let is_of_conda =
        read.channels.is_some() || read.name.is_some() && read.dependencies.iter().any(is_interpreter);
    if !is_named && !is_of_conda {
        return Ok(());
    }
    for Spanned {
        value, referenced, ..
    } in read.dependencies
    {
        match value {
            Dependency::Package(text) => conda::package(file, line(referenced), &text, found),
            Dependency::Pip(items) => {
                for item in items {
                    requirements::line(file, line(item.referenced), &item.value, found);
                }
            }
            Dependency::Other => {}
        }
    }
    Ok(())
}

/// Reads the packages of Linux out of a lock of `conda-lock`; what is of development alone is left out.
fn lock(file: &str, text: &str, found: &mut FoundEvidence) -> Result<(), serde_saphyr::Error> {
    let CondaLock { package: mut entries } = serde_saphyr::from_str(text)?;
    let is_of_linux = |entry: &Spanned<LockedEntry>| {
        entry
            .value
            .platform
            .as_deref()
            .is_none_or(|platform| platform == "linux-64")
    };
    if entries.iter().any(is_of_linux) {
        entries.retain(is_of_linux);
    }
    let is_wanted =
        |entry: &Spanned<LockedEntry>| matches!(entry.value.category.as_deref(), None | Some("main"));
    for Spanned {
        value, referenced, ..
    } in entries.into_iter().filter(is_wanted)
    {
        let (name, version, line) = (value.name, value.version, line(referenced));
        if value.manager.as_deref() == Some("pip") {
            let pin = Pin::new(Language::Python, &name, EvidenceKind::LockFile, file, line);
            found.pins.push(pin.with_version(Some(version)));
        } else {
            conda::package(file, line, &format!("{name}={version}=0"), found);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn found(text: &str) -> FoundEvidence {
        let mut found = FoundEvidence::default();
        read("environment.yml", text, &mut found);
        found
    }

    fn interpreters(found: &FoundEvidence) -> Vec<&str> {
        let named = found.evidence.iter().filter_map(|one| one.interpreter.as_ref());
        named.map(|one| one.version.as_str()).collect()
    }

    #[test]
    fn names_pins_and_the_part_of_pip() {
        let text = "name: x\nchannels:\n  - conda-forge\ndependencies:\n  - python=3.7.6=h0\n  - pandas=1.0.1=py37_0\n  - numpy=1.18\n  - conda-forge::pytorch>=1.4\n  - r-lme4=1.1_21\n  - r-dplyr=1.0\n  - r-rstan=2.21.2=r40_0\n  - vc=14\n  - readline=8.0\n  - pip:\n    - textblob==0.15.3\n    - lxml\n    - -r requirements.txt\n    - pywin32; sys_platform==\"win32\"\n    - \"six==1.14.0\"\nprefix: /x\n";
        let found = found(text);
        assert_eq!(interpreters(&found), ["3.7.6"]);
        let marked = found.pins.iter().find_map(|pin| pin.marker.as_deref());
        assert_eq!(marked, Some("sys_platform==\"win32\""));
        assert_eq!(
            shown_pins(&found),
            [
                "pandas|1.0.1|",
                "numpy||==1.18.*",
                "torch||>=1.4",
                "lme4|1.1-21|",
                "dplyr||==1.0.*",
                "rstan|2.21.2|",
                "textblob|0.15.3|",
                "lxml||",
                "pywin32||",
                "six|1.14.0|"
            ]
        );
        assert_eq!((found.includes.len(), found.includes[0].line), (1, 17));
    }

    #[test]
    fn bounds_and_versions_of_interpreters() {
        for (item, named) in [
            ("python>=3.6,<3.8", ">=3.6,<3.8"),
            ("python >=3.6, <3.8", ">=3.6,<3.8"),
            ("python=3.7.*", "3.7"),
            ("python 3.7", "3.7"),
            ("python ==3.7.5", "3.7.5"),
            ("conda-forge::python=3.7", "3.7"),
            ("python 3.7.6 h0371630_2", "3.7.6"),
            ("python=2.7|>=3.5", "==2.7 || >=3.5"),
            ("r-base=3.6", "3.6"),
            ("r-base>=3.6,<4", ">=3.6,<4"),
        ] {
            let found = found(&format!("channels:\n- x\ndependencies:\n- {item}\n"));
            let shown = interpreters(&found).join(" ");
            let is_odd = item.starts_with("python=2.7|");
            assert!(
                shown == named || is_odd && found.faults.len() + interpreters(&found).len() == 1,
                "{item}: {shown}"
            );
            assert!(found.pins.is_empty());
        }
        let found = found(
            "channels: [x]\ndependencies:\n- python\n- python=*\n- numpy 1.18.1\n- scipy 1.4.1 py37_0\n- pandas[version='>=1.0']\n",
        );
        assert!(
            found.evidence.is_empty() && found.faults.is_empty(),
            "{:?}",
            found.faults
        );
        assert_eq!(shown_pins(&found), ["numpy|1.18.1|", "scipy|1.4.1|", "pandas||"]);
    }

    #[test]
    fn flow_style_on_one_line_or_several() {
        for text in [
            "dependencies: [python=3.7, numpy=1.18, \"pandas>=1.0,<2\", {pip: [lxml==4.5]}]\n",
            "name: x\ndependencies: [\n  python=3.7, # the old one\n  numpy=1.18,\n  'pandas>=1.0,<2',\n  pip: [lxml==4.5],\n]\nprefix: /x\n",
            "dependencies:\n  [python=3.7, numpy=1.18,\n   'pandas>=1.0,<2', pip: [lxml==4.5]]\nchannels: [a]\n",
            "dependencies:\n  - python=3.7\n  - numpy=1.18\n  - pandas>=1.0,<2\n  - pip: [lxml==4.5]\n",
        ] {
            let found = found(text);
            assert_eq!(interpreters(&found), ["3.7"], "{text}");
            assert_eq!(
                shown_pins(&found),
                ["numpy||==1.18.*", "pandas||>=1.0,<2", "lxml|4.5|"],
                "{text}"
            );
        }
        let open = found("dependencies: [python=3.7, numpy\n");
        assert_eq!((open.pins.len(), open.faults.len()), (0, 1));
    }

    #[test]
    fn files_of_other_tools_are_told_from_condas() {
        let names = |name: &str, text: &str| {
            let mut found = FoundEvidence::default();
            read(name, text, &mut found);
            shown_pins(&found).join(" ")
        };
        for (name, text) in [
            ("myenv.yml", "dependencies:\n- numpy\n"),
            ("environment-lock.yml", "dependencies:\n- numpy\n"),
            ("conda.yaml", "dependencies: [numpy]\n"),
            ("x.yml", "channels: [a]\ndependencies:\n\n# why\n- numpy\n"),
            ("x.yml", "name: a\ndependencies:\n- python=3.7\n- numpy\n"),
            (
                "env.yml",
                "dependencies:\n- name: mysql\n  version: 1\n- 3.7\n- [a]\n-\n- numpy\n",
            ),
        ] {
            assert_eq!(names(name, text), "numpy||", "{name} {text}");
        }
        for (name, text) in [
            (
                "pubspec.yaml",
                "name: a\ndependencies:\n  flutter:\n    sdk: flutter\n",
            ),
            (
                "Chart.yaml",
                "name: a\ndependencies:\n- name: mysql\n  version: 1\n",
            ),
            ("main.yml", "dependencies:\n- role: x\n"),
            ("main.yml", "dependencies:\n- role: {{ x }}\n\tx"),
            ("environment.yml", "production:\n  key: 1\n"),
            ("env.yml", "dependencies: none\n"),
        ] {
            assert_eq!(names(name, text), "", "{name}");
        }
    }

    #[test]
    fn a_file_that_is_no_yaml_is_told_by_its_line() {
        let read = found("name: x\ndependencies:\n- numpy\n- 'pandas\n");
        assert_eq!((read.pins.len(), read.faults.len()), (0, 1));
        let problem = &read.faults[0].problem;
        assert!(
            problem.contains("it cannot be read as YAML") && !problem.contains('\n'),
            "{problem}"
        );
        let deep = found(&format!("dependencies: {}\n", "[".repeat(100_000)));
        assert_eq!(deep.faults.len(), 1);
    }

    #[test]
    fn a_lock_of_conda_lock_gives_the_packages_of_linux() {
        let text = "version: 1\nmetadata:\n  platforms:\n  - linux-64\npackage:\n- name: python\n  version: 3.7.6\n  manager: conda\n  platform: linux-64\n  dependencies:\n    name: '>=1'\n  url: x\n  category: main\n\
                    - name: numpy\n  version: 1.18.1\n  manager: conda\n  platform: linux-64\n  category: main\n- name: numpy\n  version: 1.18.5\n  manager: conda\n  platform: osx-64\n  category: main\n\
                    - name: pytest\n  version: '5'\n  manager: conda\n  platform: linux-64\n  category: dev\n- name: textblob\n  version: 0.15.3\n  manager: pip\n  platform: linux-64\n";
        let found = found(text);
        assert_eq!(interpreters(&found), ["3.7.6"]);
        assert_eq!(shown_pins(&found), ["numpy|1.18.1|", "textblob|0.15.3|"]);
    }
}
