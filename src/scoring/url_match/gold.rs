//! The resources that human replicators used, by study.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::addresses::identity::Identity;
use crate::scoring::released::json::Node;
use crate::scoring::released::python::{is_true, value};
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::checked::{Unread, listed, quoted, twice};
use crate::scoring::url_match::files::{BadFile, Read, first_text, plain, text};

const CASE_FIELDS: &[&str] = &["id", "claim", "gold_resources"];
const RESOURCE_FIELDS: &[&str] = &[
    "id", "kind", "required", "filename", "url", "rl", "aliases", "deadlink",
];

/// One study's resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldCase {
    pub id: CaseId,
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
    let Node::List(cases) = Node::parse(bytes).map_err(|error| BadFile::NotJson(error.to_string()))? else {
        return Err(BadFile::NotAList);
    };
    let mut read: Read<GoldCase> = Read::default();
    let mut ids = HashSet::new();
    let mut unread = Unread::default();
    for (position, case) in cases.into_iter().enumerate() {
        let mut repeated = Vec::new();
        let case = value(case, &mut repeated);
        if let Some(twice) = twice(repeated) {
            read.tell(format!("Case {} of the gold set {twice}.", position + 1));
        }
        let checked = gold_case(&case).and_then(|case| match ids.insert(case.id.clone()) {
            false => Err(format!("has the id {} of an earlier one", case.id)),
            true => Ok(case),
        });
        match checked {
            Ok(known) => {
                for line in oddities(&known, &case, &mut unread) {
                    read.tell(format!("Case {} of the gold set {line}.", known.id));
                }
                read.records.push(known);
            }
            Err(what) => read.tell(format!(
                "Case {} of the gold set {what} and is left out.",
                position + 1
            )),
        }
    }
    for line in unread.lines() {
        read.tell(line);
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
        .and_then(CaseId::read)
        .ok_or("has no whole number or name as `id`")?;
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

/// Oddities of a case that can be scored nevertheless.
fn oddities(known: &GoldCase, case: &Value, unread: &mut Unread) -> Vec<String> {
    let mut lines = Vec::new();
    if !known.resources.iter().any(|resource| resource.required) {
        lines.push("requires nothing, so every answer to it counts as hit@all".to_owned());
    }
    if let Some(members) = case.as_object() {
        unread.look("a case", members, CASE_FIELDS);
    }
    let given = case.get("gold_resources").and_then(Value::as_array);
    for (position, resource) in given.into_iter().flatten().enumerate() {
        if let Some(members) = resource.as_object() {
            unread.look("a resource", members, RESOURCE_FIELDS);
            lines.extend(mistyped(members, position + 1));
        }
    }
    let mut addresses: BTreeMap<&str, (usize, HashSet<_>)> = BTreeMap::new();
    for resource in &known.resources {
        let (count, different) = addresses.entry(&resource.id).or_default();
        *count += 1;
        different.insert((&resource.url, &resource.aliases));
    }
    for (id, (count, different)) in &addresses {
        if different.len() > 1 {
            lines.push(format!(
                "has {count} resources of the id `{}` with different addresses, which count as one that any of \
                 them finds",
                quoted(id)
            ));
        }
    }
    let is_address = |text: &String| Identity::read(text).is_some();
    let mut without: Vec<String> = (known.resources.iter())
        .filter(|one| !is_address(&one.url) && !one.aliases.iter().any(is_address))
        .map(|one| quoted(&one.id))
        .collect();
    without.dedup();
    if let Some(names) = listed(&without) {
        lines.push(format!(
            "gives no web address and no DOI of {names}, which `strict` and `levels` can therefore never find"
        ));
    }
    lines
}

/// Fields of another type than they should have, and how they are taken.
fn mistyped(resource: &Map<String, Value>, position: usize) -> Vec<String> {
    let is_text = |value: &Value| value.is_string();
    let may_be_text = |value: &Value| value.is_string() || value.is_null();
    type Fits = fn(&Value) -> bool;
    let fields: [(&str, Fits, &str); 7] = [
        ("id", is_text, "a text"),
        ("kind", may_be_text, "a text"),
        ("filename", may_be_text, "a text"),
        ("url", may_be_text, "a text"),
        ("rl", may_be_text, "a text"),
        ("required", Value::is_boolean, "true or false"),
        ("aliases", Value::is_array, "a list"),
    ];
    let mut lines = Vec::new();
    for (name, fits, expected) in fields {
        let Some(found) = resource.get(name).filter(|found| !fits(found)) else {
            continue;
        };
        let taken = match name {
            "required" if is_true(found) => "it counts as true".to_owned(),
            "required" => "it counts as false".to_owned(),
            "aliases" => "it is left out".to_owned(),
            _ => format!("it is taken for \"{}\"", quoted(&text(resource, name))),
        };
        lines.push(format!(
            "has a resource (number {position}) whose `{name}` is {} and not {expected}; {taken}",
            quoted(&found.to_string())
        ));
    }
    if !resource.contains_key("id") {
        lines.push(format!("has a resource (number {position}) without an `id`"));
    }
    lines
}

fn resources(listed: &[Value]) -> Vec<GoldResource> {
    (listed.iter().filter_map(Value::as_object))
        .map(|resource| GoldResource {
            id: text(resource, "id"),
            kind: text(resource, "kind").trim().to_owned(),
            required: resource.get("required").is_none_or(is_true),
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
    use crate::scoring::url_match::gold::*;

    #[test]
    fn a_gold_set_is_a_list() {
        assert_eq!(read_gold(b"{}"), Err(BadFile::NotAList));
        let read = read_gold(br#"[{"id": 1, "gold_resources": [{"id": "a", "rl": "x.org"}]}, {"id": null}]"#)
            .unwrap();
        assert!(read.records[0].resources[0].required);
        assert_eq!(read.records[0].resources[0].url, "x.org");
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
        assert_eq!((read.records.len(), read.problems.len()), (1, 3));
        assert!(
            read.problems[0].contains("requires nothing"),
            "{:?}",
            read.problems
        );
        assert!(
            read.problems[2].contains("the id 1 of an earlier one"),
            "{:?}",
            read.problems
        );
    }

    fn told(case: &str) -> Vec<String> {
        let read = read_gold(format!("[{case}]").as_bytes()).unwrap();
        assert_eq!(read.records.len(), 1);
        read.problems
    }

    #[test]
    fn what_is_odd_costs_one_line_and_no_case() {
        let good = r#""id": "r", "required": true, "url": "https://a.org""#;
        for (case, words) in [
            (
                format!(r#"{{"id": 1, "id": 2, "gold_resources": [{{{good}}}]}}"#),
                "gives `id` more than once",
            ),
            (
                format!(
                    r#"{{"id": 1, "gold_resources": [{{{good}, "filname": "x"}}, {{"id": "s", "url": "b.org", "filname": ""}}]}}"#
                ),
                "`filname` of a resource, given 2 times",
            ),
            (
                r#"{"id": 1, "gold_resources": [{"id": "r", "required": "yes", "url": "a.org"}]}"#.to_owned(),
                r#"`required` is "yes" and not true or false; it counts as true"#,
            ),
            (
                r#"{"id": 1, "gold_resources": [{"id": "r", "url": "a.org", "aliases": "https://c.org"}]}"#
                    .to_owned(),
                "`aliases` is \"https://c.org\" and not a list; it is left out",
            ),
            (
                format!(
                    r#"{{"id": 1, "gold_resources": [{{{good}}}, {{"id": "r", "url": "https://b.org"}}]}}"#
                ),
                "2 resources of the id `r` with different addresses",
            ),
            (
                r#"{"id": 1, "gold_resources": [{"id": "r", "url": "from authors"}]}"#.to_owned(),
                "no web address and no DOI of `r`",
            ),
        ] {
            let told = told(&case);
            assert_eq!(told.len(), 1, "{told:?}");
            assert!(told[0].contains(words), "{told:?}");
        }
        // One resource told twice is one, and needs no word.
        assert!(
            told(&format!(
                r#"{{"id": "duncan-1961", "gold_resources": [{{{good}}}, {{{good}}}]}}"#
            ))
            .is_empty()
        );
    }

    #[test]
    fn lines_are_bounded() {
        let cases: Vec<String> = (0..500)
            .map(|id| format!(r#"{{"id": {id}, "gold_resources": []}}"#))
            .collect();
        let one = r#"{"id": -1, "gold_resources": [{"id": "r", "url": "a.org"}]}"#;
        let read = read_gold(format!("[{}, {one}]", cases.join(",")).as_bytes()).unwrap();
        assert_eq!(read.records.len(), 1);
        assert!(read.problems.len() < 50, "{}", read.problems.len());
    }
}
