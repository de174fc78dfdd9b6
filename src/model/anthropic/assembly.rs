//! A streamed message, put together.

use serde_json::{Value, json};

use crate::model::provider_error;
use crate::model::sse::{AnswerSize, Assembly, Event, StreamFault};

/// Most blocks of one message.
const MOST_BLOCKS: usize = 1024;

/// The events of one message, as far as they have come.
#[derive(Debug, Default)]
pub struct StreamedMessage {
    blocks: Vec<Block>,
    stop_reason: Option<Value>,
    usage: serde_json::Map<String, Value>,
    error: Option<Value>,
    bytes: usize,
    done: bool,
}

#[derive(Debug, Default)]
struct Block {
    start: Value,
    /// Text, the text of a call's input, or a thought.
    text: String,
    /// The signature of a thought.
    signature: String,
}

impl StreamedMessage {
    /// One with nothing in it.
    pub fn boxed() -> Box<dyn Assembly> {
        Box::<Self>::default()
    }

    fn block(&mut self, event: &Value) -> Result<&mut Block, StreamFault> {
        let index = event
            .get("index")
            .and_then(Value::as_u64)
            .and_then(|index| usize::try_from(index).ok())
            .filter(|index| *index < MOST_BLOCKS)
            .ok_or_else(|| StreamFault::malformed("a part of the stream belongs to no block"))?;
        if self.blocks.len() <= index {
            self.blocks.resize_with(index + 1, Block::default);
        }
        Ok(&mut self.blocks[index])
    }

    fn counts(&mut self, usage: Option<&Value>) {
        if let Some(Value::Object(counts)) = usage {
            for (name, count) in counts.iter().filter(|(_, count)| !count.is_null()) {
                self.usage.insert(name.clone(), count.clone());
            }
        }
    }

    fn event(&mut self, kind: &str, event: &Value) -> Result<(), StreamFault> {
        match kind {
            "message_start" => self.counts(event.pointer("/message/usage")),
            "content_block_start" => {
                let start = event.get("content_block").cloned().unwrap_or_default();
                let block = self.block(event)?;
                let begun = |name: &str| start.get(name).and_then(Value::as_str);
                block
                    .text
                    .push_str(field(&start).and_then(begun).unwrap_or_default());
                block.signature.push_str(begun("signature").unwrap_or_default());
                block.start = start;
            }
            "content_block_delta" => {
                let piece = |name: &str| event.pointer(name).and_then(Value::as_str);
                let text = piece("/delta/text")
                    .or_else(|| piece("/delta/partial_json"))
                    .or_else(|| piece("/delta/thinking"));
                self.bytes += text.map_or(0, str::len);
                if let Some(text) = text {
                    self.block(event)?.text.push_str(text);
                }
                if let Some(signature) = piece("/delta/signature") {
                    self.block(event)?.signature.push_str(signature);
                }
            }
            "message_delta" => {
                if let Some(reason) = event
                    .pointer("/delta/stop_reason")
                    .filter(|reason| !reason.is_null())
                {
                    self.stop_reason = Some(reason.clone());
                }
                self.counts(event.get("usage"));
            }
            "message_stop" => self.done = true,
            _ => {}
        }
        Ok(())
    }
}

impl Assembly for StreamedMessage {
    fn take(&mut self, event: Event) -> Result<(), StreamFault> {
        if self.done || event.data.is_empty() {
            return Ok(());
        }
        let document = event.document()?;
        if provider_error::is_error(&document) {
            self.error = Some(document);
            self.done = true;
            return Ok(());
        }
        let kind = document
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or(&event.name)
            .to_owned();
        self.event(&kind, &document)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn progress(&self) -> AnswerSize {
        let calls = self.blocks.iter().filter(|block| is_call(&block.start));
        AnswerSize {
            bytes: self.bytes,
            calls: calls.count(),
        }
    }

    fn finish(self: Box<Self>) -> Result<Value, StreamFault> {
        if let Some(error) = self.error {
            return Ok(error);
        }
        if !self.done && self.stop_reason.is_none() {
            return Err(StreamFault::truncated(self.bytes));
        }
        let content: Vec<Value> = self
            .blocks
            .into_iter()
            .filter(|block| block.start.is_object())
            .map(|block| {
                let mut content = block.start;
                // An input that never came is an object, and a block of another kind came whole.
                let field = field(&content).filter(|field| *field != "input" || !block.text.is_empty());
                if let Some(field) = field {
                    content[field] = Value::String(block.text);
                }
                if !block.signature.is_empty() {
                    content["signature"] = Value::String(block.signature);
                }
                content
            })
            .collect();
        Ok(json!({
            "content": content,
            "stop_reason": self.stop_reason,
            "usage": self.usage,
        }))
    }
}

fn is_call(start: &Value) -> bool {
    start.get("type").and_then(Value::as_str) == Some("tool_use")
}

/// What of a block comes in pieces.
fn field(start: &Value) -> Option<&'static str> {
    match start.get("type").and_then(Value::as_str)? {
        "tool_use" => Some("input"),
        "thinking" => Some("thinking"),
        "text" => Some("text"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::attempt::AttemptFault;
    use crate::model::sse;

    const STREAM: &str = concat!(
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"c2ln\"}}\n\n",
        "event: ping\ndata: {\"type\":\"ping\"}\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"caf\u{e9}\"}}\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"read\",\"input\":{}}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"p\\\":\"}}\n\n",
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"1}\"}}\n\n",
        "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"list\",\"input\":{}}}\n\n",
        "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":5}}\n\n",
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
    );

    fn assembled(stream: &str) -> Result<Value, StreamFault> {
        sse::assembled(StreamedMessage::boxed(), stream.as_bytes())
    }

    #[test]
    fn a_stream_amounts_to_the_message() {
        assert_eq!(
            assembled(STREAM),
            Ok(json!({
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                    {"type": "text", "text": "caf\u{e9}"},
                    {"type": "tool_use", "id": "a", "name": "read", "input": "{\"p\":1}"},
                    {"type": "tool_use", "id": "b", "name": "list", "input": {}}
                ],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 9, "output_tokens": 5}
            }))
        );
    }

    #[test]
    fn a_cut_an_error_and_nonsense_are_told_apart() {
        let cut = &STREAM[..STREAM.find("event: message_delta").unwrap()];
        assert_eq!(assembled(cut).unwrap_err().fault, AttemptFault::Truncated);
        let error =
            "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}\n\n";
        assert!(provider_error::is_error(&assembled(error).unwrap()));
        let nowhere =
            "data: {\"type\":\"content_block_delta\",\"index\":99999999,\"delta\":{\"text\":\"x\"}}\n\n";
        assert_eq!(assembled(nowhere).unwrap_err().fault, AttemptFault::Malformed);
    }
}
