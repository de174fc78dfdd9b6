//! A table of attempts whose figures were worked out by hand.

use super::*;
use crate::analysis::capsule::accuracy::CountedShare;
use crate::analysis::capsule::attempt::QuestionOutcome;
use crate::capsule::layout::level::Level;
use crate::domain::usage::MicroDollars;

/// Questions as letters: a right answer, a wrong one or none, of a written question (`r`, `w`,
/// `n`) or of one about a figure (`R`, `W`, `N`).
fn questions(letters: &str) -> Vec<QuestionOutcome> {
    let question = |letter: char| QuestionOutcome {
        is_about_figure: letter.is_ascii_uppercase(),
        answered: !letter.eq_ignore_ascii_case(&'n'),
        right: letter.eq_ignore_ascii_case(&'r'),
    };
    letters.chars().map(question).collect()
}

fn attempt(task: &str, level: Level, letters: &str) -> CapsuleAttempt {
    CapsuleAttempt {
        task: task.to_owned(),
        field: if task == "a" { "Medicine" } else { "Economics" }.to_owned(),
        language: if task == "c" { "R" } else { "Python" }.to_owned(),
        level,
        needs_gpu: task == "b",
        agent: "one".to_owned(),
        grade: AttemptGrade::Graded(questions(letters)),
        cost: None,
        seconds: None,
        tokens: None,
    }
}

/// | task | level | questions | solved |
/// |---|---|---|---|
/// | a | hard | r R | yes |
/// | a | hard | r W | no |
/// | a | easy | r R | yes |
/// | b | hard | w r n | no |
/// | b | hard | nobody graded it | |
/// | c | hard | R | yes |
fn table() -> Vec<CapsuleAttempt> {
    let mut table = vec![
        attempt("a", Level::Hard, "rR"),
        attempt("a", Level::Hard, "rW"),
        attempt("a", Level::Easy, "rR"),
        attempt("b", Level::Hard, "wrn"),
        attempt("b", Level::Hard, ""),
        attempt("c", Level::Hard, "R"),
    ];
    table[4].grade = AttemptGrade::Unscored("the machine failed".to_owned());
    table[0].cost = Some(MicroDollars(1_500_000));
    table[1].cost = Some(MicroDollars(500_000));
    table[4].seconds = Some(90.0);
    table[0].tokens = Some(100);
    table[1].tokens = Some(300);
    table
}

fn counts(accuracy: &Accuracy) -> [String; 6] {
    [
        accuracy.attempts,
        accuracy.written_attempts,
        accuracy.figure_attempts,
        accuracy.questions,
        accuracy.written_questions,
        accuracy.figure_questions,
    ]
    .map(|share| share.count.to_string())
}

#[test]
fn the_figures_of_the_table() {
    let found = summaries(&table());
    assert_eq!(found.len(), 1);
    let one = &found[0];
    assert_eq!((one.agent.as_str(), one.tasks, one.attempts), ("one", 3, 6));
    assert_eq!(
        one.unscored,
        BTreeMap::from([("the machine failed".to_owned(), 1)])
    );
    assert_eq!(counts(&one.accuracy), ["3/5", "3/4", "3/4", "7/10", "4/6", "3/4"]);
    assert_eq!(one.answered.questions.count.to_string(), "9/10");
    assert_eq!(one.answered.full_attempts.count.to_string(), "4/5");
    // a: 1 of 2 hard and 1 of 1 easy, which is 3/4; b 0 of 1; c 1 of 1.
    let passes: Vec<_> = one.passes.iter().map(|one| (one.k, one.tasks)).collect();
    assert_eq!(passes, [(1, 3), (2, 1)]);
    assert!((one.passes[0].at_least_one - 1.75 / 3.0).abs() < 1e-12);
    assert_eq!((one.passes[1].at_least_one, one.passes[1].all), (1.0, 0.0));
    let reliability = one.reliability.as_ref().unwrap();
    // With one attempt: a at the easy level, b and c.
    assert_eq!(
        (
            reliability.repeats,
            reliability.other_tasks,
            reliability.pass_at_1.tasks
        ),
        (1, 0, 3)
    );
    assert_eq!((one.cost.sum, one.cost.known, one.cost.blank), (Some(2.0), 2, 4));
    assert_eq!(one.cost.mean, Some(1.0));
    assert_eq!((one.seconds.mean, one.seconds.blank), (Some(90.0), 5));
    assert_eq!((one.tokens.sum, one.tokens.known), (Some(400.0), 2));
}

/// A capsule at three levels is one task, and each level has figures of its own.
#[test]
fn a_capsule_at_three_levels_is_one_task() {
    let mut attempts = Vec::new();
    for (level, letters) in [
        (Level::Easy, ["r", "r"]),
        (Level::Medium, ["r", "w"]),
        (Level::Hard, ["w", "w"]),
    ] {
        attempts.extend(letters.map(|letters| attempt("a", level, letters)));
    }
    let one = &summaries(&attempts)[0];
    assert_eq!((one.tasks, one.attempts), (1, 6));
    let reliability = one.reliability.as_ref().unwrap();
    assert_eq!((reliability.repeats, reliability.pass_at_1.tasks), (2, 1));
    assert_eq!(
        (reliability.pass_at_1.mean, reliability.pass_at_1.standard_error),
        (0.5, None)
    );
    assert_eq!((one.passes[1].tasks, one.passes[1].at_least_one), (1, 2.0 / 3.0));
    let levels: Vec<_> = one
        .levels
        .iter()
        .map(|own| {
            let of_two = own.passes[1];
            (
                own.level,
                own.tasks,
                own.attempts,
                of_two.tasks,
                of_two.at_least_one,
                of_two.all,
            )
        })
        .collect();
    let expected = [
        (Level::Easy, 1, 2, 1, 1.0, 1.0),
        (Level::Medium, 1, 2, 1, 1.0, 0.0),
        (Level::Hard, 1, 2, 1, 0.0, 0.0),
    ];
    assert_eq!(levels, expected);
    assert!(
        levels
            .iter()
            .zip(&one.levels)
            .all(|(_, own)| own.reliability.is_some())
    );
}

#[test]
fn groups_split_the_attempts() {
    let found = &summaries(&table())[0];
    let rows: Vec<_> = found
        .groups
        .iter()
        .map(|group| {
            let by = serde_json::to_value(group.by).unwrap();
            let words = format!("{} {}", by.as_str().unwrap(), group.value);
            (words, group.accuracy.attempts.count.to_string(), group.unscored)
        })
        .collect();
    let expected = [
        ("level easy", "1/1", 0),
        ("level hard", "2/4", 1),
        ("field Economics", "1/2", 1),
        ("field Medicine", "2/3", 0),
        ("language Python", "2/4", 1),
        ("language R", "1/1", 0),
        ("gpu needed", "0/1", 1),
        ("gpu not needed", "3/4", 0),
    ];
    let expected = expected.map(|(words, count, unscored)| (words.to_owned(), count.to_owned(), unscored));
    assert_eq!(rows, expected);
    for by in Grouping::iter() {
        let of = found.groups.iter().filter(|group| group.by == by);
        assert_eq!(of.map(|group| group.attempts).sum::<usize>(), found.attempts);
    }
}

#[test]
fn agents_are_told_apart() {
    let mut attempts = table();
    attempts[5].agent = "another".to_owned();
    let found = summaries(&attempts);
    let rows: Vec<_> = found
        .iter()
        .map(|one| (one.agent.as_str(), one.attempts))
        .collect();
    assert_eq!(rows, [("another", 1), ("one", 5)]);
    assert!(summaries(&[]).is_empty());
}

/// Wilson's interval at 1.96, worked out by its formula: 37 of 39 and 3 of 5.
#[test]
fn intervals_are_those_of_the_literal_quantile() {
    let interval = |hits: usize, of: usize| {
        let share = CountedShare::count((0..of).map(|at| at < hits));
        let interval = share.interval.unwrap();
        assert_eq!(interval.level, 0.95);
        (interval.lower, interval.upper)
    };
    let near = |found: (f64, f64), lower: f64, upper: f64| {
        assert!(
            (found.0 - lower).abs() < 1e-13 && (found.1 - upper).abs() < 1e-13,
            "{found:?}"
        );
    };
    near(interval(37, 39), 0.831_140_609_543_620_8, 0.985_822_342_353_600_4);
    near(interval(3, 5), 0.230_719_932_208_837_08, 0.882_381_768_840_746_7);
    assert_eq!(CountedShare::count([]).interval, None);
}

/// A task without questions is solved by nobody, and an attempt that nobody graded is no failure.
#[test]
fn nothing_counts_as_nothing() {
    let mut attempts = vec![attempt("a", Level::Hard, "")];
    let empty = &summaries(&attempts)[0];
    assert_eq!(empty.accuracy.attempts.count.to_string(), "0/1");
    assert_eq!(empty.accuracy.questions.share(), None);
    assert_eq!(empty.answered.full_attempts.count.to_string(), "0/1");
    attempts[0].grade = AttemptGrade::Unscored("no answer file".to_owned());
    let unscored = &summaries(&attempts)[0];
    assert_eq!(unscored.accuracy.attempts.share(), None);
    assert_eq!(unscored.reliability, None);
    assert!(unscored.passes.is_empty());
}
