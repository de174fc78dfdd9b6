//! The resources that human replicators used, by study.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::{BadFile, Read, first_text, integer, plain, text};
use crate::scoring::truth::is_truthy;

/// One study's resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldCase {
    pub id: i64,
    pub resources: Vec<GoldResource>,
}

/// A resource that a human replicator used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldResource {
    /// Not unique: repeated ids are one resource with several entries.
    pub id: String,
    pub kind: String,
    pub required: bool,
    pub filename: String,
    pub url: String,
    /// Other addresses, some of them prose.
    pub aliases: Vec<String>,
}

/// Reads a gold set: a JSON list of `{id, gold_resources: [...]}`.
///
/// # Errors
/// Bytes that are no JSON list, or a list without any case that can be scored;
/// a single case that cannot be read is a problem instead.
pub fn read_gold(bytes: &[u8]) -> Result<Read<GoldCase>, BadFile> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let value: Value = serde_json::from_slice(bytes).map_err(|error| BadFile::NotJson(error.to_string()))?;
    let Value::Array(cases) = value else {
        return Err(BadFile::NotAList);
    };
    let mut read: Read<GoldCase> = Read::default();
    for (position, case) in cases.iter().enumerate() {
        let case =
            gold_case(case).and_then(
                |case| match read.records.iter().any(|known| known.id == case.id) {
                    true => Err(format!("has the id {} of an earlier one", case.id)),
                    false => Ok(case),
                },
            );
        match case {
            Ok(case) => {
                if !case.resources.iter().any(|resource| resource.required) {
                    read.problems.push(format!(
                        "Case {} of the gold set requires nothing, so every answer to it counts as hit@all.",
                        case.id
                    ));
                }
                read.records.push(case);
            }
            Err(what) => read.problems.push(format!(
                "Case {} of the gold set {what} and is left out.",
                position + 1
            )),
        }
    }
    if read.records.is_empty() {
        let why = match read.problems.first() {
            Some(first) => format!(" ({})", first.trim_end_matches('.')),
            None => String::new(),
        };
        return Err(BadFile::NoCase(why));
    }
    Ok(read)
}

/// One case, or what is wrong with it.
fn gold_case(case: &Value) -> Result<GoldCase, String> {
    let id = case
        .get("id")
        .and_then(integer)
        .ok_or("has no whole number as `id`")?;
    let listed = case.get("gold_resources").and_then(Value::as_array);
    let listed = listed.ok_or("has no list `gold_resources`")?;
    if listed.is_empty() {
        return Err("has an empty list `gold_resources`".to_owned());
    }
    let odd = listed.iter().filter(|resource| !resource.is_object()).count();
    if odd > 0 {
        return Err(format!("has {odd} resources that are no objects"));
    }
    Ok(GoldCase {
        id,
        resources: resources(listed),
    })
}

fn resources(listed: &[Value]) -> Vec<GoldResource> {
    (listed.iter().filter_map(Value::as_object))
        .map(|resource| GoldResource {
            id: text(resource, "id"),
            kind: text(resource, "kind").trim().to_owned(),
            required: resource.get("required").is_none_or(is_truthy),
            filename: text(resource, "filename"),
            url: first_text(resource, &["rl", "url"]),
            aliases: (resource
                .get("aliases")
                .and_then(Value::as_array)
                .into_iter()
                .flatten())
            .map(plain)
            .collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gold_set_is_a_list() {
        assert_eq!(read_gold(b"{}"), Err(BadFile::NotAList));
        let read =
            read_gold(br#"[{"id": 1, "gold_resources": [{"id": "a", "rl": "x"}]}, {"id": null}]"#).unwrap();
        assert!(read.records[0].resources[0].required);
        assert_eq!(read.records[0].resources[0].url, "x");
        assert_eq!(read.problems.len(), 1);
        for (empty, why) in [
            ("[]", "no case that can be scored."),
            (
                r#"[{"id": 1, "resources": [{"id": "a"}]}]"#,
                "no list `gold_resources`",
            ),
            (r#"[{"id": 1, "gold_resources": []}]"#, "an empty list"),
            (
                r#"[{"id": 1, "gold_resources": ["a"]}]"#,
                "1 resources that are no objects",
            ),
        ] {
            let error = read_gold(empty.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let one = |required: bool| {
            format!(r#"{{"id": 1, "gold_resources": [{{"id": "a", "required": {required}}}]}}"#)
        };
        let read = read_gold(format!("[{}, {}]", one(false), one(true)).as_bytes()).unwrap();
        assert_eq!((read.records.len(), read.problems.len()), (1, 2));
        assert!(
            read.problems[0].contains("requires nothing"),
            "{:?}",
            read.problems
        );
        assert!(
            read.problems[1].contains("the id 1 of an earlier one"),
            "{:?}",
            read.problems
        );
    }
}
