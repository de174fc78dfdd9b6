//! Rows of Markdown's tables, where those that say the same are one.

use serde::Serialize;

use super::evidence::Trace;
use super::scores::ScoreGroup;
use super::stage_view::StageView;
use super::view::View;

/// The tables of a view that have merged rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergedRows {
    pub traces: Vec<TraceRow>,
    pub scores: Vec<ScoreRow>,
    pub accepted: Vec<AcceptedRow>,
}

/// The reported numbers that one line of output prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TraceRow {
    pub numbers: Vec<TracedNumber>,
    /// Absent where no execution printed them.
    pub printed_at: Option<String>,
    pub line: String,
}

/// A number as it was reported.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedNumber {
    pub finding: String,
    pub number: String,
}

/// A score, or the unscored lines of a group that have one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreRow {
    pub group: String,
    pub labels: Vec<String>,
    /// Absent of several.
    pub key: Option<String>,
    pub value: Option<f64>,
    pub max: f64,
    pub note: String,
}

/// The departures from canonical form with which a stage's answer was accepted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AcceptedRow {
    pub stage: String,
    pub departures: Vec<String>,
}

impl MergedRows {
    pub fn from_view(view: &View) -> Self {
        Self {
            traces: traces(&view.findings.traces),
            scores: view.scores.groups.iter().flat_map(scores).collect(),
            accepted: view.stages.iter().filter_map(accepted).collect(),
        }
    }
}

fn traces(traces: &[Trace]) -> Vec<TraceRow> {
    let mut rows: Vec<TraceRow> = Vec::new();
    for trace in traces {
        let number = TracedNumber {
            finding: trace.finding.clone(),
            number: trace.number.trim_start_matches("= ").to_owned(),
        };
        let printed_at = trace
            .found_at
            .as_ref()
            .map(|at| format!("{}, {}, line {}", at.execution, at.stream.words(), at.line));
        match rows.iter_mut().find(|row| row.printed_at == printed_at) {
            Some(row) => row.numbers.push(number),
            None => rows.push(TraceRow {
                numbers: vec![number],
                printed_at,
                line: trace
                    .found_at
                    .as_ref()
                    .map_or_else(String::new, |at| at.text.clone()),
            }),
        }
    }
    rows
}

fn scores(group: &ScoreGroup) -> Vec<ScoreRow> {
    let mut rows: Vec<ScoreRow> = Vec::new();
    for line in &group.lines {
        let same = rows
            .iter_mut()
            .find(|row| line.value.is_none() && row.value.is_none() && row.note == line.note);
        match same {
            Some(row) => {
                row.key = None;
                row.labels.push(line.label.clone());
            }
            None => rows.push(ScoreRow {
                group: group.name.clone(),
                labels: vec![line.label.clone()],
                key: Some(line.key.clone()),
                value: line.value,
                max: line.max,
                note: line.note.clone(),
            }),
        }
    }
    rows
}

fn accepted(stage: &StageView) -> Option<AcceptedRow> {
    let end = stage.end.as_ref()?;
    (!end.deviations.is_empty()).then(|| AcceptedRow {
        stage: stage.stage.to_string(),
        departures: end.deviations.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::ExecutionId;
    use crate::grading::score_line::ScoreLine;
    use crate::report::evidence::{FoundAt, Stream};

    #[test]
    fn numbers_of_one_line_share_a_row() {
        let trace = |number: &str, line: Option<u64>| Trace {
            finding: "dose".to_owned(),
            number: number.to_owned(),
            found_at: line.map(|line| FoundAt {
                execution: ExecutionId(2),
                stream: Stream::Stdout,
                line,
                text: format!("line {line}"),
            }),
        };
        let rows = traces(&[
            trace("1.94", Some(1)),
            trace("= 0.002", Some(1)),
            trace("4", Some(3)),
            trace("5", None),
        ]);
        let numbers: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| row.numbers.iter().map(|one| one.number.as_str()).collect())
            .collect();
        assert_eq!(numbers, [vec!["1.94", "0.002"], vec!["4"], vec!["5"]]);
        assert_eq!(rows[0].printed_at.as_deref(), Some("x2, stdout, line 1"));
        assert_eq!(rows[2].printed_at, None);
    }

    #[test]
    fn lines_that_are_unscored_for_one_reason_share_a_row() {
        let line = |label: &str, value: Option<f64>, note: &str| ScoreLine {
            group: "g".to_owned(),
            key: label.to_owned(),
            label: label.to_owned(),
            value,
            max: 1.0,
            note: note.to_owned(),
        };
        let group = ScoreGroup {
            name: "g".to_owned(),
            lines: vec![
                line("a", None, "stated in neither"),
                line("b", Some(1.0), "stated in neither"),
                line("c", None, "stated in neither"),
                line("d", None, "another reason"),
            ],
            scored: 1,
        };
        let labels: Vec<_> = scores(&group).into_iter().map(|row| row.labels).collect();
        assert_eq!(labels, [vec!["a", "c"], vec!["b"], vec!["d"]]);
    }
}
