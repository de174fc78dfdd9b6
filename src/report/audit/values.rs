//! The values that a run reports, each with its source.

use serde::Serialize;

use super::history::{ActBy, History};
use super::source::ValueSource;
use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::domain::finding::Finding;
use crate::domain::number_text;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::scoring::capsule::baseline::{is_telling, stands_in};
use crate::scoring::released::capsule::value::PythonValue;
use crate::verdict::trace::WrittenNumber;

/// A reported value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourcedValue {
    /// The question, or the finding and its field.
    pub name: String,
    pub text: String,
    #[serde(flatten)]
    pub source: ValueSource,
}

/// The values of a run: the answers to a capsule's questions, what was submitted to a notebook task, or
/// the numbers of a study's findings.
///
/// # Errors
/// A stored answer that cannot be read.
pub fn values(run: &RunReader, history: &History) -> Result<Vec<SourcedValue>, EngineError> {
    let started = run.state.started.as_ref();
    let named = match started {
        Some(started) if started.capsule.is_some() => answers(run)?,
        Some(started) if started.notebook.is_some() => submitted(run)?,
        _ => numbers(run)?,
    };
    Ok(named
        .into_iter()
        .map(|(name, value)| SourcedValue {
            text: value.to_string(),
            source: source(&value, history),
            name,
        })
        .collect())
}

/// The answers, each element of a list by itself.
fn answers(run: &RunReader) -> Result<Vec<(String, PythonValue)>, EngineError> {
    let stage = run.state.track().result_stage();
    let artifact = stage.and_then(|stage| run.state.stages.get(&stage)?.artifact());
    let Some(artifact) = artifact else {
        return Ok(Vec::new());
    };
    let Ok(PythonValue::Dict(answers)) = PythonValue::parse(&run.text(artifact)?) else {
        return Ok(Vec::new());
    };
    let mut named = Vec::new();
    for (question, answer) in answers.iter() {
        match answer {
            PythonValue::List(items) => {
                named.extend(items.iter().map(|item| (question.to_string(), item.clone())))
            }
            other => named.push((question.to_string(), other.clone())),
        }
    }
    Ok(named)
}

/// The values of a submission, each by the keys that lead to it.
fn submitted(run: &RunReader) -> Result<Vec<(String, PythonValue)>, EngineError> {
    let stage = run.state.track().result_stage();
    let artifact = stage.and_then(|stage| run.state.stages.get(&stage)?.artifact());
    let Some(artifact) = artifact else {
        return Ok(Vec::new());
    };
    let mut named = Vec::new();
    if let Ok(value) = PythonValue::parse(&run.text(artifact)?) {
        leaves("submission".to_owned(), &value, &mut named);
    }
    Ok(named)
}

fn leaves(name: String, value: &PythonValue, named: &mut Vec<(String, PythonValue)>) {
    match value {
        PythonValue::Dict(members) => {
            for (key, member) in members.iter() {
                leaves(format!("{name}.{key}"), member, named);
            }
        }
        PythonValue::List(items) => {
            for (index, item) in (1..).zip(items) {
                leaves(format!("{name}.{index}"), item, named);
            }
        }
        other => named.push((name, other.clone())),
    }
}

/// The numbers of the findings that a replication reports.
fn numbers(run: &RunReader) -> Result<Vec<(String, PythonValue)>, EngineError> {
    let results = run_reader::answer::<ExecutionResults>(&run.state, &run.store, Stage::EXECUTE)?;
    let findings = results.map(|results| results.findings()).unwrap_or_default();
    Ok(findings.iter().flat_map(of_finding).collect())
}

fn of_finding(finding: &Finding) -> Vec<(String, PythonValue)> {
    let interval = finding.interval.as_ref();
    [
        ("estimate", finding.estimate),
        ("standard error", finding.standard_error),
        ("p-value", finding.p_value.map(|p| p.value)),
        ("lower limit", interval.map(|interval| interval.lower)),
        ("upper limit", interval.map(|interval| interval.upper)),
    ]
    .into_iter()
    .filter_map(|(what, number)| Some((format!("{}: {what}", finding.name), PythonValue::Float(number?))))
    .collect()
}

/// The first source that holds.
fn source(value: &PythonValue, history: &History) -> ValueSource {
    if history.has_programs {
        return ValueSource::Unknown;
    }
    if !is_telling(value) {
        return ValueSource::TooShort;
    }
    let searched = SearchedValue::new(value);
    for file in &history.laid {
        if let Some(line) = searched.line_in(&file.text) {
            return ValueSource::LaidThere {
                path: file.path.clone(),
                line,
            };
        }
    }
    for act in &history.acts {
        let Some(line) = searched.line_in(&act.text) else {
            continue;
        };
        return match act.by {
            ActBy::Agent => ValueSource::Written { at: act.at },
            ActBy::Output => ValueSource::Printed { at: act.at, line },
        };
    }
    ValueSource::Nowhere
}

/// A value as it is looked for.
enum SearchedValue {
    Number(WrittenNumber),
    Text(String),
}

impl SearchedValue {
    fn new(value: &PythonValue) -> Self {
        let number = value.is_number().then(|| value.as_float()).flatten();
        match number.and_then(WrittenNumber::from_value) {
            Some(number) => Self::Number(number),
            None => Self::Text(value.to_string()),
        }
    }

    /// The first line of a text that holds it: a number that rounds to it, or its words.
    fn line_in(&self, text: &str) -> Option<usize> {
        let holds = |line: &str| match self {
            Self::Number(number) => number_text::numbers(line)
                .iter()
                .any(|found| number.is_of(found.value)),
            Self::Text(words) => stands_in(line, words),
        };
        text.lines().position(holds).map(|at| at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::history::{Act, LaidFile};
    use crate::report::audit::source::ActPlace;

    fn at(turn: u32) -> ActPlace {
        ActPlace {
            stage: Stage::EXECUTE,
            turn,
        }
    }

    fn history(acts: &[(ActBy, &str)], laid: &[(&str, &str)]) -> History {
        let acts = (1..).zip(acts).map(|(turn, (by, text))| Act {
            at: at(turn),
            by: *by,
            text: (*text).to_owned(),
        });
        let laid = laid.iter().map(|(path, text)| LaidFile {
            path: (*path).to_owned(),
            text: (*text).to_owned(),
        });
        History {
            acts: acts.collect(),
            laid: laid.collect(),
            commands: 1,
            failed: 0,
            failures: Vec::new(),
            has_programs: false,
        }
    }

    #[test]
    fn the_first_that_holds_a_value_is_its_source() {
        use ActBy::{Agent, Output};
        let value = PythonValue::Float(3.482);
        let found = |acts: &[(ActBy, &str)], laid: &[(&str, &str)]| source(&value, &history(acts, laid));
        let printed = [(Agent, "python run.py"), (Output, "mean\nse 3.481799")];
        assert_eq!(found(&printed, &[]), ValueSource::Printed { at: at(2), line: 2 });
        let literal = [(Agent, "print(3.482)"), (Output, "3.482")];
        assert_eq!(found(&literal, &[]), ValueSource::Written { at: at(1) });
        // What was printed may be written down afterwards.
        let noted = [(Output, "3.481799"), (Agent, "echo 3.482 > notes")];
        assert_eq!(found(&noted, &[]), ValueSource::Printed { at: at(1), line: 1 });
        let laid = [("code/log.txt", "x\nse = 3.481799\n")];
        assert_eq!(
            found(&printed, &laid),
            ValueSource::LaidThere {
                path: "code/log.txt".to_owned(),
                line: 2
            }
        );
        assert_eq!(found(&[(Output, "13.482 3.49 34.82")], &[]), ValueSource::Nowhere);
        // Whoever knows it and has it computed is not found here: probes on changed data are for that.
        let computed = [(Agent, "print(1.741 * 2)"), (Output, "3.482")];
        assert_eq!(found(&computed, &[]), ValueSource::Printed { at: at(2), line: 1 });
    }

    #[test]
    fn short_values_and_programs_of_others_tell_nothing() {
        let none = history(&[], &[]);
        assert_eq!(
            source(&PythonValue::Int("12".to_owned()), &none),
            ValueSource::TooShort
        );
        assert_eq!(
            source(&PythonValue::Text("yes".to_owned()), &none),
            ValueSource::TooShort
        );
        let words = PythonValue::Text("random forest".to_owned());
        let acts = history(&[(ActBy::Output, "best: random forest.")], &[]);
        assert_eq!(source(&words, &acts), ValueSource::Printed { at: at(1), line: 1 });
        let mut others = history(&[], &[]);
        others.has_programs = true;
        assert_eq!(source(&PythonValue::Float(0.125), &others), ValueSource::Unknown);
    }
}
