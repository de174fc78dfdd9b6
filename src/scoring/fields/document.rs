//! A post-registration in any of the shapes in which agents and references write it.

use serde_json::{Map, Value};

use super::statement::Statement;

/// The fields outside the list of results: section, field, other spelling.
const FIELDS: [(&str, &str, Option<&str>); 23] = [
    ("claim", "hypotheses", Some("hypothesis")),
    ("claim", "hypotheses_location", Some("hypothesis_location")),
    ("claim", "statement", None),
    ("claim", "statement_location", None),
    ("claim", "study_type", None),
    ("data", "source", None),
    ("data", "wave_or_subset", None),
    ("data", "sample_size", None),
    ("data", "unit_of_analysis", None),
    ("data", "access_details", None),
    ("data", "notes", None),
    ("method", "description", None),
    ("method", "steps", None),
    ("method", "models", None),
    ("method", "outcome_variable", None),
    ("method", "independent_variables", None),
    ("method", "control_variables", None),
    ("method", "tools_software", None),
    ("results", "summary", None),
    ("metadata", "original_paper_id", None),
    ("metadata", "original_paper_title", None),
    ("metadata", "original_paper_code", None),
    ("metadata", "original_paper_data", None),
];

/// The fields of one numerical result, as paths below it.
pub const RESULT_FIELDS: [&str; 10] = [
    "outcome_name",
    "value",
    "unit",
    "effect_size",
    "confidence_interval.lower",
    "confidence_interval.upper",
    "confidence_interval.level",
    "p_value",
    "statistical_significance",
    "direction",
];

/// Most numerical results that are compared; the rest is named in a note.
pub const MAX_RESULTS: usize = 200;

/// The statements of one numerical result, in the order of [`RESULT_FIELDS`].
pub type ResultRow = [Statement; RESULT_FIELDS.len()];

/// A post-registration, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RegistrationFields {
    /// The 23 fields outside the list, in the schema's order.
    pub plain: Vec<(String, Statement)>,
    /// The numerical results, in the document's order.
    pub results: Vec<ResultRow>,
    /// Oddities of the shape, a sentence each.
    pub notes: Vec<String>,
}

impl RegistrationFields {
    /// Reads a post-registration: with or without its `original_study` root, with
    /// sections beside the root, `data` as a list or below an empty key, results
    /// inline, and the reference's `hypothesis` for `hypotheses`.
    ///
    /// Never fails: what is not there is [`Statement::Absent`], and a note says
    /// what was odd.
    pub fn read(value: &Value) -> Self {
        let mut notes = Vec::new();
        let nothing = Map::new();
        let outer = value.as_object().unwrap_or_else(|| {
            notes.push(
                "The post-registration is not a JSON object, so every field counts as absent.".to_owned(),
            );
            &nothing
        });
        let root = outer.get("original_study").and_then(Value::as_object);
        let section = |name: &str| {
            root.and_then(|root| root.get(name))
                .or_else(|| outer.get(name))
                .or_else(|| {
                    root.and_then(|root| root.get(""))
                        .and_then(|inner| inner.get(name))
                })
        };
        for (name, _, _) in FIELDS.iter().filter(|(_, field, _)| is_first(field)) {
            if root.is_some_and(|root| !root.contains_key(*name)) && outer.contains_key(*name) {
                notes.push(format!(
                    "`{name}` stands beside `original_study` instead of in it."
                ));
            }
        }
        let plain = FIELDS
            .iter()
            .map(|(name, field, other)| {
                let statement = section(name).map_or(Statement::Absent, |value| {
                    in_section(value, field).join_missing(other.map(|other| in_section(value, other)))
                });
                (format!("{name}.{field}"), statement)
            })
            .collect();
        let results = section("results").map_or_else(Vec::new, |results| rows(results, &mut notes));
        Self {
            plain,
            results,
            notes,
        }
    }

    /// A document of the same shape as this one that says `not stated` everywhere:
    /// the floor that any score has to be read against.
    pub fn all_not_stated(&self) -> Self {
        Self {
            plain: self
                .plain
                .iter()
                .map(|(path, _)| (path.clone(), Statement::NotStated))
                .collect(),
            results: vec![[const { Statement::NotStated }; RESULT_FIELDS.len()]; self.results.len()],
            notes: Vec::new(),
        }
    }
}

impl Statement {
    fn join_missing(self, other: Option<Self>) -> Self {
        match (self, other) {
            (Self::Absent, Some(other)) => other,
            (statement, _) => statement,
        }
    }
}

fn is_first(field: &str) -> bool {
    matches!(
        field,
        "hypotheses" | "source" | "description" | "summary" | "original_paper_id"
    )
}

/// A field of a section; of a list of sections, the statements of all.
fn in_section(section: &Value, field: &str) -> Statement {
    match section {
        Value::Object(members) => members
            .get(field)
            .or_else(|| members.get("").and_then(|inner| inner.get(field)))
            .map_or(Statement::Absent, Statement::from_value),
        Value::Array(sections) => sections
            .iter()
            .take(MAX_RESULTS)
            .map(|one| in_section(one, field))
            .fold(Statement::Absent, Statement::join),
        _ => Statement::Absent,
    }
}

fn rows(results: &Value, notes: &mut Vec<String>) -> Vec<ResultRow> {
    let listed = match results.get("numerical_results") {
        Some(Value::Array(items)) => items.as_slice(),
        Some(one @ Value::Object(_)) => std::slice::from_ref(one),
        _ => {
            let inline = row(results);
            if inline.iter().all(|statement| *statement == Statement::Absent) {
                return Vec::new();
            }
            notes.push("`results` has its numbers inline, without `numerical_results`.".to_owned());
            return vec![inline];
        }
    };
    if listed.len() > MAX_RESULTS {
        notes.push(format!(
            "`results.numerical_results` has {} items, of which the first {MAX_RESULTS} are compared.",
            listed.len()
        ));
    }
    listed.iter().take(MAX_RESULTS).map(row).collect()
}

fn row(item: &Value) -> ResultRow {
    RESULT_FIELDS.map(|path| {
        path.split('.')
            .try_fold(item, |value, key| value.get(key))
            .map_or(Statement::Absent, Statement::from_value)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field<'a>(document: &'a RegistrationFields, path: &str) -> &'a str {
        let found = document.plain.iter().find(|(name, _)| name == path);
        found.map_or("no such field", |(_, statement)| statement.text())
    }

    #[test]
    fn the_reference_spelling_and_the_agents_meet() {
        let reference = RegistrationFields::read(&json!({"original_study": {"claim": {"hypothesis": "h"}}}));
        let agents = RegistrationFields::read(&json!({"claim": {"hypotheses": ["h", "i"]}}));
        assert_eq!(field(&reference, "claim.hypotheses"), "h");
        assert_eq!(field(&agents, "claim.hypotheses"), "h\ni");
    }

    #[test]
    fn odd_shapes_are_read_and_noted() {
        let hoisted = RegistrationFields::read(&json!({
            "original_study": {"data": [{"source": "a"}, {"source": "b"}]},
            "method": {"steps": ["one"]},
        }));
        assert_eq!(field(&hoisted, "data.source"), "a\nb");
        assert_eq!(field(&hoisted, "method.steps"), "one");
        assert!(hoisted.notes[0].contains("`method` stands beside"));
        let nested = RegistrationFields::read(&json!({"original_study": {"": {"data": {"source": "a"}}}}));
        assert_eq!(field(&nested, "data.source"), "a");
        let inline = RegistrationFields::read(
            &json!({"results": {"value": 0.4, "confidence_interval": {"lower": "x"}}}),
        );
        assert_eq!(inline.results[0][1].text(), "0.4");
        assert_eq!(inline.results[0][4].text(), "x");
        assert!(!RegistrationFields::read(&json!(null)).notes.is_empty());
    }

    #[test]
    fn the_schema_has_33_fields_with_one_result() {
        let document = RegistrationFields::read(&json!({"results": {"numerical_results": [{}]}}));
        assert_eq!(
            document.plain.len() + RESULT_FIELDS.len() * document.results.len(),
            33
        );
    }
}
