//! Reflexion: behind an attempt that submitted nothing, a plan for the next.

use std::sync::Arc;

use crate::domain::excerpt;

/// The most characters of a plan that are kept.
const LONGEST_PLAN: usize = 8_000;
/// The most characters of the history of an attempt that its model reads again, the last ones.
pub const LONGEST_HISTORY: usize = 100_000;
/// The mark behind a plan.
const END: &str = "[END]";

/// The plan of an answer: what stands behind the last line that begins with `Plan`, up to the mark; of
/// an answer without such a line all of it.
pub fn plan(text: &str) -> String {
    let text = text.split_once(END).map_or(text, |(before, _)| before);
    let mut from = 0;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let lead = line.trim_start_matches(|one: char| one.is_whitespace() || matches!(one, '*' | '#' | '_'));
        let rest = lead.strip_prefix("Plan");
        if let Some(rest) = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
            let rest = rest.trim_start_matches(['*', '_', ' ', ':']);
            from = offset + line.len() - rest.len();
        }
        offset += line.len();
    }
    excerpt::start(text[from..].trim(), LONGEST_PLAN).to_owned()
}

/// The task as it is put to an attempt behind others.
pub fn with_plans(task: &Arc<str>, plans: &[String]) -> Arc<str> {
    let plans: Vec<&String> = plans.iter().filter(|plan| !plan.is_empty()).collect();
    if plans.is_empty() {
        return task.clone();
    }
    let mut text = format!(
        "{task}\n\nYou have tried this before and submitted nothing; everything stands as it did at the beginning. What you then \
         wrote as a plan for the next attempt:"
    );
    for plan in plans {
        text.push_str("\n\n");
        text.push_str(plan);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_stands_behind_its_mark() {
        let text = "It ran out of time.\nPlan: train on less.\n1. edit the config\n[END]\nObservation: x";
        assert_eq!(plan(text), "train on less.\n1. edit the config");
        assert_eq!(plan("## **Plan**\nfewer epochs"), "fewer epochs");
        assert_eq!(
            plan("Planning is hard.\nTake less."),
            "Planning is hard.\nTake less."
        );
        assert_eq!(plan(" Take fewer epochs. "), "Take fewer epochs.");
        assert_eq!(plan(&"x".repeat(LONGEST_PLAN + 1)).len(), LONGEST_PLAN);
    }

    #[test]
    fn plans_stand_behind_the_task() {
        let task: Arc<str> = "Train it.".into();
        assert_eq!(with_plans(&task, &[String::new()]), task);
        let with = with_plans(&task, &["one".to_owned(), String::new(), "two".to_owned()]);
        assert!(with.starts_with("Train it.\n\nYou have") && with.ends_with("\n\none\n\ntwo"));
    }
}
