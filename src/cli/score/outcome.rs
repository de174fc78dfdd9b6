//! `reprise score outcome`.

use serde_json::json;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::finding::Interval;
use crate::domain::format;
use crate::domain::verdict::HumanLabel;
use crate::grading::comparison::outcome_groups::{OutcomeGroup, groups};
use crate::grading::discovery::outcome_labels;
use crate::grading::discovery::run_outcome::RunOutcomes;
use crate::scoring::outcome::Label;

use super::args::OutcomeArgs;
use crate::cli::text_table::percent;

/// Compares verdicts with labels.
///
/// # Errors
/// Places or labels that cannot be read, or no verdict with a label.
pub fn outcome(printer: Printer, args: &OutcomeArgs) -> Result<Status, Failure> {
    let mut outcomes = RunOutcomes::default();
    let labels = match &args.labels {
        Some(path) => Some(outcome_labels::read(path, &mut outcomes.problems)?),
        None => None,
    };
    for path in &args.paths {
        outcomes.add(path)?;
    }
    let RunOutcomes {
        mut all,
        mut problems,
        ..
    } = outcomes;
    outcome_labels::give(&mut all, labels.as_ref(), &mut problems);
    for one in &all {
        if let Some(why) = &one.unfinished {
            problems.push(format!(
                "{}: {why} It counts neither right nor wrong.",
                one.source
            ));
        }
    }
    let scored = groups(&all);
    for problem in &problems {
        printer.note(problem);
    }
    if scored.is_empty() {
        return Err(Failure::usage(format!(
            "no verdict has a label to be compared with: give `--labels FILE`, a JSON object from study to one of {}",
            HumanLabel::words()
        )));
    }
    if args.json {
        printer.json(&json!({
            "format": "reprise-score-outcome/1", "models": scored, "problems": problems,
        }))?;
        return Ok(Status::Done);
    }
    for line in scored.iter().flat_map(lines) {
        printer.line(line);
    }
    Ok(Status::Done)
}

fn lines(scored: &OutcomeGroup<'_>) -> Vec<String> {
    let score = &scored.score;
    let range = |interval: Option<Interval>| {
        interval.map_or_else(String::new, |one| {
            format!(" [{}, {}]", percent(one.lower), percent(one.upper))
        })
    };
    let share = |share: Option<f64>| percent(share.unwrap_or(0.0));
    let mut lines = vec![match scored.setting {
        "" => scored.model.to_owned(),
        setting => format!("{}, {setting}", scored.model),
    }];
    if scored.unfinished > 0 {
        lines.push(format!(
            "  {} without an end of the agent's own, left out: neither right nor wrong",
            scored.unfinished
        ));
    }
    if score.accuracy.of == 0 {
        return lines;
    }
    let all = score.macro_average;
    let accuracy = match score.has_repeats() {
        true => format!(
            "{} as the mean over {} of {} runs{}, over runs {} ({})",
            share(score.by_study),
            format::counted(score.studies, "study", "studies"),
            score.accuracy.of,
            range(score.accuracy_interval),
            share(score.accuracy.share()),
            score.accuracy
        ),
        false => format!(
            "{} ({}{})",
            share(score.accuracy.share()),
            score.accuracy,
            range(score.accuracy_interval)
        ),
    };
    lines.push(format!(
        "  accuracy {accuracy}, macro precision {} recall {} F1 {}",
        percent(all.precision),
        percent(all.recall),
        percent(all.f1)
    ));
    if let Some(baseline) = score.baseline {
        let answer = match baseline.answer {
            Label::Met => "met",
            Label::Unmet => "unmet",
        };
        lines.push(format!(
            "  always `{answer}`: accuracy {} ({}{}), macro F1 {}",
            share(baseline.accuracy.share()),
            baseline.accuracy,
            range(baseline.interval),
            percent(baseline.macro_f1)
        ));
    }
    for (label, row) in [("met", score.labelled_met), ("unmet", score.labelled_unmet)] {
        lines.push(format!(
            "  labelled {label}: {} met, {} unmet, {} mixed, {} undecided (the last two counted wrong)",
            row.met, row.unmet, row.mixed, row.undecided
        ));
    }
    if score.most != score.accuracy {
        lines.push(format!(
            "  if every mixed verdict is read in favour of its label: {}{}",
            score.most,
            range(score.most_interval)
        ));
    }
    if let Some(by_hand) = &scored.by_hand {
        let all = by_hand.macro_average;
        lines.push(format!(
            "  with the mixed verdicts that were read by hand as they were read: accuracy {} ({}{}), macro precision {} \
             recall {} F1 {}",
            share(by_hand.accuracy.share()),
            by_hand.accuracy,
            range(by_hand.accuracy_interval),
            percent(all.precision),
            percent(all.recall),
            percent(all.f1)
        ));
    }
    lines.push(format!(
        "  of the decided alone: {} right{}",
        score.decided_accuracy,
        range(score.decided_interval)
    ));
    if score.has_repeats() {
        lines.push(
            "  runs of one study are repeats: the intervals are of the mean over studies, with n their number".to_owned(),
        );
    }
    lines
}
