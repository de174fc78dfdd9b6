//! The grade of a task, by the grader of its track.

use serde::{Deserialize, Serialize};

use super::format;

/// The grade of a run; replications have a [`super::verdict::Verdict`] instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grade {
    /// The grader's name, as the track has it.
    pub grader: String,
    pub parts: Vec<GradedPart>,
    /// The counts of other graders of the same answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherCount>,
    /// The scores of the same parts by other rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<OtherScore>,
}

/// The score of a part by another rule than the grader's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherScore {
    /// The name of the rule.
    pub rule: String,
    /// The name of the part.
    pub part: String,
    /// From 0 to 1; absent where the rule gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl OtherScore {
    /// The score in words, such as `published answer 0.500`.
    pub fn words(&self) -> String {
        match self.score {
            Some(score) => format!("{} {} {score:.3}", self.rule, self.part),
            None => format!("{} {} unscored", self.rule, self.part),
        }
    }
}

/// The count of answers that another grader takes for right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherCount {
    pub grader: String,
    pub right: u32,
    pub of: u32,
}

/// One thing that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GradedPart {
    pub name: String,
    /// From 0 to 1; absent where it could not be scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What it rests on, or why it could not be scored. Holds no expected answer.
    pub detail: String,
}

impl Grade {
    /// How many parts were scored.
    pub fn scored(&self) -> usize {
        self.parts.iter().filter(|part| part.score.is_some()).count()
    }

    /// The mean of the parts that were scored; `None` where none was.
    pub fn mean(&self) -> Option<f64> {
        let scored = self.scored();
        let sum: f64 = self.parts.iter().filter_map(|part| part.score).sum();
        (scored > 0).then(|| sum / scored as f64)
    }

    /// The grade in one line: the mean, and over how many of the parts.
    pub fn line(&self) -> String {
        let (scored, parts) = (self.scored(), self.parts.len());
        let of = format!("{scored} of {}", format::counted(parts, "part", "parts"));
        match self.mean() {
            Some(mean) => format!("score {mean:.3} ({of} scored, by {})", self.grader),
            None => format!("unscored ({of} scored, by {})", self.grader),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_scored_is_no_zero() {
        let part = |score| GradedPart {
            name: "sum".to_owned(),
            score,
            detail: String::new(),
        };
        let grade = |parts| Grade {
            grader: "exact".to_owned(),
            parts,
            others: Vec::new(),
            also: Vec::new(),
        };
        let half = grade(vec![part(Some(1.0)), part(Some(0.0)), part(None)]);
        assert_eq!(half.mean(), Some(0.5));
        assert_eq!(half.line(), "score 0.500 (2 of 3 parts scored, by exact)");
        let none = grade(vec![part(None)]);
        assert_eq!(none.mean(), None);
        assert_eq!(none.line(), "unscored (0 of 1 part scored, by exact)");
    }
}
