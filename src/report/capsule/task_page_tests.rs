//! Tests of a task's page.

use super::*;
use crate::capsule::layout::level::{Layout, Level};
use crate::domain::usage::MicroDollars;
use crate::report::capsule::task_view::{AnswerMark, AttemptView, GraderOutcome, GraderView, questions};
use crate::scoring::released::capsule::tallies::Tallies;
use crate::scoring::released::capsule::value::PythonValue;

const GOLD: &str = r#"[{"Report the AUC.": 0.9573, "fig 2: which line is on top?": "blue"},
    {"Report the AUC.": 0.9571, "fig 2: which line is on top?": "blue"},
    {"Report the AUC.": 0.9575, "fig 2: which line is on top?": "blue"}]"#;

fn value(text: &str) -> PythonValue {
    PythonValue::parse(text).unwrap()
}

fn mark(grader: &str, right: bool, why: Option<&str>) -> AnswerMark {
    AnswerMark {
        grader: grader.to_owned(),
        right,
        why: why.map(str::to_owned),
    }
}

fn view() -> CapsuleTaskView {
    let mut questions = questions(&value(GOLD)).unwrap();
    let marks = vec![mark("original", false, None), mark("strict", true, None)];
    let found = questions[0].answer("core-agent, 1", Some(&value("0.9573")), marks);
    found.read_from = Some("work/results/log.txt, line 12".to_owned());
    let far = vec![mark(
        "strict",
        false,
        Some("the number lies outside the interval"),
    )];
    questions[0].answer("core-agent, 2", Some(&value("\"81.5%\"")), far);
    questions[1].answer("core-agent, 1", None, vec![mark("strict", false, None)]);
    let attempt = |name: &str, grades: Vec<GraderView>| AttemptView {
        name: name.to_owned(),
        unscored: None,
        grades,
        cost: Some(MicroDollars(1_250_000)),
        seconds: Some(754.0),
        tokens: None,
    };
    let graded = GraderView {
        grader: "strict".to_owned(),
        outcome: GraderOutcome::Graded {
            solved: false,
            tallies: Tallies {
                correct_written_answers: 1,
                correct_vision_answers: 0,
                total_written_questions: 1,
                total_vision_questions: 1,
            },
        },
    };
    let raised = GraderView {
        grader: "hal".to_owned(),
        outcome: GraderOutcome::Raised("KeyError: 'q'".to_owned()),
    };
    let mut failed = attempt("core-agent, 3", Vec::new());
    failed.unscored = Some("the container was gone".to_owned());
    CapsuleTaskView {
        task: "capsule-0000001".to_owned(),
        title: "Lines and areas".to_owned(),
        field: "Medicine".to_owned(),
        language: "Python".to_owned(),
        level: Level::Hard,
        layout: Layout::Hal,
        needs_gpu: false,
        prompt: "Run `main.py`.\nThen report.".to_owned(),
        doi: None,
        attempts: vec![
            attempt("core-agent, 1", vec![graded]),
            attempt("core-agent, 2", vec![raised]),
            failed,
        ],
        questions,
    }
}

#[test]
fn the_page_shows_gold_interval_and_answers() {
    let page = render(&view()).unwrap();
    let body = page.split_once("</style>").unwrap().1;
    for said in [
        "This page holds gold answers.",
        "<code>0.9573</code> · <code>0.9571</code> · <code>0.9575</code>",
        "read from",
        "work/results/log.txt, line 12",
        "81.5%",
        "ended with an error</span> <span class=\"quiet\">KeyError: &#39;q&#39;",
        "unscored: the container was gone",
        "$1.25",
        "12 min 34 s",
        "1. Report the AUC.",
        "2. fig 2: which line is on top?",
        "the number lies outside the interval",
    ] {
        let shown = body.to_lowercase().contains(&said.to_lowercase());
        assert!(shown, "`{said}` is missing:\n{body}");
    }
    assert_eq!(body.matches("<svg class=\"number-line\"").count(), 1);
    assert_eq!(body.matches("class=\"gold\"").count(), 3);
    assert_eq!(body.matches("<circle class=\"value-disputed\"").count(), 1);
    assert_eq!(body.matches("<path class=\"value-wrong\"").count(), 1);
    assert!(!page.contains("<script") && !page.contains("http://") && !page.contains("src="));
    assert_eq!(page, render(&view()).unwrap());
}

#[test]
fn the_warning_stands_above_everything_else() {
    let page = render(&view()).unwrap();
    let at = |text: &str| page.find(text).unwrap();
    assert!(at("holds gold answers.") < at("<main>"));
    assert!(at("holds gold answers.") < at("0.9573"));
}

#[test]
fn hostile_text_is_text() {
    let hostile = "</title><script>alert(1)</script>\u{202e}";
    let mut view = view();
    view.title = hostile.to_owned();
    view.prompt = hostile.to_owned();
    view.doi = Some(hostile.to_owned());
    view.attempts[0].name = hostile.to_owned();
    let gold = format!(
        "[{{{0}: {0}}}, {{{0}: {0}}}]",
        serde_json::to_string(hostile).unwrap()
    );
    view.questions.extend(questions(&value(&gold)).unwrap());
    let last = view.questions.last_mut().unwrap();
    let answer = PythonValue::Text(hostile.to_owned());
    let marks = vec![mark(hostile, false, Some(hostile))];
    last.answer(hostile, Some(&answer), marks).read_from = Some(hostile.to_owned());
    view.questions[0].answer(hostile, Some(&value("0.95")), Vec::new());
    let page = render(&view).unwrap();
    assert!(!page.contains("<script") && !page.contains('\u{202e}'));
    assert!(page.matches("alert(1)").count() > 8);
}

#[test]
fn nothing_is_said_where_there_is_nothing() {
    let mut view = view();
    view.attempts.clear();
    for question in &mut view.questions {
        question.answers.clear();
    }
    let page = render(&view).unwrap();
    assert!(page.contains("Nobody has attempted it."));
    assert_eq!(page.matches("No attempt answered it.").count(), 2);
    view.questions.clear();
    assert!(render(&view).unwrap().contains("holds no question"));
    view.questions = questions(&value("[{\"q\": 1}]")).unwrap();
    assert!(render(&view).unwrap().contains("it takes two gold runs"));
}

#[test]
fn a_long_answer_is_cut_and_says_so() {
    let mut view = view();
    let long = PythonValue::Text("a".repeat(5000));
    view.questions[1].answer("core-agent, 2", Some(&long), Vec::new());
    let page = render(&view).unwrap();
    assert!(page.contains("the first 400 of 5000 characters"));
    assert!(!page.contains(&"a".repeat(401)));
}
