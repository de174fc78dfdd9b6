//! The tools by their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::ask_person::AskPerson;
use super::contract::{Observation, Tool, ToolOutcome};
use super::edit_file::EditFile;
use super::fetch_page::FetchPage;
use super::inspect_data::{DataReader, InspectData};
use super::list_files::ListFiles;
use super::personal_data::PersonalData;
use super::read_file::{DocumentReader, ReadFile};
use super::run_analysis::RunAnalysis;
use super::search_files::SearchFiles;
use super::web_search::WebSearch;
use super::workspace::Workspace;
use super::write_file::{Writable, WriteFile};
use crate::documents::table::personal::Privacy;
use crate::domain::excerpt;
use crate::model::chat::ToolSpec;

/// Every tool that a stage may offer.
#[derive(Clone)]
pub struct Registry {
    tools: BTreeMap<&'static str, Arc<dyn Tool>>,
}

/// A stage names a tool that there is none of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool `{name}`{suggestion}; the tools are {known}")]
pub struct UnknownTool {
    pub name: String,
    pub suggestion: String,
    pub known: String,
}

impl Registry {
    /// All tools, over the readers of documents and data sets, the places that may be written and
    /// the personal columns that may be shown.
    pub fn standard(
        documents: Arc<dyn DocumentReader>,
        data: Arc<dyn DataReader>,
        writable: Writable,
        privacy: Privacy,
    ) -> Self {
        let personal = PersonalData::new(data.clone(), privacy.clone());
        Self::new([
            Arc::new(ListFiles) as Arc<dyn Tool>,
            Arc::new(ReadFile::new(documents, personal.clone())),
            Arc::new(SearchFiles::new(personal)),
            Arc::new(InspectData::new(data, privacy)),
            Arc::new(EditFile::new(writable.clone())),
            Arc::new(WriteFile::new(writable)),
            Arc::new(RunAnalysis),
            Arc::new(AskPerson),
            Arc::new(WebSearch),
            Arc::new(FetchPage),
        ])
    }

    /// The given tools.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        Self {
            tools: tools.into_iter().map(|tool| (tool.name(), tool)).collect(),
        }
    }

    /// These tools and another one.
    #[must_use]
    pub fn with(mut self, tool: Arc<dyn Tool>) -> Self {
        self.tools.insert(tool.name(), tool);
        self
    }

    /// The names of all tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.tools.keys().copied()
    }

    /// The tool of a name.
    ///
    /// # Errors
    /// A name that no tool has, with those that are near.
    pub fn get(&self, name: &str) -> Result<&dyn Tool, UnknownTool> {
        match self.tools.get(name) {
            Some(tool) => Ok(tool.as_ref()),
            None => Err(unknown(name, &self.names().collect::<Vec<_>>())),
        }
    }

    /// The descriptions of the named tools, in the order of the names.
    ///
    /// # Errors
    /// A name that no tool has, with those that are near.
    pub fn specs<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<Vec<ToolSpec>, UnknownTool> {
        names.into_iter().map(|name| Ok(self.get(name)?.spec())).collect()
    }

    /// Calls a tool, if it is among those that were `offered`.
    pub fn call(
        &self,
        name: &str,
        arguments: &Value,
        offered: &[&str],
        workspace: &Workspace,
    ) -> ToolOutcome {
        match self.tools.get(name) {
            Some(tool) if offered.contains(&name) => tool.call(arguments, workspace),
            _ => {
                let problem = unknown(name, offered);
                ToolOutcome::Observed(Observation::bad(format!("Nothing was run: {problem}.")))
            }
        }
    }
}

fn unknown(name: &str, known: &[&str]) -> UnknownTool {
    let short = excerpt::start(name, 80).to_owned();
    let near = similar::get_close_matches(short.as_str(), known, 1, 0.6);
    UnknownTool {
        suggestion: near
            .first()
            .map_or(String::new(), |near| format!(", did you mean `{near}`?")),
        known: known
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
        name: short,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::contract::Request;
    use super::super::fixture::{Fixture, InProcess};
    use super::super::read_file::PlainText;
    use super::*;

    fn registry() -> Registry {
        Registry::standard(
            Arc::new(PlainText),
            Arc::new(InProcess),
            Writable::default(),
            Privacy::default(),
        )
    }

    #[test]
    fn specs_are_flat_and_every_argument_is_described() {
        let registry = registry();
        assert_eq!(registry.names().count(), 10);
        for spec in registry.specs(registry.names()).unwrap() {
            let text = spec.parameters.to_string();
            assert!(!text.contains("$ref") && !text.contains("$defs"), "{text}");
            assert_eq!(
                spec.parameters["additionalProperties"],
                json!(false),
                "{}",
                spec.name
            );
            for (name, property) in spec.parameters["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{} {name}", spec.name);
            }
        }
        let ordered = registry.specs(["web_search", "ask_person"]).unwrap();
        assert_eq!(
            [ordered[0].name.as_str(), ordered[1].name.as_str()],
            ["web_search", "ask_person"]
        );
    }

    #[test]
    fn an_unknown_tool_is_corrected() {
        let registry = registry();
        let fixture = Fixture::new(&[]);
        let call =
            |name: &str, offered: &[&str]| match registry.call(name, &json!({}), offered, &fixture.workspace)
            {
                ToolOutcome::Observed(seen) => seen.text,
                other => panic!("{other:?}"),
            };
        assert_eq!(
            call("read_flie", &["read_file", "list_files"]),
            "Nothing was run: there is no tool `read_flie`, did you mean `read_file`?; the tools are \
             `read_file`, `list_files`."
        );
        assert!(call("run_analysis", &["read_file"]).contains("there is no tool `run_analysis`"));
        assert!(registry.specs(["nothing"]).is_err());
    }

    #[test]
    fn requests_are_handed_to_the_engine() {
        let registry = registry();
        let fixture = Fixture::new(&[]);
        let call =
            |name: &str, arguments: Value| registry.call(name, &arguments, &[name], &fixture.workspace);
        for (name, arguments, request) in [
            (
                "run_analysis",
                json!({}),
                Request::RunAnalysis {
                    reason: String::new(),
                },
            ),
            (
                "ask_person",
                json!({"question": " Why? "}),
                Request::AskPerson {
                    question: "Why?".into(),
                },
            ),
            (
                "web_search",
                json!({"query": "osf mu4rs"}),
                Request::WebSearch {
                    query: "osf mu4rs".into(),
                    limit: 10,
                },
            ),
            (
                "fetch_page",
                json!({"url": "https://osf.io/mu4rs"}),
                Request::FetchPage {
                    url: "https://osf.io/mu4rs".into(),
                },
            ),
        ] {
            assert_eq!(call(name, arguments), ToolOutcome::Wanted(request));
        }
        for (name, arguments, argument) in [
            ("run_analysis", json!({"reason": 1}), "`reason`"),
            ("ask_person", json!({"question": " "}), "`question`"),
            ("web_search", json!({"query": "x", "limit": 99}), "`limit`"),
            ("fetch_page", json!({"url": "file:///etc/passwd"}), "`url`"),
            ("fetch_page", json!({"url": "https://user:pw@osf.io"}), "`url`"),
        ] {
            match call(name, arguments) {
                ToolOutcome::Observed(seen) => {
                    assert!(!seen.ok && seen.text.contains(argument), "{}", seen.text)
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
