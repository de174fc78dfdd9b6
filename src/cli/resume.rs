//! `reprise resume`.

use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::settings::Settings;

use super::args::ResumeArgs;
use super::exit::{Failure, Status};
use super::output::Printer;
use super::run;

/// Goes on with a run from wherever its journal is.
pub async fn resume(settings: &Settings, printer: Printer, args: ResumeArgs) -> Result<Status, Failure> {
    let folder = folder(&args.dir)?;
    let request = RunRequest::load(&folder.request())?;
    run::carry(settings, printer, folder, request, args.json).await
}

/// The run's folder, where there is one.
pub fn folder(path: &std::path::Path) -> Result<RunFolder, Failure> {
    if !path.is_dir() {
        return Err(Failure::usage(format!(
            "{} is not a folder: name a run's folder",
            path.display()
        )));
    }
    RunFolder::at(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}
