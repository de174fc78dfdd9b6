//! Drift: the first difference between a recorded request and the one that is asked.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use crate::domain::conversation::Position;
use crate::domain::excerpt;
use crate::model::chat::Message;
use crate::model::recording::canonical::{Canonical, CanonicalTool};
use crate::model::recording::format::{RecordedRequest, RecordedStage};

/// Most characters of a difference that are shown.
const MOST_SHOWN: usize = 4_000;
/// Most lines on each side that are compared, beyond what both begin with.
const MOST_COMPARED: usize = 2_000;
/// Most characters of a line that are compared.
const LONGEST_LINE: usize = 400;
/// Equal lines shown around a change.
const CONTEXT: usize = 2;

/// A conversation as it was recorded, put together from the turns up to one.
#[derive(Debug, Default, PartialEq)]
pub struct Expected {
    messages: Vec<Canonical>,
    tools: Vec<CanonicalTool>,
}

impl Expected {
    /// The request of the turn at `position`, which `stage` holds.
    pub fn at(stage: &RecordedStage, position: Position) -> Self {
        let mut expected = Self::default();
        let last = usize::try_from(position.turn).unwrap_or(usize::MAX);
        for (index, turn) in stage.turns.iter().enumerate().take(last.saturating_add(1)) {
            if let Some(request) = &turn.request {
                expected.grow(stage, request, index, position);
            }
        }
        expected
    }

    fn grow(&mut self, stage: &RecordedStage, request: &RecordedRequest, index: usize, position: Position) {
        if let Some(kept) = request.kept {
            self.messages.truncate(kept);
        }
        for message in &request.added {
            self.messages.push(match (message, index.checked_sub(1)) {
                (Canonical::Answer {}, Some(before)) => {
                    let turn = u32::try_from(before).unwrap_or(u32::MAX);
                    match stage.turns.get(before) {
                        Some(turn_before) => Canonical::from_message(
                            &turn_before.answer.message(Position { turn, ..position }),
                        ),
                        None => message.clone(),
                    }
                }
                _ => message.clone(),
            });
        }
        if let Some(tools) = &request.tools {
            self.tools.clone_from(tools);
        }
    }

    /// A bounded unified diff from what was recorded to what is asked.
    pub fn difference(&self, messages: &[Message], tools: &[CanonicalTool]) -> String {
        let asked: Vec<Canonical> = messages.iter().map(Canonical::from_message).collect();
        let same = self
            .messages
            .iter()
            .zip(&asked)
            .take_while(|(recorded, asked)| recorded == asked)
            .count();
        let mut before = tool_lines(&self.tools);
        let mut after = tool_lines(tools);
        for message in &self.messages[same..] {
            message_lines(message, &mut before);
        }
        for message in &asked[same..] {
            message_lines(message, &mut after);
        }
        let text = unified(&before, &after);
        if text.is_empty() {
            "(the messages read the same as far as they are compared; the file's digest does not fit its own messages, or the difference lies further on)\n".to_owned()
        } else {
            text
        }
    }
}

fn tool_lines(tools: &[CanonicalTool]) -> Vec<String> {
    tools
        .iter()
        .map(|tool| format!("[offers {} {}]", tool.name, tool.schema.short()))
        .collect()
}

fn message_lines(message: &Canonical, lines: &mut Vec<String>) {
    let (head, text) = match message {
        Canonical::System { text } => ("[system]".to_owned(), text),
        Canonical::User { text } => ("[user]".to_owned(), text),
        Canonical::Pictured { text, picture } => {
            (format!("[user, with picture {}]", picture.digest.short()), text)
        }
        Canonical::Assistant { text, .. } => ("[assistant]".to_owned(), text),
        Canonical::Tool { call, name, text } => (format!("[tool {name}, answering {call}]"), text),
        Canonical::Answer {} => {
            lines.push("[assistant: the answer before]".to_owned());
            return;
        }
    };
    lines.push(head);
    lines.extend(text.0.split('\n').map(short));
    if let Canonical::Assistant { calls, .. } = message {
        for call in calls {
            lines.push(short(&format!(
                "-> {} {}({})",
                call.id, call.name, call.arguments
            )));
        }
    }
}

fn short(line: &str) -> String {
    excerpt::with_size(line, LONGEST_LINE)
}

fn unified(before: &[String], after: &[String]) -> String {
    let same = before
        .iter()
        .zip(after)
        .take_while(|(before, after)| before == after)
        .count();
    let from = same.saturating_sub(CONTEXT);
    let window =
        |lines: &[String]| -> Vec<String> { lines.iter().skip(from).take(MOST_COMPARED).cloned().collect() };
    let (before, after) = (window(before), window(after));
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    let after: Vec<&str> = after.iter().map(String::as_str).collect();
    let diff = TextDiff::from_slices(&before, &after);
    let mut text = String::new();
    for group in diff.grouped_ops(CONTEXT) {
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line = change.value();
            if text.len() + line.len() > MOST_SHOWN {
                text.push_str("(the difference goes on)\n");
                return text;
            }
            let _ = writeln!(text, "{mark}{line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::stage::Stage;
    use crate::model::chat::{ChatRequest, ToolSpec};
    use crate::model::recording::answer::Answer;
    use crate::model::recording::cassette::Cassette;
    use crate::model::recording::format::Turn;
    use crate::model::recording::lines::Lines;

    fn tools(name: &str) -> Arc<[ToolSpec]> {
        Arc::from([ToolSpec {
            name: name.into(),
            description: String::new(),
            parameters: serde_json::Value::Null,
        }])
    }

    /// A turn of a session: how much of the request before is kept, whether its
    /// answer follows, what is added, and the tools on offer.
    fn any_turn() -> impl Strategy<Value = (usize, bool, Vec<String>, &'static str)> {
        let added = prop::collection::vec("[ab\n]{0,2}", 0..3);
        (
            0_usize..6,
            any::<bool>(),
            added,
            prop_oneof![Just("t"), Just("u")],
        )
    }

    proptest! {
        #[test]
        fn every_request_is_put_together_again(session in prop::collection::vec(any_turn(), 1..6)) {
            let mut cassette = Cassette::default();
            let mut stage = RecordedStage::default();
            let mut asked: Vec<(Vec<Message>, Vec<CanonicalTool>)> = Vec::new();
            let mut messages: Vec<Message> = Vec::new();
            for (turn, (kept, answered, added, tool)) in (0_u32..).zip(session) {
                let position = Position { stage: Stage::DESIGN, turn };
                if let Some(before) = turn.checked_sub(1) {
                    if answered {
                        let answer = &stage.turns[before as usize].answer;
                        messages.push(answer.message(Position { turn: before, ..position }));
                    } else {
                        messages.truncate(kept);
                    }
                }
                messages.extend(added.iter().map(|text| Message::User { text: text.as_str().into() }));
                let request = ChatRequest {
                    position,
                    messages: messages.clone(),
                    tools: tools(tool),
                    max_output_tokens: None,
                    form: None,
                };
                let answer = Answer { text: Lines(format!("answer {turn}")), ..Answer::default() };
                cassette.add(&request, answer.message(position));
                stage.turns.push(Turn { request: cassette.request(position).cloned(), answer });
                asked.push((messages.clone(), CanonicalTool::all(&request.tools)));
            }
            for (turn, (messages, tools)) in (0_u32..).zip(asked) {
                let expected = Expected::at(&stage, Position { stage: Stage::DESIGN, turn });
                let messages: Vec<Canonical> = messages.iter().map(Canonical::from_message).collect();
                prop_assert_eq!(expected, Expected { messages, tools });
            }
        }
    }
}
