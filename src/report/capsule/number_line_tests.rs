//! Tests of the plot of a question.

use super::*;
use crate::report::capsule::task_view::{AnswerMark, questions};
use crate::scoring::released::capsule::value::PythonValue;

fn question(golds: &[&str], answers: &[&str]) -> QuestionView {
    let runs: Vec<String> = golds.iter().map(|gold| format!("{{\"q\": {gold}}}")).collect();
    let gold = PythonValue::parse(&format!("[{}]", runs.join(", "))).unwrap();
    let mut question = questions(&gold).unwrap().remove(0);
    for answer in answers {
        question.answer("one", Some(&PythonValue::parse(answer).unwrap()), Vec::new());
    }
    question
}

fn labels(line: &NumberLine) -> Vec<&str> {
    line.ticks.iter().map(|tick| tick.label.as_str()).collect()
}

#[test]
fn gold_intervals_and_answers_share_one_axis() {
    let line = NumberLine::new(&question(&["1.5", "1.6", "1.7"], &["1.6", "2.0", "9", "-9"])).unwrap();
    // The gold is evenly spaced around the middle of the intervals.
    let [first, middle, last] = line.gold.as_slice() else {
        panic!("three gold runs");
    };
    assert!((middle - f64::midpoint(LEFT, RIGHT)).abs() < 0.2);
    assert!((last - middle - (middle - first)).abs() < 0.3);
    let (interval, widened) = (line.interval.unwrap(), line.widened.unwrap());
    let per_unit = (last - first) / 0.2;
    assert!((interval.width / per_unit - 2.0 * 0.496_827).abs() < 0.01);
    assert!((widened.width / per_unit - 2.0 * 0.546_827).abs() < 0.01);
    assert!(widened.x < interval.x);
    let places: Vec<AnswerPlace> = line.rows.iter().map(|row| row.place).collect();
    assert_eq!(places[0], AnswerPlace::At(*middle));
    assert!(matches!(places[1], AnswerPlace::At(x) if (x - middle - 0.4 * per_unit).abs() < 0.5));
    assert_eq!(places[2..], [AnswerPlace::Above, AnswerPlace::Below]);
    assert_eq!(labels(&line), ["0.5", "1.0", "1.5", "2.0", "2.5"]);
    assert!(line.rows.windows(2).all(|pair| pair[1].y - pair[0].y == ROW));
}

#[test]
fn a_collapsed_interval_has_a_place_and_near_answers_too() {
    let line = NumberLine::new(&question(&["96.12"; 3], &["96.12", "96.5"])).unwrap();
    let interval = line.interval.unwrap();
    assert_eq!(interval.width, 1.0);
    assert!(line.gold.iter().all(|gold| (gold - interval.x).abs() < 0.01));
    assert!(matches!(line.rows[0].place, AnswerPlace::At(x) if x == line.gold[0]));
    // An answer within the room of a widened one is beside it, not on it.
    assert_eq!(line.rows[1].place, AnswerPlace::Above);
    let whole = NumberLine::new(&question(&["0", "0", "0"], &["0", "0.4"])).unwrap();
    assert!(matches!(whole.rows[1].place, AnswerPlace::At(x) if x > whole.gold[0]));
}

#[test]
fn nothing_is_drawn_of_texts_and_every_place_is_finite() {
    assert_eq!(NumberLine::new(&question(&["\"a\"", "\"a\""], &["\"a\""])), None);
    assert_eq!(NumberLine::new(&question(&["null", "null"], &["1"])), None);
    for golds in [
        ["1e308", "-1e308", "1e308"],
        ["1e-320", "1e-320", "2e-320"],
        ["NaN", "1", "2"],
        ["1e-12", "1e-12", "1e-12"],
        ["123456789.1", "123456789.2", "123456789.3"],
    ] {
        let Some(line) = NumberLine::new(&question(&golds, &["5", "1e308", "1e-12", "\"x\""])) else {
            continue;
        };
        let ticks = line.ticks.iter().map(|tick| tick.x);
        let rows = line.rows.iter().filter_map(|row| match row.place {
            AnswerPlace::At(x) => Some(x),
            _ => None,
        });
        let stretches = [line.interval, line.widened].into_iter().flatten();
        let widths = stretches.flat_map(|stretch| [stretch.x, stretch.width]);
        assert!(ticks.chain(rows).chain(widths).all(f64::is_finite), "{golds:?}");
        assert_eq!(line.left_out, 1);
    }
}

#[test]
fn labels_tell_neighbours_apart() {
    for (golds, expected) in [
        (["0.95731", "0.95732", "0.95733"], 5),
        (["123456789.1", "123456789.2", "123456789.3"], 7),
    ] {
        let line = NumberLine::new(&question(&golds, &[])).unwrap();
        let labels = labels(&line);
        assert!(labels.len() > 2, "{labels:?}");
        assert!(labels.iter().all(|label| label.len() >= expected), "{labels:?}");
        assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
    }
}

#[test]
fn marks_stand_for_right_wrong_or_disputed() {
    let mut question = question(&["1", "1"], &[]);
    let mark = |right: bool| AnswerMark {
        grader: "any".to_owned(),
        right,
        why: None,
    };
    let one = PythonValue::parse("1").unwrap();
    for (marks, expected) in [
        (vec![], Standing::Unmarked),
        (vec![mark(true), mark(true)], Standing::Right),
        (vec![mark(false)], Standing::Wrong),
        (vec![mark(true), mark(false)], Standing::Disputed),
    ] {
        assert_eq!(Standing::new(question.answer("one", Some(&one), marks)), expected);
    }
}

#[test]
fn the_table_alone_has_the_many() {
    let answers = ["1"; 20];
    let line = NumberLine::new(&question(&["1", "2"], &answers)).unwrap();
    assert_eq!((line.rows.len(), line.left_out), (MOST, 8));
}
