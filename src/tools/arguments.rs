//! Arguments of a tool: their schema and their check, both from one Rust type.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::contract::Observation;
use crate::domain::excerpt;
use crate::domain::json_schema::inline_schema;
use crate::domain::workspace_path::WorkspacePath;
use crate::model::chat::ToolSpec;

/// The JSON Schema of arguments, without what their tool says itself.
pub fn schema_of<T: JsonSchema>() -> Value {
    let mut schema = inline_schema::<T>();
    if let Some(root) = schema.as_object_mut() {
        // In place, so that the other keys keep their order, which prompts show.
        root.shift_remove("$schema");
        root.remove("title");
        root.remove("description");
    }
    schema
}

/// The description of a tool whose arguments are `T`.
pub fn spec_of<T: JsonSchema>(name: &str, description: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: schema_of::<T>(),
    }
}

/// Names of arguments in the published palette of ReplicatorBench, and ours for the same.
const PUBLISHED: [(&str, &str); 8] = [
    ("file_path", "path"),
    ("folder_path", "folder"),
    ("folder", "path"),
    ("path", "folder"),
    ("edit_type", "operation"),
    ("insert_text", "new_text"),
    ("file_content", "content"),
    ("variable_name", "variable"),
];

/// The arguments with published names replaced by those of the schema; nothing is
/// replaced that the schema knows, or that would take another's place.
fn renamed(schema: &Value, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    let Some(members) = arguments.as_object_mut() else {
        return arguments;
    };
    let is_known = |name: &str| schema["properties"].get(name).is_some();
    for (published, ours) in PUBLISHED {
        if is_known(ours)
            && !is_known(published)
            && !members.contains_key(ours)
            && let Some(value) = members.remove(published)
        {
            members.insert(ours.to_owned(), value);
        }
    }
    arguments
}

/// Reads the arguments, or says which of them is wrong. The published names of arguments
/// are taken as well.
///
/// # Errors
/// Arguments that do not fit the tool's schema, named for the model.
pub fn read<T: JsonSchema + DeserializeOwned>(tool: &str, arguments: &Value) -> Result<T, Observation> {
    let wrong = |problem: String| Observation::bad(format!("`{tool}` was not run: {problem}"));
    if !arguments.is_object() {
        return Err(wrong("its arguments are one JSON object".to_owned()));
    }
    let schema = schema_of::<T>();
    let arguments = renamed(&schema, arguments);
    if let Ok(validator) = jsonschema::validator_for(&schema) {
        let problems: Vec<_> = validator
            .iter_errors(&arguments)
            .take(4)
            .map(|error| {
                let path = error.instance_path().to_string();
                let message = excerpt::start(&error.to_string(), 300).to_owned();
                match path.trim_start_matches('/') {
                    "" => message,
                    argument => format!("argument `{argument}`: {message}"),
                }
            })
            .collect();
        if !problems.is_empty() {
            let known: Vec<_> = schema["properties"]
                .as_object()
                .map(|properties| properties.keys().map(|key| format!("`{key}`")).collect())
                .unwrap_or_default();
            return Err(wrong(format!(
                "{}. Its arguments are {}.",
                problems.join("; "),
                known.join(", ")
            )));
        }
    }
    serde_json::from_value(arguments).map_err(|error| wrong(error.to_string()))
}

/// Reads a path inside the workspace, or says why it is none.
///
/// # Errors
/// A path that leads out of the workspace, or is none.
pub fn path(text: &str) -> Result<WorkspacePath, Observation> {
    text.trim()
        .parse()
        .map_err(|error: crate::domain::workspace_path::OutsideWorkspace| Observation::bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        /// The file.
        path: String,
        #[serde(default)]
        lines: Option<u32>,
    }

    #[test]
    fn a_wrong_argument_is_named() {
        let problem = |arguments: Value| read::<Arguments>("look", &arguments).unwrap_err().text;
        assert!(problem(json!({"path": "a", "lines": "ten"})).contains("argument `lines`"));
        assert!(problem(json!({"path": "a", "line": 1})).contains("line"));
        assert!(problem(json!({})).contains("\"path\" is a required property"));
        assert!(problem(json!([])).contains("one JSON object"));
        let read = read::<Arguments>("look", &json!({"path": "a", "lines": null})).unwrap();
        assert_eq!((read.path.as_str(), read.lines), ("a", None));
    }

    #[test]
    fn published_names_of_arguments_are_taken() {
        for published in ["file_path", "folder"] {
            let read = read::<Arguments>("look", &json!({ published: "a" })).unwrap();
            assert_eq!(read.path, "a");
        }
        // Two that mean one are not chosen between.
        let both = read::<Arguments>("look", &json!({"path": "a", "file_path": "b"}));
        assert!(both.unwrap_err().text.contains("file_path"));
    }
}
