//! Real action strings of published agent logs, each told apart as a call, a cut or prose.

use std::collections::BTreeMap;

use reprise::agent::protocol::{KnownTools, Turn, parse};
use serde::Deserialize;

use crate::need;

#[derive(Deserialize)]
struct Action {
    log: String,
    turn: u32,
    raw: String,
    tool: Option<String>,
    args_kind: String,
}

/// What no parser can run, found by reading the file: the beginning of the
/// log's name, its turn, what the parser has to call it, and the reason.
const UNRECOVERABLE: [(&str, u32, &str, &str); 6] = [
    (
        "results/python/5/gpt-4o/input/_log/design_easy",
        13,
        "truncated",
        "ends inside `insert_text`",
    ),
    (
        "results/python/5/gpt-4o/input/_log/design_easy",
        12,
        "truncated",
        "ends inside `insert_text`",
    ),
    (
        "results/python/5/gpt-4o/input/_log/execute_easy",
        39,
        "truncated",
        "ends inside `old_text`",
    ),
    (
        "results/native/2/gpt-4o/_log/design_easy.log",
        7,
        "truncated",
        "ends inside `file_content`",
    ),
    (
        "results/python/6/gpt-4o/input/_log/design_easy",
        11,
        "truncated",
        "lacks the last brace",
    ),
    (
        "oldata/case_study_3/agent_design.log",
        1,
        "prose",
        "a list item about what will be done",
    ),
];

/// The tools of those logs, each with the parameter that a single value stands for.
fn tools_of_the_logs() -> KnownTools {
    let with = |parameter: &'static str, names: &'static str| {
        names.split_whitespace().map(move |name| (name, Some(parameter)))
    };
    let study = "orchestrator_build_image orchestrator_execute_entry orchestrator_generate_dockerfile \
                 orchestrator_plan orchestrator_preview_entry orchestrator_run_container \
                 orchestrator_stop_container";
    let file = "edit_file get_dataset_columns get_dataset_description get_dataset_head get_dataset_info \
                get_dataset_shape get_dataset_variable_summary load_dataset read_file read_image read_json \
                read_log read_pdf read_txt write_file";
    KnownTools::from_pairs(
        with("folder_path", "list_files_in_folder")
            .chain(with("study_path", study))
            .chain(with("file_path", file))
            .chain(with("question", "ask_human_input"))
            .chain(with("command", "run_shell_command")),
    )
}

fn class_of(turn: &Turn) -> (&'static str, String) {
    match turn {
        Turn::Calls(calls) => {
            let repairs: Vec<_> = calls[0].repairs.iter().map(ToString::to_string).collect();
            let names: Vec<_> = calls.iter().map(|call| call.tool.as_str()).collect();
            ("call", format!("{} [{}]", names.join(" + "), repairs.join("; ")))
        }
        Turn::Answer(_) => ("answer", String::new()),
        Turn::Prose => ("prose", String::new()),
        Turn::Truncated => ("truncated", String::new()),
        Turn::Unreadable { reason } => ("unreadable", reason.clone()),
    }
}

/// Whether the turn calls what the log ran, with paths that are paths.
fn is_recovered(turn: &Turn, action: &Action) -> bool {
    let Turn::Calls(calls) = turn else {
        return false;
    };
    let named = match &action.tool {
        Some(tool) => calls.len() == 1 && calls[0].tool == *tool,
        None => calls.len() >= 2,
    };
    named
        && calls.iter().all(|call| {
            let Some(arguments) = call.arguments.as_object() else {
                return false;
            };
            let paths = ["file_path", "folder_path", "study_path"];
            let mut found = paths.iter().filter_map(|key| arguments.get(*key));
            !arguments.is_empty()
                && found.all(|path| path.as_str().is_some_and(|path| !path.contains(['\n', '{', '"'])))
        })
}

#[test]
fn real_action_strings_are_recovered_or_named() {
    let Some(path) = need::shared("data/replicatorbench/actions/actions.jsonl") else {
        return;
    };
    let lines = std::fs::read_to_string(&path).unwrap();
    let tools = tools_of_the_logs();
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut told_apart = [false; UNRECOVERABLE.len()];
    let (mut recoverable, mut recovered, mut missed) = (0, 0, Vec::new());
    for (index, line) in lines.lines().enumerate() {
        let number = index + 1;
        let action: Action = serde_json::from_str(line).unwrap();
        let turn = parse(&action.raw, &tools);
        let (class, detail) = class_of(&turn);
        println!("{number:>3} {:<24} {class:<10} {detail}", action.args_kind);
        *counts.entry((action.args_kind.clone(), class)).or_default() += 1;

        // The two logs hold other actions in the same turns, so the kind decides too.
        let listed = UNRECOVERABLE.iter().position(|(log, turn, ..)| {
            action.log.starts_with(log)
                && *turn == action.turn
                && (action.args_kind == "obj-truncated" || action.tool.as_deref() == Some("Read"))
        });
        if let Some(listed) = listed {
            let (_, _, expected, reason) = UNRECOVERABLE[listed];
            assert_eq!(class, expected, "line {number}: {reason}");
            told_apart[listed] = true;
            continue;
        }
        recoverable += 1;
        if is_recovered(&turn, &action) {
            recovered += 1;
        } else {
            missed.push(format!("line {number}: {turn:?}"));
        }
    }
    println!("\n{:<24} {:<10} {:>5}", "form", "read as", "lines");
    for ((form, class), count) in &counts {
        println!("{form:<24} {class:<10} {count:>5}");
    }
    let rate = f64::from(recovered) / f64::from(recoverable);
    println!(
        "\n{recovered} of {recoverable} recoverable lines are recovered: {:.1} %",
        100.0 * rate
    );
    assert_eq!(
        told_apart,
        [true; UNRECOVERABLE.len()],
        "every listed line is in the file"
    );
    assert_eq!(recoverable, 104, "lines that can be run");
    assert!(rate >= 0.99, "missed:\n{}", missed.join("\n"));
}
