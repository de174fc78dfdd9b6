//! Script-Executed, mended: whole names, outcomes, cells of the agent alone.

use crate::notebook::history::step::{CellOutcome, NotebookStep, StepBy, StepContent};

/// The seconds that a script has to run.
const LEAST_SECONDS: f64 = 10.0;

/// Commands that show or move a file and do not run it.
const READERS: [&str; 24] = [
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "grep",
    "egrep",
    "rg",
    "sed",
    "awk",
    "ls",
    "find",
    "wc",
    "diff",
    "cp",
    "mv",
    "rm",
    "chmod",
    "touch",
    "git",
    "wget",
    "curl",
    "pygmentize",
    "echo",
];

/// A script that is looked for.
#[derive(Debug, Clone)]
pub(super) struct Script<'a> {
    /// Its name with its suffix.
    name: &'a str,
    /// Its name as a module of Python's.
    module: Option<&'a str>,
    /// Lines that only show it do not count.
    must_run: bool,
}

/// The reason for which no step can be held against a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptUntold {
    NotGraded,
    NoTimes,
}

impl<'a> Script<'a> {
    pub fn new(path: &'a str, must_run: bool) -> Result<Self, ScriptUntold> {
        if ![".py", ".sh", ".bash"]
            .iter()
            .any(|suffix| path.ends_with(suffix))
        {
            return Err(ScriptUntold::NotGraded);
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        Ok(Self {
            name,
            module: name.strip_suffix(".py").filter(|module| !module.is_empty()),
            must_run,
        })
    }

    /// Whether some cell of the agent ran it for ten seconds and came to a good end.
    pub fn was_executed(&self, steps: &[NotebookStep]) -> Result<bool, ScriptUntold> {
        for (place, step) in steps.iter().enumerate() {
            let (StepBy::Agent, Some("execute"), Some(StepContent::Text(cell))) =
                (step.by, step.action.as_deref(), &step.content)
            else {
                continue;
            };
            if !self.is_in(cell) {
                continue;
            }
            let waits = steps[place + 1..]
                .iter()
                .take_while(|step| step.action.as_deref() == Some("continue_wait"));
            let whole: Vec<&NotebookStep> = std::iter::once(step).chain(waits).collect();
            if !self.ended_well(&whole) {
                continue;
            }
            let seconds: Option<f64> = whole.iter().map(|step| step.seconds).sum();
            if seconds.ok_or(ScriptUntold::NoTimes)? >= LEAST_SECONDS {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the outcome, the status of the last command and the output are those of a script that
    /// ran; what is not known of them is passed over.
    fn ended_well(&self, cell: &[&NotebookStep]) -> bool {
        let Some(last) = cell.last() else { return false };
        let outcome = matches!(last.outcome, None | Some(CellOutcome::Done));
        let status = matches!(last.exit_code, None | Some(0));
        let usage = format!("{}: error", self.name);
        let output = cell
            .iter()
            .all(|step| !step.observation.contains("Traceback") && !step.observation.contains(&usage));
        outcome && status && output
    }

    fn is_in(&self, cell: &str) -> bool {
        let joined = cell.replace("\\\n", " ");
        joined.lines().any(|line| {
            let line = line.trim();
            let is_named =
                has_word(line, self.name) || self.module.is_some_and(|module| runs_module(line, module));
            is_named && !line.starts_with('#') && !(self.must_run && only_shows(line))
        })
    }
}

/// Whether a text has a name that is no part of a longer one; a folder may stand before it.
fn has_word(text: &str, name: &str) -> bool {
    let is_of_name = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.');
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_of_name) && !after.is_some_and(is_of_name)
    })
}

/// Whether a line has `-m` with a module whose last part is the name.
fn runs_module(line: &str, module: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let named = pair[1].trim_matches(['"', '\'', ';', ')']);
        pair[0] == "-m" && named.rsplit('.').next() == Some(module)
    })
}

/// Whether every command of a line that names files is one that shows or moves them.
fn only_shows(line: &str) -> bool {
    let line = line.trim_start_matches(['!', '%']);
    line.split(['|', ';', '&'])
        .map(str::trim)
        .filter(|command| !command.is_empty())
        .all(|command| {
            let first = command.split_whitespace().next().unwrap_or_default();
            READERS.contains(&first.rsplit('/').next().unwrap_or(first)) || first == "cd"
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(action: &str, content: &str) -> NotebookStep {
        NotebookStep {
            by: StepBy::Agent,
            action: Some(action.to_owned()),
            content: Some(StepContent::Text(content.to_owned())),
            observation: "ok".to_owned(),
            seconds: Some(12.0),
            outcome: None,
            exit_code: None,
            file: None,
        }
    }

    fn executed(must_run: bool, steps: &[NotebookStep]) -> Result<bool, ScriptUntold> {
        Script::new("src/train.py", must_run)?.was_executed(steps)
    }

    #[test]
    fn whole_names_count_and_nothing_that_only_holds_them() {
        for (cell, gold, strict) in [
            ("!python src/train.py --epochs 1", true, true),
            ("!cd src && python train.py", true, true),
            ("!python -m src.train", true, true),
            ("!python3 -m src.train", true, true),
            ("%run src/train.py", true, true),
            ("!bash -c 'python train.py'", true, true),
            ("!cd src && \\\npython \\\n  train.py", true, true),
            ("!python pretrain.py", false, false),
            ("!python train.py.bak", false, false),
            ("!python -m src.trainer", false, false),
            ("!python my-train.py", false, false),
            ("# python train.py", false, false),
            ("!cat train.py", true, false),
            ("!cd src; head -n 5 train.py | grep x", true, false),
            ("!cat train.py && python train.py", true, true),
        ] {
            assert_eq!(executed(false, &[step("execute", cell)]), Ok(gold), "gold {cell}");
            assert_eq!(
                executed(true, &[step("execute", cell)]),
                Ok(strict),
                "strict {cell}"
            );
        }
        assert_eq!(executed(false, &[step("edit", "train.py\n...")]), Ok(false));
        assert_eq!(
            Script::new("Makefile", false).err(),
            Some(ScriptUntold::NotGraded)
        );
    }

    #[test]
    fn the_outcome_the_status_and_the_waits_count() {
        let cell = || step("execute", "!python src/train.py");
        let with = |change: &dyn Fn(&mut NotebookStep)| {
            let mut step = cell();
            change(&mut step);
            executed(false, &[step])
        };
        assert_eq!(with(&|step| step.by = StepBy::Task), Ok(false));
        assert_eq!(with(&|step| step.exit_code = Some(1)), Ok(false));
        assert_eq!(with(&|step| step.outcome = Some(CellOutcome::Running)), Ok(false));
        assert_eq!(with(&|step| step.outcome = Some(CellOutcome::Failed)), Ok(false));
        assert_eq!(with(&|step| step.observation = "Traceback".to_owned()), Ok(false));
        assert_eq!(
            with(&|step| step.observation = "train.py: error: x".to_owned()),
            Ok(false)
        );
        assert_eq!(with(&|step| step.seconds = Some(9.9)), Ok(false));
        assert_eq!(with(&|step| step.seconds = None), Err(ScriptUntold::NoTimes));
        let mut began = cell();
        began.seconds = Some(6.0);
        began.outcome = Some(CellOutcome::Running);
        let mut waited = step("continue_wait", "");
        waited.seconds = Some(6.0);
        waited.outcome = Some(CellOutcome::Done);
        waited.exit_code = Some(0);
        assert_eq!(executed(true, &[began.clone(), waited.clone()]), Ok(true));
        waited.observation = "Traceback".to_owned();
        assert_eq!(executed(true, &[began, waited]), Ok(false));
    }
}
