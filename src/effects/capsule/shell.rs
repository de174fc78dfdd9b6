//! The environment `shell`: one lasting shell in a sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::environment::{self, WantedEnvironment, is_published};
use super::introduction::{hosts, introduced};
use super::laid_beneath;
use super::prepare::{PreparedEnvironment, prepare};
use super::staging::{self, EXCHANGE, R_HOME};
use crate::capsule::dockerfile::published::CodeLanguage;
use crate::domain::execution::Tier;
use crate::effects::environment::{
    ActBefore, ConfinementTerms, Environment, EnvironmentSession, LeftAct, OpenedSession, SessionTerms,
};
use crate::effects::lasting::open::{self as lasting, LastingEnvironment, LastingSpec};
use crate::effects::lasting::program_shell;
use crate::effects::lasting::words;
use crate::effects::lasting::workspace::HOME;
use crate::effects::lock_wish::LockWish;
use crate::effects::made_environment::MadeEnvironment;
use crate::effects::program::session::{OpenedProgram, ProgramOrder, ProgramPlace};
use crate::engine::error::EngineError;
use crate::run::event::RunStarted;
use crate::sandbox::contract::{INSIDE, Lines, Sandbox};
use crate::sandbox::session::exchange::ControlWord;
use crate::sandbox::session::reply::{CommandStanding, CommandsBefore, ShellReply};
use crate::sandbox::session::shell::{SessionKind, SessionSpec, ShellSession};
use crate::tools::bash::{Bash, BashAct, BashControl};
use crate::tools::contract::{CommandProgress, Observation, Tool};
use crate::tools::cut::{self, Keep, TextCap};
use crate::tools::submit::Submit;

/// The name of the environment.
pub const NAME: &str = "shell";

/// What a model sees of one command's output, at most.
const OUTPUT: TextCap = TextCap {
    lines: 1_000,
    characters: 20_000,
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

    fn wished(&self, terms: ConfinementTerms<'_>, started: &RunStarted) -> Option<LockWish> {
        let tier = terms.sandbox?.tier();
        Some(LockWish {
            spec: environment::wanted(terms.request.capsule.as_ref()?, language_of(started), tier).spec,
            // By the operator's table of stand-ins.
            keeps_image: true,
        })
    }

    fn confinement(&self, terms: ConfinementTerms<'_>) -> String {
        let limits = terms.request.limits;
        let tier = terms.sandbox.map(|sandbox| sandbox.tier());
        let confined = words::confined_by(tier);
        let hosts = hosts(terms);
        let network = words::network(hosts) + &words::day(hosts, terms.request.as_of());
        let level = terms.request.capsule.as_ref().map(|capsule| capsule.level);
        let packages = match level.zip(tier) {
            Some((level, tier)) if is_published(level, tier) => {
                " Beforehand the packages that the capsule's Dockerfile names are installed from their indexes; \
                 none of its commands is run."
            }
            _ => "",
        };
        let lock = terms.lock.map_or_else(String::new, |lock| {
            let digest = lock.digest().short();
            format!(
                " Those packages are held to the lock {digest}, as of {}.",
                lock.as_of.day
            )
        });
        format!(
            "A shell, confined by {confined}: whatever the agent types is run without a further question. It reads the \
             workspace and writes its folders work/, {HOME}/ and {EXCHANGE}/. {network} It may take {} seconds, {} \
             MiB of memory and {} processes.{packages}{lock}",
            limits.seconds,
            limits.memory >> 20,
            limits.processes
        )
    }

    fn command(&self, action: &Value) -> Option<String> {
        action["command"].as_str().map(str::to_owned)
    }

    async fn lives_on(&self, terms: &SessionTerms<'_>) -> Result<bool, EngineError> {
        lasting::lives_on(terms).await
    }

    fn program_place(&self) -> Option<ProgramPlace> {
        program_shell::place()
    }

    async fn open_program(
        &self,
        terms: &SessionTerms<'_>,
        order: &ProgramOrder,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedProgram, EngineError> {
        program_shell::open_in(self, terms, order, cancel, progress).await
    }

    async fn open(
        &self,
        terms: &SessionTerms<'_>,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedSession, EngineError> {
        let opened = lasting::open(self, terms, cancel, progress).await?;
        let introduction = terms.acts_before.is_empty();
        let session = OpenShell {
            shell: opened.session,
            introduction: introduction
                .then(|| introduced(terms.confinement, opened.made.tier, &opened.made.notes)),
            notes: opened.made.notes.clone(),
        };
        Ok(OpenedSession {
            session: Box::new(session),
            is_taken_up: opened.is_taken_up,
            made: Some(opened.made),
        })
    }
}

#[async_trait]
impl LastingEnvironment for Shell {
    type Session = ShellSession;

    const EXCHANGE: &str = EXCHANGE;

    async fn made(
        &self,
        terms: &SessionTerms<'_>,
        sandbox: &dyn Sandbox,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<MadeEnvironment, EngineError> {
        let language = language_of(terms.started);
        let tier = sandbox.tier();
        let wanted = match &terms.confinement.request.capsule {
            Some(capsule) => environment::wanted(capsule, language, tier),
            None => WantedEnvironment::plain(language),
        };
        let wanted = match terms.confinement.lock {
            Some(lock) => wanted.held_to(lock),
            None => wanted,
        };
        let prepared = prepare(sandbox, wanted, cancel, progress).await;
        let PreparedEnvironment {
            digest,
            environment,
            notes,
        } = prepared.map_err(EngineError::Environment)?;
        Ok(MadeEnvironment {
            digest,
            tier,
            environment,
            notes,
        })
    }

    fn specification(
        &self,
        terms: &SessionTerms<'_>,
        made: &MadeEnvironment,
    ) -> Result<SessionSpec, EngineError> {
        let own = LastingSpec {
            kind: SessionKind::Shell,
            exchange: EXCHANGE,
            hosts: hosts(terms.confinement),
            variables: variables(terms, made.tier),
        };
        let spec = lasting::specification(terms, made, own)?;
        Ok(SessionSpec {
            beneath: laid_beneath::of(terms.confinement.request, &terms.streams)?,
            ..spec
        })
    }

    fn before(&self, acts: &[ActBefore]) -> CommandsBefore {
        CommandsBefore {
            number: commands(acts),
            told: 0,
        }
    }

    fn lay_out_again(&self, terms: &SessionTerms<'_>) -> Result<(), EngineError> {
        staging::lay_out_again(terms)
    }
}

/// The language of a run's capsule.
fn language_of(started: &RunStarted) -> CodeLanguage {
    let capsule = started.capsule.as_ref();
    environment::language(capsule.map_or("", |capsule| capsule.language.as_str()))
}

/// How many commands of the journal the shell was given.
fn commands(acts: &[ActBefore]) -> u32 {
    let given = acts
        .iter()
        .filter(|act| act.ok && act.action.get("command").is_some());
    u32::try_from(given.count()).unwrap_or(u32::MAX)
}

/// Variables by which installations go to where they may be written.
fn variables(terms: &SessionTerms<'_>, tier: Tier) -> BTreeMap<String, String> {
    let inside = match tier {
        Tier::Landlock => terms.workspace.display().to_string(),
        _ => INSIDE.to_owned(),
    };
    let mut variables = lasting::variables(&inside);
    variables.insert("R_LIBS_USER".to_owned(), format!("{inside}/{HOME}/{R_HOME}"));
    variables
}

/// A shell that is open.
struct OpenShell {
    shell: ShellSession,
    /// Told with the first reply.
    introduction: Option<String>,
    /// How its environment differs from the published one.
    notes: Vec<String>,
}

impl OpenShell {
    /// The first reply says what the shell is confined by.
    fn introduced(&mut self, mut observation: Observation) -> Observation {
        if let Some(introduction) = self.introduction.take() {
            // Another machine confines otherwise.
            observation.stable.get_or_insert(observation.text.clone());
            observation.text = format!("{introduction}\n{}", observation.text);
        }
        observation
    }
}

#[async_trait]
impl EnvironmentSession for OpenShell {
    async fn act(&mut self, action: &Value, _: &CancellationToken) -> Result<Observation, EngineError> {
        let act: BashAct = serde_json::from_value(action.clone())
            .map_err(|error| EngineError::Unusable(format!("an act of the shell cannot be read: {error}")))?;
        let is_busy = self.shell.is_busy().await;
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
        Ok(self.introduced(observation(&reply)))
    }

    fn can_be_left(&self, action: &Value) -> bool {
        let ends = |control: &Value| control == "interrupt" || control == "kill";
        !action.get("control").is_some_and(ends)
    }

    async fn leave(&mut self, action: &Value, after: Duration) -> Result<LeftAct, EngineError> {
        let reply = self.shell.wait(Duration::ZERO).await?;
        let mut action = action.clone();
        // Whoever does it again waits as long, and no longer.
        let seconds = after.as_secs().saturating_add(1);
        let asked = action["seconds"].as_u64().unwrap_or(seconds);
        action["seconds"] = json!(seconds.min(asked));
        Ok(LeftAct {
            observation: self.introduced(observation(&reply)),
            action,
        })
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
    let command = match reply.standing {
        CommandStanding::Ended(status) | CommandStanding::ShellGone(status) => {
            Some(CommandProgress::Ended(status))
        }
        CommandStanding::Running => Some(CommandProgress::Running),
        CommandStanding::SessionOver(_) => None,
    };
    Observation {
        text,
        stable: None,
        ok,
        command,
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
                upto: 0,
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
