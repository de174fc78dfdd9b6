//! ReplicatorBench's arithmetic, quirks included.
//!
//! An aspect is the text before a key's first dot, so every list item and every
//! root prefix makes its own; its score is the sum of numbers over three times
//! their count, and 0 where there is none; a stage is the mean of its aspects.
//! Source: `validator/aggregate_eval_scores.py` of the released benchmark.

use std::borrow::Cow;
use std::collections::HashMap;

use super::json::{Node, distinct};
use crate::scoring::aggregate::grading::{Gradings, Mark};
use crate::scoring::aggregate::summary::{AspectScore, StageScore};

/// The two halves of an execution's grading: key in the file, name in summaries.
const EXECUTE_HALVES: [(&str, &str); 2] = [
    ("evaluate_design", "execute_design"),
    ("execute", "execute_execute"),
];

/// The stages of one run's gradings; a file that cannot be used, and an item without a
/// mark, are left out.
pub fn stages(gradings: &Gradings<'_>) -> Vec<StageScore> {
    let mut stages = Vec::new();
    for (bytes, name) in [(gradings.extract, "extract"), (gradings.design, "design")] {
        stages.extend(read(bytes).and_then(|node| flat(&node, name)));
    }
    stages.extend(
        read(gradings.execute)
            .map(|node| execute(&node))
            .unwrap_or_default(),
    );
    stages.extend(read(gradings.interpret).and_then(|node| flat(&node, "interpret")));
    stages
}

fn read(bytes: Option<&[u8]>) -> Option<Node<'_>> {
    Node::parse(bytes?).ok()
}

/// The mark under an item's `score`; `None` of what is no mark.
fn mark(item: &Node<'_>) -> Option<Mark> {
    item.members()?;
    match item.get("score") {
        None | Some(Node::Null) => Some(Mark::NotApplicable),
        Some(Node::Number(number)) => Some(Mark::Score(*number)),
        Some(Node::Bool(flag)) => Some(Mark::Score(f64::from(u8::from(*flag)))),
        Some(Node::Text(text)) => match text.trim() {
            "" | "NA" | "N/A" => Some(Mark::NotApplicable),
            text => {
                let number = text.parse::<f64>().ok();
                number.filter(|number| number.is_finite()).map(Mark::Score)
            }
        },
        Some(Node::List(_) | Node::Members(_)) => None,
    }
}

#[derive(Default)]
struct Sum {
    name: String,
    total: f64,
    scored: usize,
    not_applicable: usize,
}

/// A stage of flat keys; `None` of what is no object.
fn flat(node: &Node<'_>, name: &str) -> Option<StageScore> {
    let mut sums: Vec<Sum> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (key, value) in distinct(node.members()?) {
        let aspect = key.split('.').next().unwrap_or_default();
        let at = *places.entry(aspect).or_insert_with(|| {
            sums.push(Sum {
                name: aspect.to_owned(),
                ..Sum::default()
            });
            sums.len() - 1
        });
        let sum = &mut sums[at];
        match mark(value) {
            Some(Mark::Score(score)) => {
                sum.total += score;
                sum.scored += 1;
            }
            Some(Mark::NotApplicable) => sum.not_applicable += 1,
            None => {}
        }
    }
    let aspects = sums.into_iter().map(|sum| AspectScore {
        score: Some(if sum.scored == 0 {
            0.0
        } else {
            sum.total / (3 * sum.scored) as f64
        }),
        name: sum.name,
        scored: sum.scored,
        not_applicable: sum.not_applicable,
    });
    let mut score = stage(name, aspects.collect());
    // A grading without any item is stored as 0.
    score.average.get_or_insert(0.0);
    Some(score)
}

/// The halves of an execution; none of a file that lacks one.
fn execute(node: &Node<'_>) -> Vec<StageScore> {
    let halves: Vec<_> = EXECUTE_HALVES
        .iter()
        .filter_map(|(key, name)| Some((*name, node.get(key)?.members()?)))
        .collect();
    if halves.len() < EXECUTE_HALVES.len() {
        return Vec::new();
    }
    let half = |(name, members): (&str, &[(Cow<'_, str>, Node<'_>)])| {
        let aspects = distinct(members).map(|(aspect, items)| {
            let (mut scores, mut not_applicable) = (Vec::new(), 0);
            for (_, value) in distinct(items.members().unwrap_or_default()) {
                match mark(value) {
                    Some(Mark::Score(score)) => scores.push(score),
                    Some(Mark::NotApplicable) => not_applicable += 1,
                    None => {}
                }
            }
            AspectScore {
                name: aspect.to_owned(),
                score: Some(mean(&scores).unwrap_or(0.0)),
                scored: scores.len(),
                not_applicable,
            }
        });
        stage(name, aspects.collect())
    };
    halves.into_iter().map(half).collect()
}

/// A stage as the mean of its aspects.
fn stage(name: &str, aspects: Vec<AspectScore>) -> StageScore {
    let scores: Vec<f64> = aspects.iter().filter_map(|aspect| aspect.score).collect();
    StageScore {
        stage: name.to_owned(),
        average: mean(&scores),
        aspects,
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aspects_are_cut_at_the_first_dot() {
        let text = r#"{"data_plan.a": {"score": 3}, "data_plan.b": {"score": "0"}, "analysis.x": {"score": "NA"},
            "failure[0].t": {"score": 3}, "failure[1].t": {"score": 0}}"#;
        let stages = stages(&Gradings {
            design: Some(text.as_bytes()),
            ..Gradings::default()
        });
        let [stage] = stages.as_slice() else {
            panic!("{stages:?}");
        };
        let scores: Vec<_> = stage.aspects.iter().map(|one| one.score.unwrap()).collect();
        assert_eq!(scores, [0.5, 0.0, 1.0, 0.0]);
        assert_eq!(stage.average, Some(0.375));
    }
}
