//! Tests of the page of all attempts.

use super::*;
use crate::analysis::capsule::attempt::{AttemptGrade, QuestionOutcome};
use crate::domain::usage::MicroDollars;

fn attempt(agent: &str, task: &str, right: &[bool]) -> CapsuleAttempt {
    let question = |(at, right): (usize, &bool)| QuestionOutcome {
        is_about_figure: at == 0,
        answered: true,
        right: *right,
    };
    CapsuleAttempt {
        task: task.to_owned(),
        field: "Medicine".to_owned(),
        language: "R".to_owned(),
        level: Level::Hard,
        needs_gpu: false,
        agent: agent.to_owned(),
        grade: AttemptGrade::Graded(right.iter().enumerate().map(question).collect()),
        cost: Some(MicroDollars(500_000)),
        seconds: Some(60.0),
        tokens: None,
    }
}

fn view() -> AttemptsView {
    let mut attempts = vec![
        attempt("one", "capsule-0000001", &[true, true]),
        attempt("one", "capsule-0000001", &[true, false]),
        attempt("one", "capsule-0000002", &[false]),
        attempt("two", "capsule-0000001", &[true, true]),
        attempt("two", "capsule-0000002", &[true]),
    ];
    attempts[4].grade = AttemptGrade::Unscored("the machine failed".to_owned());
    attempts[4].cost = None;
    AttemptsView {
        title: "Two agents".to_owned(),
        grader: "strict".to_owned(),
        tasks_in_file: Some(45),
        attempts,
        has_task_pages: true,
    }
}

#[test]
fn every_figure_stands_beside_its_n() {
    let page = render(&view()).unwrap();
    let body = page.split_once("</style>").unwrap().1;
    for said in [
        "5 attempts at 2 tasks, of 45 in the file",
        "hold gold answers",
        "1 of n = 3 graded attempts, 3 in all, at 2 tasks",
        "1 of n = 1 graded attempts, 2 in all, at 2 tasks",
        "1 unscored: the machine failed",
        ">33.3<",
        ">1/3<",
        "pass^k",
        "95% interval",
        "<a href=\"capsule-0000001-hard.html\">capsule-0000001</a>",
        ">1/2</td>",
        "1 unscored</span>",
        "$1.50",
        "1 min 00 s",
    ] {
        assert!(body.contains(said), "`{said}` is missing:\n{body}");
    }
    assert_eq!(page, render(&view()).unwrap());
    assert!(!page.contains("<script"));
}

#[test]
fn an_agent_that_nobody_graded_has_no_share() {
    let mut view = view();
    view.attempts.drain(..4);
    let page = render(&view).unwrap();
    let body = page.split_once("</style>").unwrap().1;
    assert!(body.contains("<p class=\"figure unscored\">unscored</p>"));
    assert!(!body.contains(">0.0<"));
    view.attempts.clear();
    let page = render(&view).unwrap();
    assert!(page.contains("There are no attempts.") && page.contains("0 attempts at 0 tasks"));
}

#[test]
fn hostile_names_are_text_and_no_links() {
    let hostile = "\"><script>alert(1)</script>\u{202e}";
    let mut view = view();
    view.title = hostile.to_owned();
    view.attempts[0].agent = hostile.to_owned();
    view.attempts[1].task = hostile.to_owned();
    view.attempts[2].field = hostile.to_owned();
    view.attempts[4].grade = AttemptGrade::Unscored(hostile.to_owned());
    let page = render(&view).unwrap();
    assert!(!page.contains("<script") && !page.contains('\u{202e}'));
    assert!(page.matches("alert(1)").count() > 5);
    assert_eq!(page.matches("<a href=\"capsule-").count(), 2);
    view.has_task_pages = false;
    assert!(!render(&view).unwrap().contains("<a href=\"capsule-"));
}
