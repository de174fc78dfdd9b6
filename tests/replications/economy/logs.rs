//! The turns of a released log.

use regex::Regex;

/// One turn as a log shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Logged {
    /// What the model wrote: in text form, with its call.
    pub said: String,
    pub result: String,
    /// Whether the log has the call with its arguments.
    pub with_call: bool,
}

impl Logged {
    /// Whether the log cut the result.
    pub fn is_cut(&self) -> bool {
        self.result.trim_end().ends_with("(truncated)")
    }
}

/// The turns of the last session in a log.
pub fn last_session(text: &str) -> Vec<Logged> {
    let prefix = Regex::new(r"(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - replication - [A-Z]+ - ").unwrap();
    let starts: Vec<(usize, usize)> = prefix
        .find_iter(text)
        .map(|found| (found.start(), found.end()))
        .collect();
    let mut turns: Vec<Logged> = Vec::new();
    for (at, (_, begin)) in starts.iter().enumerate() {
        let end = starts.get(at + 1).map_or(text.len(), |(next, _)| *next);
        let body = text[*begin..end].trim();
        if let Some(number) = body
            .strip_prefix("--- Turn ")
            .and_then(|rest| rest.strip_suffix(" ---"))
        {
            if number == "1" {
                turns.clear();
            }
            turns.push(Logged::default());
        } else if let Some(said) = body.strip_prefix("***Agent output:") {
            if let Some(turn) = turns.last_mut() {
                turn.said = said.trim().to_owned();
                turn.with_call = true;
            }
        } else if let Some(said) = body.strip_prefix("***Agent output (Thought):") {
            if let Some(turn) = turns.last_mut() {
                turn.said = said.trim().to_owned();
            }
        } else if let Some(result) = body.strip_prefix("***Agent input: Observation:") {
            // The input of a turn is the result of the turn before it.
            if let Some(before) = turns.len().checked_sub(2) {
                turns[before].result = result.trim().to_owned();
            }
        } else if let Some((_, result)) = body
            .strip_prefix("***Observation (")
            .and_then(|rest| rest.split_once("):"))
            && let Some(turn) = turns.last_mut()
        {
            turn.result.push_str(result.trim());
        }
    }
    turns
}
