//! `reprise show`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::artifacts::content;
use crate::domain::format;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::engine::runs;
use crate::engine::variants;
use crate::model::name::{CLIENT, UNMETERED};
use crate::report::study_kind::StudyKindView;
use crate::report::verdict_line;
use crate::run::elapsed::Clocks;
use crate::run::event::StageEnd;
use crate::run::stage_state::StageState;

use super::exit::{Failure, Status};
use super::output::{Printer, one_line, paint, printable, styled};
use super::{outcome, run_list, run_standing};

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise show RUN --json")]
pub struct ShowArgs {
    /// The run's folder, or one that holds several, such as a bench's
    pub dir: PathBuf,
    /// Print the state as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Where a stage stands, with the programs that were its agent.
fn stage_json(stage: Stage, open: &StageState) -> Value {
    let mut shown = json!({
        "stage": stage, "turns": open.turns.len(), "usage": open.usage(), "end": open.end,
    });
    if !open.programs.is_empty() {
        let programs = open.programs.iter().map(|program| {
            json!({
                "agent": program.started.agent,
                "definition": program.started.definition,
                "command": program.started.command,
                "ending": program.ended.as_ref().map(|ended| &ended.ending),
                "calls": program.ended.as_ref().map(|ended| ended.calls),
            })
        });
        shown["programs"] = programs.collect();
    }
    shown
}

/// Shows where a run stands, without taking it.
///
/// # Errors
/// A run whose request, journal or store cannot be read.
pub fn show(printer: Printer, args: &ShowArgs) -> Result<Status, Failure> {
    if runs::is_above_runs(&args.dir) {
        let runs = runs::runs_below(&args.dir)?;
        if !runs.is_empty() {
            return run_list::tell(printer, runs, args.json);
        }
    }
    let run = RunReader::open(&args.dir)?;
    let (state, folder, store) = (&run.state, &run.folder, &run.store);
    let status = run_standing::words(state);
    let variants = variants::gather(state, store)?;
    if args.json {
        printer.json(&json!({
            "run": state.started.as_ref().map(|started| started.run.clone()),
            "study": state.started.as_ref().map(|started| started.study.clone()),
            "study_kind": StudyKindView::from_state(state),
            "standing": status,
            "events": state.seq,
            "unmetered": state.started.as_ref().is_some_and(|started| started.settings.model == CLIENT),
            "sampling": state.sampling,
            "clocks": state.elapsed.clocks(),
            "torn_bytes": run.torn,
            "stages": state.stages.iter().map(|(stage, open)| stage_json(*stage, open)).collect::<Vec<_>>(),
            "waiting_for": state.open_questions().into_iter().map(|asked| json!({
                "id": asked.id.to_string(), "asking": asked.asking, "summary": asked.summary, "digest": asked.digest,
            })).collect::<Vec<_>>(),
            "executions": state.executions.iter().chain(state.executions.variants()).map(|execution| json!({
                "id": execution.started.id.to_string(),
                "variant": execution.started.variant,
                "command": execution.started.command,
                "ending": execution.finished.as_ref().map(|finished| finished.ending),
                "interrupted": execution.interrupted,
            })).collect::<Vec<_>>(),
            "probes": run_reader::probes(state, folder),
            "variants": variants.as_ref().map(|variants| &variants.results),
            "halted": state.halted,
            "verdict": state.verdict,
            "grade": state.grade,
        }))?;
        return Ok(Status::Done);
    }
    if run.torn > 0 {
        printer.line(format!(
            "journal    the last {} bytes are no whole line: they are still being written, or a stop cut them off and \
             `reprise resume` drops them",
            run.torn
        ));
    }
    let Some(started) = &state.started else {
        printer.line("The run has not begun: `reprise resume` begins it.");
        return Ok(Status::Done);
    };
    match started.settings.track() {
        track if track.is_replication() => printer.line(StudyKindView::from_state(state).line()),
        track => printer.line(format!("task of the track {}", printable(&track.track))),
    }
    printer.line(format!(
        "{} {}",
        styled(paint::STRONG, &started.run),
        started.title
    ));
    printer.line(format!("model      {}", state.model().unwrap_or_default()));
    if started.settings.model == CLIENT {
        printer.line(format!("spent      {UNMETERED}"));
    }
    if !state.sampling.is_default() {
        printer.line(format!("drawing    {}", state.sampling));
    }
    printer.line(format!("standing   {status} ({} events)", state.seq));
    printer.line(format!("clocks     {}", clocks(state.elapsed.clocks())));
    for (stage, open) in &state.stages {
        let end = match &open.end {
            None => "under way".to_owned(),
            Some(StageEnd::Finished { .. }) => "finished".to_owned(),
            Some(StageEnd::Failed { cause, detail }) => format!("failed ({cause}): {}", printable(detail)),
        };
        printer.line(format!(
            "{stage:<10} {end}, {} turns, {} tokens",
            open.turns.len(),
            open.usage().total()
        ));
    }
    for program in state.stages.values().flat_map(|stage| &stage.programs) {
        printer.line(format!(
            "program    {}: {} {}",
            printable(&program.started.agent),
            one_line(&program.started.command.join(" ")),
            match &program.ended {
                Some(ended) => one_line(&ended.ending.words()),
                None => "is under way, or its engine was killed".to_owned(),
            }
        ));
    }
    if let Some(halted) = &state.halted {
        printer.line(format!(
            "stopped    in {} ({}): {}",
            halted.stage,
            halted.cause,
            printable(&halted.detail)
        ));
    }
    for execution in state.executions.iter().chain(state.executions.variants()) {
        let end = match &execution.finished {
            Some(finished) => format!("{:?}", finished.ending),
            None if execution.interrupted => "interrupted".to_owned(),
            None => "under way".to_owned(),
        };
        printer.line(format!(
            "{:<10} {} {end}{}",
            execution.started.id,
            one_line(&execution.started.command.join(" ")),
            match &execution.started.variant {
                Some(name) => format!(" (variant {})", one_line(name)),
                None => String::new(),
            }
        ));
    }
    if let Some(summary) = run_reader::probes(state, folder) {
        printer.line(format!("probes     {}", printable(&summary.line())));
        for note in &summary.notes {
            printer.line(format!("           {}", one_line(note)));
        }
    }
    for asked in state.open_questions() {
        printer.line(format!(
            "{:<10} {} {}",
            asked.id,
            styled(paint::WARN, "waits:"),
            one_line(&asked.summary)
        ));
        for line in content::load(&asked.details, store)
            .map_err(EngineError::from)?
            .split(|byte| *byte == b'\n')
        {
            printer.line(format!(
                "           {}",
                printable(&String::from_utf8_lossy(line))
            ));
        }
    }
    if let Some(grade) = &state.grade {
        printer.line(format!("grade      {}", printable(&outcome::grade_line(grade))));
    }
    if let Some(verdict) = &state.verdict {
        printer.line(format!("verdict    {}", printable(&verdict_line::line(verdict))));
        if let Some(source) = verdict.source {
            printer.line(format!("numbers    {}", source.words()));
        }
        if let Some(variants) = &variants {
            printer.line(format!("variants   {}", variants.line()));
        }
        for one in &verdict.conditions {
            printer.line(format!(
                "condition  {} ({}{}): {}",
                printable(&one.condition.term),
                one.outcome,
                if one.decides { "" } else { ", does not decide" },
                printable(&one.reason)
            ));
        }
        for doubt in verdict_line::doubts(verdict) {
            printer.line(format!(
                "doubt      {}{}: {}",
                doubt.name,
                if doubt.decides { " (decides)" } else { "" },
                printable(&doubt.detail)
            ));
        }
    }
    Ok(Status::Done)
}

/// The wall clock and what it is made of; parts that are nothing are left out.
fn clocks(clocks: Clocks) -> String {
    let parts = [
        (clocks.working_ms, "at work"),
        (clocks.provider_ms, "waiting for the provider"),
        (clocks.person_ms, "waiting for people"),
        (clocks.stopped_ms, "stopped"),
    ];
    let parts: Vec<_> = (parts.into_iter().enumerate())
        .filter(|(place, (ms, _))| *place == 0 || *ms > 0)
        .map(|(_, (ms, what))| format!("{} {what}", format::duration(ms)))
        .collect();
    format!(
        "{} in all: {}",
        format::duration(clocks.wall_ms),
        parts.join(", ")
    )
}
