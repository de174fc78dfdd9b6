//! Calls that fail the same way again and again.

use serde_json::Value;

use super::pending_call::PendingCall;

/// The treatment of a call that may repeat an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatAction {
    Fine,
    /// The same call failed this often in a row: say so.
    Warn(u32),
    /// It was said, and it failed again.
    Stop(u32),
}

/// Identical failing calls in a row.
#[derive(Debug, Default)]
pub struct Repeats {
    last: Option<(String, Option<Value>)>,
    failures: u32,
}

const WARN_AT: u32 = 3;
const STOP_AT: u32 = 5;

impl Repeats {
    /// Notes a call and whether it worked.
    pub fn note(&mut self, call: &PendingCall, ok: bool) -> RepeatAction {
        let key = (call.tool.clone(), call.arguments.as_ref().ok().cloned());
        if ok {
            self.last = None;
            self.failures = 0;
            return RepeatAction::Fine;
        }
        if self.last.as_ref() == Some(&key) {
            self.failures += 1;
        } else {
            self.last = Some(key);
            self.failures = 1;
        }
        match self.failures {
            0..WARN_AT => RepeatAction::Fine,
            WARN_AT..STOP_AT => RepeatAction::Warn(self.failures),
            times => RepeatAction::Stop(times),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(path: &str) -> PendingCall {
        PendingCall {
            index: 0,
            id: String::new(),
            tool: "read_file".into(),
            arguments: Ok(serde_json::json!({ "path": path })),
        }
    }

    #[test]
    fn only_the_same_failing_call_in_a_row_counts() {
        let mut repeats = Repeats::default();
        assert_eq!(repeats.note(&call("a"), false), RepeatAction::Fine);
        assert_eq!(repeats.note(&call("a"), false), RepeatAction::Fine);
        assert_eq!(repeats.note(&call("b"), false), RepeatAction::Fine);
        assert_eq!(repeats.note(&call("a"), false), RepeatAction::Fine);
        assert_eq!(repeats.note(&call("a"), false), RepeatAction::Fine);
        assert_eq!(repeats.note(&call("a"), false), RepeatAction::Warn(3));
        assert_eq!(repeats.note(&call("a"), true), RepeatAction::Fine);
        for expected in [
            RepeatAction::Fine,
            RepeatAction::Fine,
            RepeatAction::Warn(3),
            RepeatAction::Warn(4),
            RepeatAction::Stop(5),
        ] {
            assert_eq!(repeats.note(&call("a"), false), expected);
        }
    }
}
