//! Tools that the provider runs itself, taken out of requests: they go round the sandbox's network.
//!
//! A tool stays where it is known that its client runs it; any other kind is taken out and named, so
//! that what a provider adds is closed until it has a line here.

use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::proxy::object_text::{FieldChanges, ObjectText, items};

/// Kinds of tools of Responses that the client runs.
const RESPONSES: [&str; 5] = ["function", "custom", "local_shell", "apply_patch", "namespace"];
/// Beginnings of kinds of tools of Messages that the client runs, or that only look through its tools.
const MESSAGES: [&str; 4] = ["bash_", "text_editor_", "memory_", "tool_search_tool_"];
/// The fields of a tool of generateContent that the client runs.
const DECLARATIONS: [&str; 2] = ["functionDeclarations", "function_declarations"];

/// A list of tools without those that the provider runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientTools {
    /// The list, as JSON; `None`: nothing is left.
    pub tools: Option<String>,
    /// The kinds of those that were taken out.
    pub removed: Vec<String>,
}

/// The tools that stay, or `None` where all do.
pub fn without_hosted(dialect: ProxyDialect, tools: &str) -> Option<ClientTools> {
    let Some(all) = items(tools) else {
        return Some(ClientTools {
            tools: None,
            removed: vec!["tools that are no list".to_owned()],
        });
    };
    let mut removed = Vec::new();
    let kept: Vec<String> = all
        .into_iter()
        .filter_map(|tool| kept(dialect, tool, &mut removed))
        .collect();
    (!removed.is_empty()).then(|| ClientTools {
        tools: (!kept.is_empty()).then(|| format!("[{}]", kept.join(","))),
        removed,
    })
}

/// A tool as it stays; what is taken out goes to `removed`.
fn kept(dialect: ProxyDialect, tool: &str, removed: &mut Vec<String>) -> Option<String> {
    let Ok(object) = ObjectText::parse(tool) else {
        removed.push("a tool that cannot be read".to_owned());
        return None;
    };
    if dialect == ProxyDialect::GenerateContent {
        return declared(&object, removed);
    }
    let kind = object.text("type");
    let is_client = match (dialect, kind.as_deref()) {
        (ProxyDialect::ChatCompletions, None) => object.get("function").is_some(),
        (ProxyDialect::ChatCompletions, Some(kind)) => matches!(kind, "function" | "custom"),
        (ProxyDialect::Responses, Some("shell")) => is_local_shell(&object),
        (ProxyDialect::Responses, Some(kind)) => RESPONSES.contains(&kind),
        // A `type` that is no text is none that is known.
        (ProxyDialect::Messages, None) => object.get("type").is_none(),
        (ProxyDialect::Messages, Some(kind)) => {
            kind == "custom" || MESSAGES.iter().any(|begin| kind.starts_with(begin))
        }
        _ => false,
    };
    if !is_client {
        removed.push(kind.unwrap_or_else(|| "a tool without a type".to_owned()));
        return None;
    }
    match object
        .get("tools")
        .filter(|_| kind.as_deref() == Some("namespace"))
    {
        Some(inner) => Some(match without_hosted(dialect, inner) {
            Some(less) => {
                removed.extend(less.removed);
                let mut changes = FieldChanges::default();
                changes.set("tools", less.tools.unwrap_or_else(|| "[]".to_owned()));
                object.changed(&changes)
            }
            None => tool.to_owned(),
        }),
        None => Some(tool.to_owned()),
    }
}

/// Whether a shell of Responses is the client's own, and not a container of the provider's.
fn is_local_shell(tool: &ObjectText<'_>) -> bool {
    let Some(environment) = tool.get("environment") else {
        return false;
    };
    ObjectText::parse(environment).is_ok_and(|place| place.text("type").as_deref() == Some("local"))
}

/// A tool of generateContent with nothing but its functions.
fn declared(tool: &ObjectText<'_>, removed: &mut Vec<String>) -> Option<String> {
    let mut changes = FieldChanges::default();
    let mut declares = false;
    for name in tool.names() {
        if DECLARATIONS.contains(&name) {
            declares = true;
        } else {
            removed.push(name.to_owned());
            changes.remove(name);
        }
    }
    declares.then(|| tool.changed(&changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(dialect: ProxyDialect, tools: &str) -> (Option<String>, Vec<String>) {
        match without_hosted(dialect, tools) {
            Some(less) => (less.tools, less.removed),
            None => (Some(tools.to_owned()), vec![]),
        }
    }

    #[test]
    fn what_the_client_runs_stays_as_it_was_written() {
        for (dialect, tools) in [
            (
                ProxyDialect::ChatCompletions,
                r#"[ {"type":"function", "function":{"name":"a"}} ]"#,
            ),
            (
                ProxyDialect::Responses,
                r#"[{"type":"function","name":"web_search"},{"type":"custom","name":"b"},{"type":"namespace","name":"n","tools":[{"type":"function"}]},{"type":"shell","environment":{"type":"local"}}]"#,
            ),
            (
                ProxyDialect::Messages,
                r#"[{"name":"a","input_schema":{}},{"type":"bash_20250124","name":"bash"}]"#,
            ),
            (
                ProxyDialect::GenerateContent,
                r#"[{"functionDeclarations":[{"name":"a"}]}]"#,
            ),
        ] {
            assert_eq!(left(dialect, tools), (Some(tools.to_owned()), vec![]));
        }
    }

    #[test]
    fn what_the_provider_runs_is_taken_out_and_named() {
        for (dialect, tools, kept, removed) in [
            (
                ProxyDialect::Responses,
                r#"[{"type":"web_search"},{"type":"function","name":"a"},{"type":"mcp","server_url":"http://x"},{"type":"code_interpreter"},{"type":"shell","environment":{"type":"container_auto"}},{"type":"shell"}]"#,
                Some(r#"[{"type":"function","name":"a"}]"#),
                vec!["web_search", "mcp", "code_interpreter", "shell", "shell"],
            ),
            (
                ProxyDialect::Responses,
                r#"[{"type":"namespace","name":"n","tools":[{"type":"web_search_preview"},{"type":"function"}]}]"#,
                Some(r#"[{"type":"namespace","name":"n","tools":[{"type":"function"}]}]"#),
                vec!["web_search_preview"],
            ),
            (
                ProxyDialect::Messages,
                r#"[{"type":"web_fetch_20250910","name":"web_fetch"},{"type":"code_execution_20250825","name":"c"},{"type":7}]"#,
                None,
                vec![
                    "web_fetch_20250910",
                    "code_execution_20250825",
                    "a tool without a type",
                ],
            ),
            (
                ProxyDialect::ChatCompletions,
                r#"[{"type":"web_search"},{"google_search":{}}]"#,
                None,
                vec!["web_search", "a tool without a type"],
            ),
            (
                ProxyDialect::GenerateContent,
                r#"[{"functionDeclarations":[],"googleSearch":{}},{"urlContext":{}}]"#,
                Some(r#"[{"functionDeclarations":[]}]"#),
                vec!["googleSearch", "urlContext"],
            ),
            (
                ProxyDialect::Messages,
                r#"[{"type":"custom","typ\u0065":"web_search_20250305"}]"#,
                None,
                vec!["a tool that cannot be read"],
            ),
            (
                ProxyDialect::Messages,
                r#"{"type":"web_search_20250305"}"#,
                None,
                vec!["tools that are no list"],
            ),
        ] {
            let removed = removed.into_iter().map(str::to_owned).collect();
            assert_eq!(
                left(dialect, tools),
                (kept.map(str::to_owned), removed),
                "{tools}"
            );
        }
    }
}
