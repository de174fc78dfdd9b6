//! `setup.py`: what a project of setuptools asks for, from its text. Nothing of it is run.

use std::collections::BTreeMap;

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence};
use super::super::scripts::import_statement::{is_sign, name};
use super::super::scripts::python_tokens::{PythonToken, PythonTokenKind, tokens};
use super::project_groups::extra_words;
use super::{python_span, requirements};

/// Values inside one another.
const DEEPEST: usize = 20;

/// A value as the text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SetupValue {
    Text {
        content: String,
        line: usize,
    },
    List(Vec<SetupValue>),
    Pairs(Vec<SetupPair>),
    /// What only a run would tell.
    Computed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SetupPair {
    key: String,
    value: SetupValue,
}

/// Reads a `setup.py`.
pub fn read(file: &str, text: &str, found: &mut FoundEvidence) {
    let tokens = tokens(text);
    let mut names = BTreeMap::new();
    let mut at = 0;
    let mut begins = true;
    while let Some(token) = tokens.get(at) {
        if begins
            && token.indent == 0
            && let Some(assigned) = assignment(&tokens[at..])
        {
            let value = whole(assigned.value, &names);
            // What is added to later is no longer what stands here.
            let value = match names.contains_key(assigned.name) {
                true => SetupValue::Computed,
                false => value,
            };
            names.insert(assigned.name.to_owned(), value);
        }
        if is_call(&tokens, at) {
            return call(file, &tokens[at + 2..], &names, found);
        }
        changed(&tokens[at..], &mut names);
        begins = token.kind == PythonTokenKind::End;
        at += 1;
    }
}

struct Assignment<'a> {
    name: &'a str,
    value: &'a [PythonToken],
}

fn assignment(tokens: &[PythonToken]) -> Option<Assignment<'_>> {
    let name = name(tokens.first())?;
    (is_sign(tokens.get(1), '=') && !is_sign(tokens.get(2), '=')).then_some(())?;
    let end = tokens
        .iter()
        .position(|token| token.kind == PythonTokenKind::End)?;
    Some(Assignment {
        name,
        value: tokens.get(2..end)?,
    })
}

/// Takes what is known of a name away where a statement changes it: `x += y`, `x.append(y)`, `x[y] = z`.
fn changed(tokens: &[PythonToken], names: &mut BTreeMap<String, SetupValue>) {
    let Some(first) = name(tokens.first()).filter(|name| names.contains_key(*name)) else {
        return;
    };
    let is_added = is_sign(tokens.get(1), '+') && is_sign(tokens.get(2), '=');
    let is_method = is_sign(tokens.get(1), '.')
        && matches!(
            name(tokens.get(2)),
            Some("append" | "extend" | "insert" | "remove" | "update" | "pop")
        );
    let is_inside = tokens[0].indent > 0 && is_sign(tokens.get(1), '=') && !is_sign(tokens.get(2), '=');
    if is_added || is_method || is_sign(tokens.get(1), '[') || is_inside {
        names.insert(first.to_owned(), SetupValue::Computed);
    }
}

fn is_call(tokens: &[PythonToken], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    name(tokens.get(at)) == Some("setup") && is_sign(tokens.get(at + 1), '(') && name(before) != Some("def")
}

/// The tokens of each part between commas, up to the end of the brackets.
fn parts(tokens: &[PythonToken]) -> Vec<&[PythonToken]> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            PythonTokenKind::Sign('(' | '[' | '{') => depth += 1,
            PythonTokenKind::Sign(')' | ']' | '}') if depth == 0 => {
                parts.push(&tokens[from..at]);
                return parts.into_iter().filter(|part| !part.is_empty()).collect();
            }
            PythonTokenKind::Sign(')' | ']' | '}') => depth -= 1,
            PythonTokenKind::Sign(',') if depth == 0 => {
                parts.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(tokens.get(from..).unwrap_or_default());
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

fn call(file: &str, tokens: &[PythonToken], names: &BTreeMap<String, SetupValue>, found: &mut FoundEvidence) {
    for part in parts(tokens) {
        if is_sign(part.first(), '*') {
            let line = part[0].line;
            found.fault(
                file,
                format!("line {line}: arguments of `setup` are computed: this file is not run, and they are not read"),
            );
            continue;
        }
        let Some(key) = name(part.first()).filter(|_| is_sign(part.get(1), '=')) else {
            continue;
        };
        if !matches!(key, "install_requires" | "python_requires" | "extras_require") {
            continue;
        }
        let argument = SetupArgument {
            file,
            key,
            line: part[0].line,
        };
        argument.take(value(&part[2..], names, 0), found);
    }
}

struct SetupArgument<'a> {
    file: &'a str,
    key: &'a str,
    line: usize,
}

impl SetupArgument<'_> {
    fn take(&self, value: SetupValue, found: &mut FoundEvidence) {
        match (self.key, value) {
            ("python_requires", SetupValue::Text { content, line }) => {
                let says = format!("The project is for Python {content}.");
                let evidence = Evidence::new(EvidenceKind::LockFile, self.file, says).at(line);
                python_span::read(evidence, &content, found);
            }
            ("install_requires", value) => self.requirements(value, found),
            ("extras_require", SetupValue::Pairs(pairs)) => {
                for SetupPair { key, value } in pairs {
                    let first = found.pins.len();
                    self.requirements(value, found);
                    // Of `name:marker` the name may be empty.
                    let (extra, marker) = key.split_once(':').unwrap_or((&key, ""));
                    for pin in &mut found.pins[first..] {
                        pin.group = Some(extra).filter(|extra| !extra.is_empty()).map(extra_words);
                        if !marker.is_empty() {
                            pin.marker = Some(marker.to_owned());
                        }
                    }
                }
            }
            _ => self.computed(found),
        }
    }

    fn requirements(&self, value: SetupValue, found: &mut FoundEvidence) {
        match value {
            // One text holds a requirement a line.
            SetupValue::Text { content, line } => {
                for text in content.replace("\\n", "\n").lines() {
                    requirements::line(self.file, line, text, found);
                }
            }
            SetupValue::List(values) => {
                let is_computed = values
                    .iter()
                    .any(|value| !matches!(value, SetupValue::Text { .. }));
                for value in values
                    .into_iter()
                    .filter(|value| matches!(value, SetupValue::Text { .. }))
                {
                    self.requirements(value, found);
                }
                if is_computed {
                    self.computed(found);
                }
            }
            SetupValue::Pairs(_) | SetupValue::Computed => self.computed(found),
        }
    }

    fn computed(&self, found: &mut FoundEvidence) {
        let Self { file, key, line } = self;
        found.fault(
            file,
            format!("line {line}: `{key}` is computed, in whole or in part: this file is not run, and that is not read"),
        );
    }
}

/// The value of some tokens, all of which are taken.
fn whole(tokens: &[PythonToken], names: &BTreeMap<String, SetupValue>) -> SetupValue {
    value(tokens, names, 0)
}

fn value(tokens: &[PythonToken], names: &BTreeMap<String, SetupValue>, depth: usize) -> SetupValue {
    let mut sum: Option<SetupValue> = None;
    for term in terms(tokens) {
        let term = single(term, names, depth);
        sum = Some(match (sum, term) {
            (None, term) => term,
            (Some(SetupValue::List(mut one)), SetupValue::List(other)) => {
                one.extend(other);
                SetupValue::List(one)
            }
            // A list that is known in part says what it holds, and that there is more.
            (Some(SetupValue::List(mut one)), _) => {
                one.push(SetupValue::Computed);
                SetupValue::List(one)
            }
            (Some(_), SetupValue::List(mut other)) => {
                other.push(SetupValue::Computed);
                SetupValue::List(other)
            }
            _ => SetupValue::Computed,
        });
    }
    sum.unwrap_or(SetupValue::Computed)
}

/// The parts between plus signs outside of brackets.
fn terms(tokens: &[PythonToken]) -> Vec<&[PythonToken]> {
    let mut terms = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            PythonTokenKind::Sign('(' | '[' | '{') => depth += 1,
            PythonTokenKind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            PythonTokenKind::Sign('+') if depth == 0 => {
                terms.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&tokens[from..]);
    terms
}

fn single(tokens: &[PythonToken], names: &BTreeMap<String, SetupValue>, depth: usize) -> SetupValue {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return SetupValue::Computed;
    };
    if depth > DEEPEST {
        return SetupValue::Computed;
    }
    let inside = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
    match (&first.kind, &last.kind) {
        (PythonTokenKind::Text { .. }, _) => texts(tokens),
        (PythonTokenKind::Name(name), _) if tokens.len() == 1 => {
            names.get(name).cloned().unwrap_or(SetupValue::Computed)
        }
        (PythonTokenKind::Sign('['), PythonTokenKind::Sign(']'))
        | (PythonTokenKind::Sign('('), PythonTokenKind::Sign(')'))
            if closes_at_end(tokens) =>
        {
            let parts = parts(inside);
            let is_bracketed =
                is_sign(Some(first), '(') && !inside.iter().any(|token| is_sign(Some(token), ','));
            match (is_bracketed, parts.as_slice()) {
                (true, [one]) => value(one, names, depth + 1),
                (_, parts) => {
                    SetupValue::List(parts.iter().map(|part| value(part, names, depth + 1)).collect())
                }
            }
        }
        (PythonTokenKind::Sign('{'), PythonTokenKind::Sign('}')) if closes_at_end(tokens) => {
            pairs(inside, names, depth)
        }
        _ => SetupValue::Computed,
    }
}

/// Whether the bracket that a text opens is closed by its last token.
fn closes_at_end(tokens: &[PythonToken]) -> bool {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            PythonTokenKind::Sign('(' | '[' | '{') => depth += 1,
            PythonTokenKind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1 == tokens.len();
        }
    }
    false
}

fn pairs(inside: &[PythonToken], names: &BTreeMap<String, SetupValue>, depth: usize) -> SetupValue {
    let pair = |part: &&[PythonToken]| {
        let PythonTokenKind::Text { content, .. } = &part.first()?.kind else {
            return None;
        };
        is_sign(part.get(1), ':').then(|| SetupPair {
            key: content.clone(),
            value: value(&part[2..], names, depth + 1),
        })
    };
    let all: Option<Vec<SetupPair>> = parts(inside).iter().map(pair).collect();
    all.map_or(SetupValue::Computed, SetupValue::Pairs)
}

/// Texts that stand side by side are one.
fn texts(tokens: &[PythonToken]) -> SetupValue {
    let mut whole = String::new();
    for token in tokens {
        match &token.kind {
            PythonTokenKind::Text {
                content,
                formatted: false,
            } => whole.push_str(content),
            _ => return SetupValue::Computed,
        }
    }
    SetupValue::Text {
        content: whole,
        line: tokens.first().map_or(1, |token| token.line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence_files::shown_pins;

    fn found(text: &str) -> FoundEvidence {
        let mut found = FoundEvidence::default();
        read("setup.py", text, &mut found);
        found
    }

    #[test]
    fn lists_variables_extras_and_bounds() {
        let found = found(
            "from setuptools import setup, find_packages\nBASE = ['six']\nneeds = BASE + [\n    \"pandas>=1.0,\" \"<1.2\",\n    'numpy==1.18.1',  # why\n]\n\
             setup(name=\"mystudy\", packages=find_packages(), python_requires=\">=3.6,<3.9\",\n install_requires=needs,\n\
             extras_require={\"plots\": [\"seaborn\"], ':python_version < \"3.7\"': ['dataclasses']}, tests_require=['pytest'])\n",
        );
        assert_eq!(
            shown_pins(&found),
            [
                "six||",
                "pandas||>=1.0,<1.2",
                "numpy|1.18.1|",
                "seaborn||",
                "dataclasses||"
            ]
        );
        assert_eq!(found.pins[2].line, 5);
        let groups: Vec<Option<&str>> = found.pins.iter().map(|pin| pin.group.as_deref()).collect();
        assert_eq!(groups[2..], [None, Some("the extra `plots`"), None]);
        assert_eq!(found.pins[4].marker.as_deref(), Some("python_version < \"3.7\""));
        assert_eq!(
            found.evidence[0].interpreter.as_ref().unwrap().version,
            ">=3.6,<3.9"
        );
        assert!(found.faults.is_empty(), "{:?}", found.faults);
    }

    #[test]
    fn what_is_computed_is_said_and_never_guessed() {
        for (text, pins, faults) in [
            (
                "setup(install_requires=open('requirements.txt').read().splitlines())",
                vec![],
                1,
            ),
            (
                "needs = ['six']\nneeds.append('lxml')\nsetup(install_requires=needs)",
                vec![],
                1,
            ),
            (
                "needs = ['six']\nif x:\n    needs = ['lxml']\nsetup(install_requires=needs)",
                vec![],
                1,
            ),
            (
                "needs = ['six']\nneeds += ['lxml']\nsetup(install_requires=needs)",
                vec![],
                1,
            ),
            ("setup(install_requires=['six'] + more())", vec!["six||"], 1),
            (
                "setup(install_requires=['six', f'lxml=={v}', 'pandas==' + v])",
                vec!["six||"],
                1,
            ),
            ("setup(install_requires=[x for x in y])", vec![], 1),
            ("setup(**settings)", vec![], 1),
            (
                "import setuptools\nsetuptools.setup(install_requires='six\\nlxml>=4')",
                vec!["six||", "lxml||>=4"],
                0,
            ),
            (
                "setup(install_requires=('six',), extras_require=extras)",
                vec!["six||"],
                1,
            ),
            ("def setup(install_requires=['lxml']): pass\n", vec![], 0),
            (
                "# setup(install_requires=['lxml'])\n'''setup(install_requires=['lxml'])'''\n",
                vec![],
                0,
            ),
            ("setup(name='x')", vec![], 0),
            ("setup(install_requires=['six'", vec![], 1),
            ("setup(", vec![], 0),
        ] {
            let found = found(text);
            assert_eq!(shown_pins(&found), pins, "{text}");
            assert_eq!(found.faults.len(), faults, "{text}: {:?}", found.faults);
        }
        let deep = format!("setup(install_requires={}", "[".repeat(100_000));
        assert!(found(&deep).pins.is_empty());
    }
}
