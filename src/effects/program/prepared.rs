//! A program as it is started: its command, its variables, its files and its prompt.

use std::collections::BTreeMap;

use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::load::LoadedAgent;
use crate::catalog::agents::placeholder::{Placeholder, PlaceholderValues, filled};
use crate::domain::execution::RUN_ANALYSIS;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::context::Effects;
use crate::effects::environment::Environment;
use crate::effects::session_gate::confinement_of;
use crate::engine::error::EngineError;
use crate::engine::request::AgentRequest;
use crate::engine::session::Session;
use crate::model::proxy::admission::RunToken;
use crate::run::event::Event;
use crate::sandbox::contract::{BESIDE, GATEWAY_PORT};

use super::chosen::agent;
use super::session::{ProgramFile, ProgramPlace};
use super::stage_place;
use super::stage_task;

/// Where the prompt stands in the workspace.
const PROMPT: &str = "logs/agent/prompt.md";

/// The environment that a program is started in, and its folders there.
///
/// # Errors
/// A track without an environment, or one that runs no program.
pub fn place(effects: &Effects, environment: &dyn Environment) -> Result<ProgramPlace, EngineError> {
    environment.program_place().ok_or_else(|| {
        EngineError::Unusable(format!(
            "the environment `{}` runs no program of others: leave --agent out (run {})",
            environment.name(),
            effects.request.run
        ))
    })
}

/// Starts a stage whose agent is a program: the journal holds its prompt.
///
/// # Errors
/// A run that has not begun, an agent that cannot be used, or a journal that cannot be written.
pub fn start_stage(effects: &mut Effects, session: &mut Session, stage: Stage) -> Result<(), EngineError> {
    let none = || EngineError::Unusable("a program is started before the run".to_owned());
    let started = session.state.started.as_ref().ok_or_else(none)?;
    let statement = started.claim.statement.clone();
    let (_, agent) = agent(effects)?;
    let environment = stage_place::environment(effects, session, stage)?;
    let place = place(effects, environment.as_ref())?;
    let mut values = PlaceholderValues::from([
        (
            Placeholder::Session,
            confinement_of(effects, environment.as_ref()),
        ),
        (
            Placeholder::AnswerFile,
            answer_file(&agent.definition, artifact(session, stage)?, &place),
        ),
    ]);
    let (prompt, executes) = match stage_place::stage_sandbox(effects, session, stage)? {
        None => {
            values.insert(Placeholder::Task, statement);
            (filled(&agent.prompt, &values), false)
        }
        Some(sandbox) => {
            let task = stage_task::task(effects, session, stage, &sandbox)?;
            values.extend(task.values);
            (filled(&agent.stage_prompt, &values), task.executes)
        }
    };
    session.record(Event::StageStarted {
        stage,
        system: session.keep(b"")?,
        user: session.keep(prompt.as_bytes())?,
        // The engine calls it when the program has ended.
        tools: executes.then(|| RUN_ANALYSIS.to_owned()).into_iter().collect(),
        native_calls: true,
        by_program: true,
        shrink_at: None,
        shrink_from: 0,
    })
}

/// The file that a stage's agent answers with.
///
/// # Errors
/// A stage that the run's track has not.
pub fn artifact(session: &Session, stage: Stage) -> Result<&str, EngineError> {
    let track = session.state.track();
    track
        .artifact(stage)
        .ok_or_else(|| EngineError::Unusable(format!("the track `{}` has no stage {stage}", track.track)))
}

/// The files that a stage's answer is looked for in, from the folder that the program starts in: the
/// stage's own first, unless the definition names it itself.
pub fn answer_files(definition: &AgentDefinition, artifact: &str) -> Vec<WorkspacePath> {
    let named = &definition.answer.files;
    let own = artifact.parse::<WorkspacePath>().ok();
    let own = own.filter(|own| !named.contains(own));
    own.into_iter().chain(named.iter().cloned()).collect()
}

/// The file that the answer belongs into, as the program sees it.
fn answer_file(definition: &AgentDefinition, artifact: &str, place: &ProgramPlace) -> String {
    let files = answer_files(definition, artifact);
    let path = files.first().map(|file| below(&place.start, file));
    path.map(|path| place.seen(&path)).unwrap_or_default()
}

/// A path below another.
pub fn below(folder: &WorkspacePath, path: &WorkspacePath) -> WorkspacePath {
    format!("{folder}/{path}")
        .parse()
        .unwrap_or_else(|_| path.clone())
}

/// A program that can be started.
pub struct PreparedProgram {
    /// Its command in the words of a shell.
    pub command: String,
    /// Program and arguments for the journal, without the token and the prompt.
    pub words: Vec<String>,
    pub variables: BTreeMap<String, String>,
    pub files: Vec<ProgramFile>,
}

/// The particulars of one start.
pub struct ProgramStart<'a> {
    pub request: &'a AgentRequest,
    pub agent: &'a LoadedAgent,
    pub place: &'a ProgramPlace,
    pub prompt: &'a str,
    /// The name by which the model is called.
    pub model: &'a str,
    pub token: &'a RunToken,
    /// The file of the stage's answer.
    pub artifact: &'a str,
    /// The name of the task.
    pub task: &'a str,
}

impl ProgramStart<'_> {
    /// The program with everything filled in.
    pub fn prepared(&self) -> PreparedProgram {
        let definition = &self.agent.definition;
        let prompt_file = PROMPT.parse::<WorkspacePath>().ok();
        let prompt_path = prompt_file
            .as_ref()
            .map(|path| self.place.seen(path))
            .unwrap_or_default();
        let values = self.values(&prompt_path);
        let files = definition.files.iter().map(|(path, text)| ProgramFile {
            path: below(&self.place.home, path),
            bytes: filled(text, &values).into_bytes(),
        });
        let prompt = prompt_file.map(|path| ProgramFile {
            path,
            bytes: self.prompt.as_bytes().to_vec(),
        });
        let mut variables: BTreeMap<String, String> = [
            // No proxy stands before a loopback.
            ("NO_PROXY", "127.0.0.1,localhost"),
            ("no_proxy", "127.0.0.1,localhost"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let set = definition.environment.iter();
        variables.extend(set.map(|(name, text)| (name.clone(), filled(text, &values))));
        // The journal holds the prompt once, and no token.
        let mut told = values.clone();
        told.remove(&Placeholder::Token);
        told.remove(&Placeholder::Prompt);
        let mut command: Vec<String> = self.words(&values).iter().map(|word| quoted(word)).collect();
        if definition.prompt_on_stdin {
            command.push(format!("< {}", quoted(&prompt_path)));
        }
        PreparedProgram {
            command: command.join(" "),
            words: self.words(&told),
            variables,
            files: files.chain(prompt).collect(),
        }
    }

    fn values(&self, prompt_file: &str) -> PlaceholderValues {
        PlaceholderValues::from([
            (Placeholder::Address, format!("http://127.0.0.1:{GATEWAY_PORT}")),
            (Placeholder::Token, self.token.expose().to_owned()),
            (Placeholder::Model, self.model.to_owned()),
            (Placeholder::Prompt, self.prompt.to_owned()),
            (Placeholder::PromptFile, prompt_file.to_owned()),
            (
                Placeholder::AnswerFile,
                answer_file(&self.agent.definition, self.artifact, self.place),
            ),
            (Placeholder::Arguments, arguments(self.request)),
            (Placeholder::TaskId, self.task.to_owned()),
            (Placeholder::Home, self.place.seen(&self.place.home)),
            (Placeholder::Files, BESIDE.to_owned()),
        ])
    }

    /// The words of the command; what is typed stands as it is.
    fn words(&self, values: &PlaceholderValues) -> Vec<String> {
        let mut words = Vec::new();
        for word in &self.agent.definition.command {
            match word == Placeholder::Program.text() {
                true => words.extend(self.request.program.iter().cloned()),
                false => words.push(filled(word, values)),
            }
        }
        words
    }
}

/// What a program is told by name, as JSON.
fn arguments(request: &AgentRequest) -> String {
    serde_json::to_string(&request.arguments).unwrap_or_default()
}

/// A command that is given from another folder of its sandbox.
pub fn within(folder: &str, command: &str) -> String {
    format!("cd -- {} && {command}", quoted(folder))
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::agents::load::load;

    fn place() -> ProgramPlace {
        ProgramPlace {
            workspace: "/workspace".to_owned(),
            start: "work".parse().unwrap(),
            home: "home".parse().unwrap(),
        }
    }

    #[test]
    fn what_is_typed_reaches_the_program_as_it_is() {
        let request = AgentRequest {
            name: "command".to_owned(),
            program: vec!["python3".to_owned(), "it's {token} $HOME".to_owned()],
            dialect: None,
            files: None,
            files_digest: None,
            release: None,
            agents_dir: None,
            stages: None,
            data_before_plan: false,
            arguments: BTreeMap::new(),
        };
        let agent = load("command", None).unwrap();
        let token = RunToken::new(b"this run's");
        let start = ProgramStart {
            request: &request,
            agent: &agent,
            place: &place(),
            prompt: "the task",
            model: "m",
            token: &token,
            artifact: "report.json",
            task: "t",
        };
        let prepared = start.prepared();
        assert_eq!(prepared.command, "'python3' 'it'\\''s {token} $HOME'");
        assert_eq!(prepared.words, request.program);
        assert_eq!(prepared.variables["OPENAI_BASE_URL"], "http://127.0.0.1:3129/v1");
        assert_eq!(prepared.variables["ANTHROPIC_API_KEY"], token.expose());
        assert_eq!(
            prepared.variables["REPRISE_ANSWER_FILE"],
            "/workspace/work/report.json"
        );
        let prompt = &prepared.files[0];
        assert_eq!(
            (prompt.path.as_str(), prompt.bytes.as_slice()),
            (PROMPT, &b"the task"[..])
        );
        let output = std::process::Command::new("bash")
            .args(["-c", &format!("printf '%s\\n' {}", prepared.command)])
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "python3\nit's {token} $HOME\n"
        );
    }

    #[test]
    fn a_command_is_given_from_a_folder_of_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let named = folder.path().join("it's $HOME");
        std::fs::create_dir(&named).unwrap();
        let command = within(&named.display().to_string(), "pwd");
        let output = std::process::Command::new("bash")
            .args(["-c", &command])
            .output()
            .unwrap();
        assert!(
            String::from_utf8_lossy(&output.stdout).ends_with("/it's $HOME\n"),
            "{command}"
        );
    }

    #[test]
    fn the_journal_has_no_token() {
        let mut agent = load("command", None).unwrap();
        agent.definition.command = vec!["a".to_owned(), "--key={token}".to_owned()];
        let request = AgentRequest {
            name: "command".to_owned(),
            program: Vec::new(),
            dialect: None,
            files: None,
            files_digest: None,
            release: None,
            agents_dir: None,
            stages: None,
            data_before_plan: false,
            arguments: BTreeMap::new(),
        };
        let token = RunToken::new(b"this run's");
        let start = ProgramStart {
            request: &request,
            agent: &agent,
            place: &place(),
            prompt: "",
            model: "m",
            token: &token,
            artifact: "report.json",
            task: "t",
        };
        let prepared = start.prepared();
        assert!(prepared.command.contains(token.expose()));
        assert_eq!(prepared.words, ["a", "--key={token}"]);
    }
}
