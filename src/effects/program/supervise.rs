//! A program under way: its calls are journaled, and its limits are held.

use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::catalog::agents::definition::AgentLimits;
use crate::effects::time_left::{self, TimeLeft};
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::program::ProgramEnding;

use super::calls::{CallTraffic, KeptCall, LastFailure, ProgramCalls};
use super::journal::CallJournal;
use super::questions::{CommandQuestion, ProgramGate};
use super::ran_commands::EventReader;
use super::session::{ProgramLook, ProgramSession, ProgramStanding};

/// How long one look at a program waits.
const LOOK: Duration = Duration::from_millis(250);
/// How long calls may stay under way behind the end of their program.
const LAST_CALLS: Duration = Duration::from_secs(120);
/// The same where the run was asked to stop.
const LAST_CALLS_OF_A_STOP: Duration = Duration::from_secs(5);
/// Bytes of a program's output that are kept at each end.
const KEPT: usize = 100_000;

/// The bounds of one start of a program.
#[derive(Debug, Clone, Copy)]
pub struct ProgramBounds {
    pub limits: AgentLimits,
    /// What is left of the caps on time.
    pub time: Option<TimeLeft>,
    /// What is left of the time outside its calls of the model, where its task limits that.
    pub work: Option<Duration>,
}

/// The bounds of a program, and what is told of it meanwhile.
pub struct Supervision<'a> {
    pub calls: &'a ProgramCalls,
    pub ended: &'a mut Receiver<KeptCall>,
    pub questions: &'a mut Receiver<CommandQuestion>,
    pub journal: &'a mut CallJournal,
    pub bounds: ProgramBounds,
}

/// The end of a program as it was watched.
pub struct Watched {
    /// `None` where the run was asked to stop.
    pub ending: Option<ProgramEnding>,
    pub output: String,
    /// What its last call failed with.
    pub failure: Option<LastFailure>,
    /// How long it waited for decisions.
    pub waited: Duration,
}

impl Supervision<'_> {
    /// Watches a program to its end, which a limit may bring about.
    ///
    /// # Errors
    /// A sandbox that fails, or a journal that cannot be written.
    pub async fn watch(
        &mut self,
        session: &mut Session,
        program: &mut dyn ProgramSession,
        events: &mut EventReader,
        gate: &ProgramGate<'_>,
        cancel: &CancellationToken,
    ) -> Result<Watched, EngineError> {
        let mut output = OutputEnds::default();
        let begun = Instant::now();
        let mut active = begun;
        let mut waited = Duration::ZERO;
        let mut undecided = None;
        let out_of_time = time_left::passes(self.bounds.time);
        tokio::pin!(out_of_time);
        let mut spent = None;
        let ending = loop {
            tokio::select! {
                biased;
                Some(ended) = self.ended.recv() => {
                    self.journal.write(session, ended)?;
                }
                () = cancel.cancelled() => break None,
                Some(question) = self.questions.recv() => {
                    let asked = Instant::now();
                    undecided = gate.decide(session, question, cancel).await?;
                    // Nobody's time but that of whoever decides.
                    waited += asked.elapsed();
                    active = Instant::now();
                    let used = begun.elapsed().saturating_sub(waited);
                    out_of_time.set(time_left::passes(self.bounds.time.map(|time| time.behind(used))));
                    if undecided.is_some() {
                        break (!cancel.is_cancelled()).then_some(ProgramEnding::Undecided);
                    }
                }
                reached = &mut out_of_time => {
                    spent = Some(LastFailure::Spent { reached, since: Instant::now() });
                    break Some(ProgramEnding::Spent(reached.to_string()));
                }
                look = program.wait(LOOK) => {
                    let look = look?;
                    if !look.output.is_empty() {
                        active = Instant::now();
                    }
                    events.push(&look.output);
                    output.push(&look.output);
                    if let Some(ending) = ended(look) {
                        break Some(ending);
                    }
                }
            }
            if let Some(ending) = self.limit(begun.elapsed().saturating_sub(waited), active) {
                break Some(ending);
            }
        };
        let is_over = matches!(
            ending,
            Some(ProgramEnding::Exited(_) | ProgramEnding::SessionOver(_))
        );
        if !is_over {
            let last = program.kill().await?.output;
            events.push(&last);
            output.push(&last);
        }
        // The program is gone, and is told nothing of what it asked.
        drop(undecided);
        let failure = spent.or_else(|| self.calls.traffic().failure);
        Ok(Watched {
            ending: ending.map(|ending| behind(ending, failure.as_ref())),
            output: output.text(),
            failure,
            waited,
        })
    }

    /// The limit that a program has reached.
    fn limit(&self, taken: Duration, active: Instant) -> Option<ProgramEnding> {
        let ProgramBounds { limits, work, .. } = self.bounds;
        let seconds = Duration::from_secs;
        if taken >= seconds(limits.wall_seconds) {
            return Some(ProgramEnding::OutOfTime(limits.wall_seconds));
        }
        let traffic = self.calls.traffic();
        let worked = taken.saturating_sub(traffic.asked());
        if let Some(work) = work.filter(|work| worked >= *work) {
            return Some(ProgramEnding::OutOfTime(work.as_secs()));
        }
        match &traffic.failure {
            Some(LastFailure::Spent { since, .. } | LastFailure::Full { since, .. })
                if since.elapsed() >= seconds(limits.grace_seconds)
                    || traffic.counts.refused > limits.refused_calls =>
            {
                return traffic.failure.as_ref().map(of_failure);
            }
            Some(LastFailure::Diverged(why)) => return Some(ProgramEnding::Unanswered(why.clone())),
            _ => {}
        }
        let last = active.max(traffic.active);
        let is_idle = traffic.under_way == 0 && last.elapsed() >= seconds(limits.idle_seconds);
        is_idle.then_some(ProgramEnding::Idle(limits.idle_seconds))
    }

    /// Journals the calls that are still under way behind their program's end; returns the traffic.
    ///
    /// # Errors
    /// A journal that cannot be written.
    pub async fn last_calls(
        &mut self,
        session: &mut Session,
        is_stopped: bool,
    ) -> Result<CallTraffic, EngineError> {
        let patience = if is_stopped {
            LAST_CALLS_OF_A_STOP
        } else {
            LAST_CALLS
        };
        let until = Instant::now() + patience;
        loop {
            let traffic = self.calls.traffic();
            if traffic.under_way == 0 || Instant::now() >= until {
                return Ok(traffic);
            }
            tokio::select! {
                Some(ended) = self.ended.recv() => self.journal.write(session, ended)?,
                () = sleep(Duration::from_millis(20)) => {}
            }
        }
    }
}

fn ended(look: ProgramLook) -> Option<ProgramEnding> {
    match look.standing {
        ProgramStanding::Running => None,
        ProgramStanding::Exited(status) => Some(ProgramEnding::Exited(status)),
        ProgramStanding::SessionOver(over) => Some(ProgramEnding::SessionOver(over)),
    }
}

/// The end of a program by what its last call came to, whatever its exit status says of itself.
fn behind(ending: ProgramEnding, failure: Option<&LastFailure>) -> ProgramEnding {
    match ending {
        ProgramEnding::Exited(_) => failure.map_or(ending, of_failure),
        ending => ending,
    }
}

/// The end that a failure of its last call gives a program.
fn of_failure(failure: &LastFailure) -> ProgramEnding {
    match failure {
        LastFailure::Spent { reached, .. } => ProgramEnding::Spent(reached.to_string()),
        LastFailure::Full { most, .. } => ProgramEnding::Full(*most),
        LastFailure::Unanswered(why) | LastFailure::Diverged(why) => ProgramEnding::Unanswered(why.clone()),
    }
}

/// The beginning and the end of a long output.
#[derive(Debug, Default)]
struct OutputEnds {
    beginning: String,
    end: String,
    left_out: usize,
}

impl OutputEnds {
    fn push(&mut self, text: &str) {
        let mut rest = text;
        if self.end.is_empty() && self.beginning.len() < KEPT {
            let (first, behind) = rest.split_at(rest.floor_char_boundary(KEPT - self.beginning.len()));
            self.beginning.push_str(first);
            rest = behind;
        }
        self.end.push_str(rest);
        if self.end.len() > 2 * KEPT {
            let from = self.end.ceil_char_boundary(self.end.len() - KEPT);
            self.left_out += from;
            self.end.drain(..from);
        }
    }

    fn text(self) -> String {
        match self.left_out {
            0 => self.beginning + &self.end,
            bytes => format!("{}\n[{bytes} bytes are left out]\n{}", self.beginning, self.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_an_output_are_kept() {
        let mut short = OutputEnds::default();
        short.push("a");
        short.push("b\n");
        assert_eq!(short.text(), "ab\n");
        let mut long = OutputEnds::default();
        for number in 0..100_000 {
            long.push(&format!("line é{number}\n"));
        }
        let text = long.text();
        assert!(text.starts_with("line é0\n") && text.ends_with("line é99999\n"));
        assert!(
            text.len() < 4 * KEPT && text.contains("bytes are left out"),
            "{}",
            text.len()
        );
    }
}
