//! From a run's folder to the evidence that its report shows.

use std::collections::BTreeMap;
use std::fs;

use similar::TextDiff;

use crate::artifacts::store::Store;
use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::domain::content::Content;
use crate::domain::finding::{Finding, Interval};
use crate::domain::stage::Stage;
use crate::domain::usage::MicroDollars;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::engine::variants;
use crate::run::event::Change;
use crate::study::gold::{Gold, UnreadReferences};
use crate::verdict::trace::{Output, PrintedLine};

use super::deviations;
use super::evidence::{Evidence, FoundAt, PlanDeviation, Stream, Trace};
use super::money::{is_by_table, money};
use super::narrative::Narrative;
use crate::grading::original::{is_of_claim, original};
use crate::grading::planned_data::planned_data;
use crate::grading::published::{Published, changed_references};
use crate::grading::{execution_facts, offline};

/// Gathers what a report shows beyond the journal. References that cannot be
/// had leave their scores unscored, with the reason.
///
/// # Errors
/// A stored answer or output of the run that cannot be read.
pub fn gather(run: &RunReader, gold: Result<Gold, UnreadReferences>) -> Result<Evidence, EngineError> {
    let results = run_reader::answer::<ExecutionResults>(&run.state, &run.store, Stage::EXECUTE)?;
    let registered = run_reader::answer::<PostRegistration>(&run.state, &run.store, Stage::EXTRACT)?;
    let interpreted = run_reader::answer::<InterpretResults>(&run.state, &run.store, Stage::INTERPRET)?;
    let findings = results.map(|results| results.findings()).unwrap_or_default();
    let outputs = run_reader::outputs(&run.state, &run.store)?;
    let planned_data = planned_data(run)?;
    let (headlines, scores) = offline::score(run, &gold, &planned_data)?;
    let changed = changed_files(run)?;
    let published = Published::new(run, &gold);
    let claim = run_reader::claim(&run.state);
    Ok(Evidence {
        sesoi: published.sesoi.cloned(),
        original: original(registered.as_ref(), published.original, claim),
        is_original_unclaimed: !is_of_claim(registered.as_ref(), published.original, claim),
        source_note: published.note,
        references_note: changed_references(run, &gold),
        replication: run
            .state
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.finding.clone())
            .map(|focal| with_printed_interval(focal, &findings, &outputs)),
        traces: findings
            .iter()
            .flat_map(|finding| traces(finding, &outputs))
            .collect(),
        findings,
        planned_data,
        deviation_table: deviations::table(run, &changed)?,
        deviations: changed,
        not_honoured: execution_facts::plan(run)?
            .map(|plan| plan.ignored())
            .unwrap_or_default(),
        conclusion: interpreted.map(|results| results.results_comparison.overall_answer),
        headlines,
        scores,
        money: money(run, run.state.stages.values()),
        stage_money: stage_money(run),
        has_table_prices: is_by_table(run),
        place: place(run),
        narrative: Narrative::from_run(run)?,
        probes: run_reader::probes(&run.state, &run.folder),
        variants: variants::gather(&run.state, &run.store)?,
        ..Evidence::default()
    })
}

/// The focal finding with the interval that was reported of the same estimate, if its own line has
/// none and the code printed it elsewhere.
fn with_printed_interval(focal: Finding, reported: &[Finding], outputs: &Output) -> Finding {
    let is_same = |one: &&Finding| {
        let same = |one: Option<f64>, other: Option<f64>| one.is_some() && one == other;
        same(one.estimate, focal.estimate) && same(one.standard_error, focal.standard_error)
    };
    let is_printed = |interval: &Interval| {
        outputs.find(interval.lower).is_some() && outputs.find(interval.upper).is_some()
    };
    let interval = reported.iter().filter(is_same).find_map(|one| one.interval);
    Finding {
        interval: focal.interval.or(interval.filter(is_printed)),
        ..focal
    }
}

/// The folder's own name: a report is the same in every place.
fn place(run: &RunReader) -> Option<String> {
    let name = run.folder.path().file_name()?;
    Some(name.to_string_lossy().into_owned())
}

fn stage_money(run: &RunReader) -> BTreeMap<Stage, MicroDollars> {
    let stages = run.state.stages.iter();
    stages
        .filter_map(|(stage, state)| Some((*stage, money(run, [state])?)))
        .collect()
}

fn traces(finding: &Finding, outputs: &Output) -> Vec<Trace> {
    let mut traces = Vec::new();
    let mut add = |what: &str, number: String, place: Option<&PrintedLine>| {
        traces.push(Trace {
            finding: format!("{}: {what}", finding.name),
            number,
            found_at: place.map(|place| FoundAt {
                execution: place.execution,
                stream: Stream::Stdout,
                line: place.line as u64,
                text: place.text.clone(),
            }),
        });
    };
    if let Some(estimate) = finding.estimate {
        add("estimate", estimate.to_string(), outputs.find(estimate));
    }
    if let Some(error) = finding.standard_error {
        add("standard error", error.to_string(), outputs.find(error));
    }
    if let Some(p_value) = finding.p_value {
        add("p-value", p_value.to_string(), outputs.find_p(p_value));
    }
    if let Some(interval) = finding.interval {
        add(
            "lower limit",
            interval.lower.to_string(),
            outputs.find(interval.lower),
        );
        add(
            "upper limit",
            interval.upper.to_string(),
            outputs.find(interval.upper),
        );
    }
    if let Some(n) = finding.n {
        add("n", n.to_string(), outputs.find(n as f64));
    }
    if let Some(df) = finding.df {
        add("degrees of freedom", df.to_string(), outputs.find(df));
    }
    traces
}

/// The changes after the plan was fixed: the plan's own working copy, and the
/// code, against what they were when the design stage ended.
fn changed_files(run: &RunReader) -> Result<Vec<PlanDeviation>, EngineError> {
    let mut first: BTreeMap<&WorkspacePath, &Change> = BTreeMap::new();
    let mut last: BTreeMap<&WorkspacePath, &Content> = BTreeMap::new();
    if let Some(stage) = run.state.stages.get(&Stage::EXECUTE) {
        for (_, change) in stage.changes() {
            first.entry(&change.path).or_insert(change);
            last.insert(&change.path, &change.after);
        }
    }
    let mut deviations = Vec::new();
    for (path, after) in last {
        let before = match first[path].before {
            Some(digest) => match run.store.get(&digest) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(_) => before_from_artifact(run, path, digest)?,
            },
            None => String::new(),
        };
        let after = run.text(after)?;
        if before == after {
            continue;
        }
        let diff = TextDiff::from_lines(&before, &after);
        let name = path.as_str();
        deviations.push(PlanDeviation {
            file: name.to_owned(),
            diff: diff.unified_diff().header(name, name).to_string(),
        });
    }
    Ok(deviations)
}

/// Short contents are inline in the journal and not in the store.
fn before_from_artifact(
    run: &RunReader,
    path: &WorkspacePath,
    digest: crate::domain::digest::Digest,
) -> Result<String, EngineError> {
    for stage in run.state.stages.values() {
        if let Some(artifact) = stage.artifact().filter(|artifact| artifact.digest() == digest) {
            return Ok(run.text(artifact)?);
        }
        for (_, change) in stage.changes() {
            if change.after.digest() == digest {
                return Ok(run.text(&change.after)?);
            }
        }
    }
    let on_disk = fs::read(path.below(&run.folder.workspace())).unwrap_or_default();
    Ok(if crate::domain::digest::Digest::compute(&on_disk) == digest {
        String::from_utf8_lossy(&on_disk).into_owned()
    } else {
        format!("(the content before, {}, is not kept)\n", digest.short())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::ExecutionId;

    #[test]
    fn an_estimate_has_the_interval_that_was_printed_of_it_and_no_other() {
        let mut outputs = Output::default();
        outputs.add(
            ExecutionId(1),
            "poverty 0.801 7.57 0.106 0.916\npoverty, 95% CI: [-14.4, 16.0]\n",
        );
        let focal = Finding {
            name: "poverty".to_owned(),
            estimate: Some(0.801),
            standard_error: Some(7.57),
            ..Finding::default()
        };
        let with = |estimate: f64, lower: f64| Finding {
            estimate: Some(estimate),
            interval: Some(Interval {
                lower,
                upper: 16.0,
                level: 0.95,
            }),
            ..focal.clone()
        };
        let shown = |reported: Finding| with_printed_interval(focal.clone(), &[reported], &outputs).interval;
        assert_eq!(shown(with(0.801, -14.4)), with(0.801, -14.4).interval);
        assert_eq!(shown(with(0.801, -2.0)), None, "an interval that no output has");
        assert_eq!(shown(with(1.12, -14.4)), None, "of another estimate");
    }
}
