//! The environment `shell`: one lasting shell in a sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::environment::{self, WantedEnvironment, is_published};
use super::prepare::{PreparedEnvironment, prepare};
use super::staging::{self, EXCHANGE, HOME, PYTHON_HOME, R_HOME};
use crate::capsule::layout::level::Level;
use crate::domain::execution::Tier;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::environment::{
    ActBefore, ConfinementTerms, Environment, EnvironmentSession, MadeEnvironment, OpenedSession,
    SessionTerms,
};
use crate::engine::error::EngineError;
use crate::sandbox::contract::{INSIDE, Lines};
use crate::sandbox::session::exchange::ControlWord;
use crate::sandbox::session::reply::{CommandStanding, ShellReply};
use crate::sandbox::session::shell::{SessionSpec, ShellSession};
use crate::tools::bash::{Bash, BashAct, BashControl};
use crate::tools::contract::{Observation, Tool};
use crate::tools::cut::{self, Keep, TextCap};
use crate::tools::submit::Submit;

/// The name of the environment.
pub const NAME: &str = "shell";

/// What a model sees of one command's output, at most.
const OUTPUT: TextCap = TextCap {
    lines: 1_000,
    characters: 20_000,
};

/// What a model sees of the packages of its environment, at most.
const PACKAGES: TextCap = TextCap {
    lines: 20,
    characters: 4_000,
};

/// Shells for attempts at capsules.
pub struct Shell;

#[async_trait]
impl Environment for Shell {
    fn name(&self) -> &str {
        NAME
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Bash), Arc::new(Submit)]
    }

    fn needs_sandbox(&self) -> bool {
        true
    }

    fn confinement(&self, terms: ConfinementTerms<'_>) -> String {
        let limits = terms.request.limits;
        let tier = terms.sandbox.map(|sandbox| sandbox.tier());
        let confined = match tier {
            Some(Tier::Docker) => "a container without privileges, with a root that nobody writes",
            Some(Tier::Namespaces) => "namespaces of this machine",
            Some(Tier::Landlock) => "Landlock on this machine",
            None => "nothing",
        };
        let hosts = hosts(terms);
        let network = if hosts.is_empty() {
            "It has no network.".to_owned()
        } else {
            format!(
                "It reaches these hosts over http and https, and no other: {}.",
                hosts.join(", ")
            )
        };
        let level = terms.request.capsule.as_ref().map(|capsule| capsule.level);
        let packages = match level.zip(tier) {
            Some((level, tier)) if is_published(level, tier) => {
                " Beforehand the packages that the capsule's Dockerfile names are installed from their indexes; \
                 none of its commands is run."
            }
            _ => "",
        };
        format!(
            "A shell, confined by {confined}: whatever the agent types is run without a further question. It reads the \
             workspace and writes its folders work/, {HOME}/ and {EXCHANGE}/. {network} It may take {} seconds, {} \
             MiB of memory and {} processes.{packages}",
            limits.seconds,
            limits.memory >> 20,
            limits.processes
        )
    }

    async fn open(
        &self,
        terms: &SessionTerms<'_>,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedSession, EngineError> {
        let request = terms.confinement.request;
        let Some(sandbox) = terms.confinement.sandbox.cloned() else {
            return Err(EngineError::Unusable(
                "this run was started without a sandbox".to_owned(),
            ));
        };
        let language = terms
            .started
            .capsule
            .as_ref()
            .map_or("", |capsule| capsule.language.as_str());
        let language = environment::language(language);
        let tier = sandbox.tier();
        let wanted = match &request.capsule {
            Some(capsule) => environment::wanted(capsule, language, tier),
            None => WantedEnvironment::plain(language),
        };
        let prepared = prepare(sandbox.as_ref(), wanted, cancel, progress).await;
        let PreparedEnvironment {
            digest,
            environment: made,
            notes,
        } = prepared.map_err(EngineError::Environment)?;
        let parse = |path: &str| -> Result<WorkspacePath, EngineError> {
            path.parse()
                .map_err(|error| EngineError::Unusable(format!("{error}")))
        };
        std::fs::create_dir_all(&terms.streams).map_err(|error| EngineError::io(&terms.streams, error))?;
        let session = SessionSpec {
            run: request.run.clone(),
            environment: made.clone(),
            workspace: terms.workspace.clone(),
            directory: parse(WorkspacePath::WORK)?,
            exchange: parse(EXCHANGE)?,
            writable: vec![parse(WorkspacePath::WORK)?, parse(HOME)?],
            variables: variables(terms, tier),
            limits: request.limits,
            hosts: hosts(terms.confinement).to_vec(),
            streams: terms.streams.clone(),
        };
        let taken_up = ShellSession::take_up(&sandbox, &session, commands(terms.acts_before)).await?;
        let is_taken_up = taken_up.is_some();
        let shell = match taken_up {
            Some(shell) => shell,
            None => {
                // Whatever a process that is gone has left would be in the way.
                sandbox.sweep(&request.run).await?;
                if !terms.acts_before.is_empty() || staging::was_used(&terms.workspace) {
                    staging::lay_out_again(terms)?;
                }
                ShellSession::open(Arc::clone(&sandbox), &session).await?
            }
        };
        Ok(OpenedSession {
            session: Box::new(OpenShell {
                shell,
                introduction: terms
                    .acts_before
                    .is_empty()
                    .then(|| introduction(terms.confinement, tier, &notes)),
                notes,
            }),
            is_taken_up,
            made: Some(MadeEnvironment {
                digest,
                tier,
                environment: made,
            }),
        })
    }
}

/// How many commands of the journal the shell was given.
fn commands(acts: &[ActBefore]) -> u32 {
    let given = acts
        .iter()
        .filter(|act| act.ok && act.action.get("command").is_some());
    u32::try_from(given.count()).unwrap_or(u32::MAX)
}

/// The hosts that a session can reach.
fn hosts(terms: ConfinementTerms<'_>) -> &[String] {
    let can_open = terms.sandbox.is_some_and(|sandbox| sandbox.opens_hosts().is_ok());
    match &terms.request.capsule {
        Some(capsule) if can_open => &capsule.hosts,
        _ => &[],
    }
}

/// Variables by which installations go to where they may be written.
fn variables(terms: &SessionTerms<'_>, tier: Tier) -> BTreeMap<String, String> {
    let inside = match tier {
        Tier::Landlock => terms.workspace.display().to_string(),
        _ => INSIDE.to_owned(),
    };
    let home = format!("{inside}/{HOME}");
    [
        ("HOME", home.clone()),
        ("PIP_TARGET", format!("{home}/{PYTHON_HOME}")),
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1".to_owned()),
        ("PYTHONPATH", format!("{home}/{PYTHON_HOME}")),
        ("R_LIBS_USER", format!("{home}/{R_HOME}")),
        ("REPRISE_PATH", format!("{home}/{PYTHON_HOME}/bin")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// What an agent has to know of the session besides its task.
fn introduction(terms: ConfinementTerms<'_>, tier: Tier, notes: &[String]) -> String {
    let limits = terms.request.limits;
    let hosts = hosts(terms);
    let network = if hosts.is_empty() {
        "it has no network, so that nothing can be installed".to_owned()
    } else {
        format!("it reaches {} over http and https", hosts.join(", "))
    };
    let where_to = match tier {
        Tier::Landlock => "",
        _ => " Its files are below /workspace.",
    };
    format!(
        "[The session: it may take {} seconds and {} MiB of memory; {network}.{where_to} pip and install.packages \
         write to the folder `{HOME}` of the workspace; there is no root.{}]",
        limits.seconds,
        limits.memory >> 20,
        packages(terms, tier, notes)
    )
}

/// What an agent has to know of the packages. What its level takes away is not told in words either.
fn packages(terms: ConfinementTerms<'_>, tier: Tier, notes: &[String]) -> String {
    let Some(capsule) = &terms.request.capsule else {
        return String::new();
    };
    if !is_published(capsule.level, tier) {
        return String::new();
    }
    let mut text =
        " The packages that the capsule was published with are installed, as far as they can be had."
            .to_owned();
    if capsule.level == Level::Medium && !notes.is_empty() {
        text.push(' ');
        text.push_str(&notes.join(" "));
    }
    cut::cut(
        &text,
        PACKAGES,
        Keep::Beginning,
        "the rest is in the report of the run",
    )
}

/// A shell that is open.
struct OpenShell {
    shell: ShellSession,
    /// Told with the first reply.
    introduction: Option<String>,
    /// How its environment differs from the published one.
    notes: Vec<String>,
}

#[async_trait]
impl EnvironmentSession for OpenShell {
    async fn act(&mut self, action: &Value, _: &CancellationToken) -> Result<Observation, EngineError> {
        let act: BashAct = serde_json::from_value(action.clone())
            .map_err(|error| EngineError::Unusable(format!("an act of the shell cannot be read: {error}")))?;
        let is_busy = self.shell.is_busy();
        let reply = match act {
            BashAct::Command { .. } if is_busy => {
                return Ok(Observation::bad(
                    "Nothing was run: the command before still runs. Wait for it, interrupt it or kill it by `control`.",
                ));
            }
            BashAct::Control { .. } if !is_busy => {
                return Ok(Observation::bad(
                    "No command is under way: give one by `command`.",
                ));
            }
            BashAct::Command { command, seconds } => {
                self.shell.run(&command, Duration::from_secs(seconds)).await?
            }
            BashAct::Control { control, seconds } => match control {
                BashControl::Wait => self.shell.wait(Duration::from_secs(seconds)).await?,
                BashControl::Interrupt => self.shell.stop(ControlWord::Interrupt).await?,
                BashControl::Kill => self.shell.stop(ControlWord::Kill).await?,
            },
        };
        let mut observation = observation(&reply);
        if let Some(introduction) = self.introduction.take() {
            // Another machine confines otherwise.
            observation.stable.get_or_insert(observation.text.clone());
            observation.text = format!("{introduction}\n{}", observation.text);
        }
        Ok(observation)
    }

    async fn close(self: Box<Self>) -> Vec<String> {
        let mut notes = self.notes;
        notes.extend(self.shell.close().await);
        notes
    }
}

fn observation(reply: &ShellReply) -> Observation {
    let whole = format!("the whole is in `{EXCHANGE}/{}`", reply.file);
    let mut text = cut::cut(&reply.output.text(), OUTPUT, Keep::BothEnds, &whole);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let (said, ok) = match &reply.standing {
        CommandStanding::Ended(code) => (format!("[exit status {code}]"), true),
        CommandStanding::ShellGone(code) => (
            format!(
                "[The shell ended with exit status {code}. Another one stands in its place, in work/ and without its \
                 variables.]"
            ),
            true,
        ),
        CommandStanding::Running => (
            "[The command still runs: give `control` \"wait\", \"interrupt\" or \"kill\".]".to_owned(),
            true,
        ),
        CommandStanding::SessionOver(why) => (
            format!("[The session is over: {why}. Hand in what you have with `submit`.]"),
            false,
        ),
    };
    text.push_str(&said);
    Observation {
        text,
        stable: None,
        ok,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::session::reply::CappedOutput;

    #[test]
    fn a_reply_says_how_the_command_stands() {
        let told = |standing, output: &str| {
            observation(&ShellReply {
                standing,
                output: CappedOutput {
                    beginning: output.into(),
                    ..CappedOutput::default()
                },
                file: "3.out".to_owned(),
            })
        };
        assert_eq!(told(CommandStanding::Ended(1), "a").text, "a\n[exit status 1]");
        assert!(told(CommandStanding::Running, "").ok);
        let over = told(
            CommandStanding::SessionOver("the session was stopped at its time limit".to_owned()),
            "",
        );
        assert!(!over.ok && over.text.contains("time limit. Hand in"));
        let long = told(CommandStanding::Ended(0), &"line\n".repeat(5000)).text;
        assert!(
            long.len() < 21_000 && long.contains("the whole is in `logs/shell/3.out`"),
            "{long}"
        );
    }
}
