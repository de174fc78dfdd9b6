//! The page of all attempts: the figures of each agent, and each task with who solved it.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use serde::Serialize;

use crate::analysis::capsule::attempt::CapsuleAttempt;
use crate::analysis::capsule::summary::{AgentSummary, summaries};
use crate::capsule::layout::level::Level;
use crate::capsule::task_file::CapsuleId;
use crate::report::template::{TemplateError, value};
use crate::statistics::proportion::Proportion;

use super::task_page::{pages, style};

/// Attempts graded by one grader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptsView {
    pub title: String,
    pub grader: String,
    /// The tasks that the file has; absent where it is not at hand.
    pub tasks_in_file: Option<u64>,
    pub attempts: Vec<CapsuleAttempt>,
    /// Whether each task has a page beside this one, named by [`page_name`].
    pub has_task_pages: bool,
}

/// A task and who solved it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct TaskRow {
    task: String,
    level: Level,
    field: String,
    language: String,
    page: Option<String>,
    /// One an agent, in the order of their names.
    cells: Vec<AgentCell>,
}

/// The attempts of an agent at a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct AgentCell {
    agent: String,
    graded: Proportion,
    unscored: u64,
}

/// The name of a task's page.
pub fn page_name(task: &CapsuleId, level: Level) -> String {
    format!("{task}-{level}.html")
}

/// The attempts as one self-contained page.
///
/// # Errors
/// A template that does not fit the view.
pub fn render(view: &AttemptsView) -> Result<String, TemplateError> {
    let summaries = summaries(&view.attempts);
    let tasks = tasks(view, &summaries);
    let environment = pages()?;
    let page = environment.get_template("capsule_attempts.html")?;
    Ok(page.render(context! {
        view => value(view),
        summaries => value(summaries),
        capsules => tasks.iter().map(|row| &row.task).collect::<BTreeSet<_>>().len(),
        tasks => value(tasks),
        style => style(),
    })?)
}

fn tasks(view: &AttemptsView, agents: &[AgentSummary]) -> Vec<TaskRow> {
    let mut by_task = BTreeMap::<(&str, Level), Vec<&CapsuleAttempt>>::new();
    for attempt in &view.attempts {
        by_task
            .entry((attempt.task.as_str(), attempt.level))
            .or_default()
            .push(attempt);
    }
    let row = |((task, level), attempts): ((&str, Level), Vec<&CapsuleAttempt>)| TaskRow {
        page: CapsuleId::parse(task)
            .filter(|_| view.has_task_pages)
            .map(|id| page_name(&id, level)),
        task: task.to_owned(),
        level,
        field: attempts.first().map(|one| one.field.clone()).unwrap_or_default(),
        language: attempts
            .first()
            .map(|one| one.language.clone())
            .unwrap_or_default(),
        cells: agents.iter().map(|one| cell(&one.agent, &attempts)).collect(),
    };
    by_task.into_iter().map(row).collect()
}

fn cell(agent: &str, attempts: &[&CapsuleAttempt]) -> AgentCell {
    let own = || attempts.iter().filter(|attempt| attempt.agent == agent);
    AgentCell {
        agent: agent.to_owned(),
        graded: Proportion::count(own().filter_map(|attempt| attempt.is_solved())),
        unscored: own().filter(|attempt| attempt.is_solved().is_none()).count() as u64,
    }
}

#[cfg(test)]
#[path = "attempts_page_tests.rs"]
mod tests;
