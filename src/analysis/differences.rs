//! Differences between a run and its replay.

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use crate::domain::content::Content;
use crate::domain::excerpt;
use crate::domain::grade::Grade;
use crate::domain::stage::Stage;
use crate::run::event::ToolFinished;
use crate::run::execution_state::ExecutionState;
use crate::run::program_state::ProgramState;
use crate::run::state::State;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Where: a call, an execution, an artifact or the verdict.
    pub place: String,
    /// What kind of thing differs there.
    pub what: String,
    /// A unified diff, or both values.
    pub detail: String,
}

/// A state with the texts that it names.
pub struct Side<'a> {
    pub state: &'a State,
    /// The text behind a name, or why it cannot be had.
    pub load: &'a dyn Fn(&Content) -> String,
}

/// The most characters of one detail.
const SHOWN: usize = 4000;

/// Compares every act before a first turn, tool call, execution, artifact and the verdict; wall time,
/// memory and process-made ids are not compared.
pub fn between(before: &Side<'_>, after: &Side<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    let stages = stages(before, after);
    for stage in stages.iter().copied() {
        beforehand(stage, before, after, &mut found);
        calls(stage, before, after, &mut found);
        programs(stage, before, after, &mut found);
    }
    executions(before, after, &mut found);
    for stage in stages {
        let artifact = |side: &Side<'_>| {
            side.state
                .stages
                .get(&stage)
                .and_then(|state| state.artifact())
                .map(|artifact| (side.load)(artifact))
        };
        compare(
            before.state.track().artifact(stage).unwrap_or(stage.name()),
            "the answer",
            artifact(before),
            artifact(after),
            &mut found,
        );
        let end = |side: &Side<'_>| match side.state.end_of(stage) {
            Some(crate::run::event::StageEnd::Failed { cause, detail }) => Some(format!("{cause}: {detail}")),
            _ => None,
        };
        compare(
            stage.name(),
            "the end of the stage",
            end(before),
            end(after),
            &mut found,
        );
    }
    let probes = |side: &Side<'_>| {
        let summary = side.state.probes.summary.as_ref()?;
        Some(summary.verdict.words().to_owned())
    };
    compare(
        "probes",
        "whether the result comes from the data",
        probes(before),
        probes(after),
        &mut found,
    );
    let grade = |side: &Side<'_>| side.state.grade.as_ref().map(Grade::line);
    compare("grade", "the grade", grade(before), grade(after), &mut found);
    let verdict = |side: &Side<'_>| {
        side.state
            .verdict
            .as_ref()
            .map(|verdict| format!("{}: {}", verdict.outcome, verdict.reason))
    };
    compare(
        "verdict",
        "the verdict",
        verdict(before),
        verdict(after),
        &mut found,
    );
    found
}

/// The stages that either run has begun, in their order.
fn stages(before: &Side<'_>, after: &Side<'_>) -> Vec<Stage> {
    let track = before.state.track();
    let begun = |stage: &Stage| {
        [before, after]
            .iter()
            .any(|side| side.state.stages.contains_key(stage))
    };
    track.stages().filter(begun).collect()
}

/// The program of a stage, as it was started the last time, and how it ended. What it printed is its
/// own, with times and numbers of the start.
fn programs(stage: Stage, before: &Side<'_>, after: &Side<'_>, found: &mut Vec<Difference>) {
    let place = format!("{stage}, the program");
    let mut check = |what: &str, part: &dyn Fn(&ProgramState) -> String| {
        let of = |side: &Side<'_>| {
            let last = side.state.stages.get(&stage)?.programs.last()?;
            Some(part(last))
        };
        compare(&place, what, of(before), of(after), found);
    };
    check("the command", &|program| program.started.command.join(" "));
    check("the definition of the agent", &|program| {
        program.started.definition.to_string()
    });
    let ended = |program: &ProgramState| program.ended.as_ref().map(|ended| ended.ending.words());
    check("how it ended", &|program| ended(program).unwrap_or_default());
}

/// What a task had done before the agent's first turn.
fn beforehand(stage: Stage, before: &Side<'_>, after: &Side<'_>, found: &mut Vec<Difference>) {
    let all = |side: &Side<'_>| -> Vec<String> {
        let state = side.state.stages.get(&stage);
        let acts = state.into_iter().flat_map(|state| &state.beforehand);
        acts.map(|acted| (side.load)(&acted.observation)).collect()
    };
    let (ours, theirs) = (all(before), all(after));
    for index in 0..ours.len().max(theirs.len()) {
        compare(
            &format!("{stage}, act {} before the first turn", index + 1),
            "what was seen",
            ours.get(index).cloned(),
            theirs.get(index).cloned(),
            found,
        );
    }
}

fn calls(stage: Stage, before: &Side<'_>, after: &Side<'_>, found: &mut Vec<Difference>) {
    let all = |side: &Side<'_>| -> Vec<ToolFinished> {
        let turns = side
            .state
            .stages
            .get(&stage)
            .map(|state| state.turns.as_slice())
            .unwrap_or_default();
        turns
            .iter()
            .flat_map(|turn| turn.results.values().cloned())
            .collect()
    };
    let (ours, theirs) = (all(before), all(after));
    for index in 0..ours.len().max(theirs.len()) {
        let (one, other) = (ours.get(index), theirs.get(index));
        let Some(at) = one.or(other).map(|call| call.at) else {
            continue;
        };
        let tool = one.or(other).map_or("", |call| call.tool.as_str());
        let place = format!("{stage}, turn {}, {tool}", at.turn + 1);
        let told = |call: Option<&ToolFinished>, side: &Side<'_>| {
            call.map(|call| (side.load)(call.stable.as_ref().unwrap_or(&call.observation)))
        };
        compare(
            &place,
            "what the model was told",
            told(one, before),
            told(other, after),
            found,
        );
    }
}

fn executions(before: &Side<'_>, after: &Side<'_>, found: &mut Vec<Difference>) {
    let place = |index: usize, _: &ExecutionState| format!("execution x{}", index + 1);
    compare_executions(
        &FinishedExecutions::new(before, before.state.executions.iter()),
        &FinishedExecutions::new(after, after.state.executions.iter()),
        &place,
        found,
    );
    let place = |index: usize, one: &ExecutionState| {
        let name = one.started.variant.as_deref().unwrap_or_default();
        format!("variant {name}, execution {} of variants", index + 1)
    };
    compare_executions(
        &FinishedExecutions::new(before, before.state.executions.variants()),
        &FinishedExecutions::new(after, after.state.executions.variants()),
        &place,
        found,
    );
}

/// The finished executions of one side, in order.
struct FinishedExecutions<'a> {
    side: &'a Side<'a>,
    list: Vec<&'a ExecutionState>,
}

impl<'a> FinishedExecutions<'a> {
    fn new(side: &'a Side<'a>, all: impl Iterator<Item = &'a ExecutionState>) -> Self {
        Self {
            side,
            list: all.filter(|execution| execution.finished.is_some()).collect(),
        }
    }
}

fn compare_executions(
    before: &FinishedExecutions<'_>,
    after: &FinishedExecutions<'_>,
    place: &dyn Fn(usize, &ExecutionState) -> String,
    found: &mut Vec<Difference>,
) {
    for index in 0..before.list.len().max(after.list.len()) {
        let Some(one) = before.list.get(index).or(after.list.get(index)) else {
            continue;
        };
        let place = place(index, one);
        let part = |of: &FinishedExecutions<'_>, part: &dyn Fn(&ExecutionState) -> String| {
            of.list.get(index).map(|execution| part(execution))
        };
        let mut check = |what: &str, of: [&dyn Fn(&ExecutionState) -> String; 2]| {
            compare(&place, what, part(before, of[0]), part(after, of[1]), found);
        };
        let command = |execution: &ExecutionState| execution.started.command.join(" ");
        check("the command", [&command, &command]);
        let ending = |execution: &ExecutionState| {
            execution
                .finished
                .as_ref()
                .map_or_else(String::new, |finished| format!("{:?}", finished.ending))
        };
        check("the ending", [&ending, &ending]);
        let stdout = |side: &Side<'_>, execution: &ExecutionState| {
            execution
                .finished
                .as_ref()
                .map_or_else(String::new, |finished| (side.load)(&finished.stdout))
        };
        check(
            "standard output",
            [&|execution| stdout(before.side, execution), &|execution| {
                stdout(after.side, execution)
            }],
        );
        let outputs = |execution: &ExecutionState| {
            let files = execution.finished.iter().flat_map(|finished| &finished.outputs);
            files
                .map(|file| format!("{} {}\n", file.digest.short(), file.path))
                .collect::<String>()
        };
        check("files written", [&outputs, &outputs]);
        let opened = |execution: &ExecutionState| {
            let files = execution
                .finished
                .iter()
                .flat_map(|finished| &finished.opened.files);
            files.map(|path| format!("{path}\n")).collect::<String>()
        };
        check("files opened", [&opened, &opened]);
    }
}

fn compare(place: &str, what: &str, one: Option<String>, other: Option<String>, found: &mut Vec<Difference>) {
    if one == other {
        return;
    }
    let detail = match (one, other) {
        (Some(one), Some(other)) => {
            let diff = TextDiff::from_lines(&one, &other);
            diff.unified_diff().header("run", "replay").to_string()
        }
        (Some(one), None) => format!("only in the run: {one}"),
        (None, Some(other)) => format!("only in the replay: {other}"),
        (None, None) => return,
    };
    let shown = excerpt::start(&detail, SHOWN).to_owned();
    found.push(Difference {
        place: place.to_owned(),
        what: what.to_owned(),
        detail: shown,
    });
}
