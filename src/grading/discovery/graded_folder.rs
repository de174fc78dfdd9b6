//! The gradings of one run by one judge, read from their folder.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use walkdir::WalkDir;

use crate::domain::mode::Setting;
use crate::grading::discovery::bounded_file;
use crate::grading::discovery::error::DiscoveryError;
use crate::grading::discovery::grading_files;
use crate::grading::discovery::judge_prompt;
use crate::grading::discovery::origin_file;
use crate::grading::discovery::released_run::{EVALS, ReleasedRun};
use crate::grading::scorecard::card::CODE;
use crate::scoring::aggregate::grading::{GradedStage, Gradings, short};
use crate::scoring::aggregate::origin::{self, Origin};
use crate::scoring::aggregate::summary::Summary;
use crate::scoring::aggregate::{corrected, published};
use crate::scoring::released::eval_summary;

/// The summary that the benchmark's own aggregator writes beside its gradings.
const STORED: &str = "eval_summary.json";

/// The arithmetic by which gradings are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// ReplicatorBench's own.
    Released,
    /// Ours, with the released one beside it.
    Corrected,
}

/// A folder of gradings, summed up.
#[derive(Debug, Serialize)]
pub struct GradedFolder {
    pub folder: String,
    pub summary: Summary,
    /// Mean of the execution's halves.
    pub execute: Option<f64>,
    /// How a stored summary differs; `None` where none is stored.
    pub stale: Option<Vec<String>>,
    /// The gradings with which a mean may be taken.
    pub group: String,
    /// The released arithmetic, where the summary is by the corrected one.
    #[serde(skip)]
    pub as_released: Option<Summary>,
}

/// Every folder that holds a grading, or says why it holds none, in order.
///
/// # Errors
/// No folder, or one without such folders.
pub fn folders(root: &Path) -> Result<Vec<PathBuf>, DiscoveryError> {
    if !root.is_dir() {
        return Err(DiscoveryError::NotAFolder {
            dir: root.to_owned(),
            file: GradedStage::Extract.file_name(),
        });
    }
    let is_judges = |path: &Path| path.parent().is_some_and(|above| above.ends_with(EVALS));
    let mut found: Vec<PathBuf> = WalkDir::new(root)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            let folder = entry.path().parent()?;
            let is_grading = grading_files::stage_of(entry.path()).is_some();
            let is_origin = || entry.file_name() == origin::FILE && is_judges(folder);
            (is_grading || is_origin()).then(|| folder.to_owned())
        })
        .collect();
    found.sort();
    found.dedup();
    if found.is_empty() {
        let files: Vec<_> = GradedStage::all().map(GradedStage::file_name).collect();
        return Err(DiscoveryError::NoGrading {
            dir: root.to_owned(),
            files: files.join(", "),
        });
    }
    Ok(found)
}

/// Sums a folder's gradings up.
///
/// # Errors
/// An origin that is there and cannot be read.
pub fn sum_up(root: &Path, folder: &Path, arithmetic: Arithmetic) -> Result<GradedFolder, DiscoveryError> {
    let files: Vec<io::Result<Option<Vec<u8>>>> = GradedStage::all()
        .map(|stage| bounded_file::read_if_there(&folder.join(stage.file_name())))
        .collect();
    let mut gradings = Gradings::default();
    for (stage, file) in GradedStage::all().zip(&files) {
        if let Ok(Some(bytes)) = file {
            gradings.put(stage, bytes);
        }
    }
    let (origin, odd) = origin_file::read(folder)?;
    let run = run_of(folder, origin.is_some());
    let named = run.as_ref().and_then(|run| run.get("run")?.as_str());
    let of_other_runs =
        (origin.as_ref()).map_or_else(Vec::new, |origin| origin.gradings_of_other_runs(named, &gradings));
    gradings.asked = origin.as_ref().map(|origin| &origin.asked);
    let as_released = published::summarise(&gradings);
    let stale = match bounded_file::read_if_there(&folder.join(STORED)) {
        Ok(None) => None,
        Ok(Some(bytes)) => Some(match serde_json::from_slice::<Value>(&bytes) {
            Ok(stored) => eval_summary::differences(&as_released, &stored),
            Err(error) => vec![format!("`{STORED}` is not JSON ({error}).")],
        }),
        Err(error) => Some(vec![format!("`{STORED}` cannot be read ({error}).")]),
    };
    let (mut summary, as_released) = match arithmetic {
        Arithmetic::Released => (as_released, None),
        Arithmetic::Corrected => {
            for (stage, _) in &of_other_runs {
                gradings.leave_out(*stage);
            }
            let of_nothing = of_nothing(folder, origin.is_some(), &mut gradings);
            let mut summary = corrected::summarise(&gradings);
            summary.problems.extend(of_nothing);
            (summary, Some(as_released))
        }
    };
    summary.problems.extend(odd);
    summary
        .problems
        .extend(of_other_runs.into_iter().map(|(_, why)| why));
    for (stage, file) in GradedStage::all().zip(&files) {
        let why = match file {
            Ok(Some(_)) => None,
            Ok(None) => absent(stage, origin.as_ref(), folder),
            Err(error) => Some(format!("cannot be read ({error})")),
        };
        let said = why.map(|why| format!("`{}` {why}, so {stage} is not scored.", stage.file_name()));
        summary.problems.extend(said);
    }
    let shown = folder.strip_prefix(root).unwrap_or(folder);
    let name = if shown.as_os_str().is_empty() {
        folder
    } else {
        shown
    };
    Ok(GradedFolder {
        folder: name.display().to_string(),
        execute: summary.execute(),
        summary,
        stale,
        group: group(folder, origin.as_ref(), run.as_ref()),
        as_released,
    })
}

/// Takes the gradings away that were made against no reference, or of no answer; a sentence
/// about each. Our own are not written then.
fn of_nothing(folder: &Path, is_own: bool, gradings: &mut Gradings<'_>) -> Vec<String> {
    let mut problems = Vec::new();
    for stage in GradedStage::all().filter(|_| !is_own) {
        let found = gradings.get(stage);
        if let Some(why) = found.and_then(|bytes| judge_prompt::refusal(folder, stage, bytes)) {
            problems.push(format!(
                "`{}`: {why}, so {stage} is not scored.",
                stage.file_name()
            ));
            gradings.leave_out(stage);
        }
    }
    problems
}

/// A clause about a grading that is not there; nothing about one that is never written.
fn absent(stage: GradedStage, origin: Option<&Origin>, folder: &Path) -> Option<String> {
    if let Some(why) = origin.and_then(|origin| origin.unwritten.get(stage.file_name())) {
        return Some(format!("was not written ({})", short(why)));
    }
    // Code decides checkpoints and nothing else.
    let is_code = origin.map_or_else(
        || folder.ends_with(Path::new(EVALS).join(CODE)),
        |origin| origin.judge == CODE,
    );
    (!is_code || stage == GradedStage::Execute).then(|| "is missing".to_owned())
}

/// The request of the run in whose folder the gradings lie; of gradings that do
/// not name a run only if they stand where a run has them.
fn run_of(folder: &Path, is_named: bool) -> Option<Value> {
    let above = folder.ancestors().skip(if is_named { 0 } else { 2 });
    let mut requests = above
        .take(if is_named { usize::MAX } else { 1 })
        .map(|above| above.join("run.json"));
    let bytes = bounded_file::read(&requests.find(|request| request.is_file())?).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The gradings with which a mean may be taken: those by the same judge, of runs
/// of the same setting and model where the run or the benchmark's layout
/// `SETTING/STUDY/MODEL/evals/JUDGE` says.
fn group(folder: &Path, origin: Option<&Origin>, run: Option<&Value>) -> String {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let placed = whole.file_name().unwrap_or_default().to_string_lossy();
    let judge = origin.map_or(&*placed, |origin| origin.judge.as_str());
    let of = run.and_then(own_runs).or_else(|| released_runs(&whole));
    of.map_or_else(
        || format!("judged by {judge}"),
        |of| format!("{of}, judged by {judge}"),
    )
}

/// Setting and model of a run of ours.
fn own_runs(request: &Value) -> Option<String> {
    let model = request.get("model")?.as_str()?;
    let mode = serde_json::from_value(request.get("code_mode")?.clone()).ok()?;
    let access = serde_json::from_value(request.get("code_access")?.clone()).ok()?;
    Some(format!("{} {model}", Setting::new(mode, access)))
}

/// Setting and model of a released run; the runs without the original's code are
/// of one model, which has no folder.
fn released_runs(judges: &Path) -> Option<String> {
    let evals = judges.parent().filter(|evals| evals.ends_with(EVALS))?;
    let ReleasedRun { setting, model, .. } = ReleasedRun::from_folder(evals.parent()?);
    Some(format!("{} {model}", setting?).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_mean_is_over_two_judges_models_or_settings() {
        let of = |folder: &str| group(Path::new(folder), None, None);
        assert_eq!(of("/r/python/1/o3/evals/gpt-4o"), "python o3, judged by gpt-4o");
        assert_eq!(of("/r/data-only/13/evals/gpt-4o"), "data-only, judged by gpt-4o");
        assert_eq!(
            of("/r/data-only/13/m/evals/gpt-4o"),
            "data-only m, judged by gpt-4o"
        );
        assert_eq!(of("/all/one/evals/code"), "judged by code");
        assert_eq!(of("/python/mine/of/all/one/evals/j"), "judged by j");
        let request = json!({"model": "openai/m", "code_mode": "native", "code_access": "data-only"});
        let origin = Origin::new("r", "s", "openai/judge");
        assert_eq!(
            group(Path::new("/x/evals/openai-judge"), Some(&origin), Some(&request)),
            "data-only openai/m, judged by openai/judge"
        );
    }
}
