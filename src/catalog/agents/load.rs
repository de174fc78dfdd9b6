//! Reading definitions of agents: the embedded ones, and those of a folder before them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::domain::text_place::line_of;

use super::definition::AgentDefinition;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../agents");

/// The file of a definition in the folder of its agent.
const FILE: &str = "agent.toml";
/// The prompt, where an agent has none of its own.
const PROMPT: &str = "prompt.md";
/// The prompt of one stage, where an agent has none of its own.
const STAGE_PROMPT: &str = "stage.md";
/// The folder with the texts that stages share, which is no agent.
const STAGE: &str = "stage";
/// The most bytes of one file.
const LARGEST: u64 = 1 << 20;

/// A fault for which an agent cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("`{}` is not a folder; give `--agents-dir` a folder such as `agents/`.", .0.display())]
    NotAFolder(PathBuf),
    #[error("there is no agent `{name}`: this program has {known}, and `--agents-dir` may hold others.")]
    Unknown { name: String, known: String },
    #[error("`{file}` cannot be read: {error}.")]
    Read { file: String, error: std::io::Error },
    #[error("`{file}` line {line}: {problem}.")]
    Toml {
        file: String,
        line: usize,
        problem: String,
    },
    #[error("`{file}`: {problem}.")]
    Unusable { file: String, problem: String },
}

/// An agent as it can be run.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedAgent {
    pub definition: AgentDefinition,
    /// The prompt of a task that is one piece, with its placeholders.
    pub prompt: String,
    /// The prompt of one stage of several.
    pub stage_prompt: String,
    pub stage_texts: StageTexts,
    /// Where the definition stands.
    pub file: String,
}

/// The parts of a stage's prompt that depend on the stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageTexts {
    /// Where the rows of the data are withheld.
    pub withheld: String,
    /// Where the data are there.
    pub shown: String,
    /// Of a stage behind whose program the engine executes the plan.
    pub execution: String,
    /// Before what is told of a start that did not do.
    pub again: String,
}

impl StageTexts {
    fn load(folder: Option<&Path>) -> Result<Self, AgentError> {
        let text = |name: &str| -> Result<String, AgentError> {
            let found = find(&format!("{STAGE}/{name}"), folder)?;
            Ok(found.map(|found| found.text).unwrap_or_default())
        };
        Ok(Self {
            withheld: text("withheld.md")?,
            shown: text("shown.md")?,
            execution: text("execution.md")?,
            again: text("again.md")?,
        })
    }
}

struct FoundText {
    file: String,
    text: String,
}

/// The names of all agents.
///
/// # Errors
/// A folder that is none or cannot be read.
pub fn names(folder: Option<&Path>) -> Result<Vec<String>, AgentError> {
    let embedded = EMBEDDED.dirs().filter_map(|dir| {
        let name = dir.path().file_name()?.to_str()?;
        EMBEDDED.get_file(format!("{name}/{FILE}")).map(|_| name)
    });
    let mut names: BTreeSet<String> = embedded.map(str::to_owned).collect();
    if let Some(folder) = folder {
        let entries = fs::read_dir(folder).map_err(|_| AgentError::NotAFolder(folder.to_owned()))?;
        let has_file = |path: &PathBuf| path.join(FILE).is_file();
        let found = entries.flatten().map(|entry| entry.path()).filter(has_file);
        names.extend(found.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())));
    }
    Ok(names.into_iter().collect())
}

/// The agent of a name, each of its files from the folder where that has it.
///
/// # Errors
/// A name that no agent has, or a definition that cannot be used.
pub fn load(name: &str, folder: Option<&Path>) -> Result<LoadedAgent, AgentError> {
    let known = names(folder)?;
    if !known.iter().any(|one| one == name) {
        let known = known.join(", ");
        let name = name.to_owned();
        return Err(AgentError::Unknown { name, known });
    }
    let found = find(&format!("{name}/{FILE}"), folder)?;
    let Some(FoundText { file, text }) = found else {
        let problem = "it is missing".to_owned();
        return Err(AgentError::Unusable {
            file: format!("agents/{name}/{FILE}"),
            problem,
        });
    };
    let definition: AgentDefinition = toml::from_str(&text).map_err(|error| AgentError::Toml {
        file: file.clone(),
        line: line_of(&text, error.span().map_or(0, |span| span.start)),
        problem: error.message().to_owned(),
    })?;
    let wrong_name = (definition.agent != name).then(|| {
        format!(
            "it names the agent `{}`, and its folder `{name}`",
            definition.agent
        )
    });
    if let Some(problem) = wrong_name.or_else(|| definition.fault()) {
        return Err(AgentError::Unusable { file, problem });
    }
    let text = |own: &str, shared: &str| -> Result<String, AgentError> {
        let own = find(&format!("{name}/{own}"), folder)?;
        let found = match own {
            Some(own) => Some(own),
            None => find(shared, folder)?,
        };
        Ok(found.map(|found| found.text).unwrap_or_default())
    };
    Ok(LoadedAgent {
        definition,
        prompt: text(PROMPT, PROMPT)?,
        stage_prompt: text(STAGE_PROMPT, &format!("{STAGE}/{PROMPT}"))?,
        stage_texts: StageTexts::load(folder)?,
        file,
    })
}

/// A file, from the folder where that has it.
fn find(name: &str, folder: Option<&Path>) -> Result<Option<FoundText>, AgentError> {
    if let Some(path) = folder
        .map(|folder| folder.join(name))
        .filter(|path| path.exists())
    {
        let file = path.display().to_string();
        let mut text = String::new();
        fs::File::open(&path)
            .and_then(|opened| opened.take(LARGEST).read_to_string(&mut text))
            .map_err(|error| AgentError::Read {
                file: file.clone(),
                error,
            })?;
        return Ok(Some(FoundText { file, text }));
    }
    let embedded = EMBEDDED.get_file(name).and_then(include_dir::File::contents_utf8);
    Ok(embedded.map(|text| FoundText {
        file: format!("agents/{name}"),
        text: text.to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_of_the_program_can_be_used() {
        let names = names(None).unwrap();
        assert!(names.iter().any(|name| name == "command"), "{names:?}");
        for name in names {
            let agent = load(&name, None).unwrap();
            assert!(
                agent.prompt.contains("{task}") && agent.stage_prompt.contains("{task}"),
                "{name}"
            );
            assert!(agent.stage_texts.execution.contains("{plan}"), "{name}");
            assert_eq!(
                agent.definition.takes_program(),
                name == "command" || name == "hal"
            );
        }
    }

    #[test]
    fn a_folder_stands_before_the_program_and_what_is_wrong_with_it_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("mine");
        fs::create_dir(&own).unwrap();
        let write = |text: &str| fs::write(own.join(FILE), text).unwrap();
        let good = "agent = \"mine\"\nabout = \"m\"\ncommand = [\"m\", \"{prompt}\"]\n[limits]\nwall_seconds = 9\n\
            idle_seconds = 9\ngrace_seconds = 0\nrefused_calls = 1\n[answer]\nfiles = [\"a.json\"]\n";
        write(good);
        let found = load("mine", Some(folder.path())).unwrap();
        assert!(!found.definition.takes_program() && found.prompt.contains("{task}"));
        let digest = found.definition.digest();
        let refused = |text: &str| {
            write(text);
            load("mine", Some(folder.path())).unwrap_err().to_string()
        };
        for (from, to, said) in [
            ("{prompt}", "{promt}", "`{promt}` is no placeholder"),
            ("idle_seconds = 9", "idle_seconds = 0", "0 seconds"),
            (
                "[limits]",
                "varying = [\"a(\"]\n[limits]",
                "no regular expression",
            ),
            ("\"a.json\"", "\"../a.json\"", "line 10"),
            ("about = \"m\"\n", "about = \"m\"\nmodle = 1\n", "line 3"),
            ("agent = \"mine\"", "agent = \"yours\"", "names the agent `yours`"),
        ] {
            let said_instead = refused(&good.replace(from, to));
            assert!(said_instead.contains(said), "{said}: {said_instead}");
        }
        write(&good.replace("wall_seconds = 9", "wall_seconds = 8"));
        assert_ne!(
            load("mine", Some(folder.path())).unwrap().definition.digest(),
            digest
        );
        let unknown = load("nobody", Some(folder.path())).unwrap_err().to_string();
        assert!(
            unknown.contains("command") && unknown.contains("mine"),
            "{unknown}"
        );
        assert!(load("mine", Some(&own.join(FILE))).is_err());
    }
}
