//! One shell in a sandbox.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::exchange::{ControlWord, Exchange};
use super::reply::{CappedOutput, CommandStanding, CommandsBefore, ShellReply};
use crate::domain::execution::{Ending, Environment, Limits};
use crate::domain::ids::RunId;
use crate::domain::workspace_path::WorkspacePath;
use crate::sandbox::beneath::Beneath;
use crate::sandbox::contract::{Ended, Execution, Sandbox, SandboxError};
use crate::sandbox::disk::Disks;
use crate::sandbox::processor_share::elapsed;

const SERVE: &str = include_str!("serve.sh");
const SHELL: &str = include_str!("shell.sh");
const SERVE_KERNEL: &str = include_str!("serve_kernel.py");

/// How long a shell may take to listen: this and the next counted by its share of the processors.
const STARTING: Duration = Duration::from_secs(60);
/// How long a command may take to end after it was interrupted or killed, before its shell
/// is ended.
const ENDING: Duration = Duration::from_secs(5);
/// How long the sandbox may take to be gone.
const CLOSING: Duration = Duration::from_secs(30);
/// How long a sandbox may take, counted likewise, to notice that its disk is nearly full.
const NOTICING: Duration = Duration::from_secs(3);
/// The longest time between two looks.
const LOOK: Duration = Duration::from_millis(20);
/// Bytes of output that a reply holds.
const CAP: u64 = 1 << 20;

/// The thing that a session serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// `bash`: commands.
    Shell,
    /// A kernel of IPython: cells.
    Kernel,
}

/// The place and the confinement of a session.
#[derive(Debug, Clone)]
pub struct SessionSpec {
    pub run: RunId,
    pub kind: SessionKind,
    pub environment: Environment,
    /// The workspace on the host.
    pub workspace: PathBuf,
    /// The folder of the workspace that the shell starts in.
    pub directory: WorkspacePath,
    /// The folder of the exchange; it is there, and writable inside.
    pub exchange: WorkspacePath,
    /// The folders that can be written besides.
    pub writable: Vec<WorkspacePath>,
    /// Variables of the shell.
    pub variables: BTreeMap<String, String>,
    /// `seconds` are those of the whole session.
    pub limits: Limits,
    /// Hosts that can be reached over http and https.
    pub hosts: Vec<String>,
    /// A socket on the host that the port of a gateway inside leads to.
    pub gateway: Option<PathBuf>,
    /// A folder of the host that appears beside the workspace, read-only.
    pub beside: Option<PathBuf>,
    /// A folder that lies beneath one of the writable ones, copy-on-write.
    pub beneath: Option<Beneath>,
    /// Whether it outlives an engine that is killed, where the back end can have that.
    pub lasting: bool,
    /// A folder on the host, outside the workspace, for what the sandbox itself says.
    pub streams: PathBuf,
}

impl SessionSpec {
    /// The execution that serves the shell.
    fn execution(&self, mark: &str) -> Execution {
        // From where it starts, since not every back end can choose the place of the workspace.
        let up = self
            .directory
            .as_str()
            .split('/')
            .filter(|part| !part.is_empty())
            .map(|_| "../");
        let folder = format!("{}{}", up.collect::<String>(), self.exchange);
        let command: Vec<&str> = match self.kind {
            SessionKind::Shell => {
                vec![
                    "bash",
                    "--noprofile",
                    "--norc",
                    "-c",
                    SERVE,
                    "reprise",
                    &folder,
                    SHELL,
                    mark,
                ]
            }
            SessionKind::Kernel => vec!["python3", "-u", "-c", SERVE_KERNEL, &folder, mark],
        };
        let command = command.into_iter().map(str::to_owned).collect();
        let mut writable = self.writable.clone();
        writable.push(self.exchange.clone());
        Execution {
            run: self.run.clone(),
            environment: self.environment.clone(),
            command,
            workspace: self.workspace.clone(),
            directory: self.directory.clone(),
            writable,
            watched: Vec::new(),
            variables: self.variables.clone(),
            limits: self.limits,
            hosts: self.hosts.clone(),
            gateway: self.gateway.clone(),
            beside: self.beside.clone(),
            ado: None,
            beneath: self.beneath.clone(),
            lasting: self.lasting,
            stdout: self.streams.join("session.out"),
            stderr: self.streams.join("session.err"),
        }
    }
}

/// A shell that lives. It ends with this value, and whatever it runs ends with it.
pub struct ShellSession {
    exchange: Exchange,
    served: Option<JoinHandle<Result<Ended, SandboxError>>>,
    cancel: CancellationToken,
    _ends_with_this: DropGuard,
    /// The number of the last command; 0 before the first.
    number: u32,
    /// How much of its output was told.
    told: u64,
    /// Whether its next command may have been given by an engine that is gone.
    taken_up: bool,
    /// Why it is over, once it is.
    over: Option<String>,
    /// How its sandbox ended by itself, where it did.
    ending: Option<Ending>,
    /// The disk that its command writes to.
    disks: Disks,
    /// The folder whose disk others filled, by which it is over.
    full: Option<PathBuf>,
    /// The word by which its processes are known.
    mark: String,
}

impl ShellSession {
    /// Takes up the shell of an engine that is gone; `None` where no such shell is there.
    ///
    /// # Errors
    /// A sandbox that does not answer.
    pub async fn take_up(
        sandbox: &Arc<dyn Sandbox>,
        spec: &SessionSpec,
        before: CommandsBefore,
    ) -> Result<Option<Self>, SandboxError> {
        if !sandbox.has_lasting(&spec.run).await? {
            return Ok(None);
        }
        let Ok(exchange) = Exchange::open(&spec.exchange.below(&spec.workspace)) else {
            return Ok(None);
        };
        let Some(mark) = exchange.mark() else {
            return Ok(None);
        };
        let disks = disks(spec);
        let serving = Serving::start(sandbox, spec.execution(&mark));
        Ok(Some(Self {
            taken_up: true,
            told: before.told,
            ..Self::over(exchange, serving, before.number, disks)
        }))
    }

    /// Starts a shell and waits until it listens.
    ///
    /// # Errors
    /// A sandbox that does not start, or has no `bash`.
    pub async fn open(sandbox: Arc<dyn Sandbox>, spec: &SessionSpec) -> Result<Self, SandboxError> {
        let folder = spec.exchange.below(&spec.workspace);
        let exchange = Exchange::open(&folder).map_err(|error| {
            SandboxError::Failed(format!("the folder {} cannot be used: {error}", folder.display()))
        })?;
        let mark = format!("{:016x}", rand::random::<u64>());
        let execution = spec.execution(&mark);
        let disks = disks(spec);
        let mut serving = Serving::start(&sandbox, execution);
        let begin = Instant::now();
        let mut look = Look::default();
        while exchange.mark().as_deref() != Some(&mark) {
            if serving.served.is_finished() {
                let ended = (&mut serving.served)
                    .await
                    .map_err(|error| SandboxError::Failed(error.to_string()))?;
                return Err(not_started(spec, ended).await);
            }
            if elapsed(begin) > STARTING {
                serving.cancel.cancel();
                return Err(SandboxError::Failed(format!(
                    "the shell did not listen within {} seconds",
                    STARTING.as_secs()
                )));
            }
            look.pause().await;
        }
        Ok(Self::over(exchange, serving, 0, disks))
    }

    fn over(exchange: Exchange, serving: Serving, number: u32, disks: Disks) -> Self {
        Self {
            mark: exchange.mark().unwrap_or_default(),
            exchange,
            served: Some(serving.served),
            _ends_with_this: serving.cancel.clone().drop_guard(),
            cancel: serving.cancel,
            number,
            told: 0,
            taken_up: false,
            over: None,
            ending: None,
            disks,
            full: None,
        }
    }

    /// Whether the last command still runs, in a session that is not over.
    pub async fn is_busy(&mut self) -> bool {
        self.number > 0 && self.standing() == CommandStanding::Running && !self.is_over().await
    }

    /// Runs a command for at most `patience`; then it still runs, to be waited for.
    ///
    /// # Errors
    /// A shell that cannot be given a command although it lives.
    pub async fn run(&mut self, command: &str, patience: Duration) -> Result<ShellReply, SandboxError> {
        self.give(command).await?;
        self.wait(patience).await
    }

    /// Gives a command, which is waited for afterwards.
    ///
    /// # Errors
    /// A shell that cannot be given a command although it lives.
    pub async fn give(&mut self, command: &str) -> Result<(), SandboxError> {
        self.number += 1;
        self.told = 0;
        if self.over.is_some() {
            return Ok(());
        }
        let number = self.number;
        if std::mem::take(&mut self.taken_up) && self.was_given(number, command) {
            return Ok(());
        }
        match self.exchange.give(number, command) {
            Err(error) if !self.is_over().await => Err(SandboxError::Failed(format!(
                "the shell cannot be given a command: {error}"
            ))),
            _ => Ok(()),
        }
    }

    /// Whether an engine that is gone has given this very command, which then runs or has run.
    fn was_given(&self, number: u32, command: &str) -> bool {
        let given = self.exchange.command(number);
        given.is_some_and(|given| String::from_utf8_lossy(&given).trim_end() == command.trim_end())
    }

    /// Waits for the command under way for at most `patience`.
    ///
    /// # Errors
    /// None but those of the sandbox.
    pub async fn wait(&mut self, patience: Duration) -> Result<ShellReply, SandboxError> {
        let begin = Instant::now();
        let mut look = Look::default();
        while self.is_busy().await && begin.elapsed() < patience {
            look.pause().await;
        }
        self.replied().await
    }

    /// Interrupts the command under way, as Ctrl-C does, or kills it. One that does not end
    /// thereby loses its shell.
    ///
    /// # Errors
    /// A session that is over, or whose controlling process was ended from inside.
    pub async fn stop(&mut self, word: ControlWord) -> Result<ShellReply, SandboxError> {
        let mut words = vec![word];
        if word == ControlWord::Kill {
            words.push(ControlWord::End);
        }
        for word in words {
            if !self.is_busy().await {
                break;
            }
            if let Err(error) = self.exchange.control(word) {
                self.end(&format!("its controlling process is gone ({error})"))
                    .await;
                break;
            }
            self.wait_to_end().await;
        }
        self.replied().await
    }

    async fn wait_to_end(&mut self) {
        let begin = Instant::now();
        let mut look = Look::default();
        while self.is_busy().await && elapsed(begin) < ENDING {
            look.pause().await;
        }
    }

    /// Ends the shell and whatever it runs, and returns what the sandbox has to say of it.
    pub async fn close(mut self) -> Vec<String> {
        self.end("it was closed").await
    }

    async fn end(&mut self, why: &str) -> Vec<String> {
        self.cancel.cancel();
        let Some(served) = self.served.take() else {
            return Vec::new();
        };
        let ended = tokio::time::timeout(CLOSING, served).await;
        self.over.get_or_insert_with(|| why.to_owned());
        match ended {
            Ok(Ok(Ok(ended))) => ended.notes,
            Ok(Ok(Err(error))) => vec![format!("The sandbox of the session failed: {error}.")],
            Ok(Err(error)) => vec![format!("The sandbox of the session failed: {error}.")],
            Err(_) => vec![format!(
                "The sandbox of the session did not end within {} seconds.",
                CLOSING.as_secs()
            )],
        }
    }

    /// Whether the sandbox has ended by itself: its time is up, or its memory.
    async fn is_over(&mut self) -> bool {
        if self.over.is_some() {
            return true;
        }
        let Some(served) = self.served.take_if(|served| served.is_finished()) else {
            return false;
        };
        self.over = Some(match served.await {
            Ok(Ok(ended)) => {
                self.ending = Some(ended.ending);
                format!("the session {}", ended.ending.words())
            }
            Ok(Err(error)) => {
                if let SandboxError::DiskFull(folder) = &error {
                    self.full = Some(folder.clone());
                }
                error.to_string()
            }
            Err(error) => error.to_string(),
        });
        true
    }

    /// The word that stands in the commands of the processes which serve it, and in no other.
    pub fn mark(&self) -> &str {
        &self.mark
    }

    /// How the sandbox ended by itself, where it did.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    fn standing(&self) -> CommandStanding {
        self.exchange.standing(self.number)
    }

    /// The reply, unless the machine took away what a command and its shell have to be written to.
    async fn replied(&mut self) -> Result<ShellReply, SandboxError> {
        let (begin, mut look) = (Instant::now(), Look::default());
        // What is written down on a full disk is neither whole nor the command's doing: its sandbox says whose.
        while self.disks.nearly_full() && !self.is_over().await && elapsed(begin) < NOTICING {
            look.pause().await;
        }
        match &self.full {
            Some(folder) => Err(SandboxError::DiskFull(folder.clone())),
            None => Ok(self.reply()),
        }
    }

    fn reply(&mut self) -> ShellReply {
        // Before the output, which is whole once the command has ended.
        let standing = self.standing();
        let part = self.exchange.output(self.number, self.told, CAP);
        self.told = part.upto;
        let standing = match (&self.over, standing) {
            (Some(why), CommandStanding::Running) => CommandStanding::SessionOver(why.clone()),
            (_, standing) => standing,
        };
        ShellReply {
            standing,
            output: if self.number == 0 {
                CappedOutput::default()
            } else {
                part.output
            },
            upto: self.told,
            file: Exchange::output_name(self.number),
        }
    }
}

/// The disk of a session's exchange.
fn disks(spec: &SessionSpec) -> Disks {
    let folder = spec.exchange.below(&spec.workspace);
    Disks::under([folder.as_path()])
}

/// The execution that serves a shell, under way.
struct Serving {
    served: JoinHandle<Result<Ended, SandboxError>>,
    cancel: CancellationToken,
}

impl Serving {
    fn start(sandbox: &Arc<dyn Sandbox>, execution: Execution) -> Self {
        let cancel = CancellationToken::new();
        let (sandbox, stop) = (Arc::clone(sandbox), cancel.clone());
        Self {
            served: tokio::spawn(async move { sandbox.execute(&execution, &stop).await }),
            cancel,
        }
    }
}

/// The reason for which a shell never listened.
async fn not_started(spec: &SessionSpec, ended: Result<Ended, SandboxError>) -> SandboxError {
    let ended = match ended {
        Ok(ended) => ended,
        Err(SandboxError::NoProgram(_)) => {
            let program = match spec.kind {
                SessionKind::Shell => "bash",
                SessionKind::Kernel => "python3",
            };
            return SandboxError::Failed(format!(
                "a session needs `{program}`, and its environment has none: choose another image"
            ));
        }
        Err(error) => return error,
    };
    // What cannot be read says nothing more.
    let said = tokio::fs::read(spec.streams.join("session.err"))
        .await
        .unwrap_or_default();
    // The fault stands last.
    let said = String::from_utf8_lossy(&said[said.len().saturating_sub(500)..])
        .trim()
        .to_owned();
    SandboxError::Failed(format!(
        "the shell {} before it listened: {said}",
        ended.ending.words()
    ))
}

/// Pauses between two looks, which grow from a millisecond on.
#[derive(Default)]
struct Look {
    times: u32,
}

impl Look {
    async fn pause(&mut self) {
        self.times += 1;
        let pause = Duration::from_millis(u64::from(self.times.min(20)));
        tokio::time::sleep(pause.min(LOOK)).await;
    }
}
