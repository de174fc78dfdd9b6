//! `reprise bench prepare`.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::cell_plan::{PlannedCell, Retry};
use super::known_environments::{CellEnvironments, known};
use super::opened::{BenchFileArgs, OpenedBench};
use super::planned_cells::{BenchPlaces, CellChoiceArgs, chosen, planned};
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::app::sandboxes::sandbox_for;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, printable, styled};
use crate::cli::signals::until_stopped;
use crate::domain::digest::Digest;
use crate::domain::execution::EnvironmentSpec;
use crate::sandbox::contract::Sandbox;

#[derive(Debug, Args)]
#[command(after_help = "\
Makes each environment once, in the cache, which all nodes see where REPRISE_CACHE lies on the shared disk; images of \
Docker go into the daemon of this machine. What is known before a cell runs: the environment of a capsule or a notebook \
task; of a study the one of its recorded plan, or of the plan of an earlier cell. A study whose plan a model has yet to \
write gets the languages alone: the packages that the model declares are made when they are declared.

Exit codes: 0 all are there, 7 some could not be made.

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
    let (wanted, unknown) = wanted(program, &cells).await?;
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
    tell(printer, args.json, &made, &unknown)?;
    let is_faulty = made.iter().any(|one| one.fault.is_some());
    Ok(match (cancel.is_cancelled(), is_faulty) {
        (true, _) => Status::Interrupted,
        (false, true) => Status::Infrastructure,
        (false, false) => Status::Done,
    })
}

/// Each environment once, and the cells of which only the languages are known.
async fn wanted(
    program: &Program,
    cells: &[PlannedCell],
) -> Result<(Vec<WantedEntry>, Vec<String>), Failure> {
    let mut wanted = BTreeMap::<Digest, WantedEntry>::new();
    let mut unknown = Vec::new();
    for cell in cells {
        let request = &cell.run.request;
        let open = program.tracks.open_for(request)?;
        let sandbox = sandbox_for(&program.settings, request, &open.catalog, &open.parts).await?;
        let Some(sandbox) = sandbox else { continue };
        let CellEnvironments { specs, is_whole } = known(&program.settings, cell, sandbox.tier());
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
    Ok((wanted.into_values().collect(), unknown))
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
    };
    match made {
        Ok(environment) => {
            entry.is_built = environment.built;
            entry.location = Some(environment.location);
            entry.versions = environment.versions;
        }
        Err(failure) => entry.fault = Some(failure.summary),
    }
    entry
}

fn tell(printer: Printer, json: bool, made: &[PreparedEntry], unknown: &[String]) -> Result<(), Failure> {
    if json {
        return printer.json(&json!({
            "format": "reprise-bench-prepare/1",
            "environments": made,
            "languages_alone": unknown,
        }));
    }
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
    }
    if !unknown.is_empty() {
        printer.line(format!(
            "of {} cells only the languages are known before a model has written their plan: {}",
            unknown.len(),
            named(unknown)
        ));
    }
    Ok(())
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
