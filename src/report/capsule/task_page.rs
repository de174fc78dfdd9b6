//! The page of one task: each question with its gold, its interval and the answers to it.

use minijinja::Environment;
use minijinja::context;
use minijinja::value::Value;

use crate::domain::excerpt;
use crate::report::scorecard::naming::Names;
use crate::report::scorecard::page;
use crate::report::template::{TemplateError, value};

use super::number_line::NumberLine;
use super::task_view::{CapsuleTaskView, QuestionView};

/// Characters of an answer that are shown.
const LONGEST_ANSWER: usize = 400;

const TEMPLATES: [(&str, &str); 3] = [
    (
        "capsule_task.html",
        include_str!("../templates/capsule_task.html"),
    ),
    (
        "capsule_attempts.html",
        include_str!("../templates/capsule_attempts.html"),
    ),
    (
        "capsule_macros.html",
        include_str!("../templates/capsule_macros.html"),
    ),
];

/// The task as one self-contained page. It holds gold: it is to be written where no agent reads.
///
/// # Errors
/// A template that does not fit the view.
pub fn render(task: &CapsuleTaskView) -> Result<String, TemplateError> {
    let row = |question: &QuestionView| {
        context! { question => value(question), line => value(NumberLine::new(question)) }
    };
    let questions: Vec<Value> = task.questions.iter().map(row).collect();
    let environment = pages()?;
    let page = environment.get_template("capsule_task.html")?;
    Ok(page.render(context! { task => value(task), questions => questions, style => style() })?)
}

/// The templates of capsules with their filters.
///
/// # Errors
/// A template that does not parse.
pub fn pages() -> Result<Environment<'static>, TemplateError> {
    let mut environment = page::pages(Names::default())?;
    environment.add_filter("exact", |number: f64| number.to_string().replace('-', "−"));
    environment.add_filter("figure", |number: f64| format!("{number:.3}"));
    environment.add_filter("cut", cut);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// The style sheet of such pages.
pub fn style() -> Value {
    let ours = include_str!("../templates/capsule.css");
    Value::from_safe_string(format!("{}{ours}", page::style()))
}

/// The beginning of an answer, which says how much is missing.
fn cut(text: &str) -> String {
    let characters = text.chars().count();
    let mark = format!("… (the first {LONGEST_ANSWER} of {characters} characters)");
    excerpt::marked(text, LONGEST_ANSWER, &mark)
}

#[cfg(test)]
#[path = "task_page_tests.rs"]
mod tests;
