//! Extras and groups of a project of Python: those that are installed with it, and those that are not.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use crate::domain::names::normalized;

/// Names of groups that serve the development of a project and not its analysis.
const DEVELOPMENT: [&str; 24] = [
    "bench",
    "benchmark",
    "build",
    "ci",
    "dev",
    "develop",
    "development",
    "doc",
    "docs",
    "documentation",
    "format",
    "formatting",
    "lint",
    "linting",
    "pre-commit",
    "precommit",
    "quality",
    "release",
    "style",
    "test",
    "testing",
    "tests",
    "types",
    "typing",
];

/// A requirement in the standard's words, and the extra or group that it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupedRequirement {
    pub text: String,
    /// Such as "the extra `plots`"; `None` of what is installed in any case.
    pub group: Option<String>,
}

/// Extras and groups by name, as the standard's tables have them.
#[derive(Debug, Default)]
pub struct ProjectGroups {
    extras: BTreeMap<String, Vec<String>>,
    groups: BTreeMap<String, Vec<String>>,
    /// The groups that a group includes.
    includes: BTreeMap<String, Vec<String>>,
}

/// Whether a group serves development alone, by its name.
pub fn is_of_development(name: &str) -> bool {
    DEVELOPMENT.contains(&normalized(name).as_str())
}

/// A group in words.
pub fn group_words(name: &str) -> String {
    format!("the group `{name}`")
}

/// An extra in words.
pub fn extra_words(name: &str) -> String {
    format!("the extra `{name}`")
}

/// The texts of a list.
pub fn texts(value: &Value) -> impl Iterator<Item = &str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str)
}

impl ProjectGroups {
    /// Reads `optional-dependencies` and `dependency-groups`.
    pub fn of(extras: Option<&Table>, groups: Option<&Table>) -> Self {
        let mut all = Self::default();
        for (name, list) in extras.into_iter().flatten() {
            let texts = texts(list).map(str::to_owned);
            all.extras.entry(normalized(name)).or_default().extend(texts);
        }
        for (name, list) in groups.into_iter().flatten() {
            let texts = texts(list).map(str::to_owned);
            all.groups.entry(normalized(name)).or_default().extend(texts);
            let included = list.as_array().into_iter().flatten();
            let included = included.filter_map(|entry| entry.get("include-group")?.as_str());
            let included = included.map(normalized);
            all.includes.entry(normalized(name)).or_default().extend(included);
        }
        all
    }

    /// The groups that are included and are not there, a clause each.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, included) in &self.includes {
            for other in included.iter().filter(|other| !self.groups.contains_key(*other)) {
                faults.push(format!(
                    "its group `{name}` includes `{other}`, which is none of its groups"
                ));
            }
        }
        faults
    }

    /// Every requirement. Installed in any case are the groups that a tool installs by itself, without those of
    /// development, and the extras that what is installed asks for by the project's own name.
    pub fn requirements(
        &self,
        project: Option<&str>,
        main: &[String],
        by_itself: &[String],
    ) -> Vec<GroupedRequirement> {
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        let wanted = by_itself.iter().filter(|name| !is_of_development(name));
        let mut queue: Vec<String> = wanted.map(|name| normalized(name)).collect();
        while let Some(name) = queue.pop() {
            let Some((name, _)) = self.groups.get_key_value(&name) else {
                continue;
            };
            if taken.insert(name) {
                queue.extend(self.includes.get(name).into_iter().flatten().cloned());
            }
        }
        let mut asked: Vec<&String> = main.iter().collect();
        asked.extend(taken.iter().filter_map(|name| self.groups.get(*name)).flatten());
        let mut extras: BTreeSet<String> = BTreeSet::new();
        while let Some(text) = asked.pop() {
            let own = project.and_then(|project| own_extras(project, text));
            for extra in own.into_iter().flatten() {
                let more = self.extras.get(&extra).into_iter().flatten();
                if extras.insert(extra) {
                    asked.extend(more);
                }
            }
        }
        let mut all = Vec::new();
        let mut add = |list: &[String], group: Option<String>| {
            // A project may bear the name of a package that it needs.
            let extras_of = |text: &String| project.and_then(|project| own_extras(project, text));
            let is_own = |text: &&String| extras_of(text).is_some_and(|extras| !extras.is_empty());
            all.extend(
                list.iter()
                    .filter(|text| !is_own(text))
                    .map(|text| GroupedRequirement {
                        text: text.clone(),
                        group: group.clone(),
                    }),
            );
        };
        add(main, None);
        for (name, list) in &self.extras {
            add(list, (!extras.contains(name)).then(|| extra_words(name)));
        }
        for (name, list) in &self.groups {
            add(list, (!taken.contains(name.as_str())).then(|| group_words(name)));
        }
        all
    }
}

/// The extras of a requirement that names the project itself; `None` of another one.
fn own_extras(project: &str, text: &str) -> Option<Vec<String>> {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter));
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    (normalized(name) == normalized(project)).then_some(())?;
    let inside = rest
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    let extras = inside.map_or("", |(inside, _)| inside).split(',');
    Some(
        extras
            .map(|extra| normalized(extra.trim()))
            .filter(|extra| !extra.is_empty())
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, by_itself: &[&str]) -> Vec<String> {
        let all: Table = toml::from_str(text).unwrap();
        let table = |key: &str| all.get(key).and_then(Value::as_table);
        let groups = ProjectGroups::of(table("optional-dependencies"), table("dependency-groups"));
        let main: Vec<String> = all
            .get("dependencies")
            .into_iter()
            .flat_map(texts)
            .map(str::to_owned)
            .collect();
        let by_itself: Vec<String> = by_itself.iter().map(|name| (*name).to_owned()).collect();
        let read = groups.requirements(Some("My.Study"), &main, &by_itself);
        read.into_iter()
            .map(|one| format!("{}|{}", one.text, one.group.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn only_what_is_installed_in_any_case_has_no_group() {
        let text = "dependencies = [\"pandas\", \"my-study[all]\"]\n[optional-dependencies]\nall = [\"my_study[plots]\"]\n\
                    plots = [\"seaborn\"]\nsite = [\"flask\"]\n[dependency-groups]\nAnalysis = [\"lxml\", {include-group = \"io\"}]\n\
                    io = [\"pyarrow\", {include-group = \"analysis\"}]\ndev = [\"pytest\"]\n";
        assert_eq!(
            shown(text, &["analysis", "dev"]),
            [
                "pandas|",
                "seaborn|",
                "flask|the extra `site`",
                "lxml|",
                "pytest|the group `dev`",
                "pyarrow|"
            ]
        );
        // Extras that ask for one another end, too.
        let circle = "dependencies = [\"my-study[a]\"]\n[optional-dependencies]\na = [\"my-study[b]\", \"x\"]\nb = [\"my-study[a]\", \"y\"]\n";
        assert_eq!(shown(circle, &[]), ["x|", "y|"]);
        assert_eq!(
            shown("dependencies = [\"my-study-tools[a]\"]\n", &[]),
            ["my-study-tools[a]|"]
        );
    }

    #[test]
    fn a_group_that_is_not_there_is_told() {
        let all: Table = toml::from_str("a = [{include-group = \"b\"}, 3, {x = 1}]\nc = 1\n").unwrap();
        let groups = ProjectGroups::of(None, Some(&all));
        assert_eq!(
            groups.faults(),
            ["its group `a` includes `b`, which is none of its groups"]
        );
    }
}
