//! A criterion, results as code records them, and what the verdict says.

use reprise::domain::criterion::{Criterion, FixedCriterion};
use reprise::domain::doubt::Doubt;
use reprise::domain::finding::Finding;
use reprise::domain::result_line;
use reprise::domain::verdict::Verdict;
use reprise::verdict::contrary_evidence::DataFacts;
use reprise::verdict::decide::{VerdictFacts, decide};
use reprise::verdict::earlier::EarlierResult;
use reprise::verdict::plan_words::PlanWords;
use reprise::verdict::trace::Output;
use serde_json::{Value, json};

/// A criterion on `x` for a positive claim, with what is given over it.
pub fn criterion(given: Value) -> Criterion {
    let mut whole = json!({"focal_term": "x", "direction": "positive", "alpha": 0.05, "two_sided": true});
    for (key, value) in given.as_object().unwrap() {
        whole[key] = value.clone();
    }
    serde_json::from_value(whole).unwrap()
}

/// The findings of recorded lines.
pub fn recorded(lines: &[Value]) -> Vec<Finding> {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    let (lines, bad) = result_line::parse(&text.join("\n"));
    assert_eq!(bad, []);
    lines.iter().map(|line| line.finding()).collect()
}

/// What every study fixes where it fixes nothing else.
pub fn default_rule() -> FixedCriterion {
    FixedCriterion {
        alpha: Some(0.05),
        two_sided: Some(true),
        ..FixedCriterion::default()
    }
}

/// The additions of a test to the recorded lines.
#[derive(Default)]
pub struct More {
    pub reported: Vec<Finding>,
    pub outputs: Output,
    pub data: DataFacts,
    pub plan: PlanWords,
    pub original: Option<Finding>,
    pub probed: Vec<Doubt>,
    pub earlier: Vec<EarlierResult>,
}

/// The verdict on recorded lines.
pub fn verdict(given: Value, lines: &[Value]) -> Verdict {
    judged(given, lines, More::default())
}

/// The same with more facts.
pub fn judged(given: Value, lines: &[Value], more: More) -> Verdict {
    with(given, lines, more, &default_rule())
}

/// The same under another criterion that the study fixes.
pub fn fixed_verdict(given: Value, lines: &[Value], fixed: &FixedCriterion) -> Verdict {
    with(given, lines, More::default(), fixed)
}

fn with(given: Value, lines: &[Value], more: More, fixed: &FixedCriterion) -> Verdict {
    decide(&VerdictFacts {
        criterion: &criterion(given),
        fixed: Some(fixed),
        recorded: &recorded(lines),
        printed: &[],
        reported: &more.reported,
        outputs: &more.outputs,
        strict: true,
        data: &more.data,
        plan: &more.plan,
        original: more.original.as_ref(),
        probed: &more.probed,
        from_data: false,
        earlier: &more.earlier,
    })
}
