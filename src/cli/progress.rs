//! A run as it goes, a line an event.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::domain::content::Content;
use crate::domain::excerpt;
use crate::domain::format::{count, duration};
use crate::domain::stage::Stage;
use crate::engine::watch::Watch;
use crate::model::name::HUMAN;
use crate::run::event::{BuildResult, Event, Record, RunStarted, StageEnd};
use crate::run::program::ProgramEnding;
use crate::run::state::State;

use super::output::{Printer, one_line, paint, printable, styled};

/// Prints what happens to standard error; on a terminal a live line shows what
/// is under way and for how long.
pub struct Progress {
    printer: Printer,
    bar: ProgressBar,
    terminal: bool,
    quiet: bool,
    /// The beginning of each line, where several runs go at once.
    name: String,
    /// The words of the live line.
    doing: Mutex<String>,
}

impl Progress {
    /// Says nothing at all where `quiet`.
    pub fn new(printer: Printer, quiet: bool) -> Self {
        let bar = ProgressBar::new_spinner();
        let terminal = !quiet && std::io::stderr().is_terminal();
        if terminal {
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed:.dim}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            printer,
            bar,
            terminal,
            quiet,
            name: String::new(),
            doing: Mutex::new(String::new()),
        }
    }

    /// Without a live line, and with a name before each line.
    pub fn named(printer: Printer, quiet: bool, name: &str) -> Self {
        let bar = ProgressBar::hidden();
        Self {
            printer,
            bar,
            terminal: false,
            quiet,
            name: format!("{}: ", one_line(name)),
            doing: Mutex::new(String::new()),
        }
    }

    /// Takes the live line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn say(&self, text: String) {
        if self.quiet {
            return;
        }
        self.bar
            .suspend(|| self.printer.note(format!("{}{text}", self.name)));
    }

    fn doing(&self, text: String) {
        if let Ok(mut doing) = self.doing.lock()
            && *doing != text
        {
            self.bar.reset_elapsed();
            self.bar.set_message(text.clone());
            *doing = text;
        }
    }
}

impl Watch for Progress {
    fn recorded(&self, record: &Record, state: &State) {
        match &record.event {
            Event::RunStarted(started) => self.say(format!(
                "{} {} with {}",
                styled(paint::STRONG, &started.study),
                styled(paint::FAINT, format!("({})", started.run)),
                started.settings.model
            )),
            Event::Resumed(resumption) => self.say(format!("resumed: {}", resumption.note)),
            Event::Paused { ms } => self.say(format!(
                "the machine slept, or its clock jumped ahead, by {} s, which are no work",
                ms / 1000
            )),
            Event::Extended { stages, .. } => self.say(format!("goes on: {stages}")),
            Event::StageStarted { stage, .. } => {
                let place = place(state, *stage).map_or_else(String::new, |place| format!("{place} "));
                let name = styled(paint::STRONG, stage);
                self.say(format!("{}{name}", styled(paint::FAINT, place)));
                self.doing(awaited(state, *stage));
            }
            Event::ModelAnswered {
                stage, turn, usage, ..
            } => {
                self.doing(format!("{stage}: turn {}, {} tokens", turn + 1, usage.total()));
            }
            Event::ProgramStarted(started) => {
                self.say(format!(
                    "  {} {}: {}",
                    styled(paint::FAINT, "·"),
                    one_line(&started.agent),
                    one_line(&started.command.join(" "))
                ));
                self.doing(format!("{}: the program is at work", started.stage));
            }
            Event::ProgramEnded(ended) => {
                let mark = match ended.ending {
                    ProgramEnding::Exited(0) => styled(paint::FAINT, "·"),
                    _ => styled(paint::WARN, "!"),
                };
                self.say(format!(
                    "  {mark} the program {}",
                    one_line(&ended.ending.words())
                ));
            }
            // The first of a start tells what is wrong.
            Event::CallFailed(failed) if is_first_failure(state, failed.stage) => {
                self.say(format!(
                    "  {} a call of the program got no answer: {}",
                    styled(paint::WARN, "!"),
                    excerpt(&failed.why)
                ));
            }
            Event::CallFailed(_) => {}
            Event::ProgramLeft(left) => {
                let count = left.changes.len();
                self.say(format!(
                    "  {} it left {count} new or changed texts",
                    styled(paint::FAINT, "·")
                ));
            }
            Event::ProgramObjected(objection) => {
                self.say(format!(
                    "  {} the program is started again: {}",
                    styled(paint::WARN, "!"),
                    excerpt(&objection.detail)
                ));
            }
            Event::ToolFinished(finished) => {
                let mark = if finished.ok {
                    styled(paint::FAINT, "·")
                } else {
                    styled(paint::WARN, "!")
                };
                let change = finished.change.as_ref().map_or(String::new(), |change| {
                    format!(" {}", one_line(change.path.as_str()))
                });
                // A failed execution has told its end above.
                let has_run = state.executions.iter().any(|one| one.started.at == finished.at);
                let why = match &finished.observation {
                    Content::Inline { text } if !finished.ok && !has_run => {
                        format!(": {}", excerpt(text))
                    }
                    _ => String::new(),
                };
                self.say(format!("  {mark} {}{change}{why}", one_line(&finished.tool)));
                self.doing(awaited(state, finished.at.stage));
            }
            Event::AnswerReviewed { stage, remark, .. } => {
                let said = if remark.is_some() {
                    ", and the model is asked to correct it"
                } else {
                    ""
                };
                let what = match *stage {
                    Stage::EXTRACT => "the first result was compared with the claim",
                    Stage::DESIGN => "the plan was compared with the original and the data",
                    Stage::SEARCH => "proposed addresses checked",
                    _ => "the answer was compared with the task",
                };
                self.say(format!("  · {what}{said}"));
                self.doing(awaited(state, *stage));
            }
            Event::Asked(asked) if !self.bar.is_hidden() => {
                // The prompt that may follow must not be drawn over.
                self.bar.set_draw_target(ProgressDrawTarget::hidden());
                self.say(format!("  ? {} {}", asked.id, one_line(&asked.summary)));
            }
            Event::Asked(asked) => self.say(format!("  ? {} {}", asked.id, one_line(&asked.summary))),
            Event::Decided(decided) => {
                let word = if decided.allowed { "allowed" } else { "refused" };
                self.say(format!("  {} {word}", decided.id));
                if self.terminal {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
            }
            Event::LockMade(made) => self.say(format!(
                "  lock made in {}, as of {}",
                duration(made.wall_ms),
                state
                    .started
                    .as_ref()
                    .and_then(|started| started.settings.as_of)
                    .map_or_else(String::new, |day| day.to_string())
            )),
            Event::Built { result, wall_ms, .. } => match result {
                BuildResult::Ready(environment) if environment.built => {
                    self.say(format!(
                        "  environment {} built in {}",
                        environment.id.short(),
                        duration(*wall_ms)
                    ));
                }
                BuildResult::Ready(environment) => {
                    self.say(format!("  environment {} ready", environment.id.short()));
                }
                BuildResult::Failed(failure) => {
                    self.say(format!(
                        "  {} {}",
                        styled(paint::WARN, "environment:"),
                        printable(&failure.summary)
                    ));
                }
            },
            Event::ExecutionStarted(started) => {
                self.doing(format!(
                    "{}: {}",
                    started.id,
                    one_line(&started.command.join(" "))
                ));
            }
            Event::ExecutionFinished(finished) => {
                let words = finished.ending.words();
                let style = if finished.ending.ok() {
                    paint::GOOD
                } else {
                    paint::WARN
                };
                self.say(format!(
                    "  {} {} after {}",
                    finished.id,
                    styled(style, words),
                    duration(finished.wall_ms)
                ));
            }
            Event::AttemptOver { stage, why } => self.say(format!(
                "{stage}: an attempt submitted nothing ({}); another is made behind a plan",
                one_line(why)
            )),
            Event::ActedBeforehand(acted) => self.doing(format!(
                "{}: cell {} before the first turn",
                acted.stage,
                acted.index + 1
            )),
            Event::Interrupted { .. } | Event::SessionEnded { .. } => {}
            Event::ExecutionInterrupted { id } => self.say(format!("  {id} was interrupted")),
            Event::StageEnded { stage, end } => match end {
                StageEnd::Finished { .. } => {
                    let usage = state
                        .stages
                        .get(stage)
                        .map(|stage| stage.usage().total())
                        .unwrap_or_default();
                    let taken = duration(state.elapsed.stage(*stage, record.at));
                    let tokens = if usage == 0 {
                        String::new()
                    } else {
                        format!(", {} tokens", count(usage))
                    };
                    self.say(format!(
                        "  {} {stage} ({taken}{tokens})",
                        styled(paint::GOOD, "done")
                    ));
                }
                StageEnd::Failed { cause, detail } => {
                    self.say(format!(
                        "  {} {stage}: {cause}: {}",
                        styled(paint::BAD, "failed"),
                        printable(detail)
                    ));
                }
            },
            Event::Halted(halted) => {
                self.say(format!(
                    "  {} {} ({}): {}",
                    styled(paint::BAD, "stopped"),
                    halted.stage,
                    halted.cause,
                    printable(&halted.detail)
                ));
            }
            Event::ProbeFinished(_) => {}
            Event::Probed(summary) => self.say(format!("  probed: {}", printable(&summary.line()))),
            Event::RunFinished { .. } | Event::RunGraded { .. } => self.doing(String::new()),
        }
    }

    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            self.say(format!("  {}", printable(text)));
        } else {
            self.doing(excerpt::shortened(&printable(text), 100));
        }
    }

    fn under_way(&self, name: &str) {
        self.doing(excerpt::shortened(&one_line(name), 100));
    }

    fn wants_streams(&self) -> bool {
        !self.quiet
    }

    fn arriving(&self, bytes: usize) {
        // Four bytes a token is what English text comes to.
        self.beside(&format!("about {} tokens so far", bytes.div_ceil(4)));
    }

    fn waiting(&self, left: Duration, why: &str) {
        if left.is_zero() {
            self.doing("asking the provider again".to_owned());
        } else if !self.bar.is_hidden() {
            let text = format!(
                "waiting for the provider, {} s left ({})",
                left.as_secs_f64().ceil(),
                printable(why)
            );
            self.doing(excerpt::shortened(&text, 100));
        }
    }

    fn alive(&self, text: &str) {
        self.beside(text);
    }
}

/// The place of a stage among those that are gone through, such as `2/5`.
fn is_first_failure(state: &State, stage: Stage) -> bool {
    let failed = state
        .stages
        .get(&stage)
        .map_or(&[][..], |stage| &stage.failed_calls);
    match failed {
        [.., before, last] => before.starts != last.starts,
        _ => true,
    }
}

fn place(state: &State, stage: Stage) -> Option<String> {
    let settings = &state.started.as_ref()?.settings;
    let stages = settings.track().range(settings.stages);
    let index = stages.iter().position(|place| place.stage == stage)?;
    Some(format!("{}/{}", index + 1, stages.len()))
}

/// Whom a stage waits for.
fn awaited(state: &State, stage: Stage) -> String {
    let is_human = |started: &RunStarted| started.settings.model == HUMAN;
    let by_hand = state.by_hand || state.started.as_ref().is_some_and(is_human);
    let whom = if by_hand { "you" } else { "the model" };
    format!("{stage}: waiting for {whom}")
}

/// The beginning of what went wrong, on one line.
fn excerpt(text: &str) -> String {
    excerpt::marked(&one_line(excerpt::first_line(text)), 90, " ...")
}

impl Progress {
    /// Puts something beside what the live line shows.
    fn beside(&self, text: &str) {
        // The live line shows for how long; where there is none, the end says it.
        if let Ok(doing) = self.doing.lock()
            && !self.bar.is_hidden()
        {
            self.bar.set_message(format!("{doing} ({})", printable(text)));
        }
    }
}
