//! `reprise run --dry-run`: the run that would begin.

use std::path::Path;

use serde_json::json;

use crate::domain::mode::Setting;
use crate::domain::stage::Stage;
use crate::engine::request::RunRequest;
use crate::study::kind::Kind;

use super::exit::{Failure, Status};
use super::output::{Printer, printable};
use super::task::Task;

/// A run that would begin.
pub struct PlannedRun<'a> {
    pub task: &'a Task,
    pub request: &'a RunRequest,
    /// The stages that it would go through.
    pub stages: &'a [Stage],
    /// The folder that it would be in.
    pub folder: &'a Path,
    /// What its model's calls may cost; absent where none is asked.
    pub estimate: Option<String>,
}

/// Says what would be begun, and begins nothing.
///
/// # Errors
/// Findings that JSON cannot hold.
pub fn tell(printer: Printer, run: &PlannedRun<'_>, as_json: bool) -> Result<Status, Failure> {
    let request = run.request;
    if as_json {
        printer.json(&json!({
            "study": run.task.id,
            "folder": run.folder,
            "stages": run.stages,
            "estimate": run.estimate,
            "request": request,
        }))?;
        return Ok(Status::Done);
    }
    let line = |name: &str, words: &str| printer.line(format!("{name:<10} {}", printable(words)));
    line("study", &format!("{} ({})", run.task.id, run.task.root.display()));
    if let Some(study) = &run.task.study {
        line("claim", &study.claim().statement.replace('\n', " "));
        let data = study.files_of_kind(Kind::Data).count();
        let code = study.files_of_kind(Kind::Code).count();
        line(
            "files",
            &format!("{} and {}", files(data, "data"), files(code, "code")),
        );
    }
    line("model", &request.model);
    if let Some(search) = &request.search {
        line("search", search);
    }
    let stages: Vec<String> = run.stages.iter().map(ToString::to_string).collect();
    line("stages", &stages.join(", "));
    let setting = Setting::new(request.code_mode, request.code_access);
    line("setting", setting.name());
    line("approval", &request.approve.words());
    line("sandbox", &format!("{:?}", request.sandbox).to_lowercase());
    if let Some(lock) = &request.lock {
        let day = lock.as_of.day;
        line(
            "lock",
            &format!(
                "as of {day}, {} packages ({})",
                lock.packages.len(),
                lock.digest().short()
            ),
        );
    }
    if let Some(dated) = &request.dated {
        let as_of = &dated.as_of;
        let weak = match as_of.weak {
            true => " That is weak evidence.",
            false => "",
        };
        line(
            "as of",
            &format!(
                "{}: the run asks the indexes for what was there on the day, and keeps the lock. {}{weak}",
                as_of.day, as_of.reason
            ),
        );
    }
    line(
        "network",
        &match request.hosts.is_empty() {
            true => "executed code has none".to_owned(),
            false => format!("executed code may ask to reach {}", request.hosts.join(", ")),
        },
    );
    line(
        "limits",
        &format!(
            "{} s, {} MiB and {} processes for each execution",
            request.limits.seconds,
            request.limits.memory >> 20,
            request.limits.processes
        ),
    );
    line(
        "probes",
        match request.probe {
            Some(_) => "the approved code runs again on changed data",
            None => "none",
        },
    );
    if let Some(estimate) = &run.estimate {
        printer.line(printable(estimate));
    }
    line("folder", &run.folder.display().to_string());
    printer.line("Nothing was begun, asked or written; without --dry-run it is.");
    Ok(Status::Done)
}

fn files(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 file of {what}"),
        count => format!("{count} files of {what}"),
    }
}
