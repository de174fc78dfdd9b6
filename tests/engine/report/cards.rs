//! Scorecards made by hand, with two judges or without any.

use reprise::domain::digest::Digest;
use reprise::domain::finding::Finding;
use reprise::domain::verdict::Outcome;
use reprise::grading::criteria::scale::ScaleRelation;
use reprise::grading::judge::grade::{FieldGrade, GradedBy, Grading};
use reprise::grading::judge::mark::{Given, Mark};
use reprise::grading::score_line::Headline;
use reprise::grading::scorecard::card::{Cost, FORMAT, JudgeCard, OutcomeCard, Scorecard, StageCard};
use reprise::grading::scorecard::together::between;
use reprise::scoring::aggregate::grading::GradedStage;
use reprise::scoring::aggregate::summary::Summary;
use reprise::scoring::outcome::Label;

/// A run without a judge; `loud` is put behind every text.
pub fn bare(loud: &str) -> Scorecard {
    let t = |text: &str| format!("{text}{loud}");
    let found = |estimate| Finding {
        name: t("income"),
        estimate: Some(estimate),
        standard_error: Some(0.12),
        n: Some(45),
        ..Finding::default()
    };
    Scorecard {
        format: FORMAT.to_owned(),
        run: t("run-1"),
        study: t("duncan"),
        title: t("Income and prestige"),
        model: t("recorded:python"),
        setting: "python".to_owned(),
        headlines: vec![Headline {
            label: t("Search, required resources found"),
            value: None,
            max: 1.0,
            n: 0,
            scored: 0,
            total: 2,
            interval: None,
            baseline: None,
            note: t("The study names no resources."),
        }],
        scores: Vec::new(),
        outcome: OutcomeCard {
            verdict: Some(Outcome::Met),
            reason: Some(t("the estimate is positive")),
            agent: None,
            label: Some(Label::Met),
            right: Some(true),
        },
        judges: Vec::new(),
        between: Vec::new(),
        original: Some(found(0.599)),
        replication: Some(found(0.4)),
        scale: ScaleRelation::Unknown,
        criteria: None,
        warnings: vec![t("A warning.")],
        circumstances: Default::default(),
    }
}

/// The same, marked by two judges who differ.
pub fn judged(loud: &str) -> Scorecard {
    let one = [Mark::Score(3), Mark::Score(2), Mark::Score(3), Mark::Unscored];
    let other = [Mark::Score(3), Mark::Score(3), Mark::Score(0), Mark::Unscored];
    let judges = vec![judge("one", one, loud), judge("other", other, loud)];
    Scorecard {
        between: between(&judges),
        judges,
        ..bare(loud)
    }
}

fn judge(name: &str, marks: [Mark; 4], loud: &str) -> JudgeCard {
    let paths = ["claim.same", "claim.near", "data.far", "data.missing"];
    let fields = paths.into_iter().zip(marks).map(|(path, mark)| FieldGrade {
        path: format!("{path}{loud}"),
        mark,
        by: GradedBy::Judge,
        given: vec![Given {
            mark,
            evidence: format!("quoted{loud}"),
            explanation: format!("{name} on {path}{loud}"),
        }],
        spread: None,
        flipped: None,
        stated: None,
    });
    let grading = Grading {
        stage: GradedStage::Extract,
        reference: format!("expected.json{loud}"),
        rubric: Digest::compute("rubric"),
        highest: 3,
        repeats: 1,
        orders: Vec::new(),
        fields: fields.collect(),
        notes: vec![format!("A note.{loud}")],
    };
    let mut design = grading.clone();
    design.stage = GradedStage::Design;
    for field in &mut design.fields {
        field.mark = Mark::Score(3);
        for given in &mut field.given {
            given.mark = Mark::Score(3);
        }
    }
    JudgeCard {
        judge: format!("{name}{loud}"),
        folder: format!("evals/{name}"),
        stages: vec![
            StageCard::graded(GradedStage::Extract, vec![grading]),
            StageCard::graded(GradedStage::Design, vec![design]),
            StageCard::unscored(GradedStage::Interpret, format!("there is no report{loud}")),
        ],
        compat: Summary::default(),
        corrected: Summary::default(),
        cost: Cost::default(),
        sampling: Default::default(),
        graded: None,
    }
}
