//! A run's extraction, looked up in its paper, and the
//! statistics of both put to the test.

use serde::Serialize;
use serde_json::Value;

use crate::analysis::consistency::{ConsistencyCheck, Flag, check_paper, check_registration, is_one_sided};
use crate::documents::document::Document;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::scoring::grounding::ground::ground;
use crate::scoring::grounding::line::{Line, Sought, Standing};
use crate::scoring::grounding::paper::Paper;

use super::evidence::StatisticFlag;

/// The lookups and the flags of one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grounding {
    pub lines: Vec<Line>,
    /// Passages whose numbers were compared with one another.
    pub passages: usize,
    pub flags: Vec<Flag>,
}

/// Looks a run's post-registration up in its paper; `None` where the run has none.
///
/// # Errors
/// A post-registration that cannot be read or is not JSON.
pub fn look_up(run: &RunReader, paper: &Document) -> Result<Option<Grounding>, EngineError> {
    let Some(content) = run
        .state
        .stages
        .get(&Stage::EXTRACT)
        .and_then(|stage| stage.artifact())
    else {
        return Ok(None);
    };
    let registered: Value = serde_json::from_str(&run.text(content)?)
        .map_err(|error| EngineError::Unusable(format!("the post-registration is not JSON: {error}")))?;
    Ok(Some(ground_paper(&registered, paper)))
}

/// Looks a post-registration up in a paper.
pub fn ground_paper(registered: &Value, paper: &Document) -> Grounding {
    let ConsistencyCheck {
        mut passages,
        mut flags,
    } = check_paper(paper);
    let own = check_registration(registered, is_one_sided(paper));
    passages += own.passages;
    flags.extend(own.flags);
    Grounding {
        lines: ground(registered, &Paper::new(paper)),
        passages,
        flags,
    }
}

impl Grounding {
    /// The flags as a report shows them.
    pub fn statistic_flags(&self) -> Vec<StatisticFlag> {
        self.flags
            .iter()
            .map(|flag| StatisticFlag {
                subject: flag.source.clone(),
                in_paper: flag.in_paper,
                detail: format!(
                    "“{}”: {}{}",
                    flag.passage,
                    flag.detail,
                    if flag.decides {
                        " Significance at the level .05 depends on which is right."
                    } else {
                        ""
                    }
                ),
            })
            .collect()
    }
}

/// The standings of one kind of thing with their counts, in words: `12 found, 1 absent`.
pub fn tally(lines: &[Line], sought: Sought) -> String {
    let counts: Vec<String> = [
        Standing::Found,
        Standing::Elsewhere,
        Standing::Altered,
        Standing::Common,
        Standing::Absent,
    ]
    .into_iter()
    .filter_map(|standing| {
        let count = lines
            .iter()
            .filter(|line| line.sought == sought && line.standing == standing)
            .count();
        (count > 0).then(|| format!("{count} {}", standing.words()))
    })
    .collect();
    if counts.is_empty() {
        "none to look up".to_owned()
    } else {
        counts.join("; ")
    }
}
