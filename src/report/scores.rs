//! Scores in the order and groups in which they are shown.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use crate::grading::score_line::{Headline, ScoreLine};

/// The scores of one stage or aspect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreGroup {
    pub name: String,
    pub lines: Vec<ScoreLine>,
    /// Lines that have a value.
    pub scored: u64,
}

/// All scores of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    pub headlines: Vec<Headline>,
    pub groups: Vec<ScoreGroup>,
    pub scored: u64,
    pub total: u64,
    /// Limits of these scores, in whole sentences.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Scores {
    /// Groups the lines by name, in the order in which the names first occur.
    pub fn from_evidence(evidence: &Evidence) -> Self {
        let mut scores = Self {
            headlines: evidence.headlines.clone(),
            ..Self::default()
        };
        for line in &evidence.scores {
            let scored = u64::from(line.value.is_some());
            scores.total += 1;
            scores.scored += scored;
            let known = scores.groups.iter().position(|group| group.name == line.group);
            let group = match known.and_then(|at| scores.groups.get_mut(at)) {
                Some(group) => group,
                None => scores.groups.push_mut(ScoreGroup {
                    name: line.group.clone(),
                    lines: Vec::new(),
                    scored: 0,
                }),
            };
            group.lines.push(line.clone());
            group.scored += scored;
        }
        scores.notes.extend(evidence.references_note.clone());
        if scores.scored < scores.total {
            scores.notes.push(format!(
                "{} of {} lines are unscored; an unscored line counts neither for nor against the run.",
                scores.total - scores.scored,
                scores.total
            ));
        }
        scores
    }
}
