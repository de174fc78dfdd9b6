//! Conda's environment files, by whatever name: the channels' part and that of pip, in blocks or in flow style.

use super::super::evidence::{EvidenceKind, FoundEvidence, Pin};
use super::super::language::Language;
use super::flow_list::{self, FlowItem, unquoted};
use super::{conda, requirements};
use crate::domain::lazy_regex::LazyRegex;

static NAME: LazyRegex =
    LazyRegex::new(r"(?i)^(?:.*[-_.])?(?:conda|(?:my)?env|environment)(?:[-_.].*)?\.ya?ml$");
static INTERPRETER: LazyRegex =
    LazyRegex::new(r#"(?m)^\s*-\s*["']?(?:[\w-]+::)?(?:python|r-base|pip)\b\s*(?:[=<>!:].*)?$"#);

/// The form of a YAML file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CondaFile {
    /// `dependencies:` as a list.
    Environment,
    /// The lock of `conda-lock`.
    Lock,
}

impl CondaFile {
    /// The form of a file by its name and its keys; `None` of another file.
    pub fn of(name: &str, text: &str) -> Option<Self> {
        let has = |key: &str| {
            text.lines()
                .any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
        };
        let is_list = |key: &str| is_list(text, key);
        if has("package") && is_list("package") && text.contains("manager:") {
            return Some(Self::Lock);
        }
        let is_of_conda = has("channels") || INTERPRETER.is_match(text) && has("name");
        (is_list("dependencies") && (NAME.is_match(name) || is_of_conda)).then_some(Self::Environment)
    }

    /// Takes the packages of a file in.
    pub fn read(self, file: &str, text: &str, found: &mut FoundEvidence) {
        match self {
            Self::Environment => read(file, text, found),
            Self::Lock => lock(file, text, found),
        }
    }
}

/// Whether a key of the top level holds a list.
fn is_list(text: &str, key: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| {
        let rest = line.strip_prefix(key);
        !rest.is_some_and(|rest| rest.starts_with(':'))
    });
    let Some(first) = lines.next() else { return false };
    let value = first[key.len() + 1..]
        .split(" #")
        .next()
        .unwrap_or_default()
        .trim();
    if !value.is_empty() {
        return value.starts_with('[');
    }
    let next = lines.find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    next.is_some_and(|line| line.trim_start().starts_with(['-', '[']))
}

/// Reads the `dependencies` of a text.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut is_inside = false;
    let mut pip_indent = None;
    let lines: Vec<&str> = text.lines().collect();
    for (at, raw) in lines.iter().enumerate() {
        let line = raw.split(" #").next().unwrap_or_default();
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if indent == 0 && !trimmed.starts_with(['-', '[', ']']) {
            let value = trimmed.strip_prefix("dependencies:");
            is_inside = value.is_some();
            pip_indent = None;
            if value.is_some_and(|value| value.trim_start().starts_with('[')) {
                flow(file, at, &lines, found);
                is_inside = false;
            }
            continue;
        }
        if is_inside && trimmed.starts_with('[') {
            flow(file, at, &lines, found);
            is_inside = false;
        }
        let Some(item) = trimmed.strip_prefix('-').map(str::trim).filter(|_| is_inside) else {
            continue;
        };
        let item = unquoted(item);
        if let Some(list) = item.strip_prefix("pip:") {
            pip_indent = Some(indent);
            for item in flow_list::parse(list).unwrap_or_default() {
                take(file, at + 1, item, true, found);
            }
            continue;
        }
        match pip_indent {
            Some(outer) if indent > outer => requirements::line(file, at + 1, item, found),
            _ => {
                pip_indent = None;
                take(file, at + 1, FlowItem::Text(item.to_owned()), false, found);
            }
        }
    }
}

/// A list in flow style that begins at a line, and may end on a later one.
fn flow(file: &str, at: usize, lines: &[&str], found: &mut FoundEvidence) {
    let rest: Vec<&str> = (lines.iter().skip(at))
        .map(|line| line.split(" #").next().unwrap_or_default())
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect();
    let rest = rest.join("\n");
    let begin = rest.find('[').unwrap_or(rest.len());
    match flow_list::parse(&rest[begin..]) {
        None => found.fault(
            file,
            format!("line {}: the list of dependencies does not end", at + 1),
        ),
        Some(items) => {
            for item in items {
                let name = match &item {
                    FlowItem::Text(text) => text,
                    FlowItem::Named { name, .. } => name,
                };
                let line = lines
                    .iter()
                    .skip(at)
                    .position(|line| line.contains(name.as_str()));
                take(file, at + 1 + line.unwrap_or(0), item, false, found);
            }
        }
    }
}

fn take(file: &str, line: usize, item: FlowItem, is_of_pip: bool, found: &mut FoundEvidence) {
    match item {
        FlowItem::Text(text) if is_of_pip => requirements::line(file, line, &text, found),
        // A mapping is no package: files of other tools have such lists.
        FlowItem::Text(text) if text.replace("::", "").contains(": ") || text.ends_with(':') => {}
        FlowItem::Text(text) => conda::package(file, line, &text, found),
        FlowItem::Named { name, items } if name == "pip" => {
            for item in items {
                take(file, line, item, true, found);
            }
        }
        FlowItem::Named { .. } => {}
    }
}

#[derive(Debug, Default)]
struct LockedEntry {
    name: String,
    version: String,
    manager: String,
    platform: String,
    category: String,
    line: usize,
}

/// Reads the packages of Linux out of a lock of `conda-lock`; what is of development alone is left out.
fn lock(file: &str, text: &str, found: &mut FoundEvidence) {
    let mut entries: Vec<LockedEntry> = Vec::new();
    let mut is_inside = false;
    let mut indent_of_keys = 0;
    for (at, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        if indent == 0 && !trimmed.starts_with('-') {
            is_inside = trimmed == "package:";
            continue;
        }
        if !is_inside {
            continue;
        }
        let (entry, key_indent) = match trimmed.strip_prefix("- ") {
            // Lists inside of an entry stand deeper than its keys.
            Some(first) if entries.is_empty() || indent < indent_of_keys => {
                entries.push(LockedEntry {
                    line: at + 1,
                    ..LockedEntry::default()
                });
                indent_of_keys = indent + 2;
                (first, indent + 2)
            }
            _ => (trimmed, indent),
        };
        let Some((key, value)) = entry.split_once(':').filter(|_| key_indent == indent_of_keys) else {
            continue;
        };
        let value = unquoted(value.trim()).to_owned();
        let Some(last) = entries.last_mut() else { continue };
        match key {
            "name" => last.name = value,
            "version" => last.version = value,
            "manager" => last.manager = value,
            "platform" => last.platform = value,
            "category" => last.category = value,
            _ => {}
        }
    }
    let has_linux = entries.iter().any(|entry| entry.platform == "linux-64");
    entries.retain(|entry| entry.platform == "linux-64" || !has_linux);
    entries.retain(|entry| matches!(entry.category.as_str(), "" | "main"));
    for LockedEntry {
        name,
        version,
        manager,
        line,
        ..
    } in entries
    {
        if name.is_empty() || version.is_empty() {
            found.fault(file, format!("line {line}: an entry without a name or a version"));
        } else if manager == "pip" {
            let pin = Pin::new(Language::Python, &name, EvidenceKind::LockFile, file, line);
            found.pins.push(pin.with_version(Some(version)));
        } else {
            conda::package(file, line, &format!("{name}={version}=0"), found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn found(text: &str) -> FoundEvidence {
        let mut found = FoundEvidence::default();
        CondaFile::of("environment.yml", text)
            .unwrap()
            .read("environment.yml", text, &mut found);
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
        let of = |name: &str, text: &str| CondaFile::of(name, text);
        let environment = Some(CondaFile::Environment);
        assert_eq!(of("myenv.yml", "dependencies:\n- numpy\n"), environment);
        assert_eq!(
            of("environment-lock.yml", "dependencies:\n- numpy\n"),
            environment
        );
        assert_eq!(of("conda.yaml", "dependencies: [numpy]\n"), environment);
        assert_eq!(
            of("x.yml", "channels: [a]\ndependencies:\n\n# why\n- numpy\n"),
            environment
        );
        assert_eq!(
            of("x.yml", "name: a\ndependencies:\n- python=3.7\n- numpy\n"),
            environment
        );
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
            ("environment.yml", "production:\n  key: 1\n"),
            ("env.yml", "dependencies: none\n"),
        ] {
            assert_eq!(of(name, text), None, "{name}");
        }
        let mut mapped = FoundEvidence::default();
        CondaFile::Environment.read(
            "env.yml",
            "dependencies:\n- name: mysql\n  version: 1\n- numpy\n",
            &mut mapped,
        );
        assert_eq!(shown_pins(&mapped), ["numpy||"]);
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
