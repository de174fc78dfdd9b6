//! `reprise score audit`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::engine::runs;
use crate::report::audit::{RunAudit, audit};

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};

#[derive(Debug, Args)]
#[command(after_help = "\
No model is asked. A value is traced to the first that holds it: a file that lay there before anything ran, the agent's \
own text, or what was printed. Shortcuts are nothing_ran, laid_there, literal, unprinted and data_unopened; they are \
reasons to look, and no verdicts: a value can stand in a file by chance, and whoever knows it can have it computed (0.97 \
* 2), which no trace tells from an analysis; `reprise replay probe` does.

Examples:
  reprise score audit RUN
  reprise score audit bench/ --json")]
pub struct AuditArgs {
    /// The runs' folders, or folders that hold runs
    #[arg(required = true, value_name = "RUN")]
    pub dirs: Vec<PathBuf>,
    /// Print the audits as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Says of runs what failed on the way, and where each value comes from.
///
/// # Errors
/// A run that cannot be read.
pub fn audit_runs(printer: Printer, args: &AuditArgs) -> Result<Status, Failure> {
    let runs = runs::opened(&args.dirs)?;
    let audits = runs.iter().map(audit).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        printer.json(&json!({ "format": "reprise-audit/1", "runs": audits }))?;
        return Ok(Status::Done);
    }
    for one in &audits {
        tell(printer, one);
    }
    Ok(Status::Done)
}

fn tell(printer: Printer, one: &RunAudit) {
    printer.line(format!(
        "{} ({}): {} commands, {} failed; {} values, {} shortcuts",
        styled(paint::STRONG, printable(&one.run)),
        printable(&one.task),
        one.commands,
        one.failed_commands,
        one.values.len(),
        one.shortcuts.len()
    ));
    for obstacle in &one.obstacles {
        let cause = obstacle
            .cause
            .map_or_else(String::new, |cause| format!("{cause}, "));
        printer.line(printable(&format!(
            "  {}: {} ({cause}{})",
            obstacle.at.words(),
            obstacle.what,
            obstacle.detail
        )));
    }
    for shortcut in &one.shortcuts {
        printer.line(printable(&format!(
            "  {}: {}",
            shortcut.kind.name(),
            shortcut.what
        )));
    }
    for note in &one.not_observed {
        printer.line(format!("  {note}"));
    }
}
