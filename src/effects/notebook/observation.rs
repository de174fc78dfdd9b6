//! A cell's outcome, as its agent is told it and as it is kept.

use super::staging::EXCHANGE;
use crate::notebook::act::CellRecord;
use crate::notebook::history::step::CellOutcome;
use crate::notebook::terms::Cleaning;
use crate::notebook::told::{NEWEST, cleaned, last};
use crate::sandbox::session::kernel::{CellReply, CellStanding};
use crate::tools::contract::Observation;

/// The observation of a cell, and what is kept of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenCell {
    pub observation: Observation,
    pub record: CellRecord,
}

/// A reply of the kernel, told: its output cleaned and cut, and how the cell stands where it did not
/// simply come to its end. `given` is the number of cells that it was given for the act, `waited`
/// the seconds that were waited for it.
pub fn seen(reply: &CellReply, cleaning: Cleaning, given: u32, waited: u64) -> SeenCell {
    let whole = reply.output.text();
    let never = match reply.output.left_out {
        0 => String::new(),
        bytes => format!("{bytes} bytes in the middle besides; "),
    };
    let place = format!("{never}the whole is in `{EXCHANGE}/{}`", reply.file);
    let mut text = String::new();
    if let Some(before) = &reply.interrupted {
        text.push_str(match before {
            CellStanding::KernelGone(_) => {
                "[The cell before still ran and did not end when it was interrupted: its kernel was ended, and another \
                 stands in its place, without its state.]\n"
            }
            _ => "[The cell before still ran, and was interrupted first.]\n",
        });
    }
    text.push_str(&last(&cleaned(&whole, cleaning), NEWEST, &place));
    let (said, outcome, exit_code) = match &reply.standing {
        CellStanding::Done { status } => (None, CellOutcome::Done, Some(i64::from(*status))),
        CellStanding::Failed => (None, CellOutcome::Failed, None),
        CellStanding::Interrupted => (
            Some("[The cell was interrupted. The kernel's state stays.]".to_owned()),
            CellOutcome::Interrupted,
            None,
        ),
        CellStanding::Running => (
            Some(format!(
                "[The cell still runs after {waited} seconds. `continue_wait` waits on, `interrupt` ends it; another cell \
                 interrupts it first.]"
            )),
            CellOutcome::Running,
            None,
        ),
        CellStanding::KernelGone(status) => (
            Some(format!(
                "[The kernel ended under the cell, with the status {status}. Another one stands in its place, without its \
                 state and in the folder work/.]"
            )),
            CellOutcome::Lost,
            None,
        ),
        CellStanding::SessionOver(why) => (
            Some(format!(
                "[The session is over: {why}. Hand in what you have with `submit`.]"
            )),
            CellOutcome::Lost,
            None,
        ),
    };
    if let Some(said) = said {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&said);
    }
    SeenCell {
        observation: Observation {
            text,
            stable: None,
            ok: !matches!(reply.standing, CellStanding::SessionOver(_)),
            command: None,
        },
        record: CellRecord {
            outcome,
            exit_code,
            cells: given,
            whole,
            upto: reply.upto,
            file: Some(reply.file.clone()),
            view: None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::session::reply::CappedOutput;

    fn told(standing: CellStanding, output: &str) -> SeenCell {
        let reply = CellReply {
            standing,
            interrupted: None,
            output: CappedOutput {
                beginning: output.into(),
                ..CappedOutput::default()
            },
            upto: 7,
            file: "3.out".to_owned(),
        };
        seen(&reply, Cleaning::Published, 1, 300)
    }

    #[test]
    fn a_cell_that_came_to_its_end_is_its_output_alone() {
        let done = told(CellStanding::Done { status: 2 }, "a\r\nb");
        assert_eq!(done.observation.text, "a\nb");
        assert_eq!(
            (
                done.record.outcome,
                done.record.exit_code,
                done.record.whole.as_str()
            ),
            (CellOutcome::Done, Some(2), "a\r\nb")
        );
        assert_eq!(told(CellStanding::Failed, "").observation.text, "");
    }

    #[test]
    fn another_standing_is_said_and_the_whole_is_kept() {
        let running = told(CellStanding::Running, "epoch 1");
        assert!(
            running
                .observation
                .text
                .starts_with("epoch 1\n[The cell still runs after 300 seconds. `continue_wait`")
        );
        assert!(running.observation.ok && running.record.outcome == CellOutcome::Running);
        let gone = told(CellStanding::KernelGone(137), "x\n");
        assert!(gone.observation.text.contains("status 137") && gone.record.outcome == CellOutcome::Lost);
        let over = told(CellStanding::SessionOver("its time is up".to_owned()), "");
        assert!(!over.observation.ok && over.observation.text.contains("its time is up"));
        let long = told(CellStanding::Done { status: 0 }, &"x".repeat(60_000));
        assert!(
            long.observation.text.len() < 50_200,
            "{}",
            long.observation.text.len()
        );
        assert!(long.observation.text.starts_with(
            "[The first 10000 of 60000 characters are left out; the whole is in `logs/kernel/3.out`]"
        ));
        assert_eq!(long.record.whole.len(), 60_000);
    }
}
