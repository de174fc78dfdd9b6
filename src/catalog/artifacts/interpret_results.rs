//! `interpret_results.json`: the agent's conclusion.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::verdict::Outcome;

/// The answer of the interpretation stage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterpretResults {
    #[schemars(title = "what the replication says about the claim, in a paragraph")]
    pub interpretation_summary: String,
    /// Success, Partial Success or Failure
    #[serde(default)]
    pub execute_status: String,
    #[serde(default)]
    pub fidelity_assessment: FidelityPart,
    pub results_comparison: ComparisonPart,
    #[schemars(
        title = "the replication for a reader who has seen none of it: data, method, results, limits"
    )]
    #[serde(default)]
    pub replication_report: String,
    #[schemars(title = "each failure on the way, and what became of it")]
    #[serde(default)]
    pub failure_handling: Vec<FailurePart>,
    #[schemars(title = "what else bears on the conclusion")]
    #[serde(default)]
    pub notes: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FidelityPart {
    #[schemars(title = "how closely the analysis follows the original and the plan")]
    pub method_alignment: String,
    #[schemars(title = "each departure from the plan")]
    pub deviations: Vec<DeviationPart>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeviationPart {
    #[schemars(title = "what was done otherwise, and why")]
    pub issue_description: String,
    #[schemars(title = "what that does to the result")]
    pub impact: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonPart {
    #[schemars(title = "the hypothesis that decides")]
    #[serde(default)]
    pub hypothesis_tested: String,
    #[schemars(title = "the original's estimate, uncertainty and p-value")]
    #[serde(default)]
    pub original_results: String,
    #[schemars(title = "the replication's estimate, uncertainty, p-value and sample size")]
    #[serde(default)]
    pub replication_results: String,
    /// begins with Yes, No or Inconclusive and a full stop, then the reason
    pub overall_answer: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FailurePart {
    #[schemars(title = "what failed, at which stage")]
    pub failure_type: String,
    #[schemars(title = "what was done about it, or should be")]
    pub suggestions: String,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl InterpretResults {
    /// What the agent concluded, by the first word of its overall answer.
    ///
    /// A "no" after a failed execution is inconclusive: nothing was found that
    /// could speak against the claim. `None` where no known word begins it.
    pub fn conclusion(&self) -> Option<Outcome> {
        let answer = self.results_comparison.overall_answer.to_lowercase();
        let mut words = answer
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let first = words.next()?;
        let second = words.next().unwrap_or_default();
        let failed = self.execute_status.trim().to_lowercase().starts_with("fail");
        match (first, second) {
            ("yes" | "met", _) => Some(Outcome::Met),
            ("not", "comparable") => Some(Outcome::NotComparable),
            ("no" | "unmet", _) | ("not", "met") if failed => Some(Outcome::Inconclusive),
            ("no" | "unmet", _) | ("not", "met") => Some(Outcome::Unmet),
            (
                "partial" | "partially" | "partly" | "mixed" | "unable" | "inconclusive" | "cannot"
                | "undetermined",
                _,
            ) => Some(Outcome::Inconclusive),
            _ => None,
        }
    }

    /// Whether the overall answer calls itself partial: by its own words neither
    /// met nor unmet, and not for want of results.
    pub fn is_mixed(&self) -> bool {
        let answer = self.results_comparison.overall_answer.trim_start().to_lowercase();
        let first = answer
            .split(|c: char| !c.is_alphanumeric())
            .find(|word| !word.is_empty());
        matches!(first, Some("partial" | "partially" | "partly" | "mixed"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conclusion(answer: &str, status: &str) -> Option<Outcome> {
        let value = json!({"interpretation_summary": "", "execute_status": status,
            "results_comparison": {"overall_answer": answer}});
        serde_json::from_value::<InterpretResults>(value)
            .unwrap()
            .conclusion()
    }

    #[test]
    fn the_first_word_decides_whatever_separates_it() {
        for separator in [".", ",", ":", " —", " –", ""] {
            let answer = |word: &str| conclusion(&format!("{word}{separator} the rule"), "Success");
            assert_eq!(answer("Yes"), Some(Outcome::Met));
            assert_eq!(answer("No"), Some(Outcome::Unmet));
            assert_eq!(answer("Partial"), Some(Outcome::Inconclusive));
            assert_eq!(answer("Inconclusive"), Some(Outcome::Inconclusive));
        }
        assert_eq!(
            conclusion("No: nothing ran", "Failure"),
            Some(Outcome::Inconclusive)
        );
        assert_eq!(
            conclusion("Mixed: one of two", "Success"),
            Some(Outcome::Inconclusive)
        );
        assert_eq!(conclusion("Nobody knows", "Success"), None);
        assert_eq!(conclusion("", "Success"), None);
    }
}
