//! Parts of an answer that stand in another place or form, brought to where
//! the schema has them. Every form here occurs in released runs or references.

use serde_json::{Map, Value, json};

use crate::catalog::fault::{Deviation, DeviationKind};
use crate::catalog::fit::{EXTRA, plain};
use crate::domain::number_text;
use crate::domain::stage::Stage;

type Object = Map<String, Value>;
type Deviations = Vec<Deviation>;

/// Brings the parts of a stage's answer to their places.
pub fn reshape(stage: Stage, value: Value, deviations: &mut Deviations) -> Value {
    let Value::Object(mut root) = value else {
        return value;
    };
    match stage {
        Stage::Extract => post_registration(&mut root, deviations),
        Stage::Design => replication_info(&mut root, deviations),
        Stage::Execute => execution_results(&mut root, deviations),
        Stage::Search | Stage::Interpret => {}
    }
    Value::Object(root)
}

fn note(deviations: &mut Deviations, path: impl Into<String>, kind: DeviationKind, note: impl Into<String>) {
    deviations.push(Deviation {
        path: path.into(),
        kind,
        note: note.into(),
    });
}

fn object<'a>(map: &'a mut Object, key: &str) -> Option<&'a mut Object> {
    map.get_mut(key).and_then(Value::as_object_mut)
}

/// Wraps the whole answer under `root`, where a known part shows that only the root is missing.
fn wrap(root: &mut Object, name: &str, known: &[&str], deviations: &mut Deviations) {
    if root.contains_key(name) || !known.iter().any(|key| root.contains_key(*key)) {
        return;
    }
    let inner = std::mem::take(root);
    root.insert(name.to_owned(), Value::Object(inner));
    note(
        deviations,
        "",
        DeviationKind::Moved,
        format!("The root `{name}` is missing."),
    );
}

/// Moves parts that stand beside `name` into it, unless it has them.
fn adopt(root: &mut Object, name: &str, parts: &[&str], deviations: &mut Deviations) {
    for part in parts {
        if object(root, name).is_none_or(|inner| inner.contains_key(*part)) {
            continue;
        }
        let Some(value) = root.remove(*part) else { continue };
        if let Some(inner) = object(root, name) {
            inner.insert((*part).to_owned(), value);
            note(
                deviations,
                format!("/{part}"),
                DeviationKind::Moved,
                format!("`{part}` stands beside `{name}` instead of in it."),
            );
        }
    }
}

fn rename(map: &mut Object, path: &str, from: &str, to: &str, deviations: &mut Deviations) {
    if map.contains_key(to) {
        return;
    }
    if let Some(value) = map.remove(from) {
        map.insert(to.to_owned(), value);
        note(
            deviations,
            format!("{path}/{from}"),
            DeviationKind::Alias,
            format!("`{from}` stands for `{to}`."),
        );
    }
}

fn post_registration(root: &mut Object, deviations: &mut Deviations) {
    const PARTS: [&str; 5] = ["claim", "data", "method", "results", "metadata"];
    const ROOT: &str = "original_study";
    wrap(root, ROOT, &PARTS, deviations);
    adopt(root, ROOT, &PARTS, deviations);
    let Some(study) = object(root, ROOT) else { return };
    if let Some(Value::Object(nameless)) = study.remove("") {
        for (key, value) in nameless {
            study.entry(key).or_insert(value);
        }
        note(
            deviations,
            "/original_study/",
            DeviationKind::Moved,
            "Parts stand under an empty key.",
        );
    }
    if let Some(claim) = object(study, "claim") {
        let path = "/original_study/claim";
        rename(claim, path, "hypothesis", "hypotheses", deviations);
        rename(
            claim,
            path,
            "hypothesis_location",
            "hypotheses_location",
            deviations,
        );
    }
    if let Some(Value::Array(parts)) = study.get("data")
        && parts.iter().all(Value::is_object)
    {
        let merged = merged(parts);
        study.insert("data".to_owned(), merged);
        note(
            deviations,
            "/original_study/data",
            DeviationKind::Type,
            "Several data sets are given as a list; their fields are joined.",
        );
    }
    let Some(results) = object(study, "results") else {
        return;
    };
    if !results.contains_key("numerical_results") && results.contains_key("value") {
        let summary = results.remove("summary");
        let mut inline = std::mem::take(results);
        inline
            .entry("outcome_name")
            .or_insert_with(|| "focal result".into());
        results.extend(summary.map(|text| ("summary".to_owned(), text)));
        results.insert("numerical_results".to_owned(), json!([inline]));
        note(
            deviations,
            "/original_study/results",
            DeviationKind::Moved,
            "One result stands directly under `results`.",
        );
    }
    for (index, result) in members(results, "numerical_results").into_iter().enumerate() {
        let path = format!("/original_study/results/numerical_results/{index}/confidence_interval");
        if let Some(given) = result.get_mut("confidence_interval") {
            bounds(given, &path, deviations);
        }
    }
}

/// The objects of a list, or the one object that stands in its place.
fn members<'a>(map: &'a mut Object, key: &str) -> Vec<&'a mut Object> {
    match map.get_mut(key) {
        Some(Value::Array(list)) => list.iter_mut().filter_map(Value::as_object_mut).collect(),
        Some(Value::Object(one)) => vec![one],
        _ => Vec::new(),
    }
}

/// Objects as one: the texts of each key joined with `; `.
fn merged(parts: &[Value]) -> Value {
    let mut whole = Object::new();
    for (key, value) in parts.iter().filter_map(Value::as_object).flatten() {
        match whole.get_mut(key) {
            Some(before) => *before = Value::String(format!("{}; {}", plain(before), plain(value))),
            None => drop(whole.insert(key.clone(), value.clone())),
        }
    }
    Value::Object(whole)
}

/// An interval given as a text or a pair, as an object with two bounds.
fn bounds(given: &mut Value, path: &str, deviations: &mut Deviations) {
    let read = match &*given {
        Value::String(text) => match number_text::interval(text) {
            Some(interval) => {
                json!({"lower": interval.lower, "upper": interval.upper, "level": interval.level * 100.0})
            }
            None if number_text::is_absent(text) => json!({}),
            // An unreadable text is kept, in the place where a reader looks first.
            None => json!({"lower": text}),
        },
        Value::Array(pair) if pair.len() == 2 => json!({"lower": pair[0], "upper": pair[1]}),
        _ => return,
    };
    *given = read;
    note(
        deviations,
        path,
        DeviationKind::Type,
        "An interval is not given as an object with `lower` and `upper`.",
    );
}

fn execution_results(root: &mut Object, deviations: &mut Deviations) {
    let Some(results) = object(root, "results") else {
        return;
    };
    for (index, finding) in members(results, "findings_summary").into_iter().enumerate() {
        let Some(given) = finding.get_mut("confidence_interval") else {
            continue;
        };
        let text = match &*given {
            Value::Array(pair) if pair.len() == 2 => format!("[{}, {}]", plain(&pair[0]), plain(&pair[1])),
            Value::Object(parts) => match (parts.get("lower"), parts.get("upper")) {
                (Some(lower), Some(upper)) => format!("[{}, {}]", plain(lower), plain(upper)),
                _ => continue,
            },
            _ => continue,
        };
        *given = Value::String(text);
        note(
            deviations,
            format!("/results/findings_summary/{index}/confidence_interval"),
            DeviationKind::Type,
            "An interval is not given as a text.",
        );
    }
}

const ENTRIES: [&str; 5] = ["entry", "entrypoint", "entry_point", "script", "entrypoints"];

fn replication_info(root: &mut Object, deviations: &mut Deviations) {
    const ROOT: &str = "replication_study";
    const PARTS: [&str; 10] = [
        "hypothesis",
        "study_type",
        "criterion",
        "data_plan",
        "planned_method",
        "codebase",
        "entry_points",
        "docker_specs",
        "analysis",
        "packages",
    ];
    let known: Vec<&str> = PARTS.iter().chain(&ENTRIES).copied().collect();
    wrap(root, ROOT, &known, deviations);
    adopt(root, ROOT, &known, deviations);
    let Some(study) = object(root, ROOT) else { return };
    adopt_from_data_plan(study, deviations);
    for name in ENTRIES {
        rename(study, "/replication_study", name, "entry_points", deviations);
    }
    codebase(study, deviations);
    entry_points(study, deviations);
    for part in ["base_image", "packages", "volumes"] {
        if let Some(value) = study.remove(part) {
            let specs = study.entry("docker_specs").or_insert_with(|| json!({}));
            if let Some(specs) = specs.as_object_mut() {
                specs.entry(part).or_insert(value);
            }
            note(
                deviations,
                format!("/replication_study/{part}"),
                DeviationKind::Moved,
                format!("`{part}` stands beside `docker_specs` instead of in it."),
            );
        }
    }
    if let Some(specs) = object(study, "docker_specs") {
        packages(specs, deviations);
    }
    if let Some(criterion) = object(study, "criterion") {
        rule(criterion, deviations);
    }
}

fn adopt_from_data_plan(study: &mut Object, deviations: &mut Deviations) {
    for part in ["planned_method", "codebase", "docker_specs", "analysis"] {
        if study.contains_key(part) {
            continue;
        }
        if let Some(value) = object(study, "data_plan").and_then(|plan| plan.remove(part)) {
            study.insert(part.to_owned(), value);
            note(
                deviations,
                format!("/replication_study/data_plan/{part}"),
                DeviationKind::Moved,
                format!("`{part}` stands inside `data_plan`."),
            );
        }
    }
}

/// File names as plain paths: lists become a map, remarks go to the description,
/// and a key that is literally `entry` names an entry point.
fn codebase(study: &mut Object, deviations: &mut Deviations) {
    let Some(codebase) = object(study, "codebase") else {
        return;
    };
    if let Some(Value::Array(list)) = codebase.get("files") {
        let files: Object = list
            .iter()
            .map(|file| match file {
                Value::Object(file) => {
                    let name = ["path", "name", "file"].iter().find_map(|key| file.get(*key));
                    let about = ["description", "purpose"].iter().find_map(|key| file.get(*key));
                    (
                        name.map(plain).unwrap_or_default(),
                        about.cloned().unwrap_or("".into()),
                    )
                }
                other => (plain(other), Value::String(String::new())),
            })
            .filter(|(name, _)| !name.is_empty())
            .collect();
        codebase.insert("files".to_owned(), Value::Object(files));
        note(
            deviations,
            "/replication_study/codebase/files",
            DeviationKind::Type,
            "The files are given as a list.",
        );
    }
    let Some(files) = object(codebase, "files") else {
        return;
    };
    let mut entry = None;
    let mut renamed = Object::new();
    for (name, about) in std::mem::take(files) {
        let path = crate::catalog::fit::child("/replication_study/codebase/files", &name);
        if ENTRIES.contains(&name.as_str()) {
            entry = entry.or(Some(about));
            note(
                deviations,
                path,
                DeviationKind::Moved,
                format!("`{name}` names an entry point, not a file."),
            );
            continue;
        }
        match name.trim().split_once(" (") {
            Some((bare, remark)) if remark.ends_with(')') => {
                let about = format!("{} ({remark}", plain(&about));
                note(
                    deviations,
                    path,
                    DeviationKind::Annotated,
                    format!("`{name}` names the file `{bare}`."),
                );
                renamed.insert(bare.to_owned(), Value::String(about));
            }
            _ => drop(renamed.insert(name, about)),
        }
    }
    *files = renamed;
    if let Some(entry) = entry {
        study.entry("entry_points").or_insert(entry);
    }
}

fn entry_points(study: &mut Object, deviations: &mut Deviations) {
    let Some(given) = study.get_mut("entry_points") else {
        return;
    };
    let list = match given.take() {
        Value::Array(list) => list,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    let shaped = list.into_iter().enumerate().map(|(index, entry)| match entry {
        Value::String(text) => {
            let path = format!("/replication_study/entry_points/{index}");
            note(
                deviations,
                path,
                DeviationKind::Type,
                format!("`{text}` is given as a text."),
            );
            match text.trim().split_once(' ') {
                Some((program @ ("python" | "python3" | "Rscript" | "sh" | "bash"), script)) => {
                    json!({"path": script.trim(), "interpreter": program})
                }
                _ => json!({"path": text.trim()}),
            }
        }
        Value::Object(mut entry) => {
            for name in ["file", "script", "entry"] {
                rename(
                    &mut entry,
                    "/replication_study/entry_points",
                    name,
                    "path",
                    deviations,
                );
            }
            for (from, to) in [
                ("args", "arguments"),
                ("language", "interpreter"),
                ("lang", "interpreter"),
            ] {
                rename(
                    &mut entry,
                    "/replication_study/entry_points",
                    from,
                    to,
                    deviations,
                );
            }
            Value::Object(entry)
        }
        other => other,
    });
    let shaped: Vec<Value> = shaped.collect();
    study.insert("entry_points".to_owned(), Value::Array(shaped));
}

/// Packages by kind, each a list of names.
fn packages(specs: &mut Object, deviations: &mut Deviations) {
    const PATH: &str = "/replication_study/docker_specs/packages";
    if let Some(list @ (Value::Array(_) | Value::String(_))) = specs.get("packages") {
        let python = list.clone();
        specs.insert("packages".to_owned(), json!({"python": python}));
        note(
            deviations,
            PATH,
            DeviationKind::Moved,
            "The packages are not sorted by kind; they are read as Python's.",
        );
    }
    let Some(packages) = object(specs, "packages") else {
        return;
    };
    rename(packages, PATH, "R", "r", deviations);
    for name in ["system", "apt", "debian"] {
        let Some(Value::Array(more)) = packages.remove(name) else {
            continue;
        };
        note(
            deviations,
            format!("{PATH}/{name}"),
            DeviationKind::Alias,
            format!("`{name}` stands for `other`."),
        );
        match packages.get_mut("other") {
            Some(Value::Array(other)) => other.extend(more),
            _ => drop(packages.insert("other".to_owned(), Value::Array(more))),
        }
    }
    for (kind, names) in packages.iter_mut().filter(|(kind, _)| *kind != EXTRA) {
        let Value::Object(versions) = names else { continue };
        let list: Vec<Value> = versions
            .iter()
            .map(|(name, version)| {
                let version = plain(version);
                let version = version.trim();
                Value::String(match version.chars().next() {
                    Some(first) if first.is_ascii_digit() => format!("{name}=={version}"),
                    Some('=' | '<' | '>' | '~' | '!') => format!("{name}{version}"),
                    _ => name.clone(),
                })
            })
            .collect();
        *names = Value::Array(list);
        note(
            deviations,
            format!("{PATH}/{kind}"),
            DeviationKind::Type,
            "The packages are given as an object of versions.",
        );
    }
}

/// The decision rule's direction and level in the forms that papers use.
fn rule(criterion: &mut Object, deviations: &mut Deviations) {
    const PATH: &str = "/replication_study/criterion";
    let sign = match criterion.get("direction").and_then(Value::as_str).map(str::trim) {
        Some("+" | ">" | "> 0" | ">0") => Some("positive"),
        Some("-" | "−" | "<" | "< 0" | "<0") => Some("negative"),
        _ => None,
    };
    if let Some(sign) = sign {
        criterion.insert("direction".to_owned(), sign.into());
        note(
            deviations,
            format!("{PATH}/direction"),
            DeviationKind::Alias,
            format!("A sign stands for `{sign}`."),
        );
    }
    if let Some(Value::String(text)) = criterion.get("alpha")
        && let Some(level) = number_text::single(text)
    {
        criterion.insert("alpha".to_owned(), json!(level.share()));
        note(
            deviations,
            format!("{PATH}/alpha"),
            DeviationKind::Type,
            "The level is given as a text.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::artifacts::execution_results::ExecutionResults;
    use crate::catalog::artifacts::post_registration::PostRegistration;
    use crate::catalog::artifacts::replication_info::ReplicationInfo;
    use crate::catalog::normalise::read;
    use crate::domain::finding::{Direction, PValue, Relation};

    #[test]
    fn a_reference_with_one_inline_result_is_read() {
        let value = json!({"original_study": {
            "": {"data": [{"source": "A"}, {"source": "B"}]},
            "claim": {"hypothesis": "taller is better", "statement": "s", "hypothesis_location": "p. 2"},
            "results": {"summary": "found", "value": "b = −2.35**", "p_value": "< .05",
                "confidence_interval": "[-4.1, -0.6]", "statistical_significance": true}},
            "method": {"steps": "count"}});
        let read: PostRegistration = read(Stage::Extract, value).unwrap();
        let study = &read.original_study;
        assert_eq!(study.claim.hypotheses, ["taller is better"]);
        assert_eq!(study.claim.hypotheses_location, "p. 2");
        assert_eq!(study.data.source, "A; B");
        assert_eq!(study.method.steps, ["count"]);
        let findings = read.original_findings();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].estimate, Some(-2.35));
        assert_eq!(
            findings[0].p_value,
            Some(PValue {
                relation: Relation::Less,
                value: 0.05
            })
        );
        assert_eq!(findings[0].interval.unwrap().lower, -4.1);
        assert_eq!(
            study.results.numerical_results[0].statistical_significance,
            "true"
        );
    }

    #[test]
    fn a_plan_without_its_root_is_read() {
        let value = json!({"language": "python", "entrypoint": "python main.py", "packages": ["numpy"],
            "docker_specs": {"base_image": "python:3.12-slim"},
            "criterion": {"focal_term": "height", "direction": "+", "alpha": "5%", "two_sided": "two-sided"},
            "codebase": {"files": ["a.R (to be written)", "main.py"]}});
        let read: ReplicationInfo = read(Stage::Design, value).unwrap();
        let criterion = read.criterion().unwrap();
        assert_eq!(criterion.direction, Direction::Positive);
        assert_eq!((criterion.alpha, criterion.two_sided), (0.05, true));
        assert_eq!(read.plan().unwrap().0[0].path.as_str(), "work/main.py");
        assert_eq!(read.environment().unwrap().python, ["numpy"]);
        let files: Vec<_> = read.replication_study.codebase.files.keys().collect();
        assert_eq!(files, ["a.R", "main.py"]);
        assert_eq!(read.replication_study.extra["language"], "python");
        assert_eq!(read.shortcomings(), []);
    }

    #[test]
    fn sections_inside_the_data_plan_and_versions_as_objects_are_read() {
        let value = json!({"replication_study": {"data_plan": {"docker_specs": {
            "base_image": "x", "packages": {"python": {"pandas": "2.1", "numpy": ">=1.26"}, "system": ["git"]},
            "privileged": true}}}});
        let read: ReplicationInfo = read(Stage::Design, value).unwrap();
        let environment = read.environment().unwrap();
        assert_eq!(environment.python, ["pandas==2.1", "numpy>=1.26"]);
        assert_eq!(environment.system, ["git"]);
        assert_eq!(read.ignored(), ["the container option `privileged`"]);
        assert_eq!(read.shortcomings().len(), 2, "neither a criterion nor a plan");
    }

    #[test]
    fn intervals_of_findings_are_read_in_every_form() {
        for interval in [
            json!([0.1, 0.4]),
            json!({"lower": "0.1", "upper": 0.4}),
            json!("0.1 to 0.4"),
        ] {
            let value = json!({"execution_summary": "ran", "results": {"findings_summary": {
                "outcome_name": "height", "value": "0.25", "standard_error": 0.08,
                "confidence_interval": interval, "p_value": "p < .01", "n": "1,204"}}});
            let read: ExecutionResults = read(Stage::Execute, value).unwrap();
            let finding = &read.findings()[0];
            assert_eq!(finding.estimate, Some(0.25));
            assert_eq!(finding.n, Some(1204));
            let interval = finding.interval.unwrap();
            assert_eq!((interval.lower, interval.upper), (0.1, 0.4));
        }
    }
}
