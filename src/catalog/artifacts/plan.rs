//! The scripts that a plan names, as an execution plan.

use crate::catalog::artifacts::entries::{MOST, PlanFault, in_work};
use crate::catalog::artifacts::replication_info::{EntryPointPart, ReplicationInfo};
use crate::domain::excerpt;
use crate::domain::plan::{EntryPoint, ExecutionPlan, Interpreter};

impl ReplicationInfo {
    /// The scripts to run, in order, each below `work/`.
    ///
    /// Without entry points, the only script that `codebase.files` names is
    /// meant; which of several is never guessed.
    ///
    /// # Errors
    /// No entry point where none or several could be meant, more than a plan can have, one that no interpreter is known for, or a path that leads out of the workspace.
    pub fn plan(&self) -> Result<ExecutionPlan, PlanFault> {
        let study = &self.replication_study;
        if study.entry_points.len() > MOST {
            return Err(PlanFault::TooMany(study.entry_points.len()));
        }
        if !study.entry_points.is_empty() {
            return study
                .entry_points
                .iter()
                .map(entry_point)
                .collect::<Result<_, _>>()
                .map(ExecutionPlan);
        }
        let scripts: Vec<EntryPoint> = study
            .codebase
            .files
            .keys()
            .filter_map(|path| {
                let path = in_work(path).ok()?;
                let interpreter = Interpreter::from_path(&path).ok()?;
                Some(EntryPoint {
                    path,
                    interpreter,
                    arguments: Vec::new(),
                })
            })
            .collect();
        match scripts.as_slice() {
            [] => Err(PlanFault::Nothing),
            [_] => Ok(ExecutionPlan(scripts)),
            several => Err(PlanFault::Ambiguous(
                several
                    .iter()
                    .take(8)
                    .map(|one| one.path.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            )),
        }
    }
}

fn entry_point(part: &EntryPointPart) -> Result<EntryPoint, PlanFault> {
    let path = in_work(&part.path)?;
    let interpreter = match part
        .interpreter
        .as_deref()
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        Some(name) => named(name).ok_or_else(|| PlanFault::UnknownInterpreter {
            path: part.path.clone(),
            asked: excerpt::shortened(name, 60),
        })?,
        None => Interpreter::from_path(&path)?,
    };
    Ok(EntryPoint {
        path,
        interpreter,
        arguments: part.arguments.clone(),
    })
}

/// An interpreter by the names that people and command lines use.
fn named(name: &str) -> Option<Interpreter> {
    let lower = name.to_ascii_lowercase();
    let word = lower.split_whitespace().next().unwrap_or_default();
    Some(match word {
        "python" | "python3" | "py" => Interpreter::Python,
        "r" | "rscript" => Interpreter::R,
        "rmarkdown" | "rmd" | "knitr" => Interpreter::RMarkdown,
        "stata" | "stata-mp" | "stata-se" | "do" => Interpreter::Stata,
        "spss" | "pspp" | "sps" => Interpreter::Spss,
        "matlab" | "octave" | "octave-cli" => Interpreter::Matlab,
        "shell" | "sh" | "bash" => Interpreter::Shell,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn plan(study: Value) -> Result<ExecutionPlan, PlanFault> {
        let info: ReplicationInfo = serde_json::from_value(json!({ "replication_study": study })).unwrap();
        info.plan()
    }

    #[test]
    fn scripts_are_run_below_work_and_nowhere_else() {
        let found = plan(json!({"entry_points": [
            {"path": "analysis.py"}, {"path": "replication_data/sub/a b.R"},
            {"path": "work/run", "interpreter": "bash"}]}))
        .unwrap();
        let shown: Vec<_> = found
            .0
            .iter()
            .map(|entry| (entry.path.as_str(), entry.interpreter))
            .collect();
        assert_eq!(
            shown,
            [
                ("work/analysis.py", Interpreter::Python),
                ("work/sub/a b.R", Interpreter::R),
                ("work/run", Interpreter::Shell)
            ]
        );
        for bad in ["/app/data/x.py", "../x.py", "work/../../x.py"] {
            let fault = plan(json!({"entry_points": [{"path": bad}]})).unwrap_err();
            assert!(matches!(fault, PlanFault::Outside(_)), "{bad}: {fault}");
        }
        let fault = plan(json!({"entry_points": [{"path": "x.csv"}]})).unwrap_err();
        assert!(matches!(fault, PlanFault::NoInterpreter(_)));
    }

    #[test]
    fn the_only_script_is_meant_and_one_of_several_is_not_guessed() {
        let one = plan(json!({"codebase": {"files": {"a.py": "", "notes.md": "", "out.csv": ""}}})).unwrap();
        assert_eq!(one.0[0].path.as_str(), "work/a.py");
        let several = plan(json!({"codebase": {"files": {"a.py": "", "b.R": ""}}})).unwrap_err();
        assert!(several.to_string().contains("work/a.py, work/b.R"));
        assert_eq!(plan(json!({})), Err(PlanFault::Nothing));
    }
}
