//! Details of a cell, out of its run.

use std::collections::BTreeSet;

use crate::analysis::bench::details::{CellDetails, StageAmounts};
use crate::domain::code_file::{CodeFile, CodeLanguage};
use crate::engine::run_reader::RunReader;
use crate::report::timeline::{Shares, times};
use crate::run::decide::failed_stage;
use crate::run::event::RunStarted;

/// Reads the details of a run.
pub fn details(run: &RunReader) -> CellDetails {
    let failed = failed_stage(&run.state);
    let of_task = run.state.started.as_ref().map(|started| task(run, started));
    let times = times(&run.records);
    CellDetails {
        failed_stage: failed.as_ref().map(|failed| failed.stage.to_string()),
        cause: failed.map(|failed| failed.cause),
        doubt: run.state.verdict.as_ref().and_then(|verdict| verdict.cause),
        stages: (run.state.stages.iter())
            .map(|(stage, state)| StageAmounts {
                stage: stage.to_string(),
                seconds: times.get(stage).map_or(0.0, |time| at_work(time.shares())),
                tokens: state.usage().total(),
                turns: state.turns.len() as u64,
            })
            .collect(),
        ..of_task.unwrap_or_default()
    }
}

fn task(run: &RunReader, started: &RunStarted) -> CellDetails {
    if let Some(capsule) = &started.capsule {
        return CellDetails {
            field: Some(capsule.field.clone()).filter(|field| !field.is_empty()),
            language: Some(capsule.language.clone()).filter(|language| !language.is_empty()),
            level: Some(capsule.level.to_string()),
            ..CellDetails::default()
        };
    }
    if let Some(notebook) = &started.notebook {
        return CellDetails {
            language: Some("Python".to_owned()),
            level: Some(notebook.set.name().to_owned()),
            ..CellDetails::default()
        };
    }
    CellDetails {
        language: executed(run),
        ..CellDetails::default()
    }
}

/// The languages of the scripts of a study that ran; `None` where none did.
fn executed(run: &RunReader) -> Option<String> {
    let scripts = run.state.executions.iter().map(|one| one.started.path.as_str());
    let languages: BTreeSet<String> = scripts.filter_map(language).collect();
    let languages: Vec<String> = languages.into_iter().collect();
    (!languages.is_empty()).then(|| languages.join(" and "))
}

/// The language of a script; `None` of a shell script, which runs others.
fn language(script: &str) -> Option<String> {
    let language = CodeFile::of(script)?.language;
    (language != CodeLanguage::Shell).then(|| language.to_string())
}

fn at_work(shares: Shares) -> f64 {
    let parts = [
        shares.model_ms,
        shares.build_ms,
        shares.execution_ms,
        shares.engine_ms,
    ];
    parts.into_iter().map(|ms| ms as f64).sum::<f64>() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_go_by_the_ending() {
        assert_eq!(language("code/Table 2.R").as_deref(), Some("R"));
        assert_eq!(language("work/analysis.py").as_deref(), Some("Python"));
        assert_eq!((language("run"), language("a.txt")), (None, None));
    }
}
