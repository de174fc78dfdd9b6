//! Failures by class, in runs and in released logs.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::domain::mode::Setting;
use crate::engine::run_reader::RunReader;
use crate::grading::causes;
use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::released_run::{ReleasedRun, UNNAMED};
use crate::scoring::failed_calls::{LoggedCall, read_calls};
use crate::scoring::failures::{Breakdown, is_log};
use crate::scoring::released::failures::read_log;

/// The rules by which released logs are read; runs are counted by their recorded causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogRules {
    /// The keywords of ReplicatorBench's Table 5.
    Released,
    /// Every tool result of either style of log, by the kind of its error.
    Corrected,
}

/// The failures of one source.
#[derive(Debug)]
pub struct FailureCount {
    pub name: String,
    pub model: String,
    /// Empty where the place of a log does not say it.
    pub setting: String,
    pub breakdown: Breakdown,
    /// True if it is a released log.
    pub is_log: bool,
    /// Tool results that were read; `None` where only errors are seen.
    pub calls: Option<Vec<LoggedCall>>,
}

/// The failures at all places, each source once.
#[derive(Debug, Default)]
pub struct FailureCounts {
    pub counted: Vec<FailureCount>,
    /// Sources that could not be counted, a sentence each.
    pub problems: Vec<String>,
}

impl FailureCounts {
    /// Counts the runs and the execution logs at the given places and below them.
    ///
    /// # Errors
    /// A place that holds neither.
    pub fn count(paths: &[PathBuf], rules: LogRules) -> Result<Self, DiscoveryError> {
        let mut counts = Self::default();
        let mut known = HashSet::new();
        for path in paths {
            for source in sources(path)? {
                let place = source.place();
                let whole = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
                if !known.insert(whole) {
                    counts.problems.push(format!(
                        "{} is given more than once and counts once.",
                        place.display()
                    ));
                    continue;
                }
                match count(path, &source, rules) {
                    Ok(one) => counts.counted.push(one),
                    Err(error) => counts.problems.push(match &source {
                        Source::Run(place) => format!("{}: {error}", place.display()),
                        Source::Log(_) => error.to_string(),
                    }),
                }
            }
        }
        Ok(counts)
    }

    /// The failures of all sources together.
    pub fn total(&self) -> Breakdown {
        Breakdown::count(self.counted.iter().flat_map(|one| one.breakdown.causes()))
    }
}

/// A run, or a log file.
enum Source {
    Run(PathBuf),
    Log(PathBuf),
}

impl Source {
    fn place(&self) -> &Path {
        let (Self::Run(place) | Self::Log(place)) = self;
        place
    }
}

/// The runs and the execution logs at a path and below it.
fn sources(path: &Path) -> Result<Vec<Source>, DiscoveryError> {
    if path.is_file() {
        return Ok(vec![Source::Log(path.to_owned())]);
    }
    let mut found = Vec::new();
    let mut walk = WalkDir::new(path).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy();
        if entry.file_type().is_dir() && entry.path().join("run.json").is_file() {
            found.push(Source::Run(entry.path().to_owned()));
            walk.skip_current_dir();
        } else if entry.file_type().is_file() && name.starts_with("execute") && name.ends_with(".log") {
            found.push(Source::Log(entry.path().to_owned()));
        }
    }
    if found.is_empty() {
        return Err(DiscoveryError::NoLog(path.to_owned()));
    }
    Ok(found)
}

fn count(root: &Path, source: &Source, rules: LogRules) -> Result<FailureCount, DiscoveryError> {
    match source {
        Source::Run(path) => {
            let run = RunReader::open(path)?;
            let causes = causes::list(&run)?;
            Ok(FailureCount {
                name: shown(root, path),
                model: run.request.model.clone(),
                setting: Setting::new(run.request.code_mode, run.request.code_access).to_string(),
                breakdown: Breakdown::count(causes),
                is_log: false,
                calls: None,
            })
        }
        Source::Log(path) => {
            let bytes = bounded_file::read(path)?;
            // Python drops what is not UTF-8, so the counts agree with the released ones.
            let log: String = bytes.utf8_chunks().map(|chunk| chunk.valid()).collect();
            if !is_log(&log) {
                return Err(DiscoveryError::NotALog(path.to_owned()));
            }
            let (model, setting) = logged_by(path);
            let calls = (rules == LogRules::Corrected).then(|| read_calls(&log));
            let breakdown = match &calls {
                None => Breakdown::count(read_log(&log).into_iter().map(|error| error.cause)),
                Some(calls) => {
                    Breakdown::count(calls.iter().filter_map(|call| Some(call.failure.as_ref()?.cause)))
                }
            };
            Ok(FailureCount {
                name: shown(root, path),
                model,
                setting,
                breakdown,
                is_log: true,
                calls,
            })
        }
    }
}

/// The model and the setting of a released log, by its place.
fn logged_by(path: &Path) -> (String, String) {
    let ReleasedRun { setting, model, .. } = ReleasedRun::holding(path);
    let is_placed = setting.is_some() || path.parent().is_some_and(|folder| folder.ends_with("_log"));
    let model = if is_placed && !model.is_empty() {
        model
    } else {
        UNNAMED.to_owned()
    };
    (
        model,
        setting.map_or_else(String::new, |setting| setting.to_string()),
    )
}

/// A path as it is told apart from the others below the one that was given.
fn shown(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(inside) if !inside.as_os_str().is_empty() => inside.display().to_string(),
        _ => path.display().to_string(),
    }
}
