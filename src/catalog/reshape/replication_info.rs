//! Forms of `replication_info.json`.

use serde_json::{Value, json};

use super::moves::{Deviations, Object, adopt, note, object, rename, wrap};
use super::packages::packages;
use crate::catalog::fault::AnswerDeviationKind;
use crate::catalog::fit::{child, plain};
use crate::domain::number_text;
use crate::domain::rule::Rule;

const ENTRIES: [&str; 5] = ["entry", "entrypoint", "entry_point", "script", "entrypoints"];

pub(super) fn reshape(root: &mut Object, deviations: &mut Deviations) {
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
                AnswerDeviationKind::Moved,
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
                AnswerDeviationKind::Moved,
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
            AnswerDeviationKind::Type,
            "The files are given as a list.",
        );
    }
    let Some(files) = object(codebase, "files") else {
        return;
    };
    let mut entry = None;
    let mut renamed = Object::new();
    for (name, about) in std::mem::take(files) {
        let path = child("/replication_study/codebase/files", &name);
        if ENTRIES.contains(&name.as_str()) {
            entry = entry.or(Some(about));
            note(
                deviations,
                path,
                AnswerDeviationKind::Moved,
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
                    AnswerDeviationKind::Annotated,
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
                AnswerDeviationKind::Type,
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

/// The decision rule's name, direction, level and original p-value in the forms
/// that papers use.
fn rule(criterion: &mut Object, deviations: &mut Deviations) {
    const PATH: &str = "/replication_study/criterion";
    let named = criterion.get("rule").and_then(Value::as_str).and_then(|given| {
        let name = given.trim().to_lowercase().replace(['_', '-'], " ");
        let known = |rule: &Rule| rule.name() == name || rule.key().replace('_', " ") == name;
        let key = Rule::all().find(known)?.key();
        (key != given).then_some(key)
    });
    if let Some(key) = named {
        criterion.insert("rule".to_owned(), key.into());
        note(
            deviations,
            format!("{PATH}/rule"),
            AnswerDeviationKind::Alias,
            format!("The rule's name stands for `{key}`."),
        );
    }
    if let Some(original) = object(criterion, "original")
        && let Some(p_value) = original.get("p_value").filter(|p_value| !p_value.is_object())
        && let Some(read) = number_text::p_value(&plain(p_value))
    {
        original.insert("p_value".to_owned(), json!(read));
        note(
            deviations,
            format!("{PATH}/original/p_value"),
            AnswerDeviationKind::Type,
            "The p-value is given without a relation of its own.",
        );
    }
    if let Some(original) = object(criterion, "original") {
        for name in ["degrees_of_freedom", "dof"] {
            rename(original, &format!("{PATH}/original"), name, "df", deviations);
        }
    }
    let given = criterion.get("direction").and_then(Value::as_str);
    let sign = match given.map(|given| given.trim().to_lowercase()).as_deref() {
        Some("+" | ">" | "> 0" | ">0") => Some("positive"),
        Some("-" | "−" | "<" | "< 0" | "<0") => Some("negative"),
        Some("null" | "zero" | "0" | "= 0" | "=0" | "no effect" | "null effect") => Some("none"),
        _ => None,
    };
    if let Some(sign) = sign {
        criterion.insert("direction".to_owned(), sign.into());
        note(
            deviations,
            format!("{PATH}/direction"),
            AnswerDeviationKind::Alias,
            format!("Another word or a sign stands for `{sign}`."),
        );
    }
    if let Some(Value::String(text)) = criterion.get("alpha")
        && let Some(level) = number_text::single(text)
    {
        criterion.insert("alpha".to_owned(), json!(level.share()));
        note(
            deviations,
            format!("{PATH}/alpha"),
            AnswerDeviationKind::Type,
            "The level is given as a text.",
        );
    }
}
