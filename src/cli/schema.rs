//! `reprise doctor schema`.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::catalog::schemas;
use crate::domain::stage::Stage;

use super::exit::{Failure, Status};
use super::output::Printer;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  reprise doctor schema design\n  reprise doctor schema --out schemas")]
pub struct SchemaArgs {
    /// The stage [default: all]
    pub stage: Option<Stage>,
    /// Write one file per schema into this folder.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// Prints or writes the JSON Schemas of the stages' answers.
///
/// # Errors
/// A file that cannot be written.
pub fn schema(printer: Printer, args: &SchemaArgs) -> Result<Status, Failure> {
    let chosen = args.stage.map(schemas::name);
    let all = schemas::all()
        .into_iter()
        .filter(|(name, _)| chosen.is_none_or(|chosen| chosen == *name));
    for (name, schema) in all {
        let text = serde_json::to_string_pretty(schema)
            .map_err(|error| Failure::usage(format!("{name} cannot be written: {error}")))?;
        match &args.out {
            None => printer.line(text),
            Some(folder) => {
                let path = folder.join(format!("{name}.schema.json"));
                let io = |error| Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()));
                fs::create_dir_all(folder).map_err(io)?;
                fs::write(&path, text + "\n").map_err(io)?;
                printer.note(format!("wrote {}", path.display()));
            }
        }
    }
    Ok(Status::Done)
}
