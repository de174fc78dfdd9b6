//! One question carried to its end: looks, answers, and what is asked again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::agent::protocol::{self, KnownTools, Turn};
use crate::catalog::stages::template::fence;
use crate::domain::conversation::{ChatResponse, Finish};
use crate::domain::lenient_json;
use crate::model::chat::{Message, ToolSpec};
use crate::tools::contract::ToolOutcome;

use crate::grading::judge::form::form;
use crate::grading::judge::mark::Given;
use crate::grading::judge::question::{JudgeLine, JudgeQuestion, Look, TOOLS, without_name};
use crate::grading::judge::reading;
use crate::grading::judge::reading::GradingFault;

/// Faults that one message to the judge names.
const MOST_FAULTS: usize = 20;
/// Kinds of faults that one line to a reader names.
const MOST_KINDS: usize = 3;

/// A call of a tool, from whatever form the judge wrote it in.
struct Call {
    id: String,
    tool: String,
    arguments: Result<Value, String>,
}

/// Asks until every field has a mark or the bounds are reached. What has none
/// then is unscored, with the reason.
pub async fn carry_out(line: &mut JudgeLine<'_>, question: &JudgeQuestion<'_>) -> BTreeMap<String, Given> {
    let mut given = BTreeMap::new();
    let fault = converse(line, question, &mut given).await;
    for field in &question.fields {
        let why = fault
            .clone()
            .unwrap_or_else(|| "The judge did not mark it.".to_owned());
        given.entry(field.clone()).or_insert_with(|| Given::unscored(why));
    }
    given
}

/// The conversation; returns why it ended early.
async fn converse(
    line: &mut JudgeLine<'_>,
    question: &JudgeQuestion<'_>,
    given: &mut BTreeMap<String, Given>,
) -> Option<String> {
    let stage = question.rubric.stage;
    let tools: Arc<[ToolSpec]> = match question.look {
        Some(look) => look.registry.specs(TOOLS).unwrap_or_default().into(),
        None => Arc::new([]),
    };
    let mut messages = vec![
        Message::System {
            text: question.rendered.system.as_str().into(),
        },
        Message::User {
            text: question.rendered.user.as_str().into(),
        },
    ];
    let mut repairs = 0;
    for _ in 0..question.bounds.turns {
        let wanted: Vec<String> = question
            .fields
            .iter()
            .filter(|field| !given.contains_key(*field))
            .cloned()
            .collect();
        // A call that is written as text would not fit the form.
        let writes_calls = question.look.is_some() && !line.calls_tools();
        let form = form(question.rubric, &wanted).filter(|_| !writes_calls);
        let response = match line
            .ask(stage, &messages, &tools, question.bounds.output_tokens, form)
            .await
        {
            Ok(response) => response,
            Err(error) => return Some(format!("The judge did not answer: {}", without_name(&error))),
        };
        if response.finish == Finish::Refused {
            return Some("The judge declined to answer.".to_owned());
        }
        let calls = match question.look {
            Some(_) if response.finish == Finish::Stop => calls(&response, &tools, line.calls_tools()),
            _ => Vec::new(),
        };
        if let (Some(look), false) = (question.look, calls.is_empty()) {
            let kept = if line.calls_tools() {
                response.calls
            } else {
                Vec::new()
            };
            messages.push(Message::Assistant {
                text: response.text.into(),
                calls: kept,
                thoughts: response.thoughts,
            });
            messages.extend(calls.into_iter().map(|call| observe(look, call)));
            continue;
        }
        let read = reading::read(&response.text, &wanted, question.rubric);
        given.extend(read.given);
        if question.fields.iter().all(|field| given.contains_key(field)) {
            return None;
        }
        if repairs == question.bounds.repairs {
            return Some(format!(
                "The judge's answers could not be used: {}.",
                in_kinds(&read.faults)
            ));
        }
        let faults = summed(&read.faults);
        repairs += 1;
        messages.push(Message::Assistant {
            text: response.text.into(),
            calls: Vec::new(),
            thoughts: response.thoughts.filter(|_| response.calls.is_empty()),
        });
        messages.push(Message::User {
            text: again(&faults, response.finish).into(),
        });
    }
    Some(format!(
        "The judge gave no final answer within {} calls.",
        question.bounds.turns
    ))
}

/// The faults one by one.
fn summed(faults: &[GradingFault]) -> String {
    let mut shown: Vec<String> = faults
        .iter()
        .take(MOST_FAULTS)
        .map(GradingFault::to_string)
        .collect();
    if faults.len() > MOST_FAULTS {
        shown.push(format!("and {} more", faults.len() - MOST_FAULTS));
    }
    shown.join("; ")
}

/// The kinds of faults, each with the fields that have it.
fn in_kinds(faults: &[GradingFault]) -> String {
    let mut kinds: Vec<(&GradingFault, usize)> = Vec::new();
    for fault in faults {
        match kinds.iter_mut().find(|(known, _)| known.what == fault.what) {
            Some((_, count)) => *count += 1,
            None => kinds.push((fault, 1)),
        }
    }
    let mut shown: Vec<String> = (kinds.iter().take(MOST_KINDS))
        .map(|(first, count)| match (&first.field, count - 1) {
            (Some(field), 1..) => format!("`{field}` and {} more: each {}", count - 1, first.what),
            _ => first.to_string(),
        })
        .collect();
    if kinds.len() > MOST_KINDS {
        shown.push(format!("and {} other faults", kinds.len() - MOST_KINDS));
    }
    shown.join("; ")
}

fn again(faults: &str, finish: Finish) -> String {
    let cut = if finish == Finish::Length {
        "Your answer was cut off by the output limit; write shorter explanations. "
    } else {
        ""
    };
    format!(
        "{cut}Marks are missing or cannot be used: {faults}. Send one JSON object with exactly these fields, in the \
         shape that the task gives; the other marks are kept."
    )
}

fn calls(response: &ChatResponse, tools: &[ToolSpec], native: bool) -> Vec<Call> {
    if native && !response.calls.is_empty() {
        let read = |text: &str| match text.trim() {
            "" => Ok(Value::Object(Map::new())),
            text => lenient_json::parse(text)
                .map(|parsed| parsed.value)
                .map_err(|error| error.to_string()),
        };
        return (response.calls.iter())
            .map(|call| Call {
                id: call.id.clone(),
                tool: call.name.clone(),
                arguments: read(&call.arguments),
            })
            .collect();
    }
    match protocol::parse(&response.text, &KnownTools::from_specs(tools)) {
        Turn::Calls(calls) => (calls.into_iter())
            .map(|call| Call {
                id: String::new(),
                tool: call.tool,
                arguments: Ok(call.arguments),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Calls a tool; what it shows was written by those who are graded, so it is fenced.
fn observe(look: Look<'_>, call: Call) -> Message {
    let text = match call.arguments {
        Err(error) => format!("Nothing was looked at: the arguments cannot be read ({error})."),
        Ok(arguments) => match look.registry.call(&call.tool, &arguments, &TOOLS, look.workspace) {
            ToolOutcome::Observed(seen) => seen.text,
            ToolOutcome::Change(..) | ToolOutcome::Wanted(_) => {
                "Nothing was done: a judge only looks.".to_owned()
            }
        },
    };
    Message::Tool {
        call: call.id,
        text: fence(&call.tool, &text).into(),
        name: call.tool,
        stable: None,
    }
}

#[cfg(test)]
mod tests {
    use crate::grading::judge::converse::*;

    #[test]
    fn a_fault_that_all_fields_share_is_said_once() {
        let of = |field: &str, what: &str| GradingFault {
            field: Some(field.to_owned()),
            what: what.to_owned(),
        };
        let mut faults: Vec<GradingFault> = (0..40)
            .map(|at| of(&format!("claim.f{at}"), "has the score 7"))
            .collect();
        faults.push(of("notes", "is missing"));
        assert_eq!(
            in_kinds(&faults),
            "`claim.f0` and 39 more: each has the score 7; `notes` is missing"
        );
        let many: Vec<GradingFault> = (0..9).map(|at| of("a", &format!("has the score {at}"))).collect();
        assert!(
            in_kinds(&many).ends_with("; and 6 other faults"),
            "{}",
            in_kinds(&many)
        );
        assert!(summed(&faults).ends_with("; and 21 more"));
    }
}
