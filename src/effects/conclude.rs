//! The verdict: the preregistered rule applied to the numbers.

use crate::artifacts::store::Store;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::execution::Ending;
use crate::domain::finding::Finding;
use crate::domain::grade::Grade;
use crate::domain::probe::{NotMadeCause, ProbeEnd, ProbeKind, ProbeRun, ProbeSummary, ProbeVerdict};
use crate::domain::stage::Stage;
use crate::domain::verdict::{Outcome, Verdict};
use crate::engine::earlier;
use crate::engine::error::EngineError;
use crate::engine::facts::{RunFacts, last_call};
use crate::engine::run_reader;
use crate::engine::session::Session;
use crate::run::event::Event;
use crate::run::state::State;
use crate::verdict::claimed;
use crate::verdict::decide;
use crate::verdict::judged::capital;
use crate::verdict::probe::unchanged;

use super::context::Effects;
use super::grader::{EndedRun, Judgement};

/// Has the run graded by the grader of its track, and finishes it.
///
/// # Errors
/// Answers or output that the store lacks, a grader that fails, or a journal that cannot be written.
pub fn conclude(effects: &Effects, session: &mut Session) -> Result<(), EngineError> {
    let grader = &effects.ports.track.grader;
    let judgement = grader.grade(&EndedRun {
        state: &session.state,
        store: session.store.as_ref(),
        task: &effects.request.study,
    })?;
    session.record(match judgement {
        Judgement::Verdict(verdict) => Event::RunFinished { verdict },
        Judgement::Parts { parts, others, also } => Event::RunGraded {
            grade: Box::new(Grade {
                grader: grader.name().to_owned(),
                parts,
                others,
                also,
            }),
        },
    })
}

/// The verdict by the rules of this version on what a journal holds, and on probes, which
/// may have been made after it.
///
/// # Errors
/// An answer or output that the store lacks, or an answer that no longer fits its type.
pub fn verdict(
    state: &State,
    store: &dyn Store,
    probes: Option<&ProbeSummary>,
) -> Result<Verdict, EngineError> {
    let facts = RunFacts {
        earlier: earlier::gather(state, store)?,
        ..RunFacts::gather(state, store)?
    };
    let agent = run_reader::answer::<InterpretResults>(state, store, Stage::INTERPRET)?
        .and_then(|results| results.conclusion());
    let ProbedDoubts {
        doubts: mut probed,
        mut from_data,
    } = probed(probes);
    if let Some(doubt) = probes.and_then(|summary| unreadable(state, summary)) {
        from_data = false;
        probed.push(doubt);
    }
    Ok(Verdict {
        agent,
        ..decided(&facts, &probed, from_data)
    })
}

/// The doubts that probes raise.
pub struct ProbedDoubts {
    pub doubts: Vec<Doubt>,
    /// True where the probes showed that the numbers come from the data.
    pub from_data: bool,
}

impl ProbedDoubts {
    /// Doubts beside numbers that were not shown to come from the data.
    fn open(doubts: Vec<Doubt>) -> Self {
        Self {
            doubts,
            from_data: false,
        }
    }
}

/// What the probes say against the numbers, and whether they showed that these
/// come from the data.
pub fn probed(summary: Option<&ProbeSummary>) -> ProbedDoubts {
    let Some(summary) = summary else {
        return ProbedDoubts::open(Vec::new());
    };
    let sentence = |words: &str| format!("{}.", capital(words.trim_end_matches('.')));
    let mut doubts: Vec<Doubt> = summary
        .misreadings
        .iter()
        .map(|misreading| {
            Doubt::new(
                DoubtCause::NotAsPlanned,
                sentence(&misreading.detail),
                misreading.decides,
            )
        })
        .collect();
    let doubt = match &summary.verdict {
        ProbeVerdict::FromData | ProbeVerdict::Misread { .. } => {
            return ProbedDoubts {
                doubts,
                from_data: true,
            };
        }
        ProbeVerdict::NotFromData { detail, .. } => {
            Doubt::deciding(DoubtCause::NotFromData, sentence(detail))
        }
        ProbeVerdict::Unstable { detail } => Doubt::deciding(DoubtCause::Unstable, sentence(detail)),
        ProbeVerdict::Undecided { why } => {
            let detail = format!(
                "The reruns do not show whether the result comes from the data: {}.",
                why.trim_end_matches('.')
            );
            let changed: Vec<_> = summary
                .runs
                .iter()
                .filter(|run| run.trial.kind.changes_content() && run.unwritten.is_empty())
                .collect();
            let writable = !changed
                .iter()
                .all(|run| matches!(run.ended, ProbeEnd::NotMade { .. }));
            let refuses = writable
                && !changed.iter().any(|run| run.ran() && run.focal.is_some())
                && !is_slow(summary, &changed);
            if nothing_moves(summary, &changed) {
                let detail = format!("{detail} No figure that was seen changes when the data change.");
                return ProbedDoubts::open(vec![Doubt::deciding(DoubtCause::NotFromData, detail)]);
            }
            if summary.unrepeatable {
                return ProbedDoubts::open(vec![Doubt::deciding(DoubtCause::NotFromData, detail)]);
            }
            // Code that runs on the approved data alone can hide anything.
            if refuses {
                Doubt::deciding(
                    DoubtCause::NotFromData,
                    format!("{detail} The code refuses every change of the data."),
                )
            } else {
                Doubt::beside(DoubtCause::NotFromData, detail)
            }
        }
    };
    doubts.push(doubt);
    ProbedDoubts::open(doubts)
}

/// Whether every one of several runs on changed data gave the focal result as it was, and
/// one with fewer rows is among them, or several with each of both columns permuted.
fn nothing_moves(summary: &ProbeSummary, changed: &[&ProbeRun]) -> bool {
    let mut told = changed.iter().filter(|run| run.ran() && run.focal.is_some());
    let count = |kind: ProbeKind| told.clone().filter(|run| run.trial.kind == kind).count();
    let rows = told.clone().count() > 1 && count(ProbeKind::Dropped) > 0;
    let columns = count(ProbeKind::Permuted) > 1 && count(ProbeKind::Outcome) > 1;
    (rows || columns) && told.all(|run| is_same(summary.focal.as_ref(), run))
}

/// Whether a run gave every figure of the focal result as it was, and more than an
/// estimate, which may stand in steps.
fn is_same(focal: Option<&Finding>, run: &ProbeRun) -> bool {
    let figures = |finding: &Finding| {
        (
            finding.estimate,
            finding.standard_error,
            finding.statistic.as_ref().map(|statistic| statistic.value),
            finding.p_value.map(|p| p.value),
        )
    };
    match (focal, &run.focal) {
        (Some(one), Some(other)) => {
            let several = one.standard_error.is_some() || one.statistic.is_some() || one.p_value.is_some();
            several && figures(one) == figures(other)
        }
        _ => false,
    }
}

/// Whether what was cut off may have been slow alone: rows were never dropped, or the
/// data as they are were not read in that time either, the one time that it was tried.
fn is_slow(summary: &ProbeSummary, changed: &[&ProbeRun]) -> bool {
    let late = |run: &ProbeRun| {
        run.ended
            == ProbeEnd::Failed {
                ending: Ending::TimedOut,
            }
    };
    let unchanged = unchanged::endings(&summary.runs);
    let told = unchanged.any_ran || unchanged.endless > 1;
    let dropped = changed.iter().any(|run| run.trial.kind == ProbeKind::Dropped);
    changed.iter().any(|run| late(run)) && !(told && dropped)
}

/// Python code that gives a result of data that no library of its environment
/// could have read.
fn unreadable(state: &State, summary: &ProbeSummary) -> Option<Doubt> {
    let call = last_call(state);
    let python = call.iter().all(|one| {
        one.started
            .command
            .first()
            .is_some_and(|program| program.starts_with("python"))
    });
    let mut changed = summary
        .runs
        .iter()
        .filter(|run| run.trial.kind.changes_content())
        .peekable();
    let ProbeEnd::NotMade { why, cause } = changed.peek()?.ended.clone() else {
        return None;
    };
    let none = changed.all(|run| matches!(run.ended, ProbeEnd::NotMade { .. }));
    // If no library is missing, the format may be one that is read and never written.
    let missing = cause.unwrap_or_else(|| NotMadeCause::from_report(&why)) == NotMadeCause::NoLibrary;
    let opened = call
        .iter()
        .filter_map(|one| one.finished.as_ref())
        .all(|finished| finished.opened.complete);
    (python && !call.is_empty() && none && missing && opened).then(|| {
        Doubt::deciding(
            DoubtCause::NotFromData,
            format!(
                "The data could not be changed to see whether the result follows them ({}), so that nothing shows that \
                 the code read them.",
                why.trim_end_matches('.')
            ),
        )
    })
}

/// Whether the verdict is open whatever probes say: nothing that they show makes it a decided one.
pub fn is_open_anyway(facts: &RunFacts) -> bool {
    decided(facts, &[], true).outcome == Outcome::Inconclusive
}

fn decided(facts: &RunFacts, probed: &[Doubt], from_data: bool) -> Verdict {
    let nothing = |reason: String| Verdict {
        criterion: facts.criterion.clone().map(Box::new),
        cause: Some(DoubtCause::NothingRun),
        doubts: vec![Doubt::deciding(DoubtCause::NothingRun, reason.clone())],
        ..Verdict::plain(Outcome::Inconclusive, reason)
    };
    let Some(criterion) = &facts.criterion else {
        return nothing(match facts.design_failed {
            Some(cause) => format!("no plan was preregistered (the design stage failed: {cause})"),
            None if facts.designed => "the preregistered plan names no usable criterion".to_owned(),
            None => "no plan was preregistered".to_owned(),
        });
    };
    if facts.reported.is_none() {
        return nothing(match facts.execute_failed {
            Some(cause) => format!("the execution gave no result (cause: {cause})"),
            None => "the analysis was not executed".to_owned(),
        });
    }
    if !facts.ran {
        return nothing("no execution succeeded, so no number can be judged".to_owned());
    }
    let named = facts
        .unusable
        .iter()
        .filter(|bad| bad.start.contains(&criterion.focal_term));
    let unread =
        named.map(|bad| Doubt::deciding(DoubtCause::Term, format!("{}.", capital(&bad.to_string()))));
    let other = claimed::other_original(criterion, facts.published.as_ref());
    let probed: Vec<Doubt> = probed.iter().cloned().chain(unread).chain(other).collect();
    decide::decide(&facts.facts(criterion, &probed, from_data))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::probe::Trial;
    use crate::verdict::contrary_evidence::DataFacts;

    #[test]
    fn a_verdict_is_open_anyway_where_something_else_than_probes_speaks_against_it() {
        let facts = |rows: u64, estimate: f64| {
            let recorded = Finding {
                name: "dose".to_owned(),
                n: Some(rows),
                ..finding(estimate)
            };
            RunFacts {
                criterion: serde_json::from_value(json!({
                    "focal_term": "dose", "direction": "positive", "alpha": 0.05, "two_sided": true
                }))
                .unwrap(),
                reported: Some(vec![recorded.clone()]),
                recorded: vec![recorded],
                data: DataFacts {
                    planned: vec!["replication_data/d.csv".to_owned()],
                    opened: vec!["replication_data/d.csv".to_owned()],
                    complete: true,
                    has_data: true,
                    expected: Some(50),
                    tolerance: Some(0),
                    ..DataFacts::default()
                },
                strict: true,
                ran: true,
                ..RunFacts::default()
            }
        };
        assert!(is_open_anyway(&RunFacts::default()));
        assert!(is_open_anyway(&facts(49, 3.0)), "a row that is lacking");
        assert!(!is_open_anyway(&facts(50, 3.0)), "met");
        assert!(!is_open_anyway(&facts(50, 0.3)), "not met");
    }

    fn run(kind: ProbeKind, ended: ProbeEnd, estimate: Option<f64>) -> ProbeRun {
        ProbeRun {
            trial: Trial { kind, repetition: 1 },
            seed: 1,
            ended,
            focal: estimate.map(finding),
            further: Vec::new(),
            numbers: None,
            dropped: None,
            rows: None,
            data: None,
            unwritten: Vec::new(),
            wall_ms: 1,
        }
    }

    fn finding(estimate: f64) -> Finding {
        Finding {
            estimate: Some(estimate),
            standard_error: Some(0.5),
            ..Finding::default()
        }
    }

    fn decides(runs: Vec<ProbeRun>) -> bool {
        let summary = ProbeSummary {
            focal: Some(finding(3.0)),
            runs,
            ..ProbeSummary::none("the time was up")
        };
        let probed = probed(Some(&summary));
        assert!(!probed.from_data);
        probed.doubts[0].decides
    }

    const LATE: ProbeEnd = ProbeEnd::Failed {
        ending: Ending::TimedOut,
    };

    #[test]
    fn who_never_ends_on_changed_data_alone_refuses_them() {
        let late = || {
            vec![
                run(ProbeKind::Dropped, LATE, None),
                run(ProbeKind::Permuted, LATE, None),
            ]
        };
        let with = |more: ProbeRun| late().into_iter().chain([more]).collect();
        assert!(decides(with(run(ProbeKind::Unchanged, ProbeEnd::Ran, Some(3.0)))));
        assert!(
            !decides(with(run(ProbeKind::Unchanged, LATE, None))),
            "a slow machine"
        );
        let twice = [1, 2].map(|repetition| ProbeRun {
            trial: Trial {
                kind: ProbeKind::Unchanged,
                repetition,
            },
            ..run(ProbeKind::Unchanged, LATE, None)
        });
        assert!(decides(late().into_iter().chain(twice).collect()));
        let permuted_alone = vec![
            run(ProbeKind::Unchanged, ProbeEnd::Ran, Some(3.0)),
            run(ProbeKind::Permuted, LATE, None),
        ];
        assert!(
            !decides(permuted_alone),
            "a model that a shuffled column keeps from converging"
        );
    }

    #[test]
    fn who_leaves_nothing_to_run_again_gets_no_verdict() {
        let summary = ProbeSummary {
            unrepeatable: true,
            ..ProbeSummary::none("work/big.py was too large to be kept")
        };
        assert!(probed(Some(&summary)).doubts[0].decides);
        let asked = ProbeSummary::none("it was asked for without probes");
        assert!(!probed(Some(&asked)).doubts[0].decides);
    }

    #[test]
    fn what_no_change_has_moved_stays_open_where_the_time_is_up() {
        let runs = |estimates: [f64; 2]| {
            vec![
                run(ProbeKind::Dropped, ProbeEnd::Ran, Some(estimates[0])),
                run(ProbeKind::Permuted, ProbeEnd::Ran, Some(estimates[1])),
            ]
        };
        assert!(decides(runs([3.0, 3.0])));
        assert!(!decides(runs([3.1, 3.0])));
        let columns = |kinds: [ProbeKind; 4]| kinds.map(|kind| run(kind, ProbeEnd::Ran, Some(3.0))).to_vec();
        let (permuted, outcome) = (ProbeKind::Permuted, ProbeKind::Outcome);
        assert!(decides(columns([permuted, permuted, outcome, outcome])));
        assert!(!decides(columns([permuted, permuted, permuted, outcome])));
        // Rows of one file alone were dropped, and the result may be of another.
        let part = |kind| ProbeRun {
            unwritten: vec!["replication_data/more.zip".parse().unwrap()],
            ..run(kind, ProbeEnd::Ran, Some(3.0))
        };
        assert!(!decides(vec![part(ProbeKind::Dropped), part(ProbeKind::Dropped)]));
    }
}
