//! Placeholders in the texts of an agent's definition, which are filled in for each run.

use std::collections::BTreeMap;

use crate::domain::lazy_regex::LazyRegex;

static NAME: LazyRegex = LazyRegex::new(r"\{([a-z_]+)\}");

/// A part of a text that differs from run to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placeholder {
    /// The base address of the model, without a path.
    Address,
    /// The word that stands for a key there.
    Token,
    /// The name of the model.
    Model,
    /// The task in words.
    Prompt,
    /// The file that holds the prompt.
    PromptFile,
    /// The file that the answers belong into.
    AnswerFile,
    /// The home folder.
    Home,
    /// The folder with the files of the agent.
    Files,
    /// The program and its arguments, as they were typed.
    Program,
    /// The text of the task, in a prompt.
    Task,
    /// What confines the session, in a prompt.
    Session,
    /// What of the data is there, in the prompt of a stage.
    Data,
    /// How commands are executed, in the prompt of a stage.
    Execution,
    /// The name of the plan's file, in the prompt of a stage.
    Plan,
    /// What the agent is told by name, as JSON.
    Arguments,
    /// The name of the task.
    TaskId,
}

/// Values of placeholders.
pub type PlaceholderValues = BTreeMap<Placeholder, String>;

impl Placeholder {
    const ALL: [Self; 16] = [
        Self::Address,
        Self::Token,
        Self::Model,
        Self::Prompt,
        Self::PromptFile,
        Self::AnswerFile,
        Self::Home,
        Self::Files,
        Self::Program,
        Self::Task,
        Self::Session,
        Self::Data,
        Self::Execution,
        Self::Plan,
        Self::Arguments,
        Self::TaskId,
    ];

    /// The placeholder as it stands in a text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Address => "{address}",
            Self::Token => "{token}",
            Self::Model => "{model}",
            Self::Prompt => "{prompt}",
            Self::PromptFile => "{prompt_file}",
            Self::AnswerFile => "{answer_file}",
            Self::Home => "{home}",
            Self::Files => "{files}",
            Self::Program => "{program}",
            Self::Task => "{task}",
            Self::Session => "{session}",
            Self::Data => "{data}",
            Self::Execution => "{execution}",
            Self::Plan => "{plan}",
            Self::Arguments => "{arguments}",
            Self::TaskId => "{task_id}",
        }
    }

    /// The placeholder of a name.
    pub fn find(name: &str) -> Option<Self> {
        let same = |one: &Self| one.text().trim_matches(['{', '}']) == name;
        Self::ALL.into_iter().find(same)
    }

    pub(super) fn listed() -> String {
        Self::ALL.map(Self::text).join(", ")
    }
}

/// The names in braces in a text.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    NAME.captures_iter(text)
        .filter_map(|found| Some(found.get(1)?.as_str()))
}

/// A text with its placeholders filled in, each once: what a value holds is no placeholder.
pub fn filled(text: &str, values: &PlaceholderValues) -> String {
    let value = |found: &regex::Captures<'_>| {
        let placeholder = Placeholder::find(&found[1]);
        let value = placeholder.and_then(|placeholder| values.get(&placeholder));
        value.map_or_else(|| found[0].to_owned(), Clone::clone)
    };
    NAME.replace_all(text, value).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_filled_in_once_and_other_braces_stay() {
        let values = PlaceholderValues::from([
            (Placeholder::Address, "http://127.0.0.1:1".to_owned()),
            (Placeholder::Token, "{address}".to_owned()),
        ]);
        let text = "{\"a\": {\"url\": \"{address}/v1\", \"key\": \"{token}\"}} {other}";
        let expected = "{\"a\": {\"url\": \"http://127.0.0.1:1/v1\", \"key\": \"{address}\"}} {other}";
        assert_eq!(filled(text, &values), expected);
        assert_eq!(
            placeholders(text).collect::<Vec<_>>(),
            ["address", "token", "other"]
        );
    }
}
