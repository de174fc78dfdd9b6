//! `reprise bench prepare`.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use jiff::civil::Date;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::cell_plan::{PlannedCell, Retry};
use super::known_environments::{CellEnvironments, PlacedCell};
use super::opened::{BenchFileArgs, OpenedBench};
use super::planned_cells::{BenchPlaces, CellChoiceArgs, chosen, planned};
use crate::app::kept_locks::KeptLocks;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::app::sandboxes::sandbox_for;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::cli::signals::until_stopped;
use crate::domain::digest::Digest;
use crate::domain::execution::EnvironmentSpec;
use crate::domain::failure::FailureCause;
use crate::engine::error::EngineError;
use crate::environment::lock::EnvironmentLock;
use crate::sandbox::contract::Sandbox;

#[derive(Debug, Args)]
#[command(after_help = "\
Makes each environment once, in the cache, which all nodes see where REPRISE_CACHE lies on the shared disk; images of \
Docker go into the daemon of this machine. What is known before a cell runs: the environment of a capsule or a notebook \
task; of a study the one of its recorded plan, or of the plan of an earlier cell. A study whose plan a model has yet to \
write gets the languages alone: the packages that the model declares are made when they are declared.

Cells with the setting `as-of` are held to locks of that day. Their locks are made here, once each, from the indexes, and \
kept in locks/ below the bench's folder, where the cells find them; one that is not known here is made by the first cell \
that needs it, and found by the others.

Exit codes: 0 all are there, but for packages that a plan names and no index has; 7 some could not be made.

Examples:
  reprise bench prepare bench.toml
  reprise bench prepare bench.toml --only sunspots --json")]
pub struct PrepareArgs {
    #[command(flatten)]
    pub bench: BenchFileArgs,
    #[command(flatten)]
    pub choice: CellChoiceArgs,
    /// Print the environments as JSON.
    #[arg(long)]
    pub json: bool,
}

/// An environment, and what came of making it.
#[derive(Debug, Serialize)]
struct PreparedEntry {
    /// Of what it was asked for; absent where that could not be told.
    digest: Option<Digest>,
    spec: EnvironmentSpec,
    /// Cells that need it.
    cells: Vec<String>,
    is_built: bool,
    location: Option<String>,
    versions: BTreeMap<String, String>,
    /// Why it could not be made.
    fault: Option<String>,
    /// Whose fault that is: `setup` where what is declared is.
    cause: Option<FailureCause>,
}

/// An environment that is to be made, in the sandbox that makes it.
struct WantedEntry {
    sandbox: Arc<dyn Sandbox>,
    spec: EnvironmentSpec,
    cells: Vec<String>,
}

/// Makes the environments that cells need.
///
/// # Errors
/// A file, a task or a setting that cannot be used, or a machine without the sandbox that cells ask for.
pub async fn prepare(program: &Program, printer: Printer, args: PrepareArgs) -> Result<Status, Failure> {
    let bench = OpenedBench::open(&args.bench.bench, args.bench.out.as_deref())?;
    let shared = Arc::new(ProcessShared::default());
    let places = BenchPlaces {
        root: bench.root(),
        out: &bench.out,
    };
    let cells = planned(program, &shared, &bench.file, places, Retry::default()).await?;
    let cells = chosen(&args.choice, cells)?;
    if cells.iter().any(|cell| cell.run.request.dated.is_some()) {
        // Their locks are kept in the bench's folder, which is its own from then on.
        bench.folder().write_name(&bench.file.name)?;
    }
    let locks = KeptLocks::new(&program.settings, &bench.locks());
    let PreparationPlan {
        wanted,
        locks,
        unknown,
    } = wanted(program, &locks, &cells).await?;
    let (cancel, watcher) = until_stopped();
    let mut made = Vec::new();
    for one in wanted {
        if cancel.is_cancelled() {
            break;
        }
        if !args.json {
            printer.note(format!("{}: {}", words(&one.spec), named(&one.cells)));
        }
        made.push(make(one, &cancel).await);
    }
    watcher.abort();
    if args.json {
        printer.json(&json!({
            "format": "reprise-bench-prepare/1",
            "locks": locks,
            "environments": made,
            "languages_alone": unknown,
        }))?;
    } else {
        tell_locks(printer, &locks);
        tell(printer, &made, &unknown);
    }
    // Packages that are not to be had are an agent's own mistake, which its cell meets and tells.
    let is_ours = |cause: FailureCause| cause != FailureCause::Setup;
    let is_faulty =
        made.iter().any(|one| one.cause.is_some_and(is_ours)) || locks.iter().any(|one| one.fault.is_some());
    Ok(match (cancel.is_cancelled(), is_faulty) {
        (true, _) => Status::Interrupted,
        (false, true) => Status::Infrastructure,
        (false, false) => Status::Done,
    })
}

/// A lock of a day, and what came of making it.
#[derive(Debug, Serialize)]
struct PreparedLock {
    /// Absent of one that could not be made.
    digest: Option<Digest>,
    day: Date,
    packages: usize,
    /// What was wanted and not had.
    not_had: Vec<String>,
    /// Cells that are held to it.
    cells: Vec<String>,
    /// Why it could not be made.
    fault: Option<String>,
}

impl PreparedLock {
    /// A lock that was made or found, or why it was neither.
    fn new(day: Date, made: &Result<EnvironmentLock, EngineError>) -> Self {
        let lock = made.as_ref().ok();
        let not_had = lock.map_or(&[][..], |lock| &lock.not_had);
        Self {
            digest: lock.map(EnvironmentLock::digest),
            day,
            packages: lock.map_or(0, |lock| lock.packages.len()),
            not_had: not_had.iter().map(|one| one.name.clone()).collect(),
            cells: Vec::new(),
            fault: made.as_ref().err().map(ToString::to_string),
        }
    }
}

/// The environments and locks that are made for cells, and the cells of which too little is known.
struct PreparationPlan {
    /// Each environment once.
    wanted: Vec<WantedEntry>,
    /// Each lock of a day once.
    locks: Vec<PreparedLock>,
    /// The cells of which only the languages are known.
    unknown: Vec<String>,
}

/// Plans what is made; locks are made on the way, since environments are by them.
async fn wanted(
    program: &Program,
    kept: &KeptLocks,
    cells: &[PlannedCell],
) -> Result<PreparationPlan, Failure> {
    let mut wanted = BTreeMap::<Digest, WantedEntry>::new();
    let mut locks = BTreeMap::<Digest, PreparedLock>::new();
    let mut unknown = Vec::new();
    for cell in cells {
        let request = &cell.run.request;
        let open = program.tracks.open_for(request)?;
        let sandbox = sandbox_for(&program.settings, request, &open.catalog, &open.parts).await?;
        let Some(sandbox) = sandbox else { continue };
        let placed = PlacedCell {
            settings: &program.settings,
            cell,
            tier: sandbox.tier(),
        };
        let lock = match lock_of(kept, placed, sandbox.as_ref(), &mut locks).await? {
            CellLock::Had(lock) => lock,
            CellLock::Failed => continue,
        };
        let CellEnvironments { specs, is_whole } = placed.known(lock.as_deref());
        if !is_whole {
            unknown.push(cell.spec.name());
        }
        for spec in specs {
            // The same environment of another sandbox is another one.
            let key = Digest::compute_json(&(&spec, sandbox.tier()));
            let entry = wanted.entry(key).or_insert_with(|| WantedEntry {
                sandbox: sandbox.clone(),
                spec,
                cells: Vec::new(),
            });
            entry.cells.push(cell.spec.name());
        }
    }
    Ok(PreparationPlan {
        wanted: wanted.into_values().collect(),
        locks: locks.into_values().collect(),
        unknown,
    })
}

/// The lock that a cell is held to.
enum CellLock {
    /// None of a cell without a day, or whose packages are not known yet.
    Had(Option<Box<EnvironmentLock>>),
    Failed,
}

/// The lock of a cell: the one of its request, else that of its day, made or found.
async fn lock_of(
    kept: &KeptLocks,
    placed: PlacedCell<'_>,
    sandbox: &dyn Sandbox,
    locks: &mut BTreeMap<Digest, PreparedLock>,
) -> Result<CellLock, Failure> {
    let request = &placed.cell.run.request;
    let Some((dated, wish)) = request.dated.as_ref().zip(placed.wish()) else {
        return Ok(CellLock::Had(request.lock.clone()));
    };
    let draft = wish.draft(dated, Some(sandbox)).await?;
    let draft = wish.with_releases(draft, dated, Some(sandbox)).await?;
    let key = draft.content_digest();
    let made = kept.lock(draft).await;
    let entry = locks.entry(key);
    let entry = entry.or_insert_with(|| PreparedLock::new(dated.as_of.day, &made));
    entry.cells.push(placed.cell.spec.name());
    Ok(match made {
        Ok(made) => CellLock::Had(Some(Box::new(made))),
        Err(_) => CellLock::Failed,
    })
}

async fn make(one: WantedEntry, cancel: &CancellationToken) -> PreparedEntry {
    let digest = one.sandbox.resolve(&one.spec).await;
    let made = one.sandbox.prepare(&one.spec, cancel, &|_| {}).await;
    let mut entry = PreparedEntry {
        digest: digest.ok(),
        spec: one.spec,
        cells: one.cells,
        is_built: false,
        location: None,
        versions: BTreeMap::new(),
        fault: None,
        cause: None,
    };
    match made {
        Ok(environment) => {
            entry.is_built = environment.built;
            entry.location = Some(environment.location);
            entry.versions = environment.versions;
        }
        Err(failure) => (entry.fault, entry.cause) = (Some(failure.summary), Some(failure.cause)),
    }
    entry
}

fn tell_locks(printer: Printer, locks: &[PreparedLock]) {
    for one in locks {
        let cells = one.cells.len();
        match (&one.digest, &one.fault) {
            (Some(digest), _) => printer.line(format!(
                "lock {} as of {}: {} packages, {} not had ({cells} cells)",
                digest.short(),
                one.day,
                one.packages,
                one.not_had.len()
            )),
            (None, fault) => printer.line(format!(
                "lock as of {} {}: {} ({})",
                one.day,
                styled(paint::BAD, "failed"),
                one_line(fault.as_deref().unwrap_or_default()),
                named(&one.cells)
            )),
        }
    }
}

fn tell(printer: Printer, made: &[PreparedEntry], unknown: &[String]) {
    for one in made {
        let digest = one
            .digest
            .map_or_else(|| "unknown".to_owned(), |digest| digest.short());
        let standing = match (&one.fault, one.is_built) {
            (Some(_), _) => styled(paint::BAD, "failed"),
            (None, true) => "made".to_owned(),
            (None, false) => "there".to_owned(),
        };
        printer.line(format!(
            "{digest} {standing}: {} ({} cells)",
            words(&one.spec),
            one.cells.len()
        ));
        if let Some(fault) = &one.fault {
            printer.line(format!("  {}", one_line(fault)));
        }
        if one.cause == Some(FailureCause::Setup) {
            printer.line(
                "  what its plan names is at fault: a cell that comes to it tells its agent so".to_owned(),
            );
        }
    }
    if !unknown.is_empty() {
        printer.line(format!(
            "of {} cells only the languages are known before a model has written their plan: {}",
            unknown.len(),
            named(unknown)
        ));
    }
}

/// An environment in a few words.
fn words(spec: &EnvironmentSpec) -> String {
    let mut parts = Vec::new();
    parts.extend(spec.base_image.as_ref().map(|image| format!("on {image}")));
    parts.extend(
        spec.python
            .as_ref()
            .map(|packages| format!("Python with {} packages", packages.len())),
    );
    parts.extend(
        spec.r
            .as_ref()
            .map(|packages| format!("R with {} packages", packages.len())),
    );
    if !spec.system.is_empty() {
        parts.push(format!("{} packages of the system", spec.system.len()));
    }
    match parts.is_empty() {
        true => "nothing but the system".to_owned(),
        false => printable(&parts.join(", ")),
    }
}

fn named(cells: &[String]) -> String {
    const MOST: usize = 3;
    let first: Vec<String> = cells.iter().take(MOST).map(|name| one_line(name)).collect();
    match cells.len().saturating_sub(MOST) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
