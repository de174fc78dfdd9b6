//! `reprise score agreement`.

use std::path::Path;

use serde_json::json;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::finding::Interval;
use crate::domain::format;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::grading::comparison::lexical_judge::{self, LexicalAgreement, LexicalComparison};
use crate::grading::comparison::stage_agreement::compare;
use crate::grading::discovery::rating_pairs::RatingPairs;
use crate::grading::scorecard::together::Alike;
use crate::report::scorecard::agreement_page;
use crate::scoring::agreement::bootstrap::FEW_PAPERS;
use crate::scoring::agreement::compared::{Compared, Resampling};
use crate::scoring::agreement::measures::{Agreement, Rates};
use crate::scoring::agreement::table::AgreementTable;
use crate::statistics::proportion::Proportion;

use super::args::AgreementArgs;
use crate::cli::text_table::{TextTable, percent};

/// Says how far two gradings agree.
///
/// # Errors
/// Gradings that cannot be read or have no item in common, or a page that cannot be written.
pub fn agreement(printer: Printer, args: &AgreementArgs) -> Result<Status, Failure> {
    let RatingPairs {
        names,
        stages,
        mut problems,
        by_code,
    } = RatingPairs::read(&args.gradings, &args.judges)?;
    let resampling = Resampling {
        resamples: args.resamples,
        seed: args.seed,
    };
    let compared = compare(stages, args.highest, resampling, &mut problems);
    let lexical = match &args.studies {
        Some(_) if args.judges.len() != 2 => {
            return Err(Failure::usage(
                "`--studies` needs one folder of runs and two `--judges`",
            ));
        }
        Some(studies) => {
            let comparison = LexicalComparison {
                gradings: &args.gradings[0],
                judges: &names,
                studies,
                resampling,
            };
            lexical_judge::columns(comparison, &mut problems)?
        }
        None => Vec::new(),
    };
    for problem in &problems {
        printer.note(problem);
    }
    if compared.iter().all(|one| one.agreement.table.n() == 0) {
        return Err(Failure::usage(format!(
            "{} and {} have marked no item in common, so nothing can be compared",
            names[0], names[1]
        )));
    }
    if let Some(path) = &args.html {
        let alike: Vec<Alike> = (compared.iter().cloned())
            .map(|compared| Alike {
                first: names[0].clone(),
                second: names[1].clone(),
                compared,
            })
            .collect();
        let page = agreement_page::render(&alike)
            .map_err(|error| EngineError::Unusable(format!("the page cannot be written: {error}")))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        atomic_file::replace(path, page.as_bytes(), parent.unwrap_or(Path::new(".")))?;
    }
    if args.json {
        printer.json(&json!({
            "format": "reprise-score-agreement/1",
            "first": names[0],
            "second": names[1],
            "stages": compared,
            "lexical": lexical,
            "by_code": by_code,
            "problems": problems,
        }))?;
        return Ok(Status::Done);
    }
    for (stage, items) in &by_code {
        printer.note(format!(
            "{stage}: {} left out, since code decided and no rater.",
            format::counted(*items, "item is", "items are")
        ));
    }
    for line in lines(&names, &compared, &lexical) {
        printer.line(line);
    }
    Ok(Status::Done)
}

fn lines(names: &[String; 2], compared: &[Compared], lexical: &[LexicalAgreement]) -> Vec<String> {
    let mut lines = vec![format!("{} against {}", names[0], names[1])];
    for one in compared.iter().filter(|one| one.agreement.table.n() > 0) {
        let (all, within) = (&one.agreement, &one.intervals);
        lines.push(format!(
            "{}: {} of {}, {} marked by one alone or by neither",
            one.stage,
            format::counted(all.table.n(), "item", "items"),
            format::counted(within.papers, "paper", "papers"),
            all.table.unpaired
        ));
        let share = |of: Proportion| of.share().map_or_else(|| "–".to_owned(), percent);
        lines.push(format!(
            "  exact {} %{}, within one {} %{}",
            share(all.exact),
            in_percent(within.exact),
            share(all.within_one),
            in_percent(within.within_one)
        ));
        for (name, value, interval) in [
            ("bias (first minus second)", all.bias, within.bias),
            ("quadratic kappa", all.quadratic_kappa, within.quadratic_kappa),
            (
                "Krippendorff's alpha (ordinal)",
                all.ordinal_alpha,
                within.ordinal_alpha,
            ),
            ("Spearman", all.spearman, within.spearman),
            ("Kendall's tau-b", all.kendall, within.kendall),
        ] {
            lines.push(format!("  {name} {}{}", decimal(value), range(interval)));
        }
        lines.extend(rates(all));
        lines.extend(confusion(&all.table));
    }
    for column in lexical {
        lines.push(format!(
            "extract, ROUGE-L F1 by field against {}: {} items, Spearman {}{}, Kendall's tau-b {}{}",
            column.judge,
            column.items,
            decimal(column.spearman),
            range(column.intervals.spearman),
            decimal(column.kendall),
            range(column.intervals.kendall)
        ));
    }
    lines.push("Intervals are 95 %, from resampling whole papers.".to_owned());
    let papers = compared.iter().map(|one| one.intervals.papers);
    if let Some(few) = papers.filter(|papers| (1..FEW_PAPERS).contains(papers)).min() {
        lines.push(match few {
            1 => "Of one paper there is none.".to_owned(),
            few => format!("Of {few} papers they are too narrow: the uncertainty is larger."),
        });
    }
    lines
}

/// Of two-valued marks, how the first judges what the second passes and fails:
/// its rates of true positives and negatives where the second is right.
fn rates(agreement: &Agreement) -> Option<String> {
    let Rates {
        true_positive: passed,
        true_negative: failed,
    } = agreement.rates?;
    Some(format!(
        "  the first passes {passed} of what the second passes{}, and fails {failed} of what it fails{}",
        in_percent(passed.wilson()),
        in_percent(failed.wilson())
    ))
}

fn confusion(counts: &AgreementTable) -> Vec<String> {
    let mut shown = TextTable::default();
    let marks = (0..counts.categories()).map(|mark| mark.to_string());
    shown.row(["  first \\ second".to_owned()].into_iter().chain(marks));
    for (mark, row) in counts.rows().enumerate() {
        let cells = row.iter().map(u64::to_string);
        shown.row([format!("  {mark}")].into_iter().chain(cells));
    }
    shown.lines()
}

fn decimal(value: Option<f64>) -> String {
    value.map_or_else(|| "not defined".to_owned(), |value| format!("{value:.3}"))
}

fn range(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |one| {
        format!(" [{:.3}, {:.3}]", one.lower, one.upper)
    })
}

fn in_percent(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |one| {
        format!(" [{}, {}]", percent(one.lower), percent(one.upper))
    })
}
