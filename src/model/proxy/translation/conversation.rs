//! A conversation that is put together from the parts of a request.

use std::collections::HashMap;

use super::loss::Loss;
use crate::domain::conversation::ToolCall;
use crate::domain::picture::Picture;
use crate::model::chat::Message;

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessagePart {
    Text(String),
    Picture(Picture),
}

/// The text of a message that can hold nothing else.
///
/// # Errors
/// A picture.
pub fn text_alone(parts: Vec<MessagePart>, place: &str, between: &str) -> Result<String, Loss> {
    let texts = parts.into_iter().map(|part| match part {
        MessagePart::Text(text) => Ok(text),
        MessagePart::Picture(_) => Err(Loss::new(place, "holds a picture that is not the user's")),
    });
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join(between))
}

/// What stands between the texts of one message that were parts of their own.
const BETWEEN: &str = "\n\n";
/// The text beside a picture that has none.
const PICTURED: &str = "(a picture)";
/// What stands before the result of a tool that failed.
const FAILED: &str = "The tool reports an error:\n";

/// The result of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    pub call: String,
    pub parts: Vec<MessagePart>,
    pub is_error: bool,
}

/// A turn of the model: its text and its calls.
#[derive(Debug, Default)]
struct OwnTurn {
    text: String,
    calls: Vec<ToolCall>,
}

/// A conversation so far.
#[derive(Debug, Default)]
pub struct Conversation {
    /// The system's words at the beginning.
    leading: Vec<String>,
    messages: Vec<Message>,
    /// The model's turn that is not over.
    turn: Option<OwnTurn>,
    /// Pictures of results, which follow all results of a turn.
    pictures: Vec<Message>,
    /// The tools by the ids of their calls.
    tools: HashMap<String, String>,
    /// The first message of the system's behind one of somebody else.
    late_system: Option<String>,
}

/// A conversation that is over.
#[derive(Debug)]
pub struct WholeConversation {
    pub messages: Vec<Message>,
    /// The place of the first message of the system's behind one of somebody else.
    pub late_system: Option<String>,
}

impl Conversation {
    /// The system's words. Those at the beginning are one message.
    pub fn system(&mut self, text: &str, place: &str) {
        self.end_turn();
        if self.messages.is_empty() {
            self.leading.push(text.to_owned());
            return;
        }
        self.messages.push(Message::System { text: text.into() });
        self.late_system.get_or_insert_with(|| place.to_owned());
    }

    /// The user's words and pictures.
    pub fn user(&mut self, parts: Vec<MessagePart>) {
        self.end_turn();
        let mut texts: Vec<String> = Vec::new();
        let mut is_said = false;
        for part in parts {
            match part {
                MessagePart::Text(text) => texts.push(text),
                MessagePart::Picture(picture) => {
                    is_said = true;
                    let text = texts.join(BETWEEN);
                    texts.clear();
                    self.messages.push(pictured(text, picture));
                }
            }
        }
        if !texts.is_empty() || !is_said {
            let text = texts.join(BETWEEN).into();
            self.messages.push(Message::User { text });
        }
    }

    /// The model's words.
    ///
    /// # Errors
    /// Words behind a call of the same turn, since words come first in other dialects.
    pub fn said(&mut self, text: &str, place: &str) -> Result<(), Loss> {
        self.end_results();
        match &self.turn {
            Some(turn) if !turn.calls.is_empty() => {
                return Err(Loss::new(
                    place,
                    "is a text of the model behind a call that has no result yet",
                ));
            }
            Some(_) => self.end_turn(),
            None => {}
        }
        self.turn = Some(OwnTurn {
            text: text.to_owned(),
            calls: Vec::new(),
        });
        Ok(())
    }

    /// A call of the model.
    pub fn call(&mut self, call: ToolCall) {
        self.end_results();
        self.tools.insert(call.id.clone(), call.name.clone());
        self.turn.get_or_insert_default().calls.push(call);
    }

    /// The result of a call.
    ///
    /// # Errors
    /// A result of a call that the conversation does not hold.
    pub fn result(&mut self, result: ToolResult, place: &str) -> Result<(), Loss> {
        let Some(name) = self.tools.get(&result.call).cloned() else {
            let what = format!(
                "is the result of a call `{}` that stands nowhere before it",
                result.call
            );
            return Err(Loss::new(place, what));
        };
        if let Some(turn) = self.turn.take() {
            self.messages.push(turn.message());
        }
        let mut texts = Vec::new();
        for part in result.parts {
            match part {
                MessagePart::Text(text) => texts.push(text),
                MessagePart::Picture(picture) => {
                    let text = format!("(a picture of the result of the call {})", result.call);
                    texts.push("(a picture, which follows)".to_owned());
                    self.pictures.push(pictured(text, picture));
                }
            }
        }
        let text = texts.join(BETWEEN);
        let text = match result.is_error {
            true => format!("{FAILED}{text}"),
            false => text,
        };
        self.messages.push(Message::Tool {
            call: result.call,
            name,
            text: text.into(),
            stable: None,
        });
        Ok(())
    }

    /// The whole of it.
    pub fn whole(mut self) -> WholeConversation {
        self.end_turn();
        let leading = (!self.leading.is_empty()).then(|| Message::System {
            text: self.leading.join(BETWEEN).into(),
        });
        WholeConversation {
            messages: leading.into_iter().chain(self.messages).collect(),
            late_system: self.late_system,
        }
    }

    fn end_turn(&mut self) {
        if let Some(turn) = self.turn.take() {
            self.messages.push(turn.message());
        }
        self.end_results();
    }

    fn end_results(&mut self) {
        self.messages.append(&mut self.pictures);
    }
}

impl OwnTurn {
    fn message(self) -> Message {
        Message::Assistant {
            text: self.text.into(),
            calls: self.calls,
            thoughts: None,
        }
    }
}

fn pictured(text: String, picture: Picture) -> Message {
    let text = match text.is_empty() {
        true => PICTURED.into(),
        false => text.into(),
    };
    Message::Pictured { text, picture }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::picture::MediaType;

    fn text(text: &str) -> MessagePart {
        MessagePart::Text(text.to_owned())
    }

    fn picture() -> Picture {
        Picture::new(MediaType::Png, 0, 0, vec![1])
    }

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: format!("tool of {id}"),
            arguments: "{}".to_owned(),
        }
    }

    fn result(call: &str, parts: Vec<MessagePart>) -> ToolResult {
        ToolResult {
            call: call.to_owned(),
            parts,
            is_error: false,
        }
    }

    /// The messages as a list of short words.
    fn words(conversation: Conversation) -> Vec<String> {
        let short = |message: Message| match message {
            Message::System { text } => format!("s:{text}"),
            Message::User { text } => format!("u:{text}"),
            Message::Pictured { text, .. } => format!("p:{text}"),
            Message::Assistant { text, calls, .. } => {
                let calls: Vec<_> = calls.into_iter().map(|call| call.id).collect();
                format!("a:{text}:{}", calls.join("+"))
            }
            Message::Tool { call, name, text, .. } => format!("t:{call}:{name}:{text}"),
        };
        conversation.whole().messages.into_iter().map(short).collect()
    }

    #[test]
    fn calls_and_results_stand_in_their_turns() {
        let mut conversation = Conversation::default();
        conversation.system("one", "0");
        conversation.system("two", "1");
        conversation.user(vec![text("a"), text("b")]);
        conversation.said("look", "2").unwrap();
        conversation.call(call("x"));
        conversation.call(call("y"));
        conversation.result(result("x", vec![text("1")]), "3").unwrap();
        conversation.result(result("y", vec![]), "4").unwrap();
        conversation.call(call("z"));
        let failed = ToolResult {
            is_error: true,
            ..result("z", vec![text("no")])
        };
        conversation.result(failed, "5").unwrap();
        conversation.said("done", "6").unwrap();
        conversation.said("really", "7").unwrap();
        assert_eq!(
            words(conversation),
            [
                "s:one\n\ntwo",
                "u:a\n\nb",
                "a:look:x+y",
                "t:x:tool of x:1",
                "t:y:tool of y:",
                "a::z",
                "t:z:tool of z:The tool reports an error:\nno",
                "a:done:",
                "a:really:"
            ]
        );
    }

    #[test]
    fn pictures_keep_their_places_and_those_of_results_follow_all_results() {
        let mut conversation = Conversation::default();
        let shown = || MessagePart::Picture(picture());
        conversation.user(vec![shown(), text("a"), shown(), text("b")]);
        conversation.call(call("x"));
        conversation.call(call("y"));
        conversation
            .result(result("x", vec![text("1"), shown()]), "0")
            .unwrap();
        conversation.result(result("y", vec![text("2")]), "1").unwrap();
        conversation.said("I see", "2").unwrap();
        assert_eq!(
            words(conversation),
            [
                "p:(a picture)",
                "p:a",
                "u:b",
                "a::x+y",
                "t:x:tool of x:1\n\n(a picture, which follows)",
                "t:y:tool of y:2",
                "p:(a picture of the result of the call x)",
                "a:I see:"
            ]
        );
    }

    #[test]
    fn an_order_that_cannot_be_kept_is_a_loss() {
        let mut conversation = Conversation::default();
        conversation.call(call("x"));
        assert_eq!(conversation.said("so", "p").unwrap_err().place, "p");
        let loose = conversation.result(result("other", vec![]), "q").unwrap_err();
        assert!(loose.what.contains("`other`"), "{}", loose.what);
    }

    #[test]
    fn a_late_message_of_the_systems_is_known_by_its_place() {
        let mut conversation = Conversation::default();
        conversation.system("a", "0");
        conversation.user(vec![text("b")]);
        conversation.system("c", "2");
        conversation.system("d", "3");
        let whole = conversation.whole();
        assert_eq!(whole.late_system.as_deref(), Some("2"));
        assert_eq!(whole.messages.len(), 4);
    }
}
