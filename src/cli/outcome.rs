//! The outcome of a run as it is printed, and the status that it ends with.

use serde_json::json;

use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::domain::finding::Finding;
use crate::domain::grade::{Grade, OtherScore};
use crate::domain::stage::Stage;
use crate::domain::verdict::Verdict;
use crate::engine::dispatch::EngineStop;
use crate::engine::run_reader;
use crate::engine::session::Session;
use crate::engine::variants;
use crate::grading::{self, capsule_grader};
use crate::report::verdict_line;
use crate::run::decide::{self, StageFailure};
use crate::run::state::State;
use crate::verdict::figure::{figure, p_figure};

use super::exit::{Failure, Status};
use super::output::{Printer, one_line, paint, printable, styled};
use super::run_folder;

/// A grade in one line; of a capsule also whether it is solved.
pub fn grade_line(grade: &Grade) -> String {
    let solved = match capsule_grader::is_solved(grade) {
        Some(true) => ": solved",
        Some(false) => ": not solved",
        None => "",
    };
    format!("{}{solved}", grade.line())
}

/// The status of a run that has stopped.
pub fn status(session: &Session, stop: EngineStop) -> Status {
    match stop {
        EngineStop::AwaitingApproval => Status::AwaitingApproval,
        EngineStop::Interrupted => Status::Interrupted,
        EngineStop::Halted | EngineStop::Finished => ended(&session.state),
    }
}

/// The status of a run that is over, or that stopped where it is.
pub fn ended(state: &State) -> Status {
    decide::failed_stage(state).map_or(Status::Done, |failed| Status::from_cause(failed.cause))
}

/// Prints what a run came to.
///
/// # Errors
/// Variants that the store lacks, or a standard output that cannot be written.
pub fn tell(printer: Printer, session: &Session, stop: EngineStop, json: bool) -> Result<(), Failure> {
    let folder = session.folder.path();
    if json {
        let status = status(session, stop);
        let state = &session.state;
        return printer.json(&json!({
            "run": state.started.as_ref().map(|started| started.run.clone()),
            "folder": folder,
            "status": status.meaning(),
            "exit_code": status.code(),
            "verdict": state.verdict,
            "grade": state.grade,
            "failed_stage": decide::failed_stage(state).map(|failed| {
                json!({ "stage": failed.stage, "cause": failed.cause, "detail": failed.detail })
            }),
            "waiting_for": state.open_questions().into_iter().map(|asked| {
                json!({ "id": asked.id.to_string(), "asking": asked.asking, "summary": asked.summary })
            }).collect::<Vec<_>>(),
            "awaited": session.awaited(),
            "usage": state.usage(),
        }));
    }
    let name = run_folder::shown(folder);
    match stop {
        EngineStop::AwaitingApproval => {
            if let Some(words) = session.awaited() {
                printer.line(printable(words));
                printer.line(format!("Then `reprise resume {name}` goes on."));
                return Ok(());
            }
            for asked in session.state.open_questions() {
                printer.line(format!(
                    "{} waits for an answer: {}",
                    asked.id,
                    one_line(&asked.summary)
                ));
            }
            printer.line(format!(
                "`reprise show {name}` shows what; `reprise approve {name}`, then `reprise resume {name}`."
            ));
        }
        EngineStop::Interrupted => printer.line(format!(
            "Interrupted; nothing is lost: `reprise resume {name}` goes on."
        )),
        EngineStop::Halted => {
            if let Some(StageFailure { stage, cause, detail }) = decide::failed_stage(&session.state) {
                printer.line(format!(
                    "stopped in the stage {stage} ({cause}): {}",
                    printable(detail)
                ));
            }
            printer.line(format!(
                "What there is so far is kept; `reprise resume {name}` goes on. Report: {}",
                run_folder::shown(&session.folder.report("html"))
            ));
        }
        EngineStop::Finished => {
            let partial = session
                .state
                .started
                .as_ref()
                .map(|started| started.settings.stages)
                .filter(|stages| session.state.track().is_before_result(stages.to));
            let failed = decide::failed_stage(&session.state).is_some();
            if let Some(stages) = partial.filter(|_| !failed) {
                printer.line(format!(
                    "done: {stages}; without the execute stage there is no verdict"
                ));
            } else if let Some(grade) = &session.state.grade {
                printer.line(printable(&grade_line(grade)));
                for part in &grade.parts {
                    let score = part.score.map_or_else(|| "unscored".to_owned(), figure);
                    printer.line(format!(
                        "{}: {score}; {}",
                        printable(&part.name),
                        printable(&part.detail)
                    ));
                }
                if !grade.others.is_empty() {
                    let others = grade.others.iter();
                    let others = others.map(|one| format!("{} {} of {}", one.grader, one.right, one.of));
                    printer.line(format!(
                        "right as others count: {}",
                        printable(&others.collect::<Vec<_>>().join(", "))
                    ));
                }
                if !grade.also.is_empty() {
                    let also: Vec<String> = grade.also.iter().map(OtherScore::words).collect();
                    printer.line(format!("by other rules: {}", printable(&also.join(", "))));
                }
            } else if let Some(verdict) = &session.state.verdict {
                if session.state.is_planned_with_data() {
                    printer.line(
                        "planned with the data in reach, so it is not called preregistered (--agent-data)",
                    );
                } else if session.state.tried_in_shell() > 0 {
                    printer.line(format!(
                        "analyses were tried in the agent's own shell: {}, so it is not called preregistered",
                        session.state.tried_in_shell()
                    ));
                }
                let line = printable(&verdict_line::line(verdict));
                let words = verdict.outcome.words();
                let rest = line.strip_prefix(words).unwrap_or_default();
                printer.line(format!("{}{rest}", styled(paint::STRONG, words)));
                if verdict.is_disputed() {
                    let agent = verdict.agent.map_or("nothing", |agent| agent.words());
                    printer.line(format!(
                        "the conclusion written in the stage interpret is another one: {agent}"
                    ));
                }
                if let Some(finding) = &verdict.finding {
                    if let Some(original) = original(session)? {
                        printer.line(format!("original:    {}", printable(&figures(&original))));
                    }
                    printer.line(format!("replication: {}", printable(&figures(finding))));
                    if let Some(unit) = unit(verdict) {
                        printer.line(format!("unit:        {}", one_line(unit)));
                    }
                }
                if let Some(words) = grounds(verdict) {
                    printer.line(words);
                }
                if let Some(variants) = variants::gather(&session.state, session.store.as_ref())? {
                    printer.line(format!("variants: {}", variants.line()));
                }
            }
            if let Some(StageFailure { stage, cause, detail }) = decide::failed_stage(&session.state) {
                printer.line(format!("stage {stage} failed ({cause}): {}", printable(detail)));
            }
            printer.line(format!(
                "report: {}",
                run_folder::shown(&session.folder.report("html"))
            ));
        }
    }
    Ok(())
}

/// The unit that the rule compares the estimates in, where it names one.
fn unit(verdict: &Verdict) -> Option<&str> {
    let unit = &verdict.criterion.as_ref()?.parameters.unit;
    (!unit.is_empty()).then_some(unit)
}

/// The original's numbers of the claim: those that the rule uses, else the study's own,
/// else what was extracted from the paper.
fn original(session: &Session) -> Result<Option<Finding>, Failure> {
    let state = &session.state;
    let ruled = state
        .verdict
        .as_ref()
        .and_then(|verdict| verdict.criterion.as_ref()?.original.clone());
    if ruled.is_some() {
        return Ok(ruled);
    }
    let registered: Option<PostRegistration> =
        run_reader::answer(state, session.store.as_ref(), Stage::EXTRACT)?;
    let published = state.study_copy().and_then(|copy| copy.original.as_ref());
    let claim = run_reader::claim(state);
    Ok(grading::original::original(registered.as_ref(), published, claim))
}

/// The source of the numbers, and how much speaks against them.
fn grounds(verdict: &Verdict) -> Option<String> {
    let source = verdict
        .source
        .map(|source| format!("numbers: {}", source.words()));
    let (all, deciding) = (
        verdict.doubts.len(),
        verdict.doubts.iter().filter(|doubt| doubt.decides).count(),
    );
    // The one that decides alone is in the line above.
    let doubts = match (all - deciding, deciding) {
        (0, 0 | 1) => None,
        (1, 0) => Some("1 doubt does not decide".to_owned()),
        (beside, 0) => Some(format!("{beside} doubts do not decide")),
        (_, 1) => Some(format!("{all} doubts, of which one decides")),
        (_, deciding) => Some(format!("{all} doubts, of which {deciding} decide")),
    };
    let parts: Vec<String> = source.into_iter().chain(doubts).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn figures(finding: &Finding) -> String {
    let mut parts = vec![finding.name.clone()];
    if let Some(estimate) = finding.estimate {
        parts.push(format!("estimate {}", figure(estimate)));
    }
    if let Some(error) = finding.standard_error {
        parts.push(format!("SE {}", figure(error)));
    }
    if let Some(p_value) = finding.p_value {
        parts.push(format!("p {}", p_figure(p_value)));
    }
    if let Some(df) = finding.df {
        parts.push(format!("df = {}", figure(df)));
    }
    if let Some(n) = finding.n {
        parts.push(format!("n = {n}"));
    }
    parts.join(", ")
}
