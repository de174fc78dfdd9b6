//! One call: its name, its separator, its arguments.

use serde_json::{Map, Value, json};

use super::call_error::CallError;
use super::parsed_call::{KnownTools, ParsedCall, Repair};
use super::value::{self, WrittenValue};
use crate::domain::excerpt;

/// Names before a dot that belong to no tool.
const NAMESPACES: [&str; 5] = ["functions.", "function.", "tools.", "tool.", "default_api."];
const PARALLEL: &str = "multi_tool_use.parallel";

pub(super) struct Reader<'t> {
    text: &'t str,
    tools: &'t KnownTools,
}

type Found = (Vec<ParsedCall>, usize);

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, tools: &'t KnownTools) -> Self {
        Self { text, tools }
    }

    /// Reads the calls that begin at `start`, and where they end.
    pub(super) fn call(&self, start: usize) -> Result<Found, CallError> {
        let mut repairs = Vec::new();
        let (at, fenced) = self.pass_fence(start);
        if fenced {
            repairs.push(Repair::Fenced);
        }
        if self.text[at..].starts_with('{') {
            return self.named_object(at, repairs);
        }
        let (name, mut at) = self.name(at);
        if name.is_empty() {
            return Err(CallError::Prose);
        }
        let bare = NAMESPACES.iter().find_map(|space| name.strip_prefix(space));
        if bare.is_some() {
            repairs.push(Repair::Namespace);
        }
        let tool = bare.unwrap_or(name);
        let known = tool == PARALLEL || self.tools.contains(tool);

        at = self.behind(at, |rest| {
            rest.trim_start_matches(['`', '*'])
                .trim_start_matches([' ', '\t'])
        });
        let rest = &self.text[at..];
        let mut parenthesis = false;
        if rest.starts_with(':') {
            at += 1;
        } else if rest.starts_with('(') {
            parenthesis = true;
            at += 1;
            repairs.push(Repair::CallSyntax);
        } else if !known {
            return Err(CallError::Prose);
        } else {
            repairs.push(Repair::MissingColon);
            at = self.behind(at, |rest| {
                let line = rest.trim_start();
                line.strip_prefix("Action Input:").unwrap_or(rest)
            });
        }
        let written = self.arguments(at, parenthesis, tool, &mut repairs)?;
        repairs.extend(written.repairs);
        let mut end = at + written.end;
        if parenthesis {
            end = self.close(end)?;
        }
        if repairs.contains(&Repair::Fenced) {
            end = self.behind(end, |rest| {
                let line = rest.trim_start();
                line.strip_prefix("```").unwrap_or(rest)
            });
        }
        if tool == PARALLEL {
            return Ok((self.parallel(&written.value, &repairs)?, end));
        }
        let arguments = self.as_object(tool, written.value, &mut repairs)?;
        let call = ParsedCall {
            tool: tool.to_owned(),
            arguments,
            repairs,
        };
        Ok((vec![call], end))
    }

    /// Reads what follows the separator; `end` counts from `at`.
    fn arguments(
        &self,
        at: usize,
        parenthesis: bool,
        tool: &str,
        repairs: &mut Vec<Repair>,
    ) -> Result<WrittenValue, CallError> {
        let (open, fenced) = self.pass_fence(at);
        if fenced {
            repairs.push(Repair::Fenced);
        }
        let rest = &self.text[open..];
        let skipped = open - at;
        let shifted = |mut written: WrittenValue| {
            written.end += skipped;
            written
        };
        if value::opens(rest) {
            return value::read(rest).map(shifted);
        }
        let nothing = WrittenValue {
            value: Value::Object(Map::new()),
            repairs: Vec::new(),
            end: 0,
        };
        if parenthesis {
            if rest.starts_with(')') {
                return Ok(shifted(nothing));
            }
            return match value::keywords(rest)? {
                Some(written) => Ok(shifted(written)),
                None if rest.is_empty() => Err(CallError::Truncated),
                None if self.tools.contains(tool) => value::read(rest).map(shifted),
                None => Err(CallError::Prose),
            };
        }
        self.bare(at, tool, nothing, repairs)
    }

    /// Reads an unquoted value: one word on the line of the tool's name.
    fn bare(
        &self,
        at: usize,
        tool: &str,
        nothing: WrittenValue,
        repairs: &mut Vec<Repair>,
    ) -> Result<WrittenValue, CallError> {
        if !self.tools.contains(tool) {
            return Err(CallError::Prose);
        }
        let line = excerpt::first_line(&self.text[at..]);
        let word = line.trim().trim_end_matches("PAUSE").trim_end().trim_matches('`');
        if word.is_empty() {
            return Ok(nothing);
        }
        if repairs.contains(&Repair::MissingColon) && !word.contains(['/', '.']) {
            return Err(CallError::Prose);
        }
        if word.contains(char::is_whitespace) {
            return Err(CallError::Unreadable(format!(
                "`{tool}` is followed by words: write its arguments as one JSON object"
            )));
        }
        repairs.push(Repair::BareValue);
        Ok(WrittenValue {
            value: Value::String(word.to_owned()),
            repairs: Vec::new(),
            end: line.len(),
        })
    }

    /// Passes the closing parenthesis.
    fn close(&self, at: usize) -> Result<usize, CallError> {
        let at = self.behind(at, |rest| {
            let rest = rest.trim_start();
            rest.strip_prefix("```").map_or(rest, str::trim_start)
        });
        match self.text[at..].chars().next() {
            Some(')') => Ok(at + 1),
            Some(',') => Err(CallError::Unreadable(
                "a call with several values in parentheses does not say which argument is which".into(),
            )),
            // The arguments are whole; the parenthesis adds nothing to them.
            _ => Ok(at),
        }
    }

    /// Makes an object of the value: a single one stands for the primary parameter.
    fn as_object(&self, tool: &str, value: Value, repairs: &mut Vec<Repair>) -> Result<Value, CallError> {
        match value {
            Value::Object(_) => Ok(value),
            Value::Null => Ok(json!({})),
            value => match self.tools.primary(tool) {
                Some(primary) => {
                    if !repairs.contains(&Repair::BareValue) {
                        repairs.push(Repair::SoleValue);
                    }
                    Ok(json!({ primary: value }))
                }
                None => Err(CallError::Unreadable(format!(
                    "`{tool}` was called with a single value, and no parameter that it could stand for is \
                     known: write the arguments as one JSON object"
                ))),
            },
        }
    }

    /// Reads `{"tool_uses": [{"recipient_name": .., "parameters": ..}]}`.
    fn parallel(&self, value: &Value, repairs: &[Repair]) -> Result<Vec<ParsedCall>, CallError> {
        let uses = value["tool_uses"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let calls: Option<Vec<_>> = uses
            .iter()
            .map(|one| {
                let name = one["recipient_name"].as_str()?;
                let bare = NAMESPACES.iter().find_map(|space| name.strip_prefix(space));
                let mut repairs = repairs.to_vec();
                repairs.push(Repair::Parallel);
                let tool = bare.unwrap_or(name);
                let arguments = self
                    .as_object(tool, one["parameters"].clone(), &mut repairs)
                    .ok()?;
                Some(ParsedCall {
                    tool: tool.to_owned(),
                    arguments,
                    repairs,
                })
            })
            .collect();
        calls.filter(|calls| !calls.is_empty()).ok_or_else(|| {
            CallError::Unreadable(format!(
                "`{PARALLEL}` needs `tool_uses`, each with `recipient_name` and `parameters`"
            ))
        })
    }

    /// Reads `{"name": .., "arguments": ..}`.
    fn named_object(&self, at: usize, mut repairs: Vec<Repair>) -> Result<Found, CallError> {
        let written = value::read(&self.text[at..])?;
        let end = at + written.end;
        repairs.push(Repair::NamedObject);
        repairs.extend(written.repairs);
        let text = |key: &str| written.value[key].as_str();
        let Some(name) = ["name", "tool", "tool_name", "action", "function"]
            .into_iter()
            .find_map(text)
        else {
            return Err(CallError::Unreadable(
                "the action names no tool: write `Action: tool: {json}`".into(),
            ));
        };
        let bare = NAMESPACES.iter().find_map(|space| name.strip_prefix(space));
        let arguments = ["arguments", "parameters", "args", "input", "action_input"]
            .into_iter()
            .find_map(|key| written.value.get(key))
            .cloned()
            .unwrap_or_default();
        let arguments = match &arguments {
            Value::String(text) => serde_json::from_str(text).unwrap_or(arguments),
            _ => arguments,
        };
        let tool = bare.unwrap_or(name).to_owned();
        let arguments = self.as_object(&tool, arguments, &mut repairs)?;
        Ok((
            vec![ParsedCall {
                tool,
                arguments,
                repairs,
            }],
            end,
        ))
    }

    /// Where a call without `Action:` may begin, at or behind `at`: at the
    /// beginning of a line, with a name that only a call can have.
    pub(super) fn next_unmarked(&self, at: usize) -> Option<usize> {
        let mut start = at;
        let inside = at > 0 && self.text.as_bytes().get(at - 1) != Some(&b'\n');
        for (index, line) in self.text[at..].split_inclusive('\n').enumerate() {
            if !(inside && index == 0) {
                let lead = line.trim_start_matches([' ', '\t', '`', '*', '>']);
                let lead = lead.strip_prefix("<tool_call>").map_or(lead, str::trim_start);
                let begin = start + line.len() - lead.len();
                let (name, end) = self.name(begin);
                let tool = NAMESPACES
                    .iter()
                    .find_map(|space| name.strip_prefix(space))
                    .unwrap_or(name);
                if self.is_named_object(begin) {
                    return Some(begin);
                }
                if !(tool == PARALLEL || self.tools.contains(tool)) {
                    start += line.len();
                    continue;
                }
                let (open, _) = self.pass_fence(self.behind(end, |rest| {
                    rest.trim_start_matches(['`', ' ']).trim_start_matches([':', '('])
                }));
                let separated = self.text[end..]
                    .trim_start_matches(['`', ' '])
                    .starts_with([':', '(']);
                let value = value::opens(&self.text[open..]) || self.text[open..].starts_with(')');
                let keyword = self.text[end..].starts_with('(') && line.contains('=');
                if separated && (value || keyword) {
                    return Some(begin);
                }
            }
            start += line.len();
        }
        None
    }

    /// Whether `{"name": "known tool", ...` begins here.
    fn is_named_object(&self, at: usize) -> bool {
        let head = |rest: &'t str| rest.trim_start();
        let rest = &self.text[at..];
        let Some(rest) = rest.strip_prefix('{').map(head) else {
            return false;
        };
        let Some(rest) = ["\"name\"", "\"tool\"", "\"tool_name\""]
            .iter()
            .find_map(|key| rest.strip_prefix(key))
            .map(head)
        else {
            return false;
        };
        let Some(rest) = rest
            .strip_prefix(':')
            .map(head)
            .and_then(|rest| rest.strip_prefix('"'))
        else {
            return false;
        };
        let name = rest.split('"').next().unwrap_or_default();
        let bare = NAMESPACES.iter().find_map(|space| name.strip_prefix(space));
        self.tools.contains(bare.unwrap_or(name))
    }

    /// Passes space and the opening of a fenced block.
    fn pass_fence(&self, at: usize) -> (usize, bool) {
        let rest = self.text[at..].trim_start();
        let begin = self.text.len() - rest.len();
        let Some(inside) = rest.strip_prefix("```") else {
            let plain = rest.trim_start_matches('`');
            return (self.text.len() - plain.len(), false);
        };
        let word = inside
            .find(|found: char| !found.is_ascii_alphanumeric())
            .unwrap_or(inside.len());
        // A language is followed by a line break; anything else is the block's text.
        let language = inside[word..]
            .trim_start_matches(' ')
            .starts_with(['\n', '\r', '{']);
        let at = begin + 3 + if language { word } else { 0 };
        (self.behind(at, str::trim_start), true)
    }

    /// The name at `at`, and where it ends.
    fn name(&self, at: usize) -> (&'t str, usize) {
        let rest = &self.text[at..];
        let length = rest
            .find(|found: char| !(found.is_ascii_alphanumeric() || matches!(found, '_' | '.' | '-')))
            .unwrap_or(rest.len());
        let name = rest[..length].trim_end_matches(['.', '-']);
        (name, at + name.len())
    }

    /// Where `pass` leaves off; it drops a beginning of what it is given.
    fn behind(&self, at: usize, pass: impl Fn(&'t str) -> &'t str) -> usize {
        self.text.len() - pass(&self.text[at..]).len()
    }
}
