//! Moving and renaming parts of an answer, each noted.

use serde_json::{Map, Value};

use crate::catalog::fault::{AnswerDeviation, AnswerDeviationKind};

pub(super) type Object = Map<String, Value>;
/// The deviations of an answer that were mended on the way.
pub type Deviations = Vec<AnswerDeviation>;

pub(super) fn note(
    deviations: &mut Deviations,
    path: impl Into<String>,
    kind: AnswerDeviationKind,
    note: impl Into<String>,
) {
    deviations.push(AnswerDeviation {
        path: path.into(),
        kind,
        note: note.into(),
    });
}

pub(super) fn object<'a>(map: &'a mut Object, key: &str) -> Option<&'a mut Object> {
    map.get_mut(key).and_then(Value::as_object_mut)
}

/// Wraps the whole answer under `root`, where a known part shows that only the root is missing.
pub(super) fn wrap(root: &mut Object, name: &str, known: &[&str], deviations: &mut Deviations) {
    if root.contains_key(name) || !known.iter().any(|key| root.contains_key(*key)) {
        return;
    }
    let inner = std::mem::take(root);
    root.insert(name.to_owned(), Value::Object(inner));
    note(
        deviations,
        "",
        AnswerDeviationKind::Moved,
        format!("The root `{name}` is missing."),
    );
}

/// Moves parts that stand beside `name` into it, unless it has them.
pub(super) fn adopt(root: &mut Object, name: &str, parts: &[&str], deviations: &mut Deviations) {
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
                AnswerDeviationKind::Moved,
                format!("`{part}` stands beside `{name}` instead of in it."),
            );
        }
    }
}

pub(super) fn rename(map: &mut Object, path: &str, from: &str, to: &str, deviations: &mut Deviations) {
    if map.contains_key(to) {
        return;
    }
    if let Some(value) = map.remove(from) {
        map.insert(to.to_owned(), value);
        note(
            deviations,
            format!("{path}/{from}"),
            AnswerDeviationKind::Alias,
            format!("`{from}` stands for `{to}`."),
        );
    }
}

/// The objects of a list, or the one object that stands in its place.
pub(super) fn members<'a>(map: &'a mut Object, key: &str) -> Vec<&'a mut Object> {
    match map.get_mut(key) {
        Some(Value::Array(list)) => list.iter_mut().filter_map(Value::as_object_mut).collect(),
        Some(Value::Object(one)) => vec![one],
        _ => Vec::new(),
    }
}
