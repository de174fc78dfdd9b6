//! One conversion: the environment, the confined script, and what it says.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::needs::Needs;
use super::tables;
use crate::documents::document::Document;
use crate::documents::helper::Helper;
use crate::documents::kind::Kind;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::sniff::sniff;
use crate::documents::table::column::Table;
use crate::domain::excerpt;
use crate::domain::execution::{self, BuildFailure, Ending, Environment};
use crate::domain::ids::RunId;
use crate::domain::workspace_path::{OutsideWorkspace, WorkspacePath};
use crate::sandbox::contract::{Execution, Sandbox, SandboxError};

/// The scripts, fixed with the program: nothing of the file is ever a command.
const PYTHON: &str = include_str!("convert.py");
const R: &str = include_str!("convert.R");

/// Bounds of one conversion.
const BOUNDS: execution::Limits = execution::Limits {
    seconds: 600,
    memory: 2 << 30,
    processes: 64,
    output: 64 << 10,
    file: 1 << 30,
    processors: None,
};

/// The error of a missing environment to convert files in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoEnvironment {
    /// No sandbox works here, in words for people.
    #[error("{0}")]
    Sandbox(String),
    #[error(transparent)]
    Build(#[from] BuildFailure),
}

/// The error of a conversion that gave nothing.
#[derive(Debug, thiserror::Error)]
enum ConversionError {
    #[error(transparent)]
    Environment(#[from] NoEnvironment),
    #[error(transparent)]
    Files(#[from] io::Error),
    #[error(transparent)]
    Folder(#[from] OutsideWorkspace),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("it took longer than {} seconds", BOUNDS.seconds)]
    Late,
    #[error("it needs more than {} MiB", BOUNDS.memory >> 20)]
    OutOfMemory,
    /// The last line that the program printed.
    #[error("{0}")]
    Program(String),
    #[error("it broke off")]
    BrokeOff,
    #[error("what came out cannot be read: {0}")]
    Tables(ReadError),
}

/// Finds the sandbox when one is first needed.
pub type Find = Box<dyn Fn() -> Result<Arc<dyn Sandbox>, NoEnvironment> + Send + Sync>;

/// Converts files in a sandbox.
pub struct Conversion {
    find: Find,
    /// Environments by the program that they hold, and why there is none.
    ready: Mutex<HashMap<String, Result<Ready, NoEnvironment>>>,
}

type Ready = (Arc<dyn Sandbox>, Environment);

impl fmt::Debug for Conversion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Conversion")
    }
}

/// What would try a file of which a native reader gave this; `None` where that
/// is good enough, and where nothing would.
pub fn would_try(bytes: &[u8], native: Result<&Document, &ReadError>) -> Option<Needs> {
    let kind = sniff(bytes);
    Needs::for_kind(&kind).filter(|_| wanting(&kind, native))
}

/// Whether a native reader left something for a conversion to try.
fn wanting(kind: &Kind, native: Result<&Document, &ReadError>) -> bool {
    match native {
        // An R value without a data frame may hold one in a slot or an environment.
        Ok(document) => matches!(kind, Kind::Rds | Kind::RData) && document.tables.is_empty(),
        // What is too big for one is too big for both, and a password opens neither.
        Err(ReadError::TooBig(_) | ReadError::Encrypted(_)) => false,
        Err(_) => true,
    }
}

impl Conversion {
    /// Conversions in the sandbox that `find` gives.
    pub fn new(find: Find) -> Self {
        Self {
            find,
            ready: Mutex::default(),
        }
    }

    /// What a native reader gave, or what a conversion gives where that is not
    /// good enough; either way it says what happened.
    ///
    /// # Errors
    /// A file that neither reads: what the native reader said, and why the conversion gave nothing.
    pub fn instead(
        &self,
        helper: &Helper,
        name: &str,
        bytes: &[u8],
        limits: &Limits,
        native: Result<Document, ReadError>,
    ) -> Result<Document, ReadError> {
        let Some(needs) = would_try(bytes, native.as_ref()) else {
            return native;
        };
        let why = match self.tables(helper, &needs, bytes, limits) {
            Ok(tables) if !tables.is_empty() => {
                let mut document = Document::new(sniff(bytes));
                document.tables = tables;
                let reason = match &native {
                    Ok(_) => "no data frame stands at its top".to_owned(),
                    Err(ReadError::Unsupported(what)) => what.clone(),
                    Err(error) => error.to_string(),
                };
                document.notes.push(format!(
                    "This is what the sandbox's {} made of `{name}`, since the native reader could not: {reason}.",
                    needs.program()
                ));
                return Ok(document);
            }
            Ok(_) => format!("{} finds no table in it either", needs.program()),
            Err(why) => format!("converting it with {} failed: {why}", needs.program()),
        };
        match native {
            Ok(mut document) => {
                document.notes.push(format!("{}.", why.trim_end_matches('.')));
                Ok(document)
            }
            Err(ReadError::Unsupported(what)) => Err(ReadError::Unsupported(format!(
                "{what}; {}",
                why.trim_end_matches('.')
            ))),
            Err(error) => Err(ReadError::Unsupported(format!(
                "{error}; {}",
                why.trim_end_matches('.')
            ))),
        }
    }

    fn tables(
        &self,
        helper: &Helper,
        needs: &Needs,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<Vec<Table>, ConversionError> {
        // The caller may be inside a runtime, which must not be blocked on from within.
        let folder = std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?
                    .block_on(self.run(needs, bytes))
            });
            work.join().unwrap_or(Err(ConversionError::BrokeOff))
        })?;
        let out = folder.path().join(WorkspacePath::WORK);
        let read = if needs.r() {
            tables::read_r
        } else {
            tables::read_pandas
        };
        read(helper, &out, limits).map_err(ConversionError::Tables)
    }

    /// The sandbox with an environment; made once, and a failure is remembered.
    async fn ready(&self, needs: &Needs) -> Result<Ready, NoEnvironment> {
        let program = needs.program();
        let known = self
            .ready
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&program)
            .cloned();
        if let Some(known) = known {
            return known;
        }
        let made = self.prepare(needs).await;
        self.ready
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(program, made.clone());
        made
    }

    async fn prepare(&self, needs: &Needs) -> Result<Ready, NoEnvironment> {
        let sandbox = (self.find)()?;
        let environment = sandbox
            .prepare(&needs.environment(), &CancellationToken::new(), &|_| {})
            .await?;
        Ok((sandbox, environment))
    }

    /// Runs the script; the folder holds what it wrote.
    async fn run(&self, needs: &Needs, bytes: &[u8]) -> Result<tempfile::TempDir, ConversionError> {
        let (sandbox, environment) = self.ready(needs).await?;
        let folder = tempfile::tempdir()?;
        let work: WorkspacePath = WorkspacePath::WORK.parse()?;
        let (script, text) = if needs.r() {
            ("convert.R", R)
        } else {
            ("convert.py", PYTHON)
        };
        let place = |root: &Path| -> std::io::Result<()> {
            fs::set_permissions(root, fs::Permissions::from_mode(0o755))?;
            fs::create_dir(work.below(root))?;
            fs::write(root.join(script), text)?;
            fs::write(root.join("data"), bytes)
        };
        place(folder.path())?;
        let script = format!("../{script}");
        let command: &[&str] = if needs.r() {
            &["Rscript", "--vanilla", &script, needs.kind, "../data", "."]
        } else {
            &["python3", &script, needs.kind, "../data", "."]
        };
        let logs = tempfile::tempdir()?;
        let name = folder.path().file_name().unwrap_or_default();
        let execution = Execution {
            limits: BOUNDS,
            ..Execution::alone(
                RunId::new(format!("convert{}", name.display())),
                environment,
                command,
                folder.path(),
                work,
                logs.path(),
            )
        };
        let ended = sandbox.execute(&execution, &CancellationToken::new()).await?;
        match ended.ending {
            Ending::Exited(0) => Ok(folder),
            Ending::TimedOut => Err(ConversionError::Late),
            Ending::OutOfMemory => Err(ConversionError::OutOfMemory),
            _ => {
                let said = fs::read(&execution.stderr).unwrap_or_default();
                let said = String::from_utf8_lossy(&said);
                let last = excerpt::last_line(&said).unwrap_or("it said nothing").trim();
                Err(ConversionError::Program(excerpt::start(last, 300).to_owned()))
            }
        }
    }
}
