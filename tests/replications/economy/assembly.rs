//! A released run's turns through this program's conversation.

use std::collections::BTreeSet;

use reprise::agent::brief::{Brief, TurnLimits};
use reprise::agent::conversation::{Conversation, Move};
use reprise::agent::protocol::{self, KnownTools, Turn};
use reprise::catalog::stages::context::{EarlierAnswer, PromptContext, RemainingLimits};
use reprise::catalog::stages::load::Catalog;
use reprise::domain::claim::Claim;
use reprise::domain::conversation::{ChatResponse, Finish, ToolCall};
use reprise::domain::mode::{CodeAccess, CodeMode};
use reprise::domain::stage::Stage;
use reprise::domain::usage::Usage;
use reprise::effects::stage_prompt::unindented;
use reprise::model::chat::{ChatRequest, Message};
use reprise::settings::Settings;
use reprise::tools::contract::Observation;

use crate::economy::table::Row;
use crate::economy::tokens;
use crate::economy::trajectory::{Step, Trajectory};

/// The rules that are in force.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules {
    /// Whether a result that is there already is pointed to.
    pub pointers: bool,
    pub shrink_at: Option<u64>,
    pub shrink_from: u64,
    /// Whether what the model wrote into files shrinks, too.
    pub written: bool,
    /// Whether what the engine does by itself, what the task quotes, and calls
    /// that it can read the first time, take no turn of their own.
    pub own_turns: bool,
}

/// Calls that are one `run_analysis` here: the environment, the container, the
/// question to a person, and the run.
const ENGINE: [&str; 8] = [
    "ask_human_input",
    "orchestrator_build_image",
    "orchestrator_execute_entry",
    "orchestrator_generate_dockerfile",
    "orchestrator_plan",
    "orchestrator_preview_entry",
    "orchestrator_run_container",
    "orchestrator_stop_container",
];
/// Calls that fetch what the task quotes here: the listing, the claim, the earlier answers.
const QUOTED: [&str; 3] = ["list_files_in_folder", "read_json", "read_txt"];
/// The turns at the beginning of a stage in which they do.
const FIRST: usize = 4;

/// What the run comes to.
pub fn assemble(run: &Trajectory, rules: Rules, known: &mut BTreeSet<String>) -> Row {
    let steps = if rules.own_turns {
        own(&run.steps)
    } else {
        run.steps.clone()
    };
    let mut conversation = Conversation::new(brief(run, rules));
    let mut row = Row::default();
    let mut before: Option<(ChatRequest, Vec<u64>)> = None;
    let tools = conversation.request().tools;
    let fixed = tokens::count(&serde_json::to_string(&tools).unwrap());
    let answered = run.prompts.len() > run.steps.len();
    for at in 0..steps.len() + usize::from(answered) {
        assert_eq!(
            conversation.next(),
            Move::Ask,
            "{} {} {}",
            run.study,
            run.model,
            run.stage
        );
        let request = conversation.request();
        let counts = counts(&request, before.as_ref());
        let kept = before.as_ref().map_or(0, |(earlier, _)| {
            let pairs = earlier.messages.iter().zip(&request.messages);
            pairs.take_while(|(one, other)| one == other).count()
        });
        row.opening += fixed + counts[..2].iter().sum::<u64>();
        row.said += request
            .messages
            .iter()
            .zip(&counts)
            .filter(|(message, _)| matches!(message, Message::Assistant { .. }))
            .map(|(_, count)| count)
            .sum::<u64>();
        row.requests += 1;
        row.tokens += fixed + counts.iter().sum::<u64>();
        if before.is_some() {
            row.cacheable += fixed + counts[..kept].iter().sum::<u64>();
        } else if !known.insert(format!("{} {tools:?} {:?}", run.model, request.messages[0])) {
            row.shared += fixed + counts[0];
        }
        before = Some((request, counts));
        if let Some(step) = steps.get(at) {
            take(&mut conversation, step, rules);
        }
    }
    row.shrinkings = u64::from(conversation.shrinkings());
    row
}

/// Tokens of each message; those that the request before had are not counted anew.
fn counts(request: &ChatRequest, before: Option<&(ChatRequest, Vec<u64>)>) -> Vec<u64> {
    let known = |at: usize, message: &Message| {
        let (earlier, counts) = before?;
        (earlier.messages.get(at)? == message).then(|| counts[at])
    };
    request
        .messages
        .iter()
        .enumerate()
        .map(|(at, message)| {
            known(at, message).unwrap_or_else(|| match message {
                // The released runs hold no picture.
                Message::System { text }
                | Message::User { text }
                | Message::Pictured { text, .. }
                | Message::Tool { text, .. } => tokens::count(text) + 4,
                Message::Assistant { text, calls, .. } => {
                    let calls = calls.iter().map(|call| tokens::count(&call.arguments));
                    tokens::count(text) + calls.sum::<u64>() + 4
                }
            })
        })
        .collect()
}

fn take(conversation: &mut Conversation, step: &Step, rules: Rules) {
    // The text holds the call; a name of ours makes the loop see a looking tool.
    let name = match step.action.as_str() {
        action if action.starts_with("read_") => "read_file",
        "list_files_in_folder" => "list_files",
        "load_dataset" => "inspect_data",
        action if action.starts_with("get_dataset") => "inspect_data",
        _ => "run_analysis",
    };
    let mut response = ChatResponse {
        text: step.said.clone(),
        calls: vec![ToolCall {
            id: "c".to_owned(),
            name: if rules.pointers { name } else { "run_analysis" }.to_owned(),
            arguments: String::new(),
        }],
        finish: Finish::Stop,
        usage: Usage::default(),
        thoughts: None,
    };
    let writes = matches!(step.action.as_str(), "edit_file" | "write_file");
    if rules.written && writes && !step.result.contains("rror") {
        response.calls[0].name.clone_from(&step.action);
        (response.text, response.calls[0].arguments) = written(step);
    }
    conversation.answered(&response);
    conversation.observed(0, Observation::good(step.result.clone()));
}

/// A call that writes, as a native one: the thought before it, and its arguments.
fn written(step: &Step) -> (String, String) {
    let known = KnownTools::from_pairs([("edit_file", None), ("write_file", None)]);
    if let Turn::Calls(calls) = protocol::parse(&step.said, &known)
        && let Some((thought, _)) = step.said.split_once("Action:")
    {
        return (thought.to_owned(), calls[0].arguments.to_string());
    }
    let arguments = serde_json::json!({ "path": "work/analysis.py", "content": step.said });
    (String::new(), arguments.to_string())
}

/// The turns that are left: of consecutive calls for the engine the last one,
/// unless one failed or is tried again, with what the execution among them
/// printed; no first look at what the task quotes; and no call that is made a
/// second time because the first was not understood, where it is here.
fn own(steps: &[Step]) -> Vec<Step> {
    let mut seen: Vec<&str> = Vec::new();
    let mut kept = Vec::new();
    let mut printed = String::new();
    let is_said_again = |at: usize, step: &Step| {
        let next = steps.get(at + 1).map(|next| next.action.as_str());
        step.action == "None" && next.is_some_and(|next| is_understood(step, next))
    };
    let steps: Vec<&Step> = (steps.iter().enumerate())
        .filter(|(at, step)| !is_said_again(*at, step))
        .map(|(_, step)| step)
        .collect();
    for (at, step) in steps.iter().copied().enumerate() {
        let action = step.action.as_str();
        if at < FIRST && QUOTED.contains(&action) && !seen.contains(&action) {
            seen.push(action);
            continue;
        }
        let next = steps.get(at + 1).map(|next| next.action.as_str());
        let goes_on = next.is_some_and(|next| ENGINE.contains(&next) && next != action);
        if ENGINE.contains(&action) && goes_on && !failed(step) {
            if action == "orchestrator_execute_entry" {
                printed.push_str(&step.result);
            }
            continue;
        }
        let mut step = step.clone();
        if action == "orchestrator_build_image" && failed(&step) {
            step.result = end_of_log(&step.result);
        }
        step.result.insert_str(0, &std::mem::take(&mut printed));
        kept.push(step);
    }
    kept
}

/// Whether a call for the engine failed. Where no log says so, the size does: in
/// the logs a build that went well came to 85 tokens at most, and one that did
/// not to 384.
fn failed(step: &Step) -> bool {
    step.result.contains("\"ok\": false")
        || step.action == "orchestrator_build_image" && tokens::count(&step.result) > 200
}

/// What is told of a build that failed: here the last 25 lines, for which twice
/// as many of a filler's lines stand, some 800 tokens.
fn end_of_log(result: &str) -> String {
    let lines: Vec<&str> = result.lines().collect();
    lines[lines.len().saturating_sub(50)..].join("\n")
}

/// Whether this program reads in a message the call that the next turn made.
fn is_understood(step: &Step, next: &str) -> bool {
    let known = KnownTools::from_pairs([(next, None)]);
    matches!(protocol::parse(&step.said, &known), Turn::Calls(calls) if calls.iter().any(|call| call.tool == next))
}

fn brief(run: &Trajectory, rules: Rules) -> Brief {
    let catalog = Catalog::embedded().unwrap();
    let definition = catalog.stage(run.stage).unwrap();
    let (tools, _) = reprise::app::toolset::graders(&Settings::from_variables([]).unwrap()).unwrap();
    let (statement, hypotheses) = run.claim.split_once("[HYPOTHESES]").unwrap_or((&run.claim, ""));
    let rendered = definition
        .render(&PromptContext {
            claim: Claim {
                statement: statement.replace("[CLAIM]", "").trim().to_owned(),
                hypotheses: hypotheses.trim().to_owned(),
                criterion: None,
                variants: Vec::new(),
            },
            mode: CodeMode::Python,
            access: CodeAccess::Code,
            folder: run.folder.clone(),
            paper: run.paper.clone(),
            artifacts: run
                .artifacts
                .iter()
                .map(|(name, json)| EarlierAnswer {
                    name: name.clone(),
                    json: unindented(json.clone()),
                })
                .collect(),
            tools: String::new(),
            text_protocol: false,
            level: "",
            limits: RemainingLimits {
                turns: definition.turns,
                output_tokens: definition.output_tokens,
                notes: String::new(),
            },
        })
        .unwrap();
    Brief {
        stage: run.stage,
        system: rendered.system.into(),
        user: rendered.user.into(),
        tools: tools
            .specs(definition.tools.iter().map(String::as_str))
            .unwrap()
            .into(),
        native_calls: true,
        limits: TurnLimits {
            turns: 1_000,
            output_tokens: definition.output_tokens,
            repairs: 3,
        },
        shrink_at: rules
            .shrink_at
            .filter(|_| rules.shrink_from == 0 || run.stage != Stage::DESIGN),
        shrink_from: rules.shrink_from,
        earlier_results: None,
        criterion: None,
        own_schema: None,
        dialogue: None,
    }
}
