//! A run's scores as lines.

use crate::cli::output::{Printer, paint, styled};
use crate::domain::excerpt;
use crate::domain::finding::Interval;
use crate::grading::judge::grade::FieldGrade;
use crate::grading::judge::mark::Mark;
use crate::grading::scorecard::card::{CODE, JudgeCard, Scorecard, StageCard};
use crate::grading::scorecard::together::Together;
use crate::scoring::outcome::Label;

use crate::cli::text_table::{TextTable, percent, percent_or_dash};

/// Prints what is known of one run.
pub fn show(printer: Printer, card: &Scorecard) {
    printer.line(format!(
        "{} {} {}",
        styled(paint::STRONG, &card.study),
        card.model,
        card.setting
    ));
    let outcome = &card.outcome;
    let verdict = outcome
        .verdict
        .map_or_else(|| "no verdict".to_owned(), |verdict| verdict.to_string());
    let about = &card.circumstances;
    let label = match (outcome.right, &about.unfinished, &about.no_label) {
        (Some(true), ..) => "as the human label says",
        (Some(false), ..) => "not as the human label says",
        (None, Some(_), _) => "neither right nor wrong, see the warning",
        (None, None, Some(why)) => why.as_str(),
        (None, None, None) => "the study has no label",
    };
    printer.line(format!("  verdict: {verdict} ({label})"));
    for headline in &card.headlines {
        let value = match headline.value {
            Some(value) => format!(
                "{} of {} (n = {})",
                percent(value),
                percent(headline.max),
                headline.n
            ),
            None => format!("unscored: {}", headline.note),
        };
        let interval = headline.interval.map_or_else(String::new, |one| {
            format!(", 95 % [{}, {}]", percent(one.lower), percent(one.upper))
        });
        let baseline = headline.baseline.as_ref().map_or_else(String::new, |baseline| {
            format!(", trivial baseline {}", percent(baseline.value))
        });
        printer.line(format!("  {}: {value}{interval}{baseline}", headline.label));
    }
    for judge in &card.judges {
        show_judge(printer, judge);
    }
    for one in &card.between {
        let kappa = one
            .agreement
            .quadratic_kappa
            .map_or_else(|| "not defined".to_owned(), |kappa| format!("{kappa:.3}"));
        printer.line(format!(
            "  {} and {} on {}: exact {}, quadratic kappa {kappa}",
            one.first, one.second, one.stage, one.agreement.exact
        ));
    }
}

fn show_judge(printer: Printer, judge: &JudgeCard) {
    let heading = if judge.judge == CODE {
        "checkpoints by code".to_owned()
    } else {
        format!("judge {}", judge.judge)
    };
    let mut table = TextTable::new([
        &heading,
        "score",
        "95 % from",
        "to",
        "stated",
        "floor",
        "ceiling",
        "marked",
        "flips",
    ]);
    let mut said = Vec::new();
    for stage in &judge.stages {
        if let Some(why) = &stage.unscored {
            table.row([stage.label(), "unscored".to_owned()]);
            said.push(format!("  {} is unscored: {why}.", stage.stage));
        }
        for one in &stage.against {
            let figures = &one.figures;
            let bound = |of: fn(&Interval) -> f64| percent_or_dash(figures.interval.as_ref().map(of));
            table.row([
                format!("{} ({})", stage.label(), one.reference),
                figures.score.map_or_else(|| "unscored".to_owned(), percent),
                bound(|interval| interval.lower),
                bound(|interval| interval.upper),
                percent_or_dash(figures.stated),
                percent_or_dash(one.floor),
                percent_or_dash(one.ceiling),
                figures.coverage.to_string(),
                if figures.flips.of == 0 {
                    "–".to_owned()
                } else {
                    figures.flips.to_string()
                },
            ]);
        }
        for row in over_references(stage) {
            table.row(row);
        }
        // The warning above says it of all that a silent judge was asked.
        if judge.is_silent() {
            continue;
        }
        said.extend(
            unscored(stage)
                .into_iter()
                .map(|line| format!("  {} {line}", stage.stage)),
        );
        said.extend(
            stage
                .notes
                .iter()
                .map(|note| format!("  {}: {note}", stage.stage)),
        );
    }
    said.extend(judge.compat.problems.iter().map(|problem| format!("  {problem}")));
    for line in table
        .lines()
        .into_iter()
        .map(|line| format!("  {line}"))
        .chain(said)
    {
        printer.line(line);
    }
}

/// The rows of a stage with several references: the best one, and the mean.
fn over_references(stage: &StageCard) -> Vec<[String; 7]> {
    let row = |name: String, score, [floor, ceiling]: [Option<f64>; 2]| {
        let none = || percent_or_dash(None);
        let label = format!("{}, {name}", stage.label());
        let [floor, ceiling] = [floor, ceiling].map(percent_or_dash);
        [label, percent(score), none(), none(), none(), floor, ceiling]
    };
    let (Some((reference, best)), Some(mean)) = (&stage.best, stage.mean) else {
        return Vec::new();
    };
    let Some(of_best) = stage.against.iter().find(|one| one.reference == *reference) else {
        return Vec::new();
    };
    if stage.against.len() < 2 {
        return Vec::new();
    }
    vec![
        row(
            format!("best ({reference})"),
            *best,
            [of_best.floor, of_best.ceiling],
        ),
        row(
            format!(
                "mean of {}",
                stage
                    .against
                    .iter()
                    .filter(|one| one.figures.score.is_some())
                    .count()
            ),
            mean,
            [stage.floor, stage.ceiling],
        ),
    ]
}

/// Reasons of one stage that are printed, and most characters of one.
const MOST_REASONS: usize = 3;
const LONGEST_REASON: usize = 400;

/// Why fields have no mark, or lack one of their gradings: each reason once over
/// all references, by its first line, with how many marks it cost. The whole
/// stands in `scores.json`.
fn unscored(stage: &StageCard) -> Vec<String> {
    let mut reasons: Vec<(&str, &FieldGrade, usize)> = Vec::new();
    for field in stage.against.iter().flat_map(|one| &one.grading.fields) {
        let lost = field.given.iter().find(|given| given.mark == Mark::Unscored);
        let Some(why) = lost.and_then(|given| given.explanation.lines().next()) else {
            continue;
        };
        let same = |known: &FieldGrade| (known.mark == Mark::Unscored) == (field.mark == Mark::Unscored);
        match (reasons.iter_mut()).find(|(known, first, _)| *known == why && same(first)) {
            Some((.., count)) => *count += 1,
            None => reasons.push((why, field, 1)),
        }
    }
    let shown = reasons.iter().take(MOST_REASONS).map(|(why, first, count)| {
        let path = &first.path;
        let why = excerpt::shortened(why, LONGEST_REASON);
        match (count - 1, first.mark == Mark::Unscored) {
            (0, true) => format!("{path} is unscored: {why}"),
            (0, false) => format!("{path} lacks gradings: {why}"),
            (others, true) => format!("{path} and {others} more fields are unscored: {why}"),
            (others, false) => format!("{path} and {others} more fields lack gradings: {why}"),
        }
    });
    let mut lines: Vec<String> = shown.collect();
    if reasons.len() > MOST_REASONS {
        let others = reasons.len() - MOST_REASONS;
        lines.push(format!(
            "has {others} further reasons for missing marks, which are in scores.json"
        ));
    }
    lines
}

/// Prints what several runs come to.
pub fn show_together(printer: Printer, together: &Together) {
    for one in &together.outcomes {
        let score = &one.score;
        let range = score.accuracy_interval.map_or_else(String::new, |interval| {
            format!(" [{}, {}]", percent(interval.lower), percent(interval.upper))
        });
        let baseline = score.baseline.map_or_else(String::new, |baseline| {
            let answer = match baseline.answer {
                Label::Met => "met",
                Label::Unmet => "unmet",
            };
            format!("; always `{answer}` {}", baseline.accuracy)
        });
        let group = format!("{}, {}", one.model, one.setting);
        if score.accuracy.of == 0 {
            printer.line(format!("{group}: no verdict to be compared"));
        } else {
            printer.line(format!(
                "{group}: verdicts as labelled {}{range}{baseline}; {} undecided, counted wrong",
                score.accuracy,
                score.labelled_met.undecided + score.labelled_unmet.undecided
            ));
        }
        for note in &one.notes {
            printer.line(format!("  {note}"));
        }
    }
}
