//! Figures of marked fields.

use reprise::domain::digest::Digest;
use reprise::grading::judge::grade::{FieldGrade, GradedBy, Grading};
use reprise::grading::judge::mark::Mark;
use reprise::scoring::aggregate::grading::GradedStage;

fn field(path: &str, mark: Mark, stated: Option<bool>, spread: Option<u8>) -> FieldGrade {
    FieldGrade {
        path: path.to_owned(),
        mark,
        by: GradedBy::Judge,
        given: Vec::new(),
        spread,
        flipped: spread.map(|spread| spread > 0),
        stated,
    }
}

fn grading(stage: GradedStage, highest: u8, fields: Vec<FieldGrade>) -> Grading {
    Grading {
        stage,
        reference: "the reference".to_owned(),
        rubric: Digest::compute("rubric"),
        highest,
        repeats: 1,
        orders: Vec::new(),
        fields,
        notes: Vec::new(),
    }
}

fn extraction() -> Vec<FieldGrade> {
    vec![
        field("claim.statement", Mark::Score(3), Some(true), Some(0)),
        field(
            "results.numerical_results[0].value",
            Mark::Score(0),
            Some(true),
            Some(2),
        ),
        field(
            "results.numerical_results[1].value",
            Mark::Score(3),
            Some(true),
            None,
        ),
        field("results.summary", Mark::Score(1), Some(false), None),
        field("data.source", Mark::NotApplicable, Some(false), None),
        field("data.wave", Mark::Score(2), Some(true), None),
    ]
}

fn near(found: Option<f64>, expected: f64) {
    assert!(
        found.is_some_and(|found| (found - expected).abs() < 1e-12),
        "{found:?}, not {expected}"
    );
}

#[test]
fn a_list_counts_as_one_field_and_an_aspect_as_one_of_the_score() {
    let grading = grading(GradedStage::Extract, 3, extraction());
    assert!(grading.is_whole());
    let figures = grading.figures();
    // claim 1; results the mean of 1/2 and 1/3; data 2/3.
    near(figures.score, (1.0 + 5.0 / 12.0 + 2.0 / 3.0) / 3.0);
    near(figures.stated, (1.0 + 1.0 / 2.0 + 2.0 / 3.0) / 3.0);
    let counted = [figures.coverage, figures.flips].map(|one| one.to_string());
    assert_eq!(
        (counted, figures.not_applicable),
        (["6/6".into(), "1/2".into()], 1)
    );
    near(figures.spread, 1.0);
    let aspects: Vec<_> = (figures.aspects.iter())
        .map(|one| (one.name.as_str(), one.scored, one.not_applicable, one.fields))
        .collect();
    assert_eq!(
        aspects,
        [("claim", 1, 0, 1), ("results", 3, 0, 3), ("data", 1, 1, 2)]
    );
    near(figures.aspects[1].score, 5.0 / 12.0);
    let interval = figures.interval.unwrap();
    assert!(interval.lower < figures.score.unwrap() && figures.score.unwrap() < interval.upper);
}

#[test]
fn an_unscored_field_takes_the_figures_it_belongs_to_and_no_others() {
    let mut fields = extraction();
    fields[3].mark = Mark::Unscored;
    let one = grading(GradedStage::Extract, 3, fields.clone());
    let figures = one.figures();
    assert!(!one.is_whole());
    assert_eq!((figures.score, figures.interval), (None, None));
    assert_eq!(figures.coverage.to_string(), "5/6");
    near(figures.stated, (1.0 + 1.0 / 2.0 + 2.0 / 3.0) / 3.0);
    let scores: Vec<_> = figures
        .aspects
        .iter()
        .map(|aspect| aspect.score.is_some())
        .collect();
    assert_eq!(scores, [true, false, true]);
    fields[0].mark = Mark::Unscored;
    assert_eq!(grading(GradedStage::Extract, 3, fields).figures().stated, None);
}

#[test]
fn checkpoints_that_all_passed_have_wilsons_interval_and_fields_have_none() {
    let passed = |paths: &[&str]| -> Vec<FieldGrade> {
        (paths.iter())
            .map(|path| field(path, Mark::Score(1), None, None))
            .collect()
    };
    let execution = grading(
        GradedStage::Execute,
        1,
        passed(&["1.1.1", "1.1.2", "1.2", "2.1.1"]),
    )
    .figures();
    let names: Vec<_> = execution
        .aspects
        .iter()
        .map(|aspect| aspect.name.as_str())
        .collect();
    assert_eq!(names, ["environment", "dependecy", "code_execution"]);
    let interval = execution.interval.unwrap();
    // Wilson, four of four.
    assert_eq!(((interval.lower * 1000.0).round(), interval.upper), (510.0, 1.0));
    let fields = grading(GradedStage::Interpret, 1, passed(&["notes", "execute_status"])).figures();
    assert_eq!((fields.score, fields.interval), (Some(1.0), None));
}
