//! A run as it goes, a line an event.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::engine::watch::Watch;
use crate::run::event::{BuildResult, Event, Record, StageEnd};
use crate::run::state::State;

use super::output::{Printer, paint, styled};

/// Prints what happens to standard error; on a terminal a live line shows what
/// is under way and for how long.
pub struct Progress {
    printer: Printer,
    bar: ProgressBar,
    /// What the live line shows.
    doing: Mutex<String>,
}

impl Progress {
    pub fn new(printer: Printer) -> Self {
        let bar = ProgressBar::new_spinner();
        if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {msg} {elapsed:.dim}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(120));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            printer,
            bar,
            doing: Mutex::new(String::new()),
        }
    }

    /// Takes the live line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn say(&self, text: String) {
        self.bar.suspend(|| self.printer.note(text));
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
            Event::Resumed { note } => self.say(format!("resumed: {note}")),
            Event::StageStarted { stage, .. } => {
                self.say(styled(paint::STRONG, stage));
                self.doing(format!("{stage}: waiting for the model"));
            }
            Event::ModelAnswered {
                stage, turn, usage, ..
            } => {
                self.doing(format!("{stage}: turn {}, {} tokens", turn + 1, usage.total()));
            }
            Event::ToolFinished(finished) => {
                let mark = if finished.ok {
                    styled(paint::FAINT, "·")
                } else {
                    styled(paint::WARN, "!")
                };
                let change = finished
                    .change
                    .as_ref()
                    .map_or(String::new(), |change| format!(" {}", change.path));
                self.say(format!("  {mark} {}{change}", finished.tool));
                self.doing(format!("{}: waiting for the model", finished.at.stage));
            }
            Event::Asked(asked) => self.say(format!("  ? {} {}", asked.id, asked.summary)),
            Event::Decided(decided) => {
                let word = if decided.allowed { "allowed" } else { "refused" };
                self.say(format!("  {} {word}", decided.id));
            }
            Event::Built { result, wall_ms, .. } => match result {
                BuildResult::Ready(environment) if environment.built => {
                    self.say(format!(
                        "  environment {} built in {} ms",
                        environment.id.short(),
                        wall_ms
                    ));
                }
                BuildResult::Ready(environment) => {
                    self.say(format!("  environment {} ready", environment.id.short()));
                }
                BuildResult::Failed(failure) => {
                    self.say(format!(
                        "  {} {}",
                        styled(paint::WARN, "environment:"),
                        failure.summary
                    ));
                }
            },
            Event::ExecutionStarted(started) => {
                self.doing(format!("{}: {}", started.id, started.command.join(" ")));
            }
            Event::ExecutionFinished(finished) => {
                let mark = if finished.ending.ok() {
                    "succeeded"
                } else {
                    "failed"
                };
                self.say(format!("  {} {mark} after {} ms", finished.id, finished.wall_ms));
            }
            Event::ExecutionInterrupted { id } => self.say(format!("  {id} was interrupted")),
            Event::StageEnded { stage, end } => match end {
                StageEnd::Finished { .. } => {
                    let usage = state
                        .stages
                        .get(stage)
                        .map(|stage| stage.usage().total())
                        .unwrap_or_default();
                    self.say(format!(
                        "  {} {stage} ({usage} tokens)",
                        styled(paint::GOOD, "done")
                    ));
                }
                StageEnd::Failed { cause, detail } => {
                    self.say(format!(
                        "  {} {stage}: {cause}: {detail}",
                        styled(paint::BAD, "failed")
                    ));
                }
            },
            Event::RunFinished { .. } => self.doing(String::new()),
        }
    }

    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            self.say(format!("  {text}"));
        } else {
            self.doing(text.chars().take(100).collect());
        }
    }
}
